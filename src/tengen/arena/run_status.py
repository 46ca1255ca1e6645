"""Status files of matches, tournaments and tuning runs, for other programs such as the web app.

Each run rewrites a JSON file next to its checkpoint from time to time. It contains headings and ready-made HTML in
which all names are escaped. Its games are in a second file, a line of JSON for each. A third file is locked while
the run is active, because a run that is killed cannot write that it has stopped.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tengen.core.errors import TengenError
from tengen.core.file_lock import try_lock, unlock
from tengen.core.folders import data_folder
from tengen.games import records
from tengen.jobs.worker_calls import CountsCalls

KINDS = ("matches", "variants", "tournaments", "tunings")
GAMES_SUFFIX = ".games"
_LOCK_SUFFIX = ".running"
_MIN_INTERVAL_S = 1.0  # between two writes
_MIN_INTERVAL_FACTOR = 20  # times the duration of the last write, so that writing stays a small part of the run
_LOCK_TIMEOUT_S = 0.5  # for the first and last write: readers hold the lock for a moment
_ID = re.compile(r"[0-9a-f]{24}")


def folder(kind: str) -> Path:
    """The folder of the checkpoints and status files of a kind."""
    return data_folder() / kind


@dataclass(frozen=True)
class RunStatus:
    """The status of a run. `state` is running, stopped or finished.

    `figures` are headline numbers with their names, `done` and `total` count games or steps, `workers` has a row
    for each process or cluster worker, and `result` is the result as data for programs.
    """

    name: str
    about: str
    game: str
    state: str
    caption: str
    sections: list[tuple[str, str]]
    time: float = field(default_factory=time.time)
    id: str = ""
    kind: str = ""
    figures: list[tuple[str, str]] = field(default_factory=list)
    done: int = 0
    total: int | None = None
    workers: list[dict[str, Any]] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)


def worker_rows(executor: Executor) -> list[dict[str, Any]]:
    """A row for each worker of an executor that counts its calls."""
    return [asdict(one) for one in executor.worker_calls()] if isinstance(executor, CountsCalls) else []


class StatusWriter:
    """Writes the status file of a run: regularly while it is open, and the final state.

    If another run uses the same checkpoint it writes nothing, because its own run is about to be rejected.
    """

    def __init__(self, checkpoint: Path, status: Callable[[str], RunStatus]) -> None:
        """`status` returns the current status with the given state."""
        self._path, self._status = checkpoint.with_suffix(".json"), status
        self._next = 0.0
        self._is_locked = False
        self._games = checkpoint.with_suffix(GAMES_SUFFIX)
        self._new_games: list[str] = []
        self._games_mode = "w"  # a resumed run adds its earlier games again

    def __enter__(self) -> Self:
        self._lock = self._path.with_suffix(_LOCK_SUFFIX).open("ab")
        self._write("running", _LOCK_TIMEOUT_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("finished" if kind is None else "stopped", _LOCK_TIMEOUT_S)
        if self._is_locked:
            unlock(self._lock)
        self._lock.close()

    def add_game(self, game: dict[str, Any]) -> None:
        """Add a game to the file of games, which is written together with the status."""
        self._new_games.append(json.dumps(game))

    def update(self) -> None:
        """Write the status if enough time has passed since the last write."""
        if time.monotonic() >= self._next:
            self._write("running")

    def _write(self, state: str, timeout_s: float = 0.0) -> None:
        began = time.monotonic()
        if not self._try_lock(timeout_s):
            return
        with suppress(OSError, TengenError):  # a full disk: readers see the next status
            self._write_games()
            records.save(self._path, json.dumps(asdict(self._status(state))).encode())
        now = time.monotonic()
        self._next = now + max(_MIN_INTERVAL_S, _MIN_INTERVAL_FACTOR * (now - began))

    def _write_games(self) -> None:
        with self._games.open(self._games_mode, encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in self._new_games)
        self._games_mode = "a"
        self._new_games.clear()

    def _try_lock(self, timeout_s: float) -> bool:
        """Lock the file, waiting up to `timeout_s`; returns whether it is locked by this run."""
        until = time.monotonic() + timeout_s
        while not self._is_locked:
            self._is_locked = try_lock(self._lock)
            if self._is_locked or time.monotonic() >= until:
                break
            time.sleep(0.01)
        return self._is_locked


def _is_active(status_file: Path) -> bool:
    """Whether a running process holds the lock."""
    try:
        with status_file.with_suffix(_LOCK_SUFFIX).open("r+b") as file:
            if not try_lock(file):
                return True
            unlock(file)
    except OSError:
        pass
    return False


def find(kind: str, identity: str) -> RunStatus | None:
    """The status of the run with this id; None if there is none or it cannot be read."""
    if kind not in KINDS or not _ID.fullmatch(identity):
        return None
    file = folder(kind) / f"{identity}.json"
    try:
        stored = {**json.loads(file.read_bytes()), "id": identity, "kind": kind}
        stored.pop("recent", None)  # games in files of version 0.1
        found = RunStatus(**stored)
    except (OSError, ValueError, TypeError):
        return None
    was_killed = found.state == "running" and not _is_active(file)
    return replace(found, state="stopped") if was_killed else found


def games_of(kind: str, identity: str) -> list[dict[str, Any]]:
    """The games of a run in the order in which they ended, as data; none if there are none to read."""
    if kind not in KINDS or not _ID.fullmatch(identity):
        return []
    found = []
    with suppress(OSError), (folder(kind) / f"{identity}{GAMES_SUFFIX}").open(encoding="utf-8") as file:
        for line in file:
            with suppress(ValueError):  # the last line may not be complete yet
                found.append(json.loads(line))
    return found


def forget(kind: str, identity: str) -> None:
    """Delete the files of a run that is not running; its games stay in the library."""
    if kind in KINDS and _ID.fullmatch(identity):
        for suffix in (".json", GAMES_SUFFIX, _LOCK_SUFFIX, ".jobs"):
            (folder(kind) / f"{identity}{suffix}").unlink(missing_ok=True)


def find_all() -> list[RunStatus]:
    """The status of all runs, the newest first."""
    found = [
        find(kind, path.stem) for kind in KINDS if folder(kind).is_dir() for path in folder(kind).glob("*.json")
    ]
    return sorted((one for one in found if one is not None), key=lambda one: -one.time)
