"""Entries of the library: reading, checking, adding."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from tengen.app.proofs.proof_file import Effort, InvalidProof, Verified, read_proof_file, verify_text
from tengen.core.errors import OptionError
from tengen.core.folders import data_folder
from tengen.games.records.atomic_files import save

SHIPPED = Path(__file__).parent / "shipped"
FILE = "FILE"  # in a command: where it writes the certificate

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")


@dataclass(frozen=True)
class Entry:
    """A solved position.

    file: the certificate, in the folder of the entry; empty if there is none
    sha256: of the certificate, also of one that the command makes
    command: the command that produces the result, or the certificate if it contains FILE
    expected: text that the output of the command contains
    seconds: processor time of checking the certificate, or of the command if there is none, measured once
    method: how the result was obtained, and why it can be believed
    board: the game and options of the position, for drawing it
    """

    id: str
    game: str
    position: str
    claim: str
    file: str = ""
    sha256: str = ""
    command: str = ""
    expected: str = ""
    seconds: float = 0.0
    method: str = ""
    board: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = SHIPPED

    @property
    def kind(self) -> str:
        """What backs the claim: `certificate`, `makes certificate` or `search`."""
        if self.file:
            return "certificate"
        return "makes certificate" if FILE in self.command.split() else "search"

    @property
    def check_command(self) -> str:
        """The command that checks the claim."""
        return f"tengen proofs verify {self.id}" + ("" if self.file else " --run")

    @property
    def path(self) -> Path:
        return self.folder / self.file


def user_folder() -> Path:
    """Where the entries are that the user added."""
    return data_folder() / "proofs"


def library_entries(game: str = "") -> list[Entry]:
    """All entries, or those of a game: shipped ones first."""
    found = _read_index(SHIPPED)
    taken = {entry.id for entry in found}
    found += [entry for entry in _read_index(user_folder()) if entry.id not in taken]
    return [entry for entry in found if not game or entry.game == game.lower()]


def entry_named(identity: str) -> Entry:
    """The entry with this id. Raises `OptionError`."""
    for entry in library_entries():
        if entry.id == identity:
            return entry
    raise OptionError(f"there is no proof {identity!r}; `tengen proofs list` shows all")


def _read_index(folder: Path) -> list[Entry]:
    path = folder / "library.json"
    if not path.exists():
        return []
    try:
        known = {one.name for one in fields(Entry)}
        rows = json.loads(path.read_text(encoding="utf-8"))
        return [Entry(**{key: row[key] for key in row.keys() & known}, folder=folder) for row in rows]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise OptionError(f"{path} is not a library of proofs: {error}") from None


def check_entry(entry: Entry, effort: Effort | None = None) -> Verified:
    """Check the certificate of an entry. Raises `InvalidProof`, or `NotChecked` at the time limit."""
    if not entry.file:
        raise OptionError(f"{entry.id} has no certificate; it is produced by: {entry.command}")
    text = read_proof_file(entry.path)
    if entry.sha256 and hash_of(text) != entry.sha256:
        raise InvalidProof(f"{entry.id}: {entry.path} is not the certificate that the library lists")
    return verify_text(text, effort)


def hash_of(text: str) -> str:
    """The SHA-256 of a certificate."""
    return hashlib.sha256(text.encode()).hexdigest()


def run_entry(entry: Entry, effort: Effort | None = None) -> Verified:
    """Run the command of an entry, then check what it produced. Raises `InvalidProof` if that is not the claim."""
    words = shlex.split(entry.command)
    if not words or words[0] != "tengen":
        raise OptionError(f"{entry.id} has no command that can be run here")
    with tempfile.TemporaryDirectory() as folder:
        proof = Path(folder) / "proof.json"
        words = [str(proof) if word == FILE else word for word in words[1:]]
        started = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "tengen", *words], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise InvalidProof(f"{entry.id}: the command failed: {done.stderr.strip()[-300:]}")
        if entry.expected not in " ".join(done.stdout.split()):
            raise InvalidProof(f"{entry.id}: the command did not answer {entry.expected!r}")
        if proof.exists():
            text = read_proof_file(proof)
            found = verify_text(text, effort)
            if entry.sha256 and hash_of(text) != entry.sha256:  # as valid, from another version of the search
                found = replace(found, work=f"{found.work}, in another certificate than the listed one,")
            return found
        return Verified(f"{entry.position}: {entry.claim}", f"one run of {time.monotonic() - started:.0f} s")


def add_proof(file: Path, identity: str = "", effort: Effort | None = None) -> Entry:
    """Check a proof and copy it into the user's library. Raises `InvalidProof`, `NotChecked` or `OptionError`."""
    text = read_proof_file(file)
    started = time.process_time()
    found = verify_text(text, effort)
    seconds = round(time.process_time() - started, 2)
    data = json.loads(text)
    identity = identity or re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-") or "proof"
    if _ID.fullmatch(identity) is None:
        raise OptionError(f"an id has letters a to z, digits and hyphens, not {identity!r}")
    entries = library_entries()
    if any(entry.id == identity for entry in entries):
        raise OptionError(f"there is already a proof {identity!r}: choose another id with --id")
    position, _, claim = found.claim.partition(": ")
    folder = user_folder()
    folder.mkdir(parents=True, exist_ok=True)
    entry = Entry(
        identity,
        game=str(data.get("game") or ("clobber" if "clobber" in str(data.get("format")) else "sums")),
        position=position if claim else found.claim,
        claim=claim or found.claim,
        file=f"{identity}.json",
        sha256=hash_of(text),
        seconds=seconds,
        method=f"added by the user; {found.work} checked",
        folder=folder,
    )
    save(entry.path, text.encode())
    mine = [*_read_index(folder), entry]
    save(folder / "library.json", (json.dumps([_row(one) for one in mine], indent=1) + "\n").encode())
    return entry


def _row(entry: Entry) -> dict[str, Any]:
    row = asdict(entry)
    del row["folder"]
    return {key: value for key, value in row.items() if value not in ("", 0.0, {})}
