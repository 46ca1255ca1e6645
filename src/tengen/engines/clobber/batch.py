"""Files of positions, one on a line, with or without the result that is expected.

XOXO.XXO   L
(XO)^12    N    # a comment
XXOO       ?
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tengen.core.errors import PositionError
from tengen.engines.clobber.solver import Effort, Solver
from tengen.games.clobber.board import read_board
from tengen.games.clobber.game import MOST_CELLS

_REPEAT = re.compile(r"\(([XOxo._-]+)\)\s*(?:\^|\*)?\s*([0-9]{1,6})")


@dataclass(frozen=True)
class Line:
    """One position: what was expected, if anything, and what was found (None if it was not solved)."""

    number: int
    board: str
    expected: str | None
    found: str | None

    @property
    def agrees(self) -> bool:
        return self.expected is None or self.expected == self.found


def read_position(text: str) -> str:
    """A board, in which `(XO)^12` stands for twelve times XO."""

    def repeated(match: re.Match[str]) -> str:
        if len(match[1]) * int(match[2]) > MOST_CELLS:
            raise PositionError(f"clobber: a board has at most {MOST_CELLS} cells, {match[0]} has more")
        return match[1] * int(match[2])

    board = read_board(_REPEAT.sub(repeated, text))
    if len(board) > 2 * MOST_CELLS:
        raise PositionError(f"clobber: a board has at most {MOST_CELLS} cells")
    return board


def run_batch(solver: Solver, text: str, effort: Effort | None = None) -> Iterator[Line]:
    """Solve the positions of a file, line by line."""
    for number, raw in enumerate(text.splitlines(), 1):
        words = raw.partition("#")[0].split()
        if not words:
            continue
        expected = None
        if len(words) > 1 and words[-1] in ("L", "R", "N", "P", "?"):
            expected = None if words[-1] == "?" else words[-1]
            words.pop()
        try:
            board = read_position("".join(words))
        except PositionError as error:
            raise PositionError(f"line {number}: {error}") from None
        yield Line(number, board, expected, solver.outcome(board, effort))
