"""What the engine host is asked for and what it tells: plain data that travels between processes.

Nothing here loads Numba: a server that hands in `Request`s leaves all compiled code to its workers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from tengen.core.errors import TengenError
from tengen.players.config import EngineConfig
from tengen.search.limits import Limits
from tengen.search.report import Report

if TYPE_CHECKING:
    from tengen.core.position import Position

Setting = int | float | bool | str


@dataclass(frozen=True)
class Request:
    """A position, as the game and the moves that lead to it, each a move's number or its text."""

    game: str
    options: Mapping[str, Setting] = field(default_factory=dict)
    moves: tuple[int | str, ...] = ()

    @classmethod
    def of(cls, position: Position) -> Request:
        return cls(position.game.name, position.game.options(), position.moves)


class Stage(StrEnum):
    """What a search is at."""

    STARTED = "started"  # it has a worker; until then it waits for its turn
    COMPILING = "compiling"  # kernels, once for this machine: `note` names the one
    THINKING = "thinking"  # `report` holds what is known so far
    RETRYING = "retrying"  # its worker died, in the manner that `note` tells: it will start again


@dataclass(frozen=True)
class Progress:
    """News of a search."""

    stage: Stage
    report: Report | None = None
    note: str = ""


class EngineFailed(TengenError):
    """The engine raised an error that is a bug of its own. `__cause__` has the worker's traceback."""


class EngineCrashed(TengenError):
    """Each worker that ran this search died or hung; nobody else was disturbed."""


class HostClosed(TengenError):
    """A search was asked for after the engine host was closed."""


# ---- what host and workers say to each other

EngineKey = tuple[str, EngineConfig]  # the id of a game and a configuration: one engine with its tree or table


@dataclass(frozen=True)
class Caps:
    """What one search may use at most: threads, and megabytes for its tree or table."""

    threads: int
    memory: int


@dataclass(frozen=True)
class Job:
    """What a worker is told. It first gives up the engines in `drop`."""

    key: EngineKey
    place: str  # where the game's class is: the game may be registered in the host's process only
    request: Request
    limits: Limits
    drop: tuple[EngineKey, ...]


@dataclass(frozen=True)
class Drop:
    """A worker is told to give up these engines now, and to return their memory to the system."""

    keys: tuple[EngineKey, ...]


@dataclass(frozen=True)
class Dropped:
    """The answer to `Drop`."""


@dataclass(frozen=True)
class Hello:
    """A worker's first word: it has loaded all it needs."""


@dataclass(frozen=True)
class Failure:
    """The end of a search by an error."""

    error: TengenError
    trace: str = ""


# To a `Job`: any number of Progress, then a Report or a Failure.
Answer = Hello | Dropped | Progress | Report | Failure
