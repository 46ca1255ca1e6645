"""A game: rules with their options. `Position` does the playing; this says by which rules.

To add a game, subclass `Game` as a frozen dataclass whose fields are its options, and register the generic
rules (see `core.compiled.rules`) for its record. docs/extending/adding-a-game.md walks through one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, NewType, Self

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.game_option import GameOption
from tengen.core.outcome import Outcome

if TYPE_CHECKING:
    from tengen.core.diagram import Diagram, Point
    from tengen.core.position import Position

Move = NewType("Move", int)


@dataclass(frozen=True)
class Game(ABC):
    """The rules of one game. Equal options, equal games."""

    name: ClassVar[str]
    title: ClassVar[str]
    players: ClassVar[tuple[str, str]] = ("Black", "White")
    notation: ClassVar[str]  # how a move is written, with an example: shown when one cannot be read
    size_is_rows_first: ClassVar[bool] = False  # whether the option `size` is rows x columns
    unit: ClassVar[str] = "points"  # what a score counts; "wins" for games that are only won or lost

    # ---- what kernels need to know

    @property
    @abstractmethod
    def record(self) -> np.dtype[Any]:
        """The NumPy record of a state."""

    @property
    @abstractmethod
    def max_legal_moves(self) -> int:
        """No position has more legal moves than this."""

    @property
    @abstractmethod
    def move_codes(self) -> int:
        """Every move is below this (and this is at most 65,536)."""

    @property
    @abstractmethod
    def max_score(self) -> int:
        """No score is larger, or smaller than its negative; in thousandths of a point."""

    @property
    @abstractmethod
    def max_playout_length(self) -> int:
        """After so many moves a random game is cut off and scored as it stands."""

    @property
    def can_repeat(self) -> bool:
        """Whether a position can come up twice in a game."""
        return False

    @property
    def is_symmetric(self) -> bool:
        """Whether a board that is turned or mirrored plays the same; the rule `canonical` has to agree."""
        return False

    @property
    def can_shift(self) -> bool:
        """Whether stones far from every edge play the same wherever they lie."""
        return False

    def relatives(self) -> tuple[tuple[Game, ...], ...]:
        """Games whose openings may serve for this one, by rank: the first has the game itself, and first."""
        return ((self,),)

    @property
    def book_horizon(self) -> int:
        """Default number of moves, passes not counted, that opening books of this game cover."""
        return 20

    @property
    def is_solvable_after_book(self) -> bool:
        """Whether engines can prove the value of positions beyond `book_horizon`."""
        return False

    @property
    def proofs_hold(self) -> bool:
        """Whether what a search proves of a position is true whatever came before it.

        False under rules that forbid more than the search can see, such as positional superko.
        """
        return True

    @abstractmethod
    def set_up(self, states: Any) -> None:
        """Make the zeroed record `states[0]` the start of the game."""

    def compile_kernels(self) -> None:  # noqa: B027 -- most games have none
        """Call every kernel that the game has of its own, so that nobody waits for one in the midst of a game."""

    # ---- options

    @classmethod
    def create(cls, **options: Any) -> Self:
        """The game with these options, given as values or as their text. What is not given has its default.

        A game whose options have short forms (`size=9`) overrides `expand_options`.
        """
        known = {option.name: option for option in fields(cls)}
        values = {}
        for name, value in cls.expand_options(options).items():
            if name not in known:
                names = ", ".join(known) or "none"
                raise OptionError(f"{cls.name} has no option {name!r}; it has: {names}")
            values[name] = _convert(cls.name, known[name], value)
        return cls(**values)

    @classmethod
    def expand_options(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """Short forms and presets written out in full. What is given in full stays."""
        return dict(options)

    @classmethod
    def user_options(cls) -> tuple[GameOption, ...]:
        """The options that forms offer, by default one for each field. Games override this with better labels."""
        return tuple(
            GameOption(field.name, field.name, default if isinstance(default, bool) else str(default))
            for field in fields(cls)
            for default in [field.default]
        )

    def options(self) -> dict[str, Any]:
        """Every option, such that `create(**game.options()) == game`; the values fit into JSON."""
        return {option.name: getattr(self, option.name) for option in fields(self)}

    def describe(self) -> str:
        """The game and the options that differ from the default, in one line."""
        changed = [
            f"{option.name}={getattr(self, option.name)}"
            for option in fields(self)
            if option.default is MISSING or getattr(self, option.name) != option.default
        ]
        return " ".join([self.name, *changed])

    # ---- positions and moves

    def start(self) -> Position:
        """The position in which the game begins."""
        from tengen.core.position import Position

        return Position.first(self)

    @abstractmethod
    def read_move(self, text: str, position: Position) -> Move:
        """The move that a player wrote; it need not be legal. Raises `UnreadableMove` or `AmbiguousMove`."""

    @abstractmethod
    def write_move(self, move: Move) -> str:
        """A move as players write it."""

    @abstractmethod
    def why_illegal(self, position: Position, move: Move) -> str:
        """The rule that forbids this move, for a move that is not legal."""

    @abstractmethod
    def end_reason(self, position: Position) -> str:
        """Why an ended game is over."""

    def outcome(self, position: Position) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        if not position.is_over:
            return None
        return Outcome.from_score(position.final_score, self.end_reason(position))

    @property
    def can_draw(self) -> bool:
        """Whether a game can end without a winner, and so whether players may agree on that."""
        return True

    @property
    def counts_dead_stones(self) -> bool:
        """Whether the players must agree on dead stones before the result is known."""
        return False

    def count(self, position: Position, dead: Iterable[str | Move] = ()) -> Outcome:
        """The result of an ended game; `dead` are stones that the players agree to take off first."""
        outcome = self.outcome(position)
        if outcome is None or any(True for _ in dead):
            raise OptionError(f"{self.name}: only an ended game is counted, and no stones are taken off")
        return outcome

    # ---- what people see

    @abstractmethod
    def diagram(self, position: Position) -> Diagram:
        """The board to draw."""

    def on_board(self, position: Position) -> list[tuple[int, int, int]]:
        """What stands on the board: column, row and 1 or 2 for the first or second player's."""
        rows = enumerate(position.diagram().stones)
        return [(column, row, int(what)) for row, line in rows for column, what in enumerate(line) if what]

    @abstractmethod
    def points(self, move: Move) -> tuple[Point, ...]:
        """The points of the board that a move names, the one it goes to last; none for a pass."""

    def dump(self, position: Position) -> dict[str, Any]:
        """What the rules know of a position beyond the stones, for people who look for a fault."""
        return {}

    def write_outcome(self, outcome: Outcome) -> str:
        """`Black wins by 3.5 points: two passes`, or what is true."""
        if outcome.winner is None:
            return f"Draw: {outcome.reason}"
        by = "" if self.unit == "wins" else f" by {abs(outcome.score):g} {self.unit}"
        return f"{self.players[outcome.winner]} wins{by}: {outcome.reason}"


_TRUE, _FALSE = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


def _convert(game: str, option: Field[Any], value: Any) -> Any:
    """An option's value from its text, by the type of its default. What is not text must be of that type."""
    kind: Any = type(option.default)
    try:
        if kind is bool:
            if isinstance(value, bool):
                return value
            if str(value).lower() not in _TRUE | _FALSE:
                raise ValueError
            return str(value).lower() in _TRUE
        if not isinstance(value, str):
            fitting = {int: Integral, float: Real}.get(kind, kind)
            if isinstance(value, bool) or not isinstance(value, fitting):
                raise ValueError
        converted = kind(value)
        if kind is float and not math.isfinite(converted):
            raise ValueError
        return converted
    except (ValueError, OverflowError):
        expected = {bool: "yes or no", int: "a whole number", float: "a number"}.get(kind, "text")
        raise OptionError(f"{game}: {option.name} should be {expected}, not {value!r}") from None
