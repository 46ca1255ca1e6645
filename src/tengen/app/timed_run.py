"""A timed run: as many puzzles as possible within some minutes; a wrong move costs seconds.

    run = TimedRun(Random(), time.monotonic(), minutes=3)
    run.puzzle                       # the one to solve now
    run.answer("D4", time.monotonic())
    run.solved, run.remaining_s(time.monotonic())

Answers are not stored: under pressure they say little about what is known, so they change neither deck nor rating.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tengen.app.puzzle_files import SHIPPED_KINDS, shipped_puzzles
from tengen.core.errors import OptionError
from tengen.core.translation import mark
from tengen.store.puzzles import Puzzle

MINUTES = 3
MAX_MINUTES = 30
PENALTY_S = 10.0
OPTION = "timed run"  # name of the visitor's option


class TimedRun:
    """Puzzles in random order, of all games or some. Times are those of one clock, in seconds."""

    def __init__(self, random: Random, now: float, minutes: int = MINUTES, games: Sequence[str] = ()) -> None:
        if not 1 <= minutes <= MAX_MINUTES:
            raise OptionError(mark("a run takes 1 to {most} minutes").format(most=MAX_MINUTES))
        stock = [one for kind in SHIPPED_KINDS for one in shipped_puzzles(kind)]
        self._stock = [one for one in stock if not games or one.game in games]
        if not self._stock:
            raise OptionError(mark("there are no puzzles of this game"))
        random.shuffle(self._stock)
        self._place = 0
        self._end = now + 60 * minutes
        self.solved = self.missed = 0

    @property
    def puzzle(self) -> Puzzle:
        return self._stock[self._place % len(self._stock)]

    def remaining_s(self, now: float) -> float:
        return max(0.0, self._end - now)

    def is_over(self, now: float) -> bool:
        return now >= self._end

    def answer(self, move: str, now: float) -> bool:
        """Judge a move and go on to the next puzzle; a wrong one costs time. An answer too late does not count."""
        right = move in self.puzzle.right
        if not self.is_over(now):
            self.solved += right
            self.missed += not right
            if not right:
                self._end -= PENALTY_S
            self._place += 1
        return right


@dataclass(frozen=True)
class RunRecord:
    """A visitor's best run and number of runs."""

    best: int = 0
    runs: int = 0

    @classmethod
    def from_option(cls, stored: Any) -> RunRecord:
        """Read the stored option; one that is not valid counts as empty."""
        try:
            return cls(max(0, int(stored["best"])), max(0, int(stored["runs"])))
        except (TypeError, KeyError, ValueError):
            return cls()

    def to_option(self) -> dict[str, int]:
        return {"best": self.best, "runs": self.runs}

    def with_run(self, solved: int) -> RunRecord:
        return RunRecord(max(self.best, solved), self.runs + 1)
