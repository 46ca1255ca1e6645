"""Requests to the engine host, its progress reports, and the messages between host and workers.

Nothing here loads Numba: a server that sends `Request`s leaves all compiled code to its workers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from tengen import games
from tengen.core.errors import TengenError
from tengen.core.translation import mark
from tengen.players.config import EngineConfig
from tengen.search.limits import Limits
from tengen.search.report import Report

if TYPE_CHECKING:
    from tengen.core.position import Position

Setting = int | float | bool | str


@dataclass(frozen=True)
class Request:
    """A position, given by its game and the moves leading to it, each as a number or as text."""

    game: str
    options: Mapping[str, Setting] = field(default_factory=dict)
    moves: tuple[int | str, ...] = ()

    @classmethod
    def from_position(cls, position: Position) -> Request:
        return cls(position.game.name, position.game.options(), position.moves)

    def position(self) -> Position:
        """The position, with its history."""
        start = games.game(self.game, **self.options).start()
        return start.play_all(self.moves)  # type: ignore[arg-type]  # every game reads numbers and text


class Stage(StrEnum):
    """Stage of a search."""

    STARTED = mark("started")  # a worker has taken it; before that it is queued
    COMPILING = mark("compiling")  # kernels, once per machine; `note` is a text for the user
    SEARCHING = mark("thinking")  # `report` is the result so far
    RETRYING = mark("retrying")  # its worker died, `note` says how; the search restarts


@dataclass(frozen=True)
class Progress:
    """A progress report of a search."""

    stage: Stage
    report: Report | None = None
    note: str = ""


class EngineError(TengenError):
    """The engine raised an unexpected exception. `__cause__` has the worker's traceback."""


class EngineCrashed(TengenError):
    """Every worker that ran this search died or hung. Other searches are not affected."""


class HostClosed(TengenError):
    """A search was requested after the engine host was closed."""


# ---- messages between host and workers

EngineKey = tuple[str, EngineConfig]  # game id and configuration: identifies an engine with its tree or table


@dataclass(frozen=True)
class SearchCaps:
    """Limits of one search: threads, and megabytes for its tree or table.

    With `background_compilation`, workers run the rules of games as plain Python until the host has compiled them.
    """

    threads: int
    memory_mb: int
    background_compilation: bool = False


@dataclass(frozen=True)
class SearchJob:
    """A search for a worker, which first drops the engines in `drop`."""

    key: EngineKey
    import_path: str  # of the game's class, which may be registered in the host's process only
    request: Request
    limits: Limits
    drop: tuple[EngineKey, ...]
