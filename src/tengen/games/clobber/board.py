"""Clobber boards as text: rows of `X`, `O` and `.` from the top, separated by `/`; a strip is one row.

Here live the operations on whole boards that the theory of the game needs: the split into independent
subgames, whose sum the board is, and mirror images, which have the same value.
"""

from __future__ import annotations

from tengen.core.diagram import connected
from tengen.core.errors import PositionError

STONES = "XO"
MAX_CELLS = 4096
_SPELLINGS = str.maketrans("xo_-", "XO..", " ")


def read_board(text: str) -> str:
    """Normalise a board. Accepts lower case, `_` or `-` for empty cells, blanks and line breaks."""
    board = "/".join(text.strip().splitlines()).translate(_SPELLINGS)
    rows = board.split("/")
    for symbol in board:
        if symbol not in "XO./":
            raise PositionError(f"clobber: {symbol!r} is not a cell; a board is written with X, O and .")
    if not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise PositionError("clobber: all rows of a board need the same number of cells, at least one")
    return board


def alternating(rows: int, columns: int) -> str:
    """The standard start: a chequered board with X in the top left corner."""
    return "/".join("".join(STONES[(row + column) % 2] for column in range(columns)) for row in range(rows))


def colour_swapped(board: str) -> str:
    """The board with colours swapped: the negative of the game."""
    return board.translate(str.maketrans("XO", "OX"))


def mirror_images(board: str) -> set[str]:
    """The board and all its reflections and rotations: games of equal value."""
    rows = board.split("/")
    images = set()
    for image in (rows, ["".join(column) for column in zip(*rows, strict=True)]):
        for vertical in (image, image[::-1]):
            images.add("/".join(vertical))
            images.add("/".join(row[::-1] for row in vertical))
    return images


def normal_form(board: str) -> str:
    """Canonical image of a board: the widest, then the least."""
    return min(mirror_images(board), key=lambda image: (image.count("/"), image))


def subgames(board: str) -> list[str]:
    """The independent parts of a board, from the top left, each cut out with the cells around it empty.

    Parts without a move for either player are worth nothing and left out.
    """
    rows = board.split("/")
    cells = {(r, c): s for r, row in enumerate(rows) for c, s in enumerate(row) if s in STONES}
    parts = []
    while cells:
        first = next(iter(cells))
        part = {cell: cells.pop(cell) for cell in connected(first, cells)}
        if len(set(part.values())) == 2:  # connected, so stones of both colours touch somewhere
            parts.append(_cut_out(part))
    return parts


def _cut_out(part: dict[tuple[int, int], str]) -> str:
    top, bottom = min(row for row, _ in part), max(row for row, _ in part)
    left, right = min(column for _, column in part), max(column for _, column in part)
    return "/".join(
        "".join(part.get((row, column), ".") for column in range(left, right + 1))
        for row in range(top, bottom + 1)
    )
