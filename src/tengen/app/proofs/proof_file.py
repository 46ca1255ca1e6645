"""The file format of proofs, and the registry of checkers.

A proof is a JSON object with these keys and no others:

    format    "tengen proof"
    version   1
    kind      which checker reads it
    game, options, moves   the position that the claim is about
    claim     what is claimed, as the kind defines
    proof     what the checker needs
    digest    SHA-256 of all this except the digest, to notice damage

The digest is no signature: whoever changes a file can compute it again. A claim is accepted only because the
checker of its kind has checked it.

Files of a format of their own are recognised by their `format` (see `register_format`).
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from tengen import games
from tengen.core.errors import TengenError
from tengen.core.position import Position

FORMAT, VERSION = "tengen proof", 1
MAX_BYTES = 1 << 30
_KEYS = {"format", "version", "kind", "game", "options", "moves", "claim", "proof", "digest"}


class InvalidProof(TengenError):
    """The file is no proof, or what it claims does not follow. The message says where."""


class NotChecked(TengenError):
    """Nothing is wrong so far, but the proof was not checked completely."""


@dataclass(frozen=True)
class Verified:
    """What was proved, in one sentence, and how much was checked."""

    claim: str
    work: str


@dataclass(frozen=True)
class ProofFile:
    """A proof: its kind, the position, the claim, and the data for the checker."""

    kind: str
    game: str
    options: Mapping[str, Any]
    moves: tuple[str, ...]
    claim: Mapping[str, Any]
    proof: Any

    @classmethod
    def of(cls, kind: str, position: Position, claim: Mapping[str, Any], proof: Any) -> ProofFile:
        game = position.game
        return cls(kind, game.name, game.options(), tuple(position.write_moves(position.moves)), claim, proof)

    def position(self) -> Position:
        """The position of the claim. Raises `TengenError` if there is no such position."""
        return games.game(self.game, **dict(self.options)).start().play_all(self.moves)

    def to_json(self) -> str:
        content = {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "game": self.game,
            "options": dict(self.options),
            "moves": list(self.moves),
            "claim": dict(self.claim),
            "proof": self.proof,
        }
        return json.dumps({**content, "digest": _digest(content)}, separators=(",", ":")) + "\n"


@dataclass
class Effort:
    """The time limit of making and checking a proof, and the progress of the check."""

    seconds: float = math.inf
    on_progress: Callable[[int], None] = lambda count: None
    count: int = 0
    _started: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """The remaining seconds, at least 0."""
        return max(0.0, self.seconds - (time.monotonic() - self._started))

    def step(self) -> None:
        """Count a checked position. Raises `NotChecked` at the time limit."""
        self.count += 1
        if self.count % 256 == 0:
            self.on_progress(self.count)
            if self.left <= 0:
                raise NotChecked(f"not checked completely within {self.seconds:g} s; nothing is wrong so far")


Checker: TypeAlias = Callable[[ProofFile, Effort], Verified]
TextChecker: TypeAlias = Callable[[str, Effort], Verified]

# Import paths, so that only the checker that is needed is loaded.
_CHECKERS = {
    "pente-win": "tengen.app.proofs.pente_win:check",
    "othello-value": "tengen.app.proofs.othello_value:check",
    "go-life": "tengen.app.proofs.go_life:check",
}
_FORMATS = {
    "tengen clobber proof": "tengen.app.proofs.clobber_win:check_text",
    "tengen sum proof": "tengen.app.proofs.sum_win:check_text",
}


def register_checker(kind: str, path: str) -> None:
    """Add the checker of a kind of proofs, as `module:function`; it replaces one with the same name."""
    _CHECKERS[kind] = path


def register_format(name: str, path: str) -> None:
    """Add a checker of files with another `format`, as `module:function`; it is given the text."""
    _FORMATS[name] = path


def verify_text(text: str, effort: Effort | None = None) -> Verified:
    """Check a proof. Raises `InvalidProof`, or `NotChecked` at the time limit."""
    effort = effort or Effort()
    data = _read_json(text)
    try:
        if data["format"] in _FORMATS:
            found: Verified = _load(_FORMATS[data["format"]])(text, effort)
            return found
        proof = _read(data)
        check: Checker = _load(_CHECKERS[proof.kind])
        return check(proof, effort)
    except RecursionError:
        raise InvalidProof("the proof goes too deep to be checked") from None


def read_proof_file(path: Path) -> str:
    """The text of a file. Raises `InvalidProof` if it cannot be read."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InvalidProof(f"{path}: a proof has at most {MAX_BYTES >> 20} MB")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidProof(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidProof(f"{path} is no proof: it is not text") from None


def _read_json(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text, object_pairs_hook=_without_repeated_keys)
    except (ValueError, RecursionError):
        raise InvalidProof("this is no proof: it is not JSON, or a key occurs twice") from None
    if not isinstance(data, dict) or data.get("format") not in (FORMAT, *_FORMATS):
        raise InvalidProof(f"this is no proof: expected the format {FORMAT!r}")
    return data


def _without_repeated_keys(found: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object as a dictionary: of repeated keys, other programs might read another one."""
    made = dict(found)
    if len(made) != len(found):
        raise ValueError
    return made


def _read(data: dict[str, Any]) -> ProofFile:
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise InvalidProof(f"this proof has version {data.get('version')!r}; this program reads version {VERSION}")
    if set(data) != _KEYS:
        raise InvalidProof(f"a proof has the keys {', '.join(sorted(_KEYS))}")
    if data["kind"] not in _CHECKERS:
        raise InvalidProof(f"there are no proofs of the kind {data['kind']!r}; known: {', '.join(_CHECKERS)}")
    if data["digest"] != _digest({name: value for name, value in data.items() if name != "digest"}):
        raise InvalidProof("the file was changed or damaged: its digest is another")
    options, moves, claim = data["options"], data["moves"], data["claim"]
    if not (isinstance(options, dict) and isinstance(claim, dict) and is_list_of(moves, str)):
        raise InvalidProof("the options, moves or claim are not written as they should be")
    if not isinstance(data["game"], str):
        raise InvalidProof("the game is not written as it should be")
    proof = ProofFile(data["kind"], data["game"], options, tuple(moves), claim, data["proof"])
    try:
        proof.position()
    except TengenError as error:
        raise InvalidProof(f"there is no such position: {error}") from None
    except (TypeError, ValueError):
        raise InvalidProof("there is no such position: its options are not written as they should be") from None
    return proof


def is_list_of(data: Any, kind: type) -> bool:
    """Whether JSON data is a list of values of exactly this type."""
    return isinstance(data, list) and all(type(one) is kind for one in data)


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
