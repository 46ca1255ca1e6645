"""Games: rules with their options.

To add a game, subclass `Game` as a frozen dataclass whose fields are its options, and register the generic
rules (see `core.compiled.rules`) for its record. docs/extending/adding-a-game.md walks through one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, NewType, Self

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.game_option import GameOption
from tengen.core.outcome import Outcome
from tengen.core.translation import mark

if TYPE_CHECKING:
    from tengen.core.diagram import Diagram, Point
    from tengen.core.position import Position

Move = NewType("Move", int)


class Tally(NamedTuple):
    """A number for each player, such as captured stones. `name` is marked for translation.

    `draws` says whose stones displays draw beside the number, if any.
    """

    name: str
    counts: tuple[float, float]
    draws: Literal["", "own", "opponent"] = ""


@dataclass(frozen=True)
class Game(ABC):
    """The rules of a game. Games with equal options are equal."""

    name: ClassVar[str]
    title: ClassVar[str]
    players: ClassVar[tuple[str, str]] = (mark("Black"), mark("White"))
    notation: ClassVar[str]  # description of move notation with an example, for error messages
    size_is_rows_first: ClassVar[bool] = False  # whether the option `size` is rows x columns
    size_of_strip: ClassVar[bool] = False  # whether a `size` of one number is a strip, not a square
    can_set_up: ClassVar[bool] = False  # whether `with_setup` is supported
    setup_details: ClassVar[tuple[str, ...]] = ()  # that a position has besides its stones: captured, ko
    # Whether a move puts a stone on its last point, taken from its first one if it has two: displays then draw the
    # move before the new position is known.
    moves_put_stones: ClassVar[bool] = True
    unit: ClassVar[str] = mark("points")  # unit of scores; "wins" for games without scores

    # ---- for kernels

    @property
    @abstractmethod
    def record(self) -> np.dtype[Any]:
        """The NumPy dtype of a state."""

    @property
    @abstractmethod
    def max_legal_moves(self) -> int:
        """Upper bound of the number of legal moves in a position."""

    @property
    @abstractmethod
    def move_codes(self) -> int:
        """Exclusive upper bound of move codes; at most 65,536."""

    @property
    @abstractmethod
    def max_score(self) -> int:
        """Upper bound of the absolute score, in thousandths of a point."""

    @property
    @abstractmethod
    def max_playout_length(self) -> int:
        """Playouts are cut off and scored after this many moves."""

    @property
    def can_repeat(self) -> bool:
        """Whether a position can occur twice in a game."""
        return False

    @property
    def is_symmetric(self) -> bool:
        """Whether rotations and reflections of the board are equivalent; `canonical_key` must agree."""
        return False

    @property
    def can_shift(self) -> bool:
        """Whether shifting stones that are far from all edges does not change the game."""
        return False

    def relatives(self) -> tuple[tuple[Game, ...], ...]:
        """Games whose openings apply to this one, in ranks; the first rank starts with the game itself."""
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
        """Whether proved results are independent of the history of the position.

        False under rules such as positional superko.
        """
        return True

    @abstractmethod
    def set_up(self, states: Any) -> None:
        """Initialise the zeroed record `states[0]` to the start position."""

    def compile_kernels(self) -> None:  # noqa: B027 -- most games have none
        """Call every kernel that is specific to the game, so that none is compiled during play."""

    # ---- options

    @classmethod
    def create(cls, /, **options: Any) -> Self:
        """Create the game with these options, given as values or text. Others have their defaults.

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
        """Expand short forms and presets. Explicit options take precedence."""
        return dict(options)

    @classmethod
    def user_options(cls) -> tuple[GameOption, ...]:
        """The options that forms offer, by default one for each field. Games override this with better labels."""
        return tuple(
            GameOption(field.name, field.name, default if isinstance(default, bool) else str(default))
            for field in fields(cls)
            for default in [field.default]
        )

    def with_setup(self, rows: Sequence[str], to_move: int, details: str = "") -> Self:
        """The game with the same rules that begins with these stones. Raises `TengenError` if they are impossible.

        Rows are strings of `.` and of `stone_symbols`, from the top. `details` are those of
        `setup_details` as text: `captured=2-4 ko=D5` for two stones captured by the first player and four by the
        second, and a point where the side to move may not retake a ko.
        """
        raise OptionError(f"positions of {self.title} cannot be set up")

    @property
    def stone_symbols(self) -> str:
        """What rows of `with_setup` may contain: X (first player), O (second player), # (neutral)."""
        return "XO"

    def describe_setup(self, position: Position) -> str:
        """The details of a position besides its stones, as `with_setup` reads them; empty without any."""
        return ""

    @property
    def has_setup(self) -> bool:
        """Whether the game begins with a position that was set up."""
        return bool(getattr(self, "board", ""))

    def without_setup(self) -> Self:
        """The game with the same rules and size from its standard start."""
        return self

    def options(self) -> dict[str, Any]:
        """All options, such that `create(**game.options()) == game`; JSON-compatible."""
        return {option.name: getattr(self, option.name) for option in fields(self)}

    def describe(self) -> str:
        """The game and its non-default options in one line."""
        changed = [
            f"{option.name}={getattr(self, option.name)}"
            for option in fields(self)
            if option.default is MISSING or getattr(self, option.name) != option.default
        ]
        return " ".join([self.name, *changed])

    # ---- positions and moves

    def start(self) -> Position:
        """The start position."""
        from tengen.core.position import Position

        return Position.first(self)

    @abstractmethod
    def read_move(self, text: str, position: Position) -> Move:
        """Parse a move, which need not be legal. Raises `UnreadableMove` or `AmbiguousMove`."""

    @abstractmethod
    def write_move(self, move: Move) -> str:
        """A move in notation."""

    @abstractmethod
    def why_illegal(self, position: Position, move: Move) -> str:
        """The rule that an illegal move violates."""

    @abstractmethod
    def end_reason(self, position: Position) -> str:
        """Why the game has ended."""

    def outcome(self, position: Position) -> Outcome | None:
        """The result, or None if the game is not over."""
        if not position.is_over:
            return None
        return Outcome.from_score(position.final_score, self.end_reason(position))

    @property
    def can_draw(self) -> bool:
        """Whether a game can end in a draw, and players may agree to one."""
        return True

    @property
    def counts_dead_stones(self) -> bool:
        """Whether the players must agree on dead stones before the result is known."""
        return False

    @property
    def can_remove_dead_stones(self) -> bool:
        """Whether people may agree on dead stones at the end, even if the rules would count them as alive."""
        return self.counts_dead_stones

    def count(self, position: Position, dead: Iterable[str | Move] = ()) -> Outcome:
        """The result of an ended game after removing the agreed `dead` stones."""
        outcome = self.outcome(position)
        if outcome is None or any(True for _ in dead):
            raise OptionError(
                mark("{name}: only an ended game can be counted, and no stones can be removed").format(
                    name=self.name
                )
            )
        return outcome

    # ---- display

    @abstractmethod
    def diagram(self, position: Position) -> Diagram:
        """The board to draw."""

    def on_board(self, position: Position) -> list[tuple[int, int, int]]:
        """The stones on the board: column, row and 1 or 2 for the first or second player."""
        contents = position.diagram().contents()
        return [(column, row, int(stone)) for (column, row), stone in contents.items() if stone]

    def colour_of(self, position: Position, player: int) -> int:
        """Whose stones a player has: 0 for those of the first player in diagrams, 1 for the others.

        The player's number, unless the players choose colours during the opening.
        """
        return player

    @abstractmethod
    def points(self, move: Move) -> tuple[Point, ...]:
        """The points of a move, the destination last; empty for a pass."""

    def tallies(self, position: Position) -> tuple[Tally, ...]:
        """What displays count for each player during a game, such as captured stones or discs."""
        return ()

    def opening_name(self, position: Position) -> str:
        """The name of the opening that led to a position, in English; empty if it has none."""
        return ""

    @classmethod
    def named_openings(cls) -> Mapping[str, str]:
        """The moves, separated by spaces, of each opening that has a name."""
        return {}

    def split_moves(self, text: str) -> list[str]:
        """The moves in a text; some games are also written without spaces."""
        return text.replace(",", " ").split()

    def score_sheet(self, position: Position, dead: Iterable[str | Move] = ()) -> tuple[Tally, ...]:
        """How the score of an ended game adds up, the total last; `dead` as for `count`."""
        return self.tallies(position)

    def winning_points(self, position: Position) -> tuple[Point, ...]:
        """The stones that decided an ended game, such as five in a row."""
        return ()

    def dump(self, position: Position) -> dict[str, Any]:
        """State beyond the stones, for debugging."""
        return {}

    def write_outcome(self, outcome: Outcome) -> str:
        """The result as text: `Black wins by 3.5 points: two passes`."""
        if outcome.winner is None:
            return mark("Draw: {reason}").format(reason=outcome.reason)
        player = self.players[outcome.winner]
        if self.unit == "wins":
            return mark("{player} wins: {reason}").format(player=player, reason=outcome.reason)
        return mark("{player} wins by {score:g} {unit}: {reason}").format(
            player=player, score=abs(outcome.score), unit=self.unit, reason=outcome.reason
        )


_TRUE, _FALSE = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


def _convert(game: str, option: Field[Any], value: Any) -> Any:
    """Convert an option from text by the type of its default. Other values must have that type."""
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
        expected = {bool: mark("yes or no"), int: mark("a whole number"), float: mark("a number")}.get(
            kind, mark("text")
        )
        raise OptionError(
            mark("{game}: {name} should be {expected}, not {value!r}").format(
                game=game, name=option.name, expected=expected, value=value
            )
        ) from None
