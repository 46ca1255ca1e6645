"""What an engine is: one class with one entry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report
from tengen.search.tunables import Tunable, settle

OnProgress = Callable[[Report], None]


class Engine(ABC):
    """A player by search. One engine serves one game at a time and keeps what it learned between its moves.

    With one thread, the same seed, settings, positions and node limits give the same reports, but for the time.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    tunables: ClassVar[tuple[Tunable, ...]] = ()
    most_threads: ClassVar[int] = 1

    def __init__(self, *, seed: int = 0, threads: int = 1, **settings: Any) -> None:
        if not isinstance(threads, int) or not 1 <= threads <= self.most_threads:
            most = "1 thread" if self.most_threads == 1 else f"1 to {self.most_threads} threads"
            raise OptionError(f"{self.name} runs on {most}, not {threads!r}")
        self.seed = seed
        self.threads = threads
        self.settings = settle(self.name, self.tunables, settings)

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
