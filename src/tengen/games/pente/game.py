"""Pente: options, notation, opening choices, error reasons, diagrams."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tengen.core.diagram import Diagram, Point, Stone, letters
from tengen.core.errors import OptionError, PositionError, UnreadableMove
from tengen.core.game import Game, Move
from tengen.core.game_option import GameOption
from tengen.core.position import Position
from tengen.games.pente import record, rules, variants

TAKE_BLACK, TAKE_WHITE, TWO_MORE = Move(record.TAKE_BLACK), Move(record.TAKE_WHITE), Move(record.TWO_MORE)
COLOURS = ("Black", "White")
CHOICES = {TAKE_BLACK: "black", TAKE_WHITE: "white", TWO_MORE: "more"}

FIRSTS = ("centre", "anywhere")
SECONDS = {"anywhere": record.ANYWHERE, "tournament": record.TOURNAMENT, "g-pente": record.G_PENTE}
CAPTURES = {"none": 0, "pairs": 2, "triples": 3}
OPENINGS = {"none": record.NO_OPENING, "d-pente": record.D_PENTE, "swap2": record.SWAP2}
_PLACED_FIRST = {"none": 0, "d-pente": 4, "swap2": 3}
_MOST_STONES = 1000  # upper bound of the option `goal`

_POINT = re.compile(r"([a-hj-t])\s*(\d{1,9})")


@dataclass(frozen=True)
class Pente(Game):
    """Five in a row or ten captured stones win; a stone captures pairs that it flanks.

    `first` and `second` restrict Black's first two stones. `row` is the length of a winning row; with `exact`,
    longer rows do not win. `captures` selects the groups that can be captured; `goal` is the number of captured
    stones that wins (0: no such win). `stones` is the number of stones per turn after a first turn of one.
    docs/guide/games.md explains `poof`, `boat` and `opening`. `create(variant=...)` sets all these options.
    `board` is a custom start: rows of X (Black), O (White) and `.` from the top, separated by `/`, then the side
    to move. It starts without captures; if it has stones, `first` and `second` have no effect.

    With an opening protocol, players choose their colours during the game. Until then they are called First, who
    places the first stone, and Second.
    """

    name: ClassVar[str] = "pente"
    title: ClassVar[str] = "Pente"
    unit: ClassVar[str] = "wins"
    notation: ClassVar[str] = "a point as K10 (there is no column I); to choose a side, black, white or more"

    size: int = 19
    first: str = "centre"
    second: str = "anywhere"
    row: int = 5
    exact: bool = False
    captures: str = "pairs"
    goal: int = 10
    poof: bool = False
    boat: bool = False
    stones: int = 1
    opening: str = "none"
    board: str = ""

    def __post_init__(self) -> None:
        for name, value, known in (
            ("first", self.first, FIRSTS),
            ("second", self.second, SECONDS),
            ("captures", self.captures, CAPTURES),
            ("opening", self.opening, OPENINGS),
            ("row", self.row, (5, 6)),
            ("stones", self.stones, (1, 2)),
        ):
            if value not in known:
                raise OptionError(f"pente: {name} should be {' or '.join(map(str, known))}, not {value!r}")
        if not record.SMALLEST <= self.size <= record.LARGEST:
            raise OptionError(f"pente: size should be {record.SMALLEST} to {record.LARGEST}, not {self.size}")
        if not 0 <= self.goal <= _MOST_STONES:
            raise OptionError(f"pente: goal should be 0 to {_MOST_STONES} stones, not {self.goal}")
        if self.captures == "none":
            for name in ("goal", "poof", "boat"):
                if getattr(self, name):
                    raise OptionError(f"pente: {name}={getattr(self, name)} makes no sense with captures=none")
        if self.stones == 2:
            if self.boat or self.opening != "none":
                name = "boat=True" if self.boat else f"opening={self.opening}"
                raise OptionError(f"pente: {name} is a rule for one stone a turn, not for stones=2")
        if self.opening != "none":
            object.__setattr__(self, "players", ("First", "Second"))
        if self.board:
            object.__setattr__(self, "board", self._read_board())

    @classmethod
    def user_options(cls) -> tuple[GameOption, ...]:
        return (
            GameOption("size", "Size", "19", help="5 to 19", suggestions=("13", "15", "19")),
            GameOption("variant", "Variant", "standard", tuple(variants.VARIANTS)),
            GameOption("opening", "Opening", "none", tuple(OPENINGS), "Protocol that balances the sides"),
        )

    @classmethod
    def expand_options(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        return variants.expand(options)

    def _read_board(self) -> str:
        """Normalise the option `board`; empty for an empty board with Black to move."""
        if self.opening != "none":
            raise OptionError(
                f"pente: with opening={self.opening} the players place the first stones: give no board"
            )
        words = self.board.upper().split()
        rows = words[0].split("/") if words else []
        shape = len(rows) == self.size and all(len(row) == self.size for row in rows)
        to_move = words[1:] or ["X"]
        if not shape or set(words[0]) - set("XO./") or to_move not in (["X"], ["O"]):
            raise PositionError(
                f"pente: a board is {self.size} rows of {self.size} points, X, O or '.', separated by /, "
                "then X or O for the side to move"
            )
        if to_move == ["X"] and not set(words[0]) & set("XO"):
            return ""
        return f"{words[0]} {to_move[0]}"

    @property
    def variant(self) -> str | None:
        """Name of the variant with these options; None if it has none."""
        return variants.name_of(self.options())

    @property
    def record(self) -> np.dtype[Any]:
        return record.RECORD

    @property
    def max_legal_moves(self) -> int:
        return self.size**2

    @property
    def move_codes(self) -> int:
        return record.POINTS

    @property
    def max_score(self) -> int:
        return 1000

    @property
    def max_playout_length(self) -> int:
        """Longer than any game with a capture goal (poof apart); without one, games may be infinite."""
        return 2 * self.size**2 + 4 * self.goal + 10

    @property
    def is_symmetric(self) -> bool:
        return True

    @property
    def can_shift(self) -> bool:
        return True

    def relatives(self) -> tuple[tuple[Game, ...], ...]:
        """Variants that differ only in the first moves, then five-in-a-row, then variants without captures."""
        others = [
            tuple(replace(self, **variants.VARIANTS[name], board="", opening="none") for name in names)
            for names in (("standard", "tournament", "freestyle"), ("five-in-a-row",), ("no-capture",))
        ]
        own = replace(self, board="")
        first = next((rank for rank in others if own in rank), ())
        ranks = [(own, *(game for game in first if game != own)), *(rank for rank in others if own not in rank)]
        return tuple(ranks)

    def set_up(self, states: Any) -> None:
        state = states[0]
        state.width, state.row, state.exact = self.size, self.row, self.exact
        state.longest, state.goal = CAPTURES[self.captures], self.goal
        state.poof, state.boat, state.a_turn = self.poof, self.boat, self.stones
        state.opening, state.left = OPENINGS[self.opening], _PLACED_FIRST[self.opening]
        state.pente_stones[:] = record.BORDER
        points = [self.point((column, row)) for row in range(self.size) for column in range(self.size)]
        cells, to_move = self.board.split() if self.board else ("." * len(points), "X")
        contents = np.array([".XO".index(cell) for cell in cells.replace("/", "")], np.uint8)
        state.pente_stones[points] = contents
        empty = np.array(points)[contents == record.EMPTY]
        state.empties[: len(empty)] = empty
        state.place[empty] = np.arange(len(empty))
        state.empty_count = len(empty)
        for colour in range(2):
            own = np.array(points)[contents == colour + 1]
            state.stones_key ^= np.bitwise_xor.reduce(rules.STONE_KEYS[colour, own])
        state.turn = state.colour = "XO".index(to_move)
        placed = len(points) - len(empty)
        # With set-up stones the opening is over, and a two-stone turn begins after an odd number of stones.
        state.number = placed | 1 if placed and self.stones == 2 else placed
        state.centred = self.first == "centre" and not placed
        state.second = record.ANYWHERE if placed else SECONDS[self.second]
        if not len(empty):
            state.end, state.winner = record.BY_FULL_BOARD, record.NOBODY

    # ---- moves

    def point(self, place: Point) -> Move:
        """The move on a point of the diagram."""
        column, row = place
        return Move(record.STRIDE * (row + 1) + column + 1)

    def points(self, move: Move) -> tuple[Point, ...]:
        return () if move in CHOICES else ((move % record.STRIDE - 1, move // record.STRIDE - 1),)

    def read_move(self, text: str, position: Position) -> Move:
        word = text.strip().lower()
        for move, name in CHOICES.items():
            if word == name:
                return move
        match = _POINT.fullmatch(word)
        if match is None:
            raise UnreadableMove(f"{text!r} is not a move: write {self.notation}")
        labels = self._columns()
        column = labels.index(match[1].upper()) if match[1].upper() in labels else -1
        row = self.size - int(match[2])
        if column < 0 or not 0 <= row < self.size:
            last = f"{labels[-1]}{self.size}"
            raise UnreadableMove(
                f"{match[1].upper()}{match[2]} is not on the board, whose points go from A1 to {last}"
            )
        return self.point((column, row))

    def write_move(self, move: Move) -> str:
        if move in CHOICES:
            return CHOICES[move]
        if not self._is_inside(move):
            return f"point {move}"
        ((column, row),) = self.points(move)
        return f"{self._columns()[column]}{self.size - row}"

    def why_illegal(self, position: Position, move: Move) -> str:
        state = position.state
        if state.choice != record.NOTHING:
            words = " or ".join(position.write_moves(position.legal_moves))
            if move == TWO_MORE:
                return f"{self.players[position.to_move]} takes a side now: {words}"
            return f"{self.players[position.to_move]} has a choice to make first: {words}"
        if move in CHOICES:
            return "there is nothing to choose now: place a stone"
        if not self._is_inside(move):
            return "there is no such point"
        if state.pente_stones[move] != record.EMPTY:
            return "there is a stone"
        if state.number == 0:
            return f"the first stone goes to the centre, {' or '.join(position.write_moves(position.legal_moves))}"
        area = "5x5" if self.size % 2 else "6x6"
        whose = COLOURS[state.colour]
        if self.second == "tournament":
            return f"{whose}'s second stone goes outside the central {area}"
        return (
            f"{whose}'s second stone goes outside the central {area} and the next two points of its middle lines"
        )

    def _is_inside(self, move: Move) -> bool:
        return all(0 <= column < self.size and 0 <= row < self.size for column, row in self.points(move))

    # ---- the end

    def end_reason(self, position: Position) -> str:
        state = position.state
        if state.end == record.BY_FULL_BOARD:
            return "the board is full"
        # If players are not named by colour, the reason names it.
        by = "" if self.opening == "none" else f" by {COLOURS[state.winner]}"
        if state.end == record.BY_ROW:
            return f"{'five' if self.row == 5 else 'six'} in a row{by}"
        return f"{state.captured[state.winner]} stones captured{by}"

    # ---- display

    def text(self, position: Position) -> str:
        """Stones and side to move, as accepted by the option `board`; without captures."""
        rows = ("".join(".XO"[stone] for stone in row) for row in self.diagram(position).stones)
        return f"{'/'.join(rows)} {'XO'[position.state.colour]}"

    def _columns(self) -> tuple[str, ...]:
        return letters(self.size, skip="I")

    def diagram(self, position: Position) -> Diagram:
        points = position.state.pente_stones.tolist()
        side = range(self.size)
        stones = (Stone.EMPTY, Stone.FIRST, Stone.SECOND)
        lines = (record.STRIDE * (row + 1) + 1 for row in side)
        return Diagram(
            stones=tuple(tuple(stones[what] for what in points[line : line + self.size]) for line in lines),
            columns=self._columns(),
            rows=tuple(str(self.size - row) for row in side),
            kind="points",
            stars=star_points(self.size),
            marked=frozenset(() if position.move is None else self.points(position.move)),
            captions=tuple(self._captions(position)),
        )

    def on_board(self, position: Position) -> list[tuple[int, int, int]]:
        cells = position.state.pente_stones
        points = np.flatnonzero((cells == record.BLACK) | (cells == record.WHITE)).tolist()
        side = record.STRIDE
        return [(point % side - 1, point // side - 1, int(cells[point])) for point in points]

    def _captions(self, position: Position) -> list[str]:
        state = position.state
        lines = []
        if self.captures != "none":
            lines.append(f"Captured by Black {state.captured[0]}, by White {state.captured[1]}")
        if position.is_over:
            return lines
        player = self.players[position.to_move]
        if state.choice != record.NOTHING:
            lines.append(f"{player} chooses: {', '.join(position.write_moves(position.legal_moves))}")
        elif self.opening != "none" and state.left > 0:
            lines.append(f"{player} places {state.left} more, now a stone of {COLOURS[state.colour]}")
        elif self.opening != "none":
            lines.append(f"{self.players[state.swapped]} has Black, {self.players[1 - state.swapped]} White")
        if self.stones == 2:
            left = 1 if state.number == 0 else 1 + state.number % 2
            lines.append(f"{player} places {left} more")
        if state.five:
            stone = self.write_move(Move(int(state.five)))
            lines.append(f"The row of {stone} wins unless it is broken now")
        return lines

    def dump(self, position: Position) -> dict[str, Any]:
        state = position.state
        return {
            "variant": self.variant or "none by name",
            "stones": [
                f"{colour} {' '.join(position.write_moves(self._stones(state, stone))) or 'none'}"
                for colour, stone in (("Black", record.BLACK), ("White", record.WHITE))
            ],
            "captured": f"by Black {state.captured[0]}, by White {state.captured[1]}",
            "next stone": f"number {state.number + 1}, {COLOURS[state.colour]}",
            "row to break": self.write_move(Move(int(state.five))) if state.five else "none",
        }

    def _stones(self, state: Any, stone: int) -> list[Move]:
        places = ((column, row) for row in range(self.size) for column in range(self.size))
        return [move for move in map(self.point, places) if state.pente_stones[move] == stone]


def star_points(size: int) -> frozenset[Point]:
    """Marked points of a board: the centre, and star points as in Go if the board is large enough."""
    if size < 7:
        return frozenset()
    edge = 3 if size >= 13 else 2
    lines = [edge, size - 1 - edge]
    stars = {(column, row) for column in lines for row in lines}
    if size % 2:
        middle = size // 2
        stars.add((middle, middle))
        if size >= 15:
            stars |= {(middle, line) for line in lines} | {(line, middle) for line in lines}
    return frozenset(stars)
