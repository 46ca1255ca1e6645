"""Limits that prevent a single visitor, file or game from exhausting the machine.

A server operator can change them in `limits.toml` in the data folder (or in the file named by `TENGEN_LIMITS`):

    record_moves = 2_000
    engine_memory_mb = 4_096

The file is read once per process; worker processes read the same one. `tengen doctor` lists the current limits.
"""

from __future__ import annotations

import functools
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tengen.core.errors import OptionError, TengenError
from tengen.core.folders import data_folder

MIB = 1 << 20
FILE = "limits.toml"


class LimitExceeded(TengenError):
    """A limit was exceeded. The message names it and says what to do. Servers respond with 413 or 429."""


class TooLarge(LimitExceeded):
    """The request is too large, and repeating it is useless. Servers respond with 413."""


def _limit(default: float, unit: str, help: str, least: float = 1) -> Any:
    """A field of `ResourceLimits`: its type is that of `default`."""
    return field(default=default, metadata={"unit": unit, "help": help, "least": least})


@dataclass(frozen=True)
class ResourceLimits:
    """The current limits. Integers must be given as integers; `least` is the minimum."""

    # Requests
    request_bytes: int = _limit(8 * MIB, "bytes", "size of one HTTP request", least=1024)
    upload_bytes: int = _limit(6 * MIB, "bytes", "size of an uploaded or pasted file of games", least=1024)
    requests_per_visitor: int = _limit(16, "requests", "of one visitor at the same time", least=2)
    sockets_per_visitor: int = _limit(32, "connections", "WebSockets of one visitor at the same time", least=2)
    imports_at_once: int = _limit(2, "files", "of games imported or exported at the same time; others wait")
    imports_queued: int = _limit(16, "files", "that may wait for that; further ones are refused")

    # Games and their records
    board_points: int = _limit(4096, "points", "of the largest board", least=9)
    record_moves: int = _limit(5_000, "moves", "from the start of a game to the end of any line", least=100)
    record_nodes: int = _limit(100_000, "nodes", "of one game with all its variations", least=100)
    record_marks: int = _limit(500_000, "points", "that are marked or set up in one game", least=100)
    file_nodes: int = _limit(2_000_000, "nodes", "of all games of one file that is uploaded", least=100)
    book_bytes: int = _limit(2048 * MIB, "bytes", "of a book, also when it is unpacked", least=1024)
    open_games: int = _limit(1_000, "games", "that are open on the server at the same time", least=2)
    open_boards: int = _limit(200, "boards", "for demonstrations and trying things out, at the same time", least=2)
    drafts_per_visitor: int = _limit(50, "games", "pasted or edited, not in the library; the oldest are removed")
    watchers_per_game: int = _limit(500, "connections", "that watch one game", least=2)

    # Clocks and levels
    clock_seconds: float = _limit(7 * 24 * 3600.0, "seconds", "of any part of a time control")
    level_seconds: float = _limit(3_600.0, "seconds", "that an engine player thinks about one move")
    level_nodes: int = _limit(10**10, "nodes", "that an engine player searches for one move")
    analysis_seconds: float = _limit(600.0, "seconds", "of one analysis that is asked for over the API")

    # Engines. 0 megabytes: half of the machine's memory.
    engine_memory_mb: int = _limit(0, "MB", "of all engine workers together; 0 is half of the machine's", least=0)
    search_memory_mb: int = _limit(256, "MB", "for the tree or table of one search", least=8)
    engines_per_worker: int = _limit(16, "engines", "that a worker keeps between moves")
    arena_runs: int = _limit(1, "runs", "of the arena's queue that are played at the same time")
    searches_queued: int = _limit(500, "searches", "that may wait for a worker", least=2)
    analyses_per_visitor: int = _limit(4, "analyses", "of one visitor, running or waiting")

    # Accounts (see docs/guide/hosting.md)
    games_per_member: int = _limit(20_000, "games", "that a member may keep")
    players_per_member: int = _limit(100, "players", "that a member may create")
    sessions_per_account: int = _limit(20, "sessions", "of one account; the oldest ends", least=1)

    def __post_init__(self) -> None:
        for one in fields(self):
            value, kind = getattr(self, one.name), type(one.default)
            if type(value) is int and kind is float:
                object.__setattr__(self, one.name, float(value))
            elif type(value) is not kind:
                raise OptionError(f"{one.name} should be {_KINDS[kind]}, not {value!r}")
            least = one.metadata["least"]
            if not least <= value < float("inf"):
                raise OptionError(f"{one.name} should be at least {least:g} {one.metadata['unit']}, not {value!r}")

    @classmethod
    def from_file(cls, path: Path) -> ResourceLimits:
        """Read limits from a TOML file; missing ones have their defaults."""
        try:
            found = tomllib.loads(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise OptionError(f"{path} cannot be read: {error}") from None
        try:
            return cls.from_dict(found)
        except OptionError as error:
            raise OptionError(f"{path}: {error}") from None

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ResourceLimits:
        known = {one.name for one in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise OptionError(f"there is no limit {unknown[0]!r}; there are: {', '.join(sorted(known))}")
        return cls(**values)

    def engine_memory(self) -> int:
        """Megabytes that all engine workers may use together."""
        return self.engine_memory_mb or max(512, machine_memory_mb() // 2)


_KINDS: dict[type, str] = {int: "a whole number", float: "a number"}


@functools.cache
def resource_limits() -> ResourceLimits:
    """The limits of this process."""
    named = os.environ.get("TENGEN_LIMITS")
    path = Path(named).expanduser() if named else data_folder() / FILE
    if not named and not path.exists():
        return ResourceLimits()
    return ResourceLimits.from_file(path)


def machine_memory_mb() -> int:
    """Megabytes of memory available to this process: of the machine, or of its container if that has less."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 4096  # not available on Windows without another package
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            total = min(total, int(Path(name).read_text()))
        except (OSError, ValueError):  # no container, or "max"
            continue
    return int(total // MIB)
