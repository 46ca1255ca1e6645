"""Pente: options, notation, opening choices, error reasons, diagrams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, takewhile
from typing import Any, ClassVar, Self

import numpy as np

from tengen.core.diagram import Diagram, Point
from tengen.core.errors import OptionError, PositionError
from tengen.core.game import Game, Move, Tally
from tengen.core.game_option import GameOption
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.pente import record, renju, renju_openings, rules, variants
from tengen.games.point_game import PointGame

TAKE_BLACK, TAKE_WHITE, TWO_MORE = Move(record.TAKE_BLACK), Move(record.TAKE_WHITE), Move(record.TWO_MORE)
COLOURS = (mark("Black"), mark("White"))
CAPTURED = mark("Captured stones")
OFFER_TEN = Move(record.OFFER_TEN)
CHOICES = {TAKE_BLACK: "black", TAKE_WHITE: "white", TWO_MORE: "more", OFFER_TEN: "offer-10"} | {
    Move(record.OFFER_ONE + count - 1): f"offer-{count}" for count in range(1, record.MAX_DECLARED + 1)
}

FIRSTS = ("centre", "anywhere")
SECONDS = {"anywhere": record.ANYWHERE, "tournament": record.TOURNAMENT, "g-pente": record.G_PENTE}
CAPTURES = {"none": 0, "pairs": 2, "triples": 3}
OPENINGS = {
    mark("none"): record.NO_OPENING,
    mark("d-pente"): record.D_PENTE,
    mark("swap"): record.SWAP,
    mark("swap2"): record.SWAP2,
    mark("soosorv-8"): record.SOOSORV,
    mark("taraguchi-10"): record.TARAGUCHI,
}
_PLACED_FIRST = {"none": 0, "d-pente": 4, "swap": 3, "swap2": 3, "soosorv-8": 3, "taraguchi-10": 1}
_FORBIDDEN = {
    renju.OVERLINE: mark("forbidden for Black: more than five in a row"),
    renju.DOUBLE_FOUR: mark("forbidden for Black: two fours"),
    renju.DOUBLE_THREE: mark("forbidden for Black: two threes"),
}
_MOST_STONES = 1000  # upper bound of the option `goal`


@dataclass(frozen=True)
class Pente(PointGame):
    """Five in a row or ten captured stones win; a stone captures pairs that it flanks.

    `first` and `second` restrict Black's first two stones. `row` is the length of a winning row; with `exact`,
    longer rows do not win. `captures` selects the groups that can be captured; `goal` is the number of captured
    stones that wins (0: no such win). `stones` is the number of stones per turn after a first turn of one.
    With `renju` Black may not make overlines, two fours or two threes, and wins only with exactly five.
    With `caro` five stones between two enemy stones do not win.
    docs/guide/games.md explains `poof`, `boat` and `opening`. `create(variant=...)` sets all these options.
    `board` is a custom start: rows of X (Black), O (White) and `.` from the top, separated by `/`, then the side
    to move. It starts without captures; if it has stones, `first` and `second` have no effect.

    With an opening protocol, players choose their colours during the game. Until then they are called First, who
    places the first stone, and Second.
    """

    name: ClassVar[str] = "pente"
    title: ClassVar[str] = mark("Pente")
    unit: ClassVar[str] = "wins"
    notation: ClassVar[str] = "a point as K10 (there is no column I); to choose a side, black, white or more"
    stride: ClassVar[int] = record.STRIDE
    named_moves: ClassVar[Mapping[Move, str]] = CHOICES
    move_codes: ClassVar[int] = record.POINTS
    max_score: ClassVar[int] = 1000
    is_symmetric: ClassVar[bool] = True
    can_set_up: ClassVar[bool] = True
    setup_details: ClassVar[tuple[str, ...]] = ("captured",)
    can_shift: ClassVar[bool] = True
    record: ClassVar[np.dtype[Any]] = record.RECORD

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
    renju: bool = False
    caro: bool = False
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
                raise OptionError(
                    mark("pente: {name} should be {choices}, not {value!r}").format(
                        name=name, choices=" or ".join(map(str, known)), value=value
                    )
                )
        if not record.SMALLEST <= self.size <= record.LARGEST:
            raise OptionError(
                mark("pente: size should be {smallest} to {largest}, not {size}").format(
                    smallest=record.SMALLEST, largest=record.LARGEST, size=self.size
                )
            )
        if not 0 <= self.goal <= _MOST_STONES:
            raise OptionError(
                mark("pente: goal should be 0 to {most_stones} stones, not {goal}").format(
                    most_stones=_MOST_STONES, goal=self.goal
                )
            )
        if self.captures == "none":
            for name in ("goal", "poof", "boat"):
                if getattr(self, name):
                    raise OptionError(f"pente: {name}={getattr(self, name)} makes no sense with captures=none")
        if self.stones == 2:
            if self.boat or self.opening != "none":
                name = "boat=True" if self.boat else f"opening={self.opening}"
                raise OptionError(f"pente: {name} is a rule for one stone a turn, not for stones=2")
        if self.renju and (self.captures != "none" or self.row != 5 or self.stones != 1 or self.exact):
            raise OptionError(
                "pente: renju=True needs captures=none, rows of five, one stone a turn and exact=False"
            )
        if self.caro and (self.captures != "none" or self.row != 5 or self.stones != 1 or self.renju):
            raise OptionError(
                "pente: caro=True needs captures=none, rows of five, one stone a turn and renju=False"
            )
        if self.opening != "none":
            object.__setattr__(self, "players", (mark("First"), mark("Second")))
        if self.board:
            object.__setattr__(self, "board", self._read_board())

    @classmethod
    def user_options(cls) -> tuple[GameOption, ...]:
        return (
            GameOption("size", mark("Size"), "19", help="5 to 19", suggestions=("13", "15", "19")),
            GameOption("variant", mark("Variant"), "standard", tuple(variants.VARIANTS)),
            GameOption(
                "opening", mark("Opening"), "none", tuple(OPENINGS), mark("Protocol that balances the sides")
            ),
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
        board, details = self.read_details(self.board)
        rows, to_move = self.read_rows(board)
        captured = self._captured(details)
        if any(captured):
            return f"{rows} {to_move} captured={captured[0]}-{captured[1]}"
        return f"{rows} {to_move}" if to_move == "O" or set(rows) & set("XO") else ""

    def _captured(self, details: Mapping[str, str]) -> tuple[int, int]:
        """Captured stones of a set-up position: fewer than win the game."""
        captured = self.read_captured(details.get("captured", "0-0"), self.goal - 1 if self.goal else self.size**2)
        if any(captured) and self.captures == "none":
            raise PositionError(mark("pente: nothing is captured in this variant"))
        return captured

    @property
    def variant(self) -> str | None:
        """Name of the variant with these options; None if it has none."""
        return variants.name_of(self.options())

    @property
    def shape(self) -> tuple[int, int]:
        return self.size, self.size

    @property
    def max_legal_moves(self) -> int:
        return self.size**2

    @property
    def max_playout_length(self) -> int:
        """Longer than any game with a capture goal (poof apart); without one, games may be infinite."""
        return 2 * self.size**2 + 4 * self.goal + 10

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

    def with_setup(self, rows: Sequence[str], to_move: int, details: str = "") -> Self:
        return replace(self, board=f"{'/'.join(rows)} {'XO'[to_move]} {details}", opening="none")

    def describe_setup(self, position: Position) -> str:
        first, second = position.state.captured.tolist()
        return f"captured={first}-{second}" if first or second else ""

    def without_setup(self) -> Self:
        return replace(self, board="")

    def set_up(self, states: Any) -> None:
        state = states[0]
        state.width, state.row, state.exact = self.size, self.row, self.exact
        state.longest, state.goal = CAPTURES[self.captures], self.goal
        state.poof, state.boat, state.a_turn = self.poof, self.boat, self.stones
        state.renju, state.caro = self.renju, self.caro
        state.opening, state.left = OPENINGS[self.opening], _PLACED_FIRST[self.opening]
        state.pente_stones[:] = record.BORDER
        points = self.all_points()
        cells, to_move = self.board.split()[:2] if self.board else ("." * len(points), "X")
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
        if self.board:
            _rest, details = self.read_details(self.board)
            captured = self._captured(details)
            state.captured[:] = captured
            placed += sum(captured)
        # With set-up stones the opening is over, and a two-stone turn begins after an odd number of stones.
        state.number = placed | 1 if placed and self.stones == 2 else placed
        state.centred = self.first == "centre" and not placed
        state.second = record.ANYWHERE if placed else SECONDS[self.second]
        if not len(empty):
            state.end, state.winner = record.BY_FULL_BOARD, record.NOBODY
        elif state.renju and state.colour == 0 and not renju.has_allowed_point(state):
            state.end, state.winner = record.BY_NO_MOVE, record.NOBODY

    # ---- moves

    def why_illegal(self, position: Position, move: Move) -> str:
        state = position.state
        if state.choice != record.NOTHING:
            words = " or ".join(position.write_moves(position.legal_moves))
            if move == TWO_MORE:
                return mark("{player} takes a side now: {words}").format(
                    player=self.players[position.to_move], words=words
                )
            if state.choice == record.PICK:
                return mark("{player} picks one of the offered stones: {words}").format(
                    player=self.players[position.to_move], words=words
                )
            return mark("{player} has a choice to make first: {words}").format(
                player=self.players[position.to_move], words=words
            )
        if move in CHOICES:
            return mark("there is nothing to choose now: place a stone")
        if not self.is_inside(move):
            return mark("there is no such point")
        if state.pente_stones[move] != record.EMPTY:
            return mark("there is a stone")
        if self.is_offering(position):
            return mark("this point or one symmetric to it has been offered")
        limit = int(renju_openings.zone(state))
        if limit not in (0, renju_openings.UNLIMITED):
            return mark("this stone goes at most {count} points from the centre").format(count=limit)
        if state.number == 0:
            return mark("the first stone goes to the centre, {choices}").format(
                choices=" or ".join(position.write_moves(position.legal_moves))
            )
        if rules.has_forbidden_points(state):
            return _FORBIDDEN[int(renju.reason_at(state, np.uint64(move)))]
        area = "5x5" if self.size % 2 else "6x6"
        whose = COLOURS[state.colour]
        if self.second == "tournament":
            return mark("{whose}'s second stone goes outside the central {area}").format(whose=whose, area=area)
        return mark(
            "{whose}'s second stone goes outside the central {area} and the next two points of its middle lines"
        ).format(whose=whose, area=area)

    # ---- the end

    def end_reason(self, position: Position) -> str:
        state = position.state
        if state.end == record.BY_FULL_BOARD:
            return mark("the board is full")
        if state.end == record.BY_NO_MOVE:
            return mark("Black has no move that is allowed")
        # If players are not named by colour, the reason names it.
        if state.end == record.BY_ROW:
            reason = mark("five in a row") if self.row == 5 else mark("six in a row")
        else:
            reason = mark("{count} stones captured").format(count=state.captured[state.winner])
        if self.opening == "none":
            return reason
        by = (mark("{reason} by Black"), mark("{reason} by White"))[state.winner]
        return by.format(reason=reason)

    # ---- display

    def is_offering(self, position: Position) -> bool:
        """Whether fifth stones are being offered: such a move places no stone."""
        return bool(renju_openings.is_offering(position.state))

    def offers(self, position: Position) -> tuple[Move, ...]:
        """The fifth stones offered so far."""
        state = position.state
        return tuple(Move(int(point)) for point in state.offers[: int(state.offer_count)])

    def text(self, position: Position) -> str:
        """Stones and side to move, as accepted by the option `board`; without captures."""
        return self.write_rows(position, position.state.colour)

    def diagram(self, position: Position) -> Diagram:
        contents = position.state.pente_stones.tolist()
        diagram = self.draw(position, contents, star_points(self.size), tuple(self._captions(position)))
        offers = self.offers(position)
        if not offers:
            return diagram
        return replace(diagram, marked=frozenset(point for move in offers for point in self.points(move)))

    def colour_of(self, position: Position, player: int) -> int:
        return player ^ int(position.state.swapped)

    def tallies(self, position: Position) -> tuple[Tally, ...]:
        if self.captures == "none":
            return ()
        captured = position.state.captured.tolist()
        if position.state.swapped:
            captured.reverse()
        return (Tally(CAPTURED, (captured[0], captured[1]), "opponent"),)

    def winning_points(self, position: Position) -> tuple[Point, ...]:
        state = position.state
        if not position.is_over or state.end != record.BY_ROW:
            return ()
        own = {(column, row) for column, row, stone in self.on_board(position) if stone == state.winner + 1}
        found: set[Point] = set()
        for column, row in own:
            for right, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if (column - right, row - down) in own:
                    continue  # not the start of a run
                run = list(takewhile(own.__contains__, ((column + n * right, row + n * down) for n in count())))
                if len(run) >= self.row:
                    found.update(run)
        return tuple(sorted(found))

    def on_board(self, position: Position) -> list[tuple[int, int, int]]:
        cells = position.state.pente_stones
        points = np.flatnonzero((cells == record.BLACK) | (cells == record.WHITE)).tolist()
        side = record.STRIDE
        return [(point % side - 1, point // side - 1, int(cells[point])) for point in points]

    def _captions(self, position: Position) -> list[str]:
        state = position.state
        lines = []
        if self.captures != "none":
            lines.append(
                mark("Captured by Black {black}, by White {white}").format(
                    black=state.captured[0], white=state.captured[1]
                )
            )
        if position.is_over:
            return lines
        player = self.players[position.to_move]
        if self.is_offering(position):
            lines.append(
                mark("{player} offers {count} more points for the fifth stone").format(
                    player=player, count=int(state.wanted - state.offer_count)
                )
            )
        elif state.choice == record.PICK:
            lines.append(
                mark("{player} picks the fifth stone: {choices}").format(
                    player=player, choices=", ".join(map(self.write_move, self.offers(position)))
                )
            )
        elif state.choice != record.NOTHING:
            words = ", ".join(position.write_moves(position.legal_moves))
            lines.append(mark("{player} chooses: {choices}").format(player=player, choices=words))
        elif self.opening != "none" and state.left > 0:
            lines.append(
                mark("{player} places {count} more, now a stone of {colour}").format(
                    player=player, count=state.left, colour=COLOURS[state.colour]
                )
            )
        elif self.opening != "none":
            lines.append(
                mark("{player} has Black, {other} White").format(
                    player=self.players[state.swapped], other=self.players[1 - state.swapped]
                )
            )
        if self.stones == 2:
            left = 1 if state.number == 0 else 1 + state.number % 2
            lines.append(mark("{player} places {count} more").format(player=player, count=left))
        if state.five:
            stone = self.write_move(Move(int(state.five)))
            lines.append(mark("The row of {stone} wins unless it is broken now").format(stone=stone))
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
        return [move for move in self.all_points() if state.pente_stones[move] == stone]


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
