"""Every ruleset as a game for players: one record, one set of rules and one class for all of them.

`playable.Domineering` is the class for `DOMINEERING`: such attributes are made on first use. A ruleset of another
package becomes a game with `make_game`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from tengen.core.compiled.records import record_type
from tengen.core.compiled.rng import below, mix
from tengen.core.compiled.rules import rule
from tengen.core.diagram import Diagram, Point, Stone, letters
from tengen.core.errors import IllegalMove, OptionError, UnreadableMove
from tengen.core.game import Game, Move
from tengen.core.game_option import GameOption
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.rulesets import RULESETS
from tengen.games.rulesets.compiled import compiled_rules
from tengen.games.rulesets.ruleset import MAX_CELLS, Board, Ruleset, write_cell

_WIN = 1000  # normal play: a game is worth one point to its winner
_SIZE = re.compile(r"(?:([0-9]{1,4})\s*[xX*]\s*)?([0-9]{1,4})")
_CELL = re.compile(r"[a-z]{0,2}[0-9]{1,3}")
_SIZES = (16, 40, 64, 256)  # few sizes of records, so that few kernels are compiled


def _fields(ruleset: Ruleset) -> tuple[str, ...]:
    """The field names of a ruleset's record; the last one is its own."""
    return "cells", "codes", "move_count", "width", "height", "turn", f"is_{ruleset.name.replace(' ', '_')}"


@functools.cache
def _record(ruleset: Ruleset, cells: int, moves: int) -> np.dtype[Any]:
    """cells: contents, row by row; codes: the moves of the side to move, and scratch space for `list_moves`."""
    types: tuple[Any, ...] = ((np.uint8, (cells,)), (np.int32, (moves + cells,)), *5 * [(np.int64,)])
    return record_type(*((name, *kind) for name, kind in zip(_fields(ruleset), types, strict=True)))


def define_rules(ruleset: Ruleset) -> None:
    """Register the generic rules for the records of a ruleset."""
    list_moves, make_move = compiled_rules(ruleset)
    fields = _fields(ruleset)

    @rule(fields)
    def to_move(state):  # type: ignore[no-untyped-def]
        return state.turn

    @rule(fields)
    def legal_moves(state, out):  # type: ignore[no-untyped-def]
        for index in range(state.move_count):
            out[index] = state.codes[index]
        return state.move_count

    @rule(fields)
    def random_move(state, rng):  # type: ignore[no-untyped-def]
        return np.int64(state.codes[below(rng, state.move_count)])

    @rule(fields)
    def play(state, move):  # type: ignore[no-untyped-def]
        make_move(state.cells, state.width, state.height, state.turn, np.int64(move))
        state.turn = 1 - state.turn
        state.move_count = list_moves(state.cells, state.width, state.height, state.turn, state.codes, 0)

    @rule(fields)
    def is_over(state):  # type: ignore[no-untyped-def]
        return state.move_count == 0

    @rule(fields)
    def score(state):  # type: ignore[no-untyped-def]
        return np.int64(-_WIN if state.turn == 0 else _WIN)

    @rule(fields)
    def key(state):  # type: ignore[no-untyped-def]
        bits = mix(np.uint64(state.turn))
        word = np.uint64(0)
        for cell in range(state.width * state.height):
            word = (word << np.uint64(2)) | np.uint64(state.cells[cell])
            if cell % 32 == 31:
                bits = mix(bits ^ word)
                word = np.uint64(0)
        return mix(bits ^ word)

    @rule(fields)
    def write_stones(state, out):  # type: ignore[no-untyped-def]
        for row in range(out.shape[0]):
            for column in range(out.shape[1]):
                out[row, column] = state.cells[row * out.shape[1] + column]
        return True


@dataclass(frozen=True)
class RulesetGame(Game):
    """A game whose rules are a `Ruleset`; `make_game` makes a subclass for each."""

    ruleset: ClassVar[Ruleset]
    unit: ClassVar[str] = mark("wins")
    size_is_rows_first: ClassVar[bool] = True
    size_of_strip: ClassVar[bool] = True
    notation: ClassVar[str] = mark("the cells to click, in order, as 3-4 on a strip and b2-b3 on a board")
    max_score: ClassVar[int] = _WIN
    can_draw: ClassVar[bool] = False
    moves_put_stones: ClassVar[bool] = False
    can_set_up: ClassVar[bool] = True

    board: str = ""
    first: str = "X"

    def __post_init__(self) -> None:
        object.__setattr__(self, "board", str(self.ruleset.read(self.board or self.ruleset.start)))
        object.__setattr__(self, "first", self.first.upper())
        if self.first not in ("X", "O"):
            raise OptionError(f"{self.name}: first should be X or O, not {self.first!r}")
        if len(self._start.cells) > MAX_CELLS:
            raise OptionError(f"{self.name}: a board to play on has at most {MAX_CELLS} cells")
        if self.max_legal_moves > 1 << 16:
            raise OptionError(f"{self.name}: this board has too many possible moves to be played")

    @classmethod
    def expand_options(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """`size=4x5` is the usual board of 4 rows and 5 columns, for games that have one for every size."""
        expanded = dict(options)
        if "size" in expanded:
            size, pattern = str(expanded.pop("size")), cls.ruleset.pattern
            match = _SIZE.fullmatch(size.strip())
            if not pattern or match is None or expanded.get("board"):
                wanted = "give a board, or a size as 8 or 4x5 (rows x columns)" if pattern else "give a board"
                raise OptionError(f"{cls.name}: {wanted}, not size {size!r}")
            rows, columns = int(match[1] or 1), int(match[2])
            if not 1 <= rows * columns <= cls.ruleset.max_cells:
                raise OptionError(
                    f"{cls.name}: a board has 1 to {cls.ruleset.max_cells} cells, not {rows * columns}"
                )
            expanded["board"] = _filled(pattern, rows, columns)
        return expanded

    @classmethod
    def user_options(cls) -> tuple[GameOption, ...]:
        board = GameOption("board", mark("Board"), cls.ruleset.start, help=mark("Rows from the top, as ../.."))
        first = GameOption("first", mark("First move"), "X", ("X", "O"))
        if not cls.ruleset.pattern:
            return board, first
        size = GameOption(
            "size",
            mark("Size"),
            "x".join(map(str, _shape(cls.ruleset.read(cls.ruleset.start)))),
            help=mark("Length of a strip (20), or rows x columns (6x5)"),
        )
        instead = GameOption("board", mark("Board"), help=mark("Rows from the top, as ../.."), replaces=("size",))
        return size, instead, first

    # ---- positions that are set up

    @property
    def stone_symbols(self) -> str:
        return "".join(symbol for symbol in self.ruleset.symbols if symbol != ".")

    def with_setup(self, rows: Sequence[str], to_move: int, details: str = "") -> Self:
        return replace(self, board="/".join(rows), first="XO"[to_move])

    @property
    def has_setup(self) -> bool:
        return self != self.without_setup()

    def without_setup(self) -> Self:
        """The usual board of this size; an empty one if there is none."""
        start = self.ruleset.start
        if _shape(self.ruleset.read(start)) != _shape(self._start):
            start = _filled(self.ruleset.pattern or ".", self.height, self.width)
        return replace(self, board=start, first="X")

    # ---- the state

    @functools.cached_property
    def _start(self) -> Board:
        return self.ruleset.read(self.board)

    @property
    def width(self) -> int:
        return self._start.width

    @property
    def height(self) -> int:
        return self._start.height

    @property
    def record(self) -> np.dtype[Any]:
        cells = next(size for size in _SIZES if size >= len(self._start.cells))
        moves = 16
        while moves < self.max_legal_moves:
            moves *= 4
        return _record(self.ruleset, cells, moves)

    @property
    def max_legal_moves(self) -> int:
        return max(1, self.ruleset.max_moves(self._start))

    @property
    def move_codes(self) -> int:
        return self.ruleset.move_codes(len(self._start.cells))

    @property
    def max_playout_length(self) -> int:
        return 8 * len(self._start.cells)

    def set_up(self, states: Any) -> None:
        state, player = states[0], "XO".index(self.first)
        state.cells[: len(self._start.cells)] = list(self._start.cells)
        state.width, state.height, state.turn = self.width, self.height, player
        moves = self.ruleset.moves(self._start, player)
        state.codes[: len(moves)] = moves
        state.move_count = len(moves)

    def board_of(self, position: Position) -> Board:
        """The board of a position."""
        return self._start._replace(cells=bytes(position.state.cells[: len(self._start.cells)].tolist()))

    # ---- moves

    def read_move(self, text: str, position: Position) -> Move:
        cells = _CELL.findall(text.strip().lower())
        if not cells:
            raise UnreadableMove(f"{text!r} is not a move: write {self.notation}")
        written = "-".join(cells)
        for move in position.legal_moves:
            if self.write_move(move) == written:
                return move
        known = {write_cell(cell, self.width, self.height) for cell in range(len(self._start.cells))}
        strange = [cell for cell in cells if cell not in known]
        if strange:
            raise UnreadableMove(f"{strange[0]} is not on the board: write {self.notation}")
        raise IllegalMove(written, self.ruleset.rules)

    def write_move(self, move: Move) -> str:
        return self.ruleset.write_move(self._start, int(move))

    def why_illegal(self, position: Position, move: Move) -> str:
        return self.ruleset.rules

    def end_reason(self, position: Position) -> str:
        return mark("{player} has no move").format(player=self.players[position.to_move])

    # ---- display

    def diagram(self, position: Position) -> Diagram:
        board = self.board_of(position)
        strip = board.height == 1
        return Diagram(
            stones=tuple(
                tuple(map(Stone, board.cells[at : at + board.width]))
                for at in range(0, len(board.cells), board.width)
            ),
            columns=tuple(str(c + 1) for c in range(board.width)) if strip else letters(board.width),
            rows=("",) if strip else tuple(str(board.height - row) for row in range(board.height)),
            marked=frozenset(() if position.move is None else self.points(position.move)),
        )

    def points(self, move: Move) -> tuple[Point, ...]:
        cells = self.ruleset.points(int(move), self.width, self.height)
        return tuple((cell % self.width, cell // self.width) for cell in cells)

    def dump(self, position: Position) -> dict[str, Any]:
        board = self.board_of(position)
        return {"board": str(board), "parts": " + ".join(map(str, self.ruleset.parts(board))) or "none"}


def _filled(pattern: str, rows: int, columns: int) -> str:
    """A board on which the symbols of a pattern alternate in rows and columns."""
    return "/".join(
        "".join(pattern[(row + column) % len(pattern)] for column in range(columns)) for row in range(rows)
    )


def _shape(board: Board) -> tuple[int, int]:
    return board.height, board.width


def class_name(ruleset: Ruleset) -> str:
    """The name of a ruleset's class in this module."""
    return "".join(word.capitalize() for word in re.split("[ _]", ruleset.name))


def make_game(ruleset: Ruleset, module: str = __name__) -> type[RulesetGame]:
    """The game of a ruleset. `module` is where the class can be imported from."""
    define_rules(ruleset)
    namespace = {
        "__module__": module,
        "__doc__": ruleset.rules,
        "__annotations__": {},
        "name": ruleset.name.replace(" ", "_"),
        "title": ruleset.title,
        "ruleset": ruleset,
    }
    return dataclass(frozen=True)(type(class_name(ruleset), (RulesetGame,), namespace))


def __getattr__(name: str) -> Any:
    """The class of a ruleset's game."""
    for ruleset in RULESETS.values():
        if class_name(ruleset) == name:
            made = make_game(ruleset)
            globals()[name] = made
            return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
