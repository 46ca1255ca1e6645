"""The interface of engines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report
from tengen.search.tunables import Tunable, settle, with_current_names

if TYPE_CHECKING:
    from tengen.core.position import Position

OnProgress = Callable[[Report], None]


class Engine(ABC):
    """A player that searches. An engine plays one game at a time and reuses results from one move to the next.

    With one thread, the same seed, settings, positions and node limits give the same reports, except for times.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    tunables: ClassVar[tuple[Tunable, ...]] = ()
    weaknesses: ClassVar[tuple[Tunable, ...]] = ()  # the deliberate weaknesses of players that it supports
    games: ClassVar[tuple[str, ...]] = ()  # names of the games that a plugin plays; empty for every game
    max_threads: ClassVar[int] = 1
    deepens: ClassVar[bool] = True  # whether it honours a depth limit; if not, it needs another limit
    max_depth: ClassVar[int | None] = None  # the largest depth that it can search, if there is one

    def __init__(self, *, seed: int = 0, threads: int = 1, **settings: Any) -> None:
        if not isinstance(threads, int) or not 1 <= threads <= self.max_threads:
            most = "1 thread" if self.max_threads == 1 else f"1 to {self.max_threads} threads"
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
        """Whether it plays this game with these options, for example this board size."""
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
        """Search a position. `on_progress` receives a report a few times per second, in the calling thread.

        Raises `GameOver` if the game has ended. A stop, a limit or Ctrl-C ends the search within a few hundredths
        of a second. After a stop or at a limit the report always contains a legal move.
        """


@runtime_checkable
class Solver(Protocol):
    """Optional interface of engines that have a specialised solver. `search/solve.py` uses it if present."""

    def solve(
        self,
        position: Position,
        *,
        wld: bool = False,
        every_move: bool = False,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        """Prove the result under best play, with the threads and memory of the engine's settings.

        With `wld` (win, loss or draw) only the winner is determined: values are exact, +1, 0 or -1 in "wins".
        With `every_move` the report has a candidate with a proved value for each legal move. A stop returns the
        results proved so far.
        """
