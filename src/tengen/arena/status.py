"""How tournaments and tunings stand, for whoever watches from another program, such as the web app.

Each has a JSON file beside its checkpoint, written anew now and then. What is in it is to be shown as it is:
headings with HTML in which every name is escaped. Beside that lies a file that is locked for as long as somebody
plays: a run that was killed could not write that it stopped.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tengen.core.errors import TengenError
from tengen.core.folders import data_folder
from tengen.games import records
from tengen.jobs.file_lock import try_lock, unlock

KINDS = ("tournaments", "tunings")
_LOCK = ".running"  # how the locked file's name ends
_EVERY = 1.0  # seconds between two writings, at least
_SHARE = 20  # and so many times what the last one took: never more than a small part of the time
_PATIENCE = 0.5  # seconds for which the last writing waits for the lock: whoever looks has it for a moment
_ID = re.compile(r"[0-9a-f]{24}")


def folder(kind: str) -> Path:
    """Where checkpoints and status files of a kind are."""
    return data_folder() / kind


@dataclass(frozen=True)
class Status:
    """How something stands. `state` is running, stopped or finished; `recent` are games, the newest first."""

    name: str
    about: str
    game: str
    state: str
    caption: str
    sections: list[tuple[str, str]]
    recent: list[dict[str, Any]] = field(default_factory=list)
    time: float = field(default_factory=time.time)
    id: str = ""
    kind: str = ""


class Teller:
    """Writes the status file of a run: now and then while it is open, and how it ended.

    One for a checkpoint on which another run is at work writes nothing: its own run is about to be refused.
    """

    def __init__(self, checkpoint: Path, status: Callable[[str], Status]) -> None:
        """`status` is how things stand, in a given state."""
        self._path, self._status = checkpoint.with_suffix(".json"), status
        self._next = 0.0
        self._held = False

    def __enter__(self) -> Self:
        self._lock = self._path.with_suffix(_LOCK).open("ab")
        self._write("running", _PATIENCE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("finished" if kind is None else "stopped", _PATIENCE)
        if self._held:
            unlock(self._lock)
        self._lock.close()

    def tell(self) -> None:
        """Something happened. Write it, if it is time for that."""
        if time.monotonic() >= self._next:
            self._write("running")

    def _write(self, state: str, patience: float = 0.0) -> None:
        began = time.monotonic()
        if not self._hold(patience):
            return
        with suppress(OSError, TengenError):  # a full disk: whoever watches sees the next one
            records.save(self._path, json.dumps(asdict(self._status(state))).encode())
        now = time.monotonic()
        self._next = now + max(_EVERY, _SHARE * (now - began))

    def _hold(self, patience: float) -> bool:
        """Take the lock, if nobody else has it for longer than a look takes."""
        until = time.monotonic() + patience
        while not self._held:
            self._held = try_lock(self._lock)
            if self._held or time.monotonic() >= until:
                break
            time.sleep(0.01)
        return self._held


def _is_played(status_file: Path) -> bool:
    """Whether a process that lives holds the lock."""
    try:
        with status_file.with_suffix(_LOCK).open("r+b") as file:
            if not try_lock(file):
                return True
            unlock(file)
    except OSError:
        pass
    return False


def find(kind: str, identity: str) -> Status | None:
    """The one with this id, if it can be read."""
    if kind not in KINDS or not _ID.fullmatch(identity):
        return None
    file = folder(kind) / f"{identity}.json"
    try:
        found = Status(**{**json.loads(file.read_bytes()), "id": identity, "kind": kind})
    except (OSError, ValueError, TypeError):
        return None
    killed = found.state == "running" and not _is_played(file)
    return replace(found, state="stopped") if killed else found


def find_all() -> list[Status]:
    """All that there are, the newest first."""
    found = [
        find(kind, path.stem) for kind in KINDS if folder(kind).is_dir() for path in folder(kind).glob("*.json")
    ]
    return sorted((one for one in found if one is not None), key=lambda one: -one.time)
