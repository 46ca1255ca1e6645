"""Clobber: options, notation, error reasons, diagrams."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from tengen.core.diagram import Diagram, Point, Stone, letters
from tengen.core.errors import AmbiguousMove, IllegalMove, OptionError, UnreadableMove
from tengen.core.game import Game, Move
from tengen.core.game_option import GameOption
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.clobber import rules
from tengen.games.clobber.board import MAX_CELLS, alternating, read_board, subgames

_SIZE = re.compile(r"(?:([0-9]{1,9})\s*[xX*]\s*)?([0-9]{1,9})")
_MOVE = re.compile(r"([a-z]*[0-9]+)(?:(?:\s*(?:->|[-x>:])\s*|\s+)([a-z]*[0-9]+))?")
_CELL = re.compile(r"([a-z]{0,3})([0-9]{1,9})")


@dataclass(frozen=True)
class Clobber(Game):
    """A stone captures an adjacent enemy stone by moving onto it; a player without a move loses."""

    name: ClassVar[str] = "clobber"
    title: ClassVar[str] = mark("Clobber")
    players: ClassVar[tuple[str, str]] = ("Black", "White")  # X and O in text
    unit: ClassVar[str] = mark("wins")
    size_is_rows_first: ClassVar[bool] = True
    can_set_up: ClassVar[bool] = True
    size_of_strip: ClassVar[bool] = True
    notation: ClassVar[str] = mark("from-to, as 3-4 on a strip and b2-b3 on a board")
    max_score: ClassVar[int] = 1000
    can_draw: ClassVar[bool] = False

    board: str = alternating(1, 20)
    first: str = "X"

    def __post_init__(self) -> None:
        object.__setattr__(self, "board", read_board(self.board))
        object.__setattr__(self, "first", self.first.upper())
        if self.first not in ("X", "O"):
            raise OptionError(mark("clobber: first should be X or O, not {first!r}").format(first=self.first))
        if self.width * self.height > MAX_CELLS:
            raise OptionError(
                mark("clobber: a board has at most {max_cells} cells, not {value}").format(
                    max_cells=MAX_CELLS, value=self.width * self.height
                )
            )

    @classmethod
    def expand_options(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """`size=20` is an alternating strip, `size=6x5` a chequered board of 6 rows and 5 columns."""
        expanded = dict(options)
        if "size" in expanded:
            size = str(expanded.pop("size"))
            match = _SIZE.fullmatch(size.strip())
            if match is None or "board" in expanded:
                raise OptionError(
                    mark("clobber: give a board, or a size as 20 or 6x5 (rows x columns), not {size!r}").format(
                        size=size
                    )
                )
            rows, columns = int(match[1] or 1), int(match[2])
            if not 1 <= rows * columns <= MAX_CELLS:
                raise OptionError(
                    mark("clobber: a board has 1 to {max_cells} cells, not {value}").format(
                        max_cells=MAX_CELLS, value=rows * columns
                    )
                )
            expanded["board"] = alternating(rows, columns)
        return expanded

    @classmethod
    def user_options(cls) -> tuple[GameOption, ...]:
        return (
            GameOption(
                "size",
                mark("Size"),
                "20",
                help=mark("Length of a strip (20), or rows x columns (6x5)"),
                suggestions=("12", "20", "5x6", "6x6"),
            ),
            GameOption(
                "board",
                mark("Board"),
                help=mark("Instead of a size: rows as XOXO..XO/OXOX..OX"),
                replaces=("size",),
            ),
            GameOption("first", mark("First move"), "X", ("X", "O")),
        )

    @property
    def width(self) -> int:
        return len(self.board.split("/", 1)[0])

    @property
    def height(self) -> int:
        return self.board.count("/") + 1

    @property
    def record(self) -> np.dtype[Any]:
        words = 1
        while 64 * words < self.width * self.height:
            words *= 4  # few record sizes, so that few kernels are compiled
        return rules.record(words)

    @property
    def max_legal_moves(self) -> int:
        return 2 * self.width * self.height

    @property
    def move_codes(self) -> int:
        return 4 * self.width * self.height

    @property
    def max_playout_length(self) -> int:
        return self.width * self.height

    def with_setup(self, rows: Sequence[str], to_move: int, details: str = "") -> Self:
        return replace(self, board="/".join(rows), first="XO"[to_move])

    @property
    def has_setup(self) -> bool:
        return self != self.without_setup()

    def without_setup(self) -> Self:
        return replace(self, board=alternating(self.height, self.width), first="X")

    def set_up(self, states: Any) -> None:
        state = states[0]
        state.width, state.height = self.width, self.height
        state.turn = "XO".index(self.first)
        for cell, symbol in enumerate(self.board.replace("/", "")):
            bit = np.uint64(1) << np.uint64(cell % 64)
            if symbol != ".":
                state.clobber_stones["XO".index(symbol), cell // 64] |= bit
            if cell % self.width:
                state.follows[cell // 64] |= bit
        rules.settle(states)

    # ---- moves

    def read_move(self, text: str, position: Position) -> Move:
        match = _MOVE.fullmatch(text.strip().lower())
        if match is None:
            raise UnreadableMove(
                mark("{text!r} is not a move: write {notation}").format(text=text, notation=self.notation)
            )
        origin = self._read_cell(match[1], text)
        if match[2] is None:
            return self._only_move_from(origin, text, position)
        target = self._read_cell(match[2], text)
        distance = target - origin
        if abs(distance) == 1 and origin // self.width == target // self.width:
            direction = rules.RIGHT if distance == 1 else rules.LEFT
        elif abs(distance) == self.width and self.height > 1:
            direction = rules.DOWN if distance > 0 else rules.UP
        else:
            move = f"{self.write_cell(origin)}-{self.write_cell(target)}"
            raise IllegalMove(move, mark("a stone moves onto a neighbouring cell"))
        return Move(4 * max(origin, target) + direction)

    def _only_move_from(self, origin: int, text: str, position: Position) -> Move:
        moves = [move for move in position.legal_moves if self.cells(move)[0] == origin]
        if not moves:
            raise IllegalMove(
                text.strip(), mark("no stone can clobber from {cell}").format(cell=self.write_cell(origin))
            )
        if len(moves) > 1:
            raise AmbiguousMove(text.strip(), [self.write_move(move) for move in moves])
        return moves[0]

    def write_move(self, move: Move) -> str:
        origin, target = self.cells(move)
        return f"{self.write_cell(origin)}-{self.write_cell(target)}"

    def cells(self, move: Move) -> tuple[int, int]:
        """Source and target cell of a move."""
        upper, direction = divmod(int(move), 4)
        lower = upper - (1 if direction < 2 else self.width)
        return (upper, lower) if direction & 1 else (lower, upper)

    def write_cell(self, cell: int) -> str:
        if self.height == 1:
            return str(cell + 1)
        row, column = divmod(cell, self.width)
        return f"{letters(self.width)[column].lower()}{self.height - row}"

    def _read_cell(self, text: str, move: str) -> int:
        match = _CELL.fullmatch(text)
        if match is None or bool(match[1]) != (self.height > 1):
            raise UnreadableMove(
                mark("{move!r} is not a move: write {notation}").format(move=move, notation=self.notation)
            )
        labels, label = letters(self.width), match[1].upper()
        column = labels.index(label) if label in labels else -1
        row = self.height - int(match[2])
        if self.height == 1:
            column, row = int(match[2]) - 1, 0
        if not (0 <= column < self.width and 0 <= row < self.height):
            first, last = self.write_cell((self.height - 1) * self.width), self.write_cell(self.width - 1)
            raise UnreadableMove(
                mark("{text} is not on the board, whose cells go from {first} to {last}").format(
                    text=text, first=first, last=last
                )
            )
        return row * self.width + column

    def why_illegal(self, position: Position, move: Move) -> str:
        if not 0 <= move < self.move_codes:
            return mark("there is no move {move}").format(move=move)
        cells = self.text(position).replace("/", "")
        origin, target = self.cells(move)
        if not 0 <= origin < len(cells) or not 0 <= target < len(cells):
            return mark("it leaves the board")
        if move % 4 in (rules.RIGHT, rules.LEFT) and origin // self.width != target // self.width:
            return mark("a stone moves onto a neighbouring cell")
        mover, enemy = "XO"[position.to_move], "OX"[position.to_move]
        if cells[origin] != mover:
            return mark("there is no {mover} on {cell}").format(mover=mover, cell=self.write_cell(origin))
        if cells[target] == ".":
            return mark("{cell} is empty, and a stone moves only onto an enemy stone").format(
                cell=self.write_cell(target)
            )
        return mark("{cell} does not hold an {enemy}").format(cell=self.write_cell(target), enemy=enemy)

    def end_reason(self, position: Position) -> str:
        return mark("{player} has no move").format(player=self.players[position.to_move])

    # ---- display

    def text(self, position: Position) -> str:
        """The board as text, as accepted by the option `board`."""
        stones = position.state.clobber_stones
        symbols = []
        for cell in range(self.width * self.height):
            bit = np.uint64(1) << np.uint64(cell % 64)
            owners = [stones[player, cell // 64] & bit != 0 for player in (0, 1)]
            symbols.append("X" if owners[0] else "O" if owners[1] else ".")
        return "/".join("".join(symbols[row * self.width : (row + 1) * self.width]) for row in range(self.height))

    def diagram(self, position: Position) -> Diagram:
        rows = self.text(position).split("/")
        strip = self.height == 1
        return Diagram(
            stones=tuple(tuple(Stone(".XO".index(symbol)) for symbol in row) for row in rows),
            columns=tuple(str(c + 1) for c in range(self.width)) if strip else letters(self.width),
            rows=("",) if strip else tuple(str(self.height - row) for row in range(self.height)),
            marked=frozenset(() if position.move is None else self.points(position.move)),
        )

    def points(self, move: Move) -> tuple[Point, ...]:
        return tuple((cell % self.width, cell // self.width) for cell in self.cells(move))

    def dump(self, position: Position) -> dict[str, Any]:
        board = self.text(position)
        return {"board": board, "subgames": " + ".join(subgames(board)) or "none"}
