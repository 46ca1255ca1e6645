"""Go: rule sets, handicap, notation, error reasons, counting, diagrams."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from tengen.core.diagram import Diagram, Point, Stone, connected, neighbours
from tengen.core.errors import OptionError, PositionError
from tengen.core.game import Game, Move, Tally
from tengen.core.game_option import GameOption
from tengen.core.outcome import Outcome
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.go import rules, scoring
from tengen.games.go.handicap import fixed_handicap, star_points
from tengen.games.go.territory import dead_stones, territory
from tengen.games.point_game import PointGame

PASS = Move(rules.PASS)

RULE_SETS: dict[str, dict[str, Any]] = {
    mark("chinese"): {"scoring": "area", "ko": "positional", "suicide": False, "komi": 7.5, "bonus": "N"},
    mark("tromp-taylor"): {"scoring": "area", "ko": "positional", "suicide": True, "komi": 7.5, "bonus": "0"},
    mark("japanese"): {"scoring": "territory", "ko": "simple", "suicide": False, "komi": 6.5, "bonus": "0"},
    mark("aga"): {"scoring": "area", "ko": "situational", "suicide": False, "komi": 7.5, "bonus": "N-1"},
    mark("new-zealand"): {"scoring": "area", "ko": "situational", "suicide": True, "komi": 7.0, "bonus": "0"},
}
KO_RULES = {"simple": rules.SIMPLE, "positional": rules.POSITIONAL, "situational": rules.SITUATIONAL}
SCORINGS = (mark("area"), mark("territory"))
BONUSES = ("0", "N", "N-1")  # White's compensation for N handicap stones under area scoring

MAX_KOMI_DIFFERENCE = 1.0  # between games that have the same good openings
MAX_CAPTURED = 1000  # stones of one side, in a position that is set up
CAPTURED, TERRITORY, STONES = mark("Captured stones"), mark("Territory"), mark("Stones on the board")
KOMI, TOTAL = mark("Komi"), mark("Total")

_SIZE = re.compile(r"(\d{1,9})(?:\s*[xX*]\s*(\d{1,9}))?")


@dataclass(frozen=True)
class Go(PointGame):
    """Go on boards from 1x1 to 25x25.

    `ko` is the repetition rule, `scoring` area or territory, `bonus` White's compensation for handicap. With
    `free_handicap`, Black places the stones; otherwise they are fixed. `board` is a custom start: rows of X
    (Black), O (White) and `.` from the top, separated by `/`, then the player to move, as in `.X./.../..O X`;
    it includes any handicap stones.
    """

    name: ClassVar[str] = "go"
    title: ClassVar[str] = mark("Go")
    notation: ClassVar[str] = mark("a point as D4 (there is no column I), or pass")
    stride: ClassVar[int] = rules.STRIDE
    named_moves: ClassVar[Mapping[Move, str]] = {PASS: "pass"}
    record: ClassVar[np.dtype[Any]] = rules.RECORD
    move_codes: ClassVar[int] = rules.POINTS
    can_repeat: ClassVar[bool] = True
    is_symmetric: ClassVar[bool] = True
    can_set_up: ClassVar[bool] = True
    setup_details: ClassVar[tuple[str, ...]] = ("captured", "ko")

    width: int = 19
    height: int = 19
    komi: float = 7.5
    scoring: str = "area"
    ko: str = "positional"
    suicide: bool = False
    handicap: int = 0
    free_handicap: bool = False
    bonus: str = "N"
    board: str = ""

    def __post_init__(self) -> None:
        for side in (self.width, self.height):
            if not 1 <= side <= rules.LARGEST:
                raise OptionError(
                    mark("go: a board has 1 to {largest} lines each way, not {side}").format(
                        largest=rules.LARGEST, side=side
                    )
                )
        for name, value, known in (
            ("ko", self.ko, KO_RULES),
            ("scoring", self.scoring, SCORINGS),
            ("bonus", self.bonus, BONUSES),
        ):
            if value not in known:
                raise OptionError(
                    mark("go: {name} should be {choices}, not {value!r}").format(
                        name=name, choices=" or ".join(known), value=value
                    )
                )
        if not abs(self.komi) <= 1000 or round(self.komi, 3) != self.komi:
            raise OptionError(
                mark("go: komi should be -1000 to 1000, with at most 3 decimals, not {komi}").format(
                    komi=self.komi
                )
            )
        if self.board:
            object.__setattr__(self, "board", self._read_board())
        elif self.free_handicap:
            most = self.width * self.height - 1
            if not (self.handicap == 0 or 2 <= self.handicap <= most):
                room = (
                    mark("a free handicap of 2 to {most} stones").format(most=most)
                    if most >= 2
                    else mark("no handicap")
                )
                raise OptionError(
                    mark("go: {width}x{height} has {room}, not {handicap}").format(
                        width=self.width, height=self.height, room=room, handicap=self.handicap
                    )
                )
        elif self.handicap:
            fixed_handicap(self.width, self.height, self.handicap)

    @classmethod
    def user_options(cls) -> tuple[GameOption, ...]:
        return (
            GameOption(
                "size",
                mark("Size"),
                "19",
                help=mark("9, 13, 19, or columns x rows such as 9x13"),
                suggestions=("9", "13", "19"),
            ),
            GameOption("rules", mark("Rules"), "chinese", tuple(RULE_SETS)),
            GameOption("komi", mark("Komi"), help=mark("Leave empty for the default (0.5 with a handicap)")),
            GameOption("handicap", mark("Handicap"), "0", help=mark("Black's stones at the start")),
            GameOption("free_handicap", mark("Black places handicap stones"), False),
        )

    @classmethod
    def expand_options(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """`size=9` or `size=9x13` (columns x rows), and `rules=` one of RULE_SETS.

        With a handicap and no komi given, komi is half a point.
        """
        given = dict(options)
        expanded: dict[str, Any] = {}
        if "rules" in given:
            name = str(given.pop("rules")).lower()
            if name not in RULE_SETS:
                raise OptionError(
                    mark("go: rules should be {choices}, not {name!r}").format(
                        choices=", ".join(RULE_SETS), name=name
                    )
                )
            expanded.update(RULE_SETS[name])
        if "size" in given:
            size = str(given.pop("size"))
            match = _SIZE.fullmatch(size.strip())
            if match is None:
                raise OptionError(mark("go: size should be as 19 or 9x13, not {size!r}").format(size=size))
            expanded["width"], expanded["height"] = int(match[1]), int(match[2] or match[1])
        elif str(given.get("board", "")).strip() and not {"width", "height"} & set(given):
            rows = str(given["board"]).split()[0].split("/")
            expanded["width"], expanded["height"] = len(rows[0]), len(rows)
        if str(given.get("handicap", "0")) != "0":
            expanded["komi"] = 0.5
        return expanded | given

    @property
    def shape(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def area(self) -> int:
        return self.width * self.height

    @property
    def max_legal_moves(self) -> int:
        return self.area + 1

    @property
    def max_score(self) -> int:
        """Board and komi; under territory scoring also prisoners."""
        points = self.area if self.scoring == "area" else 4 * self.area
        return 1000 * points + abs(round(1000 * (self.komi + self._compensation())))

    @property
    def max_playout_length(self) -> int:
        return 3 * self.area + 10

    @property
    def proofs_hold(self) -> bool:
        # Under territory scoring the search ends with all stones alive, on which the players need not agree.
        return self.ko != "positional" and self.scoring == "area"

    def with_setup(self, rows: Sequence[str], to_move: int, details: str = "") -> Self:
        board = f"{'/'.join(rows)} {'XO'[to_move]} {details}"
        return replace(self, board=board, handicap=0, free_handicap=False)

    def relatives(self) -> tuple[tuple[Game, ...], ...]:
        """The game itself, then, if komi is about the same, the one with the usual rules and komi."""
        usual = Go(width=self.width, height=self.height)
        near = not self.handicap and abs(self.komi - usual.komi) <= MAX_KOMI_DIFFERENCE
        return ((self,), (usual,)) if near and replace(self, board="") != usual else ((self,),)

    def describe_setup(self, position: Position) -> str:
        first, second = position.state.captured.tolist()
        found = [f"captured={first}-{second}"] if first or second else []
        ko = int(position.state.ko)
        return " ".join([*found, *([f"ko={self.write_move(Move(ko))}"] if ko else [])])

    def without_setup(self) -> Self:
        return replace(self, board="")

    def set_up(self, states: Any) -> None:
        state = states[0]
        state.width, state.height = self.width, self.height
        state.komi = round(1000 * (self.komi + self._compensation()))
        state.superko = KO_RULES[self.ko]
        state.suicide = self.suicide
        state.territory = self.scoring == "territory"
        state.go_stones[:] = rules.BORDER
        points = self.all_points()
        state.go_stones[points] = rules.EMPTY
        state.empties[: len(points)] = points
        state.place[points] = np.arange(len(points))
        state.empty_count = len(points)
        if self.board:
            rows, to_move = self.board.split()[:2]
            for symbol, colour in (("X", rules.BLACK), ("O", rules.WHITE)):
                own = [point for point, at in zip(points, rows.replace("/", ""), strict=True) if at == symbol]
                rules.put_stones(states, np.array(own, np.int64), colour)
            state.turn = "XO".index(to_move)
            _rest, details = self.read_details(self.board)
            state.captured[:] = self.read_captured(details.get("captured", "0-0"), MAX_CAPTURED)
            if "ko" in details:
                state.ko = self._read_ko(details["ko"])
        elif self.free_handicap:
            state.handicap = self.handicap
        elif self.handicap:
            stones = fixed_handicap(self.width, self.height, self.handicap)
            rules.put_stones(states, np.array([self.point(stone) for stone in stones]), rules.BLACK)
            state.turn = 1

    def compile_kernels(self) -> None:
        states = np.zeros(1, self.record)
        self.set_up(states)
        point = self.point((0, 0))
        rules.is_suicide(states, np.uint64(point))
        rules.put_stones(states.copy(), np.array([point]), rules.BLACK)
        scoring.find_owners(states)
        scoring.count_score(states, np.array([], np.uint64))

    def _compensation(self) -> int:
        if self.handicap == 0 or self.bonus == "0":
            return 0
        return self.handicap - (self.bonus == "N-1")

    def _read_board(self) -> str:
        """Normalise the option `board`. Every string must have a liberty."""
        if self.free_handicap or not 0 <= self.handicap <= self.area:
            raise OptionError(mark("go: with a board, handicap stones stand on it"))
        board, details = self.read_details(self.board)
        rows, to_move = self.read_rows(board)
        cells = {(c, r): symbol for r, row in enumerate(rows.split("/")) for c, symbol in enumerate(row)}
        stones = {symbol: {place for place in cells if cells[place] == symbol} for symbol in "XO"}
        checked: set[Point] = set()
        for place, symbol in cells.items():
            if symbol in stones and place not in checked:
                string = connected(place, stones[symbol])
                if all(cells.get(beside) != "." for stone in string for beside in neighbours(stone)):
                    raise PositionError(
                        mark("go: the stones at {move} have no liberty").format(
                            move=self.write_move(self.point(place))
                        )
                    )
                checked |= string
        first, second = self.read_captured(details.get("captured", "0-0"), MAX_CAPTURED)
        kept = [rows, to_move, *([f"captured={first}-{second}"] if first or second else [])]
        if "ko" in details:
            self._check_ko(details["ko"], cells, to_move)
            kept.append(f"ko={details['ko'].upper()}")
        return " ".join(kept)

    def _read_ko(self, text: str) -> Move:
        """The point of a ko. Raises `PositionError`."""
        names = {self.write_move(point): point for point in self.all_points()}
        if text.upper() not in names:
            raise PositionError(mark("go: {text} is not a point").format(text=text))
        return names[text.upper()]

    def _check_ko(self, text: str, cells: Mapping[Point, str], to_move: str) -> None:
        """Raise `PositionError` unless the other side may just have captured one stone on this point in a ko."""
        (place,) = self.points(self._read_ko(text))
        other = "XO"["OX".index(to_move)]
        beside = [one for one in neighbours(place) if one in cells]
        is_ko = cells[place] == "." and all(cells[one] == other for one in beside)
        takers = [
            one
            for one in beside
            if all(cells.get(near) not in (".", other) or near == place for near in neighbours(one))
        ]
        if not is_ko or len(takers) != 1:
            raise PositionError(
                mark("go: {point} is no ko that {player} may not retake").format(
                    point=text.upper(), player=self.players["XO".index(to_move)]
                )
            )

    # ---- moves

    def why_illegal(self, position: Position, move: Move) -> str:
        if move == PASS:
            return mark("Black has handicap stones to place first, {handicap} more").format(
                handicap=position.state.handicap
            )
        if not self.is_inside(move):
            return mark("there is no such point")
        states = np.array([position.state])
        if states[0].go_stones[move] != rules.EMPTY:
            return mark("there is a stone")
        if states[0].ko == move:
            return mark("the ko may not be retaken at once")
        if not self.suicide and rules.is_suicide(states, np.uint64(move)):
            return mark("it would be suicide")
        return mark("it would repeat an earlier position ({ko} superko)").format(ko=self.ko)

    # ---- the end

    def end_reason(self, position: Position) -> str:
        return mark("two passes, counted by {scoring}").format(scoring=self.scoring)

    @property
    def can_draw(self) -> bool:
        return self.komi == int(self.komi)

    @property
    def counts_dead_stones(self) -> bool:
        return self.scoring == "territory"

    @property
    def can_remove_dead_stones(self) -> bool:
        return True

    def count(self, position: Position, dead: Iterable[str | Move] = ()) -> Outcome:
        """The result of the current board, with the strings at the points `dead` removed as prisoners.

        All other stones count as alive. Under territory scoring the players must have filled the neutral
        points that matter; eyes in seki are counted, so agree on them beforehand.
        """
        points = [self.read_move(point, position) if isinstance(point, str) else point for point in dead]
        stones = self._stones(position.state)
        for point in points:
            if point not in stones:
                raise OptionError(
                    mark("there is no stone on {move} that could be dead").format(move=self.write_move(point))
                )
        score = scoring.count_score(np.array([position.state]), np.array(points, np.uint64))
        return Outcome.from_score(int(score), self.end_reason(position))

    def tallies(self, position: Position) -> tuple[Tally, ...]:
        captured = position.state.captured
        return (Tally(CAPTURED, (int(captured[0]), int(captured[1])), "opponent"),)

    def score_sheet(self, position: Position, dead: Iterable[str | Move] = ()) -> tuple[Tally, ...]:
        diagram = self.diagram(position)
        named = (self.read_move(point, position) if isinstance(point, str) else point for point in dead)
        removed = dead_stones(diagram, [self.points(point)[0] for point in named])
        owners = list(territory(diagram, removed).values())
        land = Tally(TERRITORY, (owners.count(0), owners.count(1)))
        komi = Tally(KOMI, (0.0, self.komi + self._compensation()))
        living = [stone for point, stone in diagram.contents().items() if stone and point not in removed]
        if self.scoring == "area":
            counted = Tally(STONES, (living.count(Stone.FIRST), living.count(Stone.SECOND)))
        else:
            lost = [diagram.stones[row][column] for column, row in removed]
            captured = position.state.captured.tolist()
            taken = (captured[0] + lost.count(Stone.SECOND), captured[1] + lost.count(Stone.FIRST))
            counted = Tally(CAPTURED, taken)
        parts = [land, counted, komi]
        total = (sum(part.counts[0] for part in parts), sum(part.counts[1] for part in parts))
        return (*parts, Tally(TOTAL, total))

    # ---- display

    def text(self, position: Position) -> str:
        """The position as text, as accepted by the option `board`."""
        return self.write_rows(position, position.to_move)

    def diagram(self, position: Position) -> Diagram:
        captured = position.state.captured
        captions = (
            mark("Captured by Black {black}, by White {white}").format(black=captured[0], white=captured[1]),
        )
        stars = star_points(self.width, self.height)
        return self.draw(position, position.state.go_stones.tolist(), stars, captions)

    def dump(self, position: Position) -> dict[str, Any]:
        state = position.state
        strings = []
        for head in sorted({int(state.head[move]) for move in self._stones(state)}):
            stones = [move for move in self._stones(state) if state.head[move] == head]
            liberties = self._liberties(state, stones)
            strings.append(
                f"{'XO'[state.go_stones[head] - 1]} {' '.join(position.write_moves(stones))}"
                f" | {len(liberties)} liberties: {' '.join(position.write_moves(liberties))}"
            )
        return {
            "strings": strings,
            "ko": "none" if state.ko == 0 else self.write_move(Move(int(state.ko))),
            "repeat key": f"{position.repeat_key:016x}",
            "captured": f"by Black {state.captured[0]}, by White {state.captured[1]}",
        }

    def _stones(self, state: Any) -> list[Move]:
        return [move for move in self.all_points() if state.go_stones[move] != rules.EMPTY]

    def _liberties(self, state: Any, stones: list[Move]) -> list[Move]:
        steps = (1, -1, rules.STRIDE, -rules.STRIDE)
        beside = {Move(stone + step) for stone in stones for step in steps}
        return sorted(move for move in beside if state.go_stones[move] == rules.EMPTY)
