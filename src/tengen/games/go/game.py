"""Go: rule sets, handicap, notation, error reasons, counting, diagrams."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tengen.core.diagram import Diagram, Point, Stone, letters
from tengen.core.errors import OptionError, PositionError, UnreadableMove
from tengen.core.game import Game, Move
from tengen.core.game_option import GameOption
from tengen.core.outcome import Outcome
from tengen.core.position import Position
from tengen.games.go import rules
from tengen.games.go.handicap import fixed_handicap, star_points

PASS = Move(rules.PASS)

RULE_SETS: dict[str, dict[str, Any]] = {
    "chinese": {"scoring": "area", "ko": "positional", "suicide": False, "komi": 7.5, "bonus": "N"},
    "tromp-taylor": {"scoring": "area", "ko": "positional", "suicide": True, "komi": 7.5, "bonus": "0"},
    "japanese": {"scoring": "territory", "ko": "simple", "suicide": False, "komi": 6.5, "bonus": "0"},
    "aga": {"scoring": "area", "ko": "situational", "suicide": False, "komi": 7.5, "bonus": "N-1"},
    "new-zealand": {"scoring": "area", "ko": "situational", "suicide": True, "komi": 7.0, "bonus": "0"},
}
KO_RULES = {"simple": rules.SIMPLE, "positional": rules.POSITIONAL, "situational": rules.SITUATIONAL}
SCORINGS = ("area", "territory")
BONUSES = ("0", "N", "N-1")  # White's compensation for N handicap stones under area scoring

_SIZE = re.compile(r"(\d{1,9})(?:\s*[xX*]\s*(\d{1,9}))?")
_POINT = re.compile(r"([a-hj-z])\s*(\d{1,9})")


@dataclass(frozen=True)
class Go(Game):
    """Go on boards from 1x1 to 25x25.

    `ko` is the repetition rule, `scoring` area or territory, `bonus` White's compensation for handicap. With
    `free_handicap`, Black places the stones; otherwise they are fixed. `board` is a custom start: rows of X
    (Black), O (White) and `.` from the top, separated by `/`, then the player to move, as in `.X./.../..O X`;
    it includes any handicap stones.
    """

    name: ClassVar[str] = "go"
    title: ClassVar[str] = "Go"
    notation: ClassVar[str] = "a point as D4 (there is no column I), or pass"

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
                raise OptionError(f"go: a board has 1 to {rules.LARGEST} lines each way, not {side}")
        for name, value, known in (
            ("ko", self.ko, KO_RULES),
            ("scoring", self.scoring, SCORINGS),
            ("bonus", self.bonus, BONUSES),
        ):
            if value not in known:
                raise OptionError(f"go: {name} should be {' or '.join(known)}, not {value!r}")
        if not abs(self.komi) <= 1000 or round(self.komi, 3) != self.komi:
            raise OptionError(f"go: komi should be -1000 to 1000, with at most 3 decimals, not {self.komi}")
        if self.board:
            object.__setattr__(self, "board", self._read_board())
        elif self.free_handicap:
            most = self.width * self.height - 1
            if not (self.handicap == 0 or 2 <= self.handicap <= most):
                room = f"a free handicap of 2 to {most} stones" if most >= 2 else "no handicap"
                raise OptionError(f"go: {self.width}x{self.height} has {room}, not {self.handicap}")
        elif self.handicap:
            fixed_handicap(self.width, self.height, self.handicap)

    @classmethod
    def user_options(cls) -> tuple[GameOption, ...]:
        return (
            GameOption(
                "size",
                "Size",
                "19",
                help="9, 13, 19, or columns x rows such as 9x13",
                suggestions=("9", "13", "19"),
            ),
            GameOption("rules", "Rules", "chinese", tuple(RULE_SETS)),
            GameOption("komi", "Komi", help="Leave empty for the default (0.5 with a handicap)"),
            GameOption("handicap", "Handicap", "0", help="Black's stones at the start"),
            GameOption("free_handicap", "Black places handicap stones", False),
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
                raise OptionError(f"go: rules should be {', '.join(RULE_SETS)}, not {name!r}")
            expanded.update(RULE_SETS[name])
        if "size" in given:
            size = str(given.pop("size"))
            match = _SIZE.fullmatch(size.strip())
            if match is None:
                raise OptionError(f"go: size should be as 19 or 9x13, not {size!r}")
            expanded["width"], expanded["height"] = int(match[1]), int(match[2] or match[1])
        elif str(given.get("board", "")).strip() and not {"width", "height"} & set(given):
            rows = str(given["board"]).split()[0].split("/")
            expanded["width"], expanded["height"] = len(rows[0]), len(rows)
        if str(given.get("handicap", "0")) != "0":
            expanded["komi"] = 0.5
        return expanded | given

    @property
    def record(self) -> np.dtype[Any]:
        return rules.RECORD

    @property
    def area(self) -> int:
        return self.width * self.height

    @property
    def max_legal_moves(self) -> int:
        return self.area + 1

    @property
    def move_codes(self) -> int:
        return rules.POINTS

    @property
    def max_score(self) -> int:
        """Board and komi; under territory scoring also prisoners."""
        points = self.area if self.scoring == "area" else 4 * self.area
        return 1000 * points + abs(round(1000 * (self.komi + self._compensation())))

    @property
    def max_playout_length(self) -> int:
        return 3 * self.area + 10

    @property
    def can_repeat(self) -> bool:
        return True

    @property
    def proofs_hold(self) -> bool:
        # Under territory scoring the search ends with all stones alive, on which the players need not agree.
        return self.ko != "positional" and self.scoring == "area"

    @property
    def is_symmetric(self) -> bool:
        return True

    def set_up(self, states: Any) -> None:
        state = states[0]
        state.width, state.height = self.width, self.height
        state.komi = round(1000 * (self.komi + self._compensation()))
        state.superko = KO_RULES[self.ko]
        state.suicide = self.suicide
        state.territory = self.scoring == "territory"
        state.go_stones[:] = rules.BORDER
        points = [self.point((column, row)) for row in range(self.height) for column in range(self.width)]
        state.go_stones[points] = rules.EMPTY
        state.empties[: len(points)] = points
        state.place[points] = np.arange(len(points))
        state.empty_count = len(points)
        if self.board:
            rows, to_move = self.board.split()
            for symbol, colour in (("X", rules.BLACK), ("O", rules.WHITE)):
                own = [point for point, at in zip(points, rows.replace("/", ""), strict=True) if at == symbol]
                rules.put_stones(states, np.array(own, np.int64), colour)
            state.turn = "XO".index(to_move)
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
        rules.find_owners(states)
        rules.count_score(states, np.array([], np.uint64))

    def _compensation(self) -> int:
        if self.handicap == 0 or self.bonus == "0":
            return 0
        return self.handicap - (self.bonus == "N-1")

    def _read_board(self) -> str:
        """Normalise the option `board`. Every string must have a liberty."""
        if self.free_handicap or not 0 <= self.handicap <= self.area:
            raise OptionError("go: with a board, handicap stones stand on it")
        words = self.board.upper().split()
        rows = words[0].split("/") if words else []
        if len(words) == 1:
            words.append("X")
        shape = len(rows) == self.height and all(len(row) == self.width for row in rows)
        if len(words) != 2 or not shape or set(words[0]) - set("XO./") or words[1] not in ("X", "O"):
            raise PositionError(
                f"go: a board is {self.height} rows of {self.width} points, X, O or '.', separated by /, "
                "then X or O for the side to move"
            )
        cells = {(c, r): symbol for r, row in enumerate(rows) for c, symbol in enumerate(row)}
        living = {place for place, symbol in cells.items() if symbol == "."}
        front = list(living)
        while front:
            column, row = front.pop()
            for beside in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
                same = cells[column, row] in (".", cells.get(beside))
                if beside in cells and beside not in living and same:
                    living.add(beside)
                    front.append(beside)
        dead = next((place for place in cells if place not in living), None)
        if dead is not None:
            raise PositionError(f"go: the stones at {self.write_move(self.point(dead))} have no liberty")
        return f"{words[0]} {words[1]}"

    # ---- moves

    def point(self, place: Point) -> Move:
        """The move on a point of the diagram."""
        column, row = place
        return Move(rules.STRIDE * (row + 1) + column + 1)

    def points(self, move: Move) -> tuple[Point, ...]:
        return () if move == PASS else ((move % rules.STRIDE - 1, move // rules.STRIDE - 1),)

    def read_move(self, text: str, position: Position) -> Move:
        word = text.strip().lower()
        if word == "pass":
            return PASS
        match = _POINT.fullmatch(word)
        if match is None:
            raise UnreadableMove(f"{text!r} is not a move: write {self.notation}")
        labels = self._columns()
        column = labels.index(match[1].upper()) if match[1].upper() in labels else -1
        row = self.height - int(match[2])
        if column < 0 or not 0 <= row < self.height:
            last = f"{labels[-1]}{self.height}"
            raise UnreadableMove(
                f"{match[1].upper()}{match[2]} is not on the board, whose points go from A1 to {last}"
            )
        return self.point((column, row))

    def write_move(self, move: Move) -> str:
        if move == PASS:
            return "pass"
        if not self._is_inside(move):
            return f"point {move}"
        ((column, row),) = self.points(move)
        return f"{self._columns()[column]}{self.height - row}"

    def why_illegal(self, position: Position, move: Move) -> str:
        if move == PASS:
            return f"Black has handicap stones to place first, {position.state.handicap} more"
        if not self._is_inside(move):
            return "there is no such point"
        states = np.array([position.state])
        if states[0].go_stones[move] != rules.EMPTY:
            return "there is a stone"
        if states[0].ko == move:
            return "the ko may not be retaken at once"
        if not self.suicide and rules.is_suicide(states, np.uint64(move)):
            return "it would be suicide"
        return f"it would repeat an earlier position ({self.ko} superko)"

    def _is_inside(self, move: Move) -> bool:
        return all(0 <= column < self.width and 0 <= row < self.height for column, row in self.points(move))

    # ---- the end

    def end_reason(self, position: Position) -> str:
        return f"two passes, counted by {self.scoring}"

    @property
    def can_draw(self) -> bool:
        return self.komi == int(self.komi)

    @property
    def counts_dead_stones(self) -> bool:
        return self.scoring == "territory"

    def count(self, position: Position, dead: Iterable[str | Move] = ()) -> Outcome:
        """The result of the current board, with the strings at the points `dead` removed as prisoners.

        All other stones count as alive. Under territory scoring the players must have filled the neutral
        points that matter; eyes in seki are counted, so agree on them beforehand.
        """
        points = [self.read_move(point, position) if isinstance(point, str) else point for point in dead]
        stones = self._stones(position.state)
        for point in points:
            if point not in stones:
                raise OptionError(f"there is no stone on {self.write_move(point)} that could be dead")
        score = rules.count_score(np.array([position.state]), np.array(points, np.uint64))
        return Outcome.from_score(int(score), self.end_reason(position))

    # ---- display

    def text(self, position: Position) -> str:
        """The position as text, as accepted by the option `board`."""
        rows = ("".join(".XO"[stone] for stone in row) for row in self.diagram(position).stones)
        return f"{'/'.join(rows)} {'XO'[position.to_move]}"

    def _columns(self) -> tuple[str, ...]:
        return letters(self.width, skip="I")

    def diagram(self, position: Position) -> Diagram:
        state = position.state
        side = ((Stone.EMPTY, Stone.FIRST, Stone.SECOND)[stone] for stone in self._contents(state))
        cells = list(side)
        captured = state.captured
        return Diagram(
            stones=tuple(tuple(cells[row * self.width : (row + 1) * self.width]) for row in range(self.height)),
            columns=self._columns(),
            rows=tuple(str(self.height - row) for row in range(self.height)),
            kind="points",
            stars=star_points(self.width, self.height),
            marked=frozenset(() if position.move is None else self.points(position.move)),
            captions=(f"Captured by Black {captured[0]}, by White {captured[1]}",),
        )

    def _contents(self, state: Any) -> list[int]:
        return [
            int(state.go_stones[self.point((column, row))])
            for row in range(self.height)
            for column in range(self.width)
        ]

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
        places = ((column, row) for row in range(self.height) for column in range(self.width))
        return [move for move in map(self.point, places) if state.go_stones[move] != rules.EMPTY]

    def _liberties(self, state: Any, stones: list[Move]) -> list[Move]:
        steps = (1, -1, rules.STRIDE, -rules.STRIDE)
        beside = {Move(stone + step) for stone in stones for step in steps}
        return sorted(move for move in beside if state.go_stones[move] == rules.EMPTY)
