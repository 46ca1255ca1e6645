"""The daily puzzle: the same for everybody on a date, with another game every day.

It is one of the shipped puzzles (`puzzle_files`), so that nothing is searched while a visitor waits. Solved days
are stored among the visitor's options, for the streak.

    puzzle = daily_puzzle(today())
    puzzle.position          # builds it: call it in a thread, because rules may have to be loaded
    puzzle.task              # "Black to play and win in 2", in the current language
    puzzle.check("D4")       # whether a move is right, and what to say
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any

from tengen import games
from tengen.app.puzzle_files import shipped_puzzles
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext, translate
from tengen.store.puzzles import Puzzle

_ROTATION = (
    "go-capture",
    "othello-endgame",
    "pente-win",
    "clobber-win",
    "go-life",
    "othello-endgame",
    "pente-win",
    "clobber-win",
)
OPTION = "daily"  # name of the visitor's option


@dataclass(frozen=True)
class Verdict:
    """Whether a move is right, and a sentence that says so."""

    is_right: bool
    text: str


@dataclass(frozen=True)
class DailyPuzzle:
    """A day's puzzle, with its proof in `puzzle.report`."""

    day: date
    puzzle: Puzzle

    @cached_property
    def position(self) -> Position:
        """The position to solve."""
        game = games.game(self.puzzle.game, **dict(self.puzzle.options))
        return game.start().play_all(self.puzzle.moves)

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.puzzle.game

    @property
    def side_to_move(self) -> int:
        return self.position.to_move

    @property
    def task(self) -> str:
        """What to find, in the current language."""
        return translate(self.puzzle.task)

    def check(self, move: str) -> Verdict:
        """Check a move against the proof."""
        if move not in self.puzzle.right:
            return Verdict(False, _("{move} is not it. Try another move.").format(move=move))
        others = [one for one in self.puzzle.right if one != move]
        if others:
            text = _("Right: {move}. So is {others}.").format(move=move, others=", ".join(others))
            return Verdict(True, text)
        return Verdict(True, _("Right: {move}.").format(move=move))


def today() -> date:
    """The date on the server's clock."""
    return datetime.now().astimezone().date()


def daily_puzzle(day: date) -> DailyPuzzle:
    """The puzzle of a day. Reads a file the first time."""
    round_number, place = divmod(day.toordinal(), len(_ROTATION))
    kind = _ROTATION[place]
    stock = shipped_puzzles(kind)
    number = round_number * _ROTATION.count(kind) + _ROTATION[:place].count(kind)
    return DailyPuzzle(day, stock[number % len(stock)])


@dataclass(frozen=True)
class DailyRecord:
    """A visitor's solved days: the last one, the current and the best run of days in a row, and their number."""

    last: date | None = None
    streak: int = 0
    best: int = 0
    solved: int = 0

    @classmethod
    def from_option(cls, stored: Any) -> DailyRecord:
        """Read the stored option; one that is not valid counts as empty."""
        try:
            last = date.fromisoformat(stored["last"])
            streak, best, solved = (int(stored[name]) for name in ("streak", "best", "solved"))
        except (TypeError, KeyError, ValueError):
            return cls()
        return cls(last, streak, best, solved) if min(streak, best, solved) >= 0 else cls()

    def to_option(self) -> dict[str, str | int]:
        last = "" if self.last is None else self.last.isoformat()
        return {"last": last, "streak": self.streak, "best": self.best, "solved": self.solved}

    def is_solved(self, day: date) -> bool:
        return self.last is not None and self.last >= day

    def with_solved(self, day: date) -> DailyRecord:
        """The record after solving the puzzle of a day, at the first time."""
        if self.is_solved(day):
            return self
        streak = self.current_streak(day) + 1
        return DailyRecord(day, streak, max(self.best, streak), self.solved + 1)

    def current_streak(self, day: date) -> int:
        """Days in a row up to this one or the day before; 0 if one was left out."""
        return self.streak if self.last is not None and self.last >= day - timedelta(days=1) else 0

    def describe(self, day: date) -> str:
        """The streak in words; empty without one."""
        count = self.current_streak(day)
        return (
            ngettext("{count} day in a row", "{count} days in a row", count).format(count=count) if count else ""
        )
