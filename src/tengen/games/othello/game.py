"""Othello: options, notation, error reasons, diagrams."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from tengen.core.diagram import Diagram, Point, Stone
from tengen.core.errors import OptionError, PositionError, UnreadableMove
from tengen.core.game import Game, Move, Tally
from tengen.core.game_option import GameOption
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.othello import openings, rules

PASS = Move(rules.PASS)
DISCS, EMPTIES, TOTAL = mark("Discs"), mark("Empty squares, for the winner"), mark("Total")

_SQUARE = re.compile(r"([a-h])\s*([1-8])")
_SQUARES = re.compile(r"[a-h][1-8]")
_PASSES = ("pass", "pa", "ps", "--", "@@")


@dataclass(frozen=True)
class Othello(Game):
    """Flanked discs are flipped; the player with more discs wins, and empty squares count for the winner.

    `board` is a custom start: X (Black), O (White) and `-` or `.` for each square from a1, b1, …, then the player
    to move, as in `---…--- X`.
    """

    name: ClassVar[str] = "othello"
    title: ClassVar[str] = mark("Othello")
    unit: ClassVar[str] = mark("discs")
    notation: ClassVar[str] = mark("a square as f5, or pass")
    record: ClassVar[np.dtype[Any]] = rules.RECORD
    max_legal_moves: ClassVar[int] = 64
    move_codes: ClassVar[int] = 65
    is_symmetric: ClassVar[bool] = True
    can_set_up: ClassVar[bool] = True
    is_solvable_after_book: ClassVar[bool] = True

    size: int = 8
    board: str = ""

    def __post_init__(self) -> None:
        if self.size not in (4, 6, 8):
            raise OptionError(mark("othello: size should be 4, 6 or 8, not {size}").format(size=self.size))
        if self.board:
            object.__setattr__(self, "board", self._read_board())

    @classmethod
    def user_options(cls) -> tuple[GameOption, ...]:
        return (
            GameOption("size", mark("Size"), "8", ("4", "6", "8")),
            GameOption("board", mark("Board"), help=mark("Leave empty for the standard start")),
        )

    @property
    def max_score(self) -> int:
        return 1000 * self.size**2

    @property
    def max_playout_length(self) -> int:
        return 2 * self.size**2  # an upper bound: at most one pass between two moves

    @property
    def book_horizon(self) -> int:
        """Down to 20 empty squares; to 8 on small boards."""
        moves = self.size**2 - 4
        return moves - 20 if self.size == 8 else max(1, moves - 8)

    def with_setup(self, rows: Sequence[str], to_move: int, details: str = "") -> Self:
        return replace(self, board=f"{''.join(rows)} {'XO'[to_move]}")

    def without_setup(self) -> Self:
        return replace(self, board="")

    def set_up(self, states: Any) -> None:
        state = states[0]
        discs = self.board.split()[0] if self.board else self._standard_start()
        to_move = self.board.split()[1] if self.board else "X"
        boards = {"X": 0, "O": 0}
        squares = 0
        for index, symbol in enumerate(discs):
            bit = 1 << self._square(index % self.size, index // self.size)
            squares |= bit
            if symbol in boards:
                boards[symbol] |= bit
        state.turn = "XO".index(to_move)
        state.othello_mover = boards[to_move]
        state.enemy = boards["XO"[1 - "XO".index(to_move)]]
        state.board = squares
        rules.settle(states)

    def _standard_start(self) -> str:
        discs = ["-"] * self.size**2
        low, high = self.size // 2 - 1, self.size // 2
        for column, row, symbol in ((high, low, "X"), (low, high, "X"), (low, low, "O"), (high, high, "O")):
            discs[row * self.size + column] = symbol
        return "".join(discs)

    def _read_board(self) -> str:
        symbols = "".join(self.board.upper().replace("*", "X").replace(".", "-").split()).rstrip(";")
        cells = self.size**2
        if len(symbols) != cells + 1 or set(symbols) - set("XO-") or symbols[-1] not in "XO":
            raise PositionError(
                mark("othello: a board is {cells} squares of X, O or -, then X or O for the side to move").format(
                    cells=cells
                )
            )
        return f"{symbols[:-1]} {symbols[-1]}"

    # ---- moves

    @staticmethod
    def _square(column: int, row: int) -> int:
        return 8 * row + column

    def read_move(self, text: str, position: Position) -> Move:
        word = text.strip().lower()
        if word in _PASSES:
            return PASS
        match = _SQUARE.fullmatch(word)
        if match is None:
            raise UnreadableMove(
                mark("{text!r} is not a move: write {notation}").format(text=text, notation=self.notation)
            )
        column, row = ord(match[1]) - ord("a"), int(match[2]) - 1
        if max(column, row) >= self.size:
            last = "abcdefgh"[self.size - 1]
            raise UnreadableMove(
                mark("{square} is not on the board, whose squares go from a1 to {last}").format(
                    square=f"{match[1]}{match[2]}", last=f"{last}{self.size}"
                )
            )
        return Move(self._square(column, row))

    def write_move(self, move: Move) -> str:
        return "pass" if move == PASS else f"{'abcdefgh'[move % 8]}{move // 8 + 1}"

    def why_illegal(self, position: Position, move: Move) -> str:
        state = position.state
        if move == PASS:
            return mark("a player passes only when no move is left, and {move} is one").format(
                move=self.write_move(position.legal_moves[0])
            )
        if not 0 <= move < PASS or not int(state.board) >> move & 1:
            return mark("there is no such square")
        if (int(state.othello_mover) | int(state.enemy)) >> move & 1:
            return mark("the square is taken")
        if position.legal_moves == (PASS,):
            return mark("{player} has no move and must pass").format(player=self.players[position.to_move])
        return mark("it turns no disc over")

    def end_reason(self, position: Position) -> str:
        stones = [stone for row in self.diagram(position).stones for stone in row]
        black, white = stones.count(Stone.FIRST), stones.count(Stone.SECOND)
        full = mark("the board is full") if black + white == len(stones) else mark("neither side can move")
        return mark("{full}, {black} to {white} discs").format(full=full, black=black, white=white)

    # ---- display

    def text(self, position: Position) -> str:
        """The position as text, as accepted by the option `board`."""
        symbols = ["-XO"[stone] for row in self.diagram(position).stones for stone in row]
        return f"{''.join(symbols)} {'XO'[position.to_move]}"

    def diagram(self, position: Position) -> Diagram:
        state = position.state
        mover, enemy = int(state.othello_mover), int(state.enemy)
        black, white = (mover, enemy) if position.to_move == 0 else (enemy, mover)

        def stone(square: int) -> Stone:
            if black >> square & 1:
                return Stone.FIRST
            return Stone.SECOND if white >> square & 1 else Stone.EMPTY

        side = range(self.size)
        return Diagram(
            stones=tuple(tuple(stone(self._square(column, row)) for column in side) for row in side),
            columns=tuple("abcdefgh"[: self.size]),
            rows=tuple(str(row + 1) for row in side),
            marked=frozenset(() if position.move is None else self.points(position.move)),
            captions=(
                mark("Black {black}, White {white}").format(black=black.bit_count(), white=white.bit_count()),
            ),
        )

    def tallies(self, position: Position) -> tuple[Tally, ...]:
        stones = [stone for row in self.diagram(position).stones for stone in row]
        return (Tally(DISCS, (stones.count(Stone.FIRST), stones.count(Stone.SECOND)), "own"),)

    def score_sheet(self, position: Position, dead: Iterable[str | Move] = ()) -> tuple[Tally, ...]:
        (discs,) = self.tallies(position)
        first, second = discs.counts
        empties = sum(stone is Stone.EMPTY for row in self.diagram(position).stones for stone in row)
        if not empties or first == second:
            return (discs,)
        to_winner = (empties, 0) if first > second else (0, empties)
        return discs, Tally(EMPTIES, to_winner), Tally(TOTAL, (first + to_winner[0], second + to_winner[1]))

    def points(self, move: Move) -> tuple[Point, ...]:
        return () if move == PASS else ((move % 8, move // 8),)

    def opening_name(self, position: Position) -> str:
        return openings.opening_name(position) if self.size == 8 and not self.board else ""

    @classmethod
    def named_openings(cls) -> Mapping[str, str]:
        return openings.OPENINGS

    def split_moves(self, text: str) -> list[str]:
        return [move for word in super().split_moves(text) for move in _SQUARES.findall(word.lower()) or [word]]

    def dump(self, position: Position) -> dict[str, Any]:
        state = position.state
        return {
            "board": self.text(position),
            "mover": f"{int(state.othello_mover):016x}",
            "enemy": f"{int(state.enemy):016x}",
            "moves": " ".join(position.write_moves(position.legal_moves)) or "none",
        }
