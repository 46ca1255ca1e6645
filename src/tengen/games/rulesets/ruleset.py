"""Rulesets: combinatorial games on grids, each described by two functions and a few facts.

A ruleset is everything that the solver of sums, the checker's reference and the playable game need to know:

- `list_moves(cells, width, height, player, out, count)` appends the codes of a player's moves to `out`, from index
  `count` on, and returns the new count. It may use the end of `out` as scratch space: `width * height` entries.
- `play(cells, width, height, player, move)` makes a move in `cells`.

Both are plain functions on a flat row of cell codes (indices into ".XO#"), without calls of other functions. They
run as they are on a `bytearray`, and are compiled where speed matters. Left is player 0 and moves `X`, Right is
player 1 and moves `O`. The player who cannot move loses.

The facts say how a board falls into independent parts: cells whose contents are `linked` belong together if they
are neighbours; a part without all of `needs`, or with fewer than `least` cells, has no moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from tengen.core.errors import PositionError

EMPTY, LEFT, RIGHT, NEUTRAL = range(4)
SYMBOLS = ".XO#"
MAX_CELLS = 256

Cells = MutableSequence[int]
ListMoves = Callable[[Cells, int, int, int, MutableSequence[int], int], int]
Play = Callable[[Cells, int, int, int, int], None]

_SPELLINGS = str.maketrans("xo_-|", "XO../")


class Board(NamedTuple):
    """A rectangle of cells, row by row from the top."""

    width: int
    height: int
    cells: bytes

    def __str__(self) -> str:
        text = "".join(SYMBOLS[cell] for cell in self.cells)
        return "/".join(text[at : at + self.width] for at in range(0, len(text), self.width))


@dataclass(frozen=True)
class Ruleset:
    """The rules of a game on grids. Its name identifies it."""

    name: str
    title: str
    rules: str  # in one sentence
    list_moves: ListMoves
    play: Play
    points: Callable[[int, int, int], tuple[int, ...]]  # (move, width, height): the cells to click, in order
    symbols: str = ".XO"  # that boards may contain
    start: str = "...../...../...../...../....."
    pattern: str = ""  # of which boards are made that are given by their size; empty if they cannot be
    max_moves: Callable[[Board], int] = lambda board: 4 * len(board.cells)  # of a player, now and later
    move_codes: Callable[[int], int] = lambda cells: 4 * cells  # by the number of cells
    reach: Literal[0, 1, 4, 8] = 4  # neighbours: none (boards never fall apart), in the row, orthogonal, all
    linked: frozenset[str] = frozenset()  # pairs of contents, that of the left or upper cell first
    needs: str = ""
    least: int = 1
    outside: str = "."  # what surrounds a part that is cut out
    canonical: str = SYMBOLS  # what a part's contents count as, for games in which several mean the same
    images: tuple[int, ...] = tuple(range(8))  # symmetries: 1 mirrors left-right, 2 top-bottom, 4 transposes
    negative_image: int = 0  # the negative of a board is this image of it ...
    swaps_colours: bool = True  # ... with colours swapped
    impartial: bool = False
    max_cells: int = MAX_CELLS
    base: Ruleset | None = None  # of an impartial version: the game whose moves both players share

    def __reduce__(self) -> tuple[Callable[[str], Ruleset], tuple[str]]:
        """Pickled by name: functions cannot be, and other processes know the same rulesets."""
        return _ruleset_named, (self.name,)

    def read(self, text: str) -> Board:
        """Parse a board: rows from the top, separated by `/` or `|`. Raises `PositionError`."""
        rows = "/".join(text.split()).translate(_SPELLINGS).strip("/").split("/")
        for symbol in "".join(rows):
            if symbol not in self.symbols:
                raise PositionError(
                    f"{self.name}: {symbol!r} is not a cell; a board is written with {' '.join(self.symbols)}"
                )
        if not rows[0] or any(len(row) != len(rows[0]) for row in rows):
            raise PositionError(f"{self.name}: all rows of a board need the same number of cells, at least one")
        cells = bytes(SYMBOLS.index(symbol) for symbol in "".join(rows))
        if len(cells) > self.max_cells:
            raise PositionError(f"{self.name}: a board has at most {self.max_cells} cells, not {len(cells)}")
        return Board(len(rows[0]), len(rows), cells)

    # ---- moves, in plain Python

    def moves(self, board: Board, player: int) -> list[int]:
        """The codes of a player's moves."""
        size = len(board.cells)
        out = [0] * (self.max_moves(board) + size)
        count = self.list_moves(bytearray(board.cells), board.width, board.height, player, out, 0)
        return out[:count]

    def after(self, board: Board, player: int, move: int) -> Board:
        """The board after a move."""
        cells = bytearray(board.cells)
        self.play(cells, board.width, board.height, player, move)
        return board._replace(cells=bytes(cells))

    def write_move(self, board: Board, move: int) -> str:
        """A move as players write it: the cells to click, numbers on a strip, `a1` at the bottom of a board."""
        cells = self.points(move, board.width, board.height)
        return "-".join(write_cell(cell, board.width, board.height) for cell in cells)

    # ---- parts

    def parts(self, board: Board) -> list[Board]:
        """The independent parts that may have moves; the board is their sum."""
        board = board._replace(cells=bytes(SYMBOLS.index(self.canonical[cell]) for cell in board.cells))
        if not self.reach:
            return [board]
        left = {cell for cell, content in enumerate(board.cells) if self._is_member(content)}
        found = []
        while left:
            part, front = set[int](), [left.pop()]
            while front:
                cell = front.pop()
                part.add(cell)
                near = [other for other in self._linked_cells(board, cell) if other in left]
                left.difference_update(near)
                front += near
            contents = {SYMBOLS[board.cells[cell]] for cell in part}
            if contents >= set(self.needs) and len(part) >= self.least:
                found.append(self._cut_out(board, part))
        return found

    def _is_member(self, content: int) -> bool:
        return any(SYMBOLS[content] in pair for pair in self.linked)

    def _linked_cells(self, board: Board, cell: int) -> Iterator[int]:
        row, column = divmod(cell, board.width)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                distance = abs(down) + abs(right)
                if distance == 0 or (self.reach == 1 and down) or (self.reach < 8 and distance > 1):
                    continue
                r, c = row + down, column + right
                if not (0 <= r < board.height and 0 <= c < board.width):
                    continue
                other = r * board.width + c
                first, second = sorted((cell, other))
                if SYMBOLS[board.cells[first]] + SYMBOLS[board.cells[second]] in self.linked:
                    yield other

    def _cut_out(self, board: Board, part: set[int]) -> Board:
        rows, columns = {cell // board.width for cell in part}, {cell % board.width for cell in part}
        top, bottom, left, right = min(rows), max(rows), min(columns), max(columns)
        outside = SYMBOLS.index(self.outside)
        cells = bytes(
            board.cells[place] if (place := row * board.width + column) in part else outside
            for row in range(top, bottom + 1)
            for column in range(left, right + 1)
        )
        return Board(right - left + 1, bottom - top + 1, cells)

    # ---- symmetries

    def normal_form(self, board: Board) -> Board:
        """The symmetric image that stands for all: the widest, then the least."""
        return min((image(board, which) for which in self.images), key=lambda one: (-one.width, one.cells))

    def negative(self, board: Board) -> Board:
        """The board on which the players have swapped roles."""
        turned = image(board, self.negative_image)
        if not self.swaps_colours or self.impartial:
            return turned
        return turned._replace(cells=turned.cells.translate(_SWAPPED))


def _ruleset_named(name: str) -> Ruleset:
    from tengen.games.rulesets import ruleset

    return ruleset(name)


_SWAPPED = bytes([EMPTY, RIGHT, LEFT, NEUTRAL]) + bytes(range(4, 256))


def image(board: Board, which: int) -> Board:
    """A symmetric image: bit 0 mirrors left to right, bit 1 top to bottom, bit 2 then transposes."""
    rows: Sequence[Sequence[int]] = [
        board.cells[at : at + board.width] for at in range(0, len(board.cells), board.width)
    ]
    if which & 1:
        rows = [row[::-1] for row in rows]
    if which & 2:
        rows = rows[::-1]
    if which & 4:
        rows = list(zip(*rows, strict=True))
    return Board(len(rows[0]), len(rows), bytes(cell for row in rows for cell in row))


def pairs(contents: str) -> frozenset[str]:
    """All ordered pairs of these contents."""
    return frozenset(one + other for one in contents for other in contents)


def write_cell(cell: int, width: int, height: int) -> str:
    """The name of a cell: its number on a strip, otherwise column and row, `a1` at the bottom left."""
    if height == 1:
        return str(cell + 1)
    row, column = divmod(cell, width)
    letters = "abcdefghijklmnopqrstuvwxyz"
    name = letters[column] if column < 26 else letters[column // 26 - 1] + letters[column % 26]
    return f"{name}{height - row}"


def either_player(list_moves: ListMoves, play: Play) -> tuple[ListMoves, Play]:
    """The two functions of an impartial version, from those of the game; a move is `2 * move + player`."""

    def list_both(cells, width, height, player, out, count):  # type: ignore[no-untyped-def]
        middle = list_moves(cells, width, height, 0, out, count)
        end = list_moves(cells, width, height, 1, out, middle)
        for index in range(count, end):
            out[index] = 2 * out[index] + (1 if index >= middle else 0)
        return end

    def play_either(cells, width, height, player, move):  # type: ignore[no-untyped-def]
        play(cells, width, height, move % 2, move // 2)

    return list_both, play_either


def impartial(ruleset: Ruleset) -> Ruleset:
    """The impartial version: both players may make the moves of either."""
    if ruleset.impartial:
        return ruleset
    list_both, play_either = either_player(ruleset.list_moves, ruleset.play)
    return replace(
        ruleset,
        name=f"impartial {ruleset.name}",
        title=f"Impartial {ruleset.title}",
        list_moves=list_both,
        play=play_either,
        points=lambda move, width, height: ruleset.points(move // 2, width, height),
        max_moves=lambda board: 2 * ruleset.max_moves(board),
        move_codes=lambda cells: 2 * ruleset.move_codes(cells),
        impartial=True,
        base=ruleset,
    )
