"""Lessons as data: a lesson has steps, a step has a position and one or more tasks.

Texts are marked for translation here and translated where they are shown. What counts as right is a *goal*, a
function of the position and the move (see `goals`), so that the rules decide and not a list of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tengen import games
from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.store.puzzles import Setting

Goal: TypeAlias = Callable[[Position, Move], bool]
"""Whether a legal move in a position is the one that the task asks for."""

BEST_REPLY = "best reply"
"""A reply that is computed: the first legal move that does not lose, or else the first legal move."""


@dataclass(frozen=True)
class Hint:
    """What to say to a wrong move for which `applies` is true."""

    applies: Goal
    text: str


@dataclass(frozen=True)
class Task:
    """One move of the learner: what to do, which moves do it, and what is said to right and wrong ones.

    `praise` explains why the move was right. The first of `hints` that applies answers a wrong move, `hint` all
    others; `illegal` answers an illegal one, by default with the rule that it breaks. `reply` is the opponent's
    answer, if there is one.
    """

    text: str
    goal: Goal
    praise: str
    hint: str
    hints: tuple[Hint, ...] = ()
    illegal: str = ""
    reply: str = ""


@dataclass(frozen=True)
class Step:
    """A position (`moves` after the start of the game with `options`) with an explanation and tasks.

    `id` identifies the step in stored progress: do not change it. `focus` are points to mark. With `until_over`,
    the last task is repeated until the game is over, and `ending` is said then.
    """

    id: str
    title: str
    text: str
    tasks: tuple[Task, ...]
    options: Mapping[str, Setting] = field(default_factory=dict)
    moves: tuple[str, ...] = ()
    focus: tuple[Point, ...] = ()
    until_over: bool = False
    ending: str = ""
    shows_territory: bool = False


@dataclass(frozen=True)
class Lesson:
    """How to play one game: steps that explain the rules, then tiny puzzles."""

    game: str
    steps: tuple[Step, ...]
    puzzles: tuple[Step, ...]

    @property
    def parts(self) -> tuple[Step, ...]:
        """Steps and puzzles in order."""
        return (*self.steps, *self.puzzles)

    def start(self, step: Step) -> Position:
        """The position with which a step starts."""
        return games.game(self.game, **dict(step.options)).start().play_all(step.moves)
