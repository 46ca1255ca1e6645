"""What an engine is: one class with one entry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Protocol, runtime_checkable

from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report
from tengen.search.tunables import Tunable, settle, with_current_names

OnProgress = Callable[[Report], None]


class Engine(ABC):
    """A player by search. One engine serves one game at a time and keeps what it learned between its moves.

    With one thread, the same seed, settings, positions and node limits give the same reports, but for the time.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    tunables: ClassVar[tuple[Tunable, ...]] = ()
    weaknesses: ClassVar[tuple[Tunable, ...]] = ()  # those of a config that it knows how to show
    most_threads: ClassVar[int] = 1
    deepens: ClassVar[bool] = True  # whether a depth limits its search; if not, it needs another limit
    deepest: ClassVar[int | None] = None  # the plies that it has room for, where that is a limit

    def __init__(self, *, seed: int = 0, threads: int = 1, **settings: Any) -> None:
        if not isinstance(threads, int) or not 1 <= threads <= self.most_threads:
            most = "1 thread" if self.most_threads == 1 else f"1 to {self.most_threads} threads"
            raise OptionError(f"{self.name} runs on {most}, not {threads!r}")
        self.seed = seed
        self.threads = threads
        settings = with_current_names(self.name, (*self.tunables, *self.weaknesses), settings)
        weak = {
            tunable.name: settings.pop(tunable.name) for tunable in self.weaknesses if tunable.name in settings
        }
        self.weak = settle(self.name, self.weaknesses, weak)
        self.settings = settle(self.name, self.tunables, settings)

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Whether it plays this game with these options. An engine for one game says for which of its boards."""
        return True

    @abstractmethod
    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        """Think about a position and report. `on_progress` gets a report a few times a second, in this thread.

        Raises `GameOver` if there is no move to look for. A stop, a limit or Ctrl-C ends the search within
        a few hundredths of a second; for the first two there is always a legal move in the report.
        """


@runtime_checkable
class Solver(Protocol):
    """What an engine may offer besides: exact results by better means than a search without limits.

    `search/solve.py` asks for it, and serves the engines that do not have it.
    """

    def solve(
        self,
        position: Position,
        *,
        wld: bool = False,
        every_move: bool = False,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        """Prove the result under best play, with threads and memory by the engine's settings.

        With `wld` only who wins: values are `exact` in "wins", +1, 0 or -1. With `every_move` there is a candidate
        with its own proved value for each legal move. After a stop, what is proved so far.
        """
