"""Files of positions, one per line, optionally with the expected outcome; and test files of MCGS (`mcgs_tests`).

XOXO.XXO   L
(XO)^12    N    # a comment
XXOO       ?
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from tengen.core.errors import PositionError
from tengen.engines.clobber.mcgs_tests import is_mcgs, read_mcgs
from tengen.engines.clobber.parallel import SolverConfig, find_outcomes
from tengen.engines.clobber.solver import SearchLimits, Solver
from tengen.games.clobber.board import MAX_CELLS, read_board
from tengen.games.rulesets.repeats import expand_repeats

POSITIONS_PER_TASK = 8


@dataclass(frozen=True)
class Line:
    """One position with its expected outcome, if given, and the outcome found (None if not solved).

    Several letters, such as `LN`, allow each of these outcomes.
    """

    number: int
    board: str
    expected: str | None
    found: str | None = None

    @property
    def agrees(self) -> bool:
        return self.expected is None or (self.found is not None and self.found in self.expected)


def read_position(text: str) -> str:
    """Parse a board, in which `(XO)^12` means XO repeated twelve times."""
    try:
        written = expand_repeats(text, MAX_CELLS)
    except PositionError as error:
        raise PositionError(f"clobber: {error}") from None
    if not written.strip():
        raise PositionError("clobber: the board is empty")
    board = read_board(written)
    if len(board) > 2 * MAX_CELLS:
        raise PositionError(f"clobber: a board has at most {MAX_CELLS} cells")
    return board


def read_batch(text: str) -> list[Line]:
    """Parse the positions of a file. Raises `PositionError` with the line number."""
    if is_mcgs(text):
        return _read_mcgs_lines(text)
    lines = []
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
        lines.append(Line(number, board, expected))
    return lines


def _read_mcgs_lines(text: str) -> list[Line]:
    lines = []
    for number, board, expected in read_mcgs(text).cases:
        try:
            lines.append(Line(number, read_position(board), expected))
        except PositionError as error:
            raise PositionError(f"line {number}: {error}") from None
    if not lines:
        raise PositionError("no sum of linear Clobber games ([clobber_1xn]) with a question is in the file")
    return lines


def run_batch(solver: Solver, text: str, limits: SearchLimits | None = None) -> Iterator[Line]:
    """Solve the positions of a file one after the other."""
    for line in read_batch(text):
        yield replace(line, found=solver.outcome(line.board, limits))


def run_batch_on(
    executor: Executor, text: str, config: SolverConfig, *, seconds: float = math.inf
) -> Iterator[tuple[list[Line], int]]:
    """Solve the positions on several processes: groups of lines in order, with the nodes searched for each
    group.
    """
    from tengen.jobs import Task, run

    lines = read_batch(text)
    chunks = [lines[at : at + POSITIONS_PER_TASK] for at in range(0, len(lines), POSITIONS_PER_TASK)]
    tasks = [
        Task(str(index), find_outcomes, ([line.board for line in chunk], config, seconds))
        for index, chunk in enumerate(chunks)
    ]
    found = {}
    shown = 0
    for result in run(tasks, executor=executor):
        found[result.id] = result.value
        while str(shown) in found:
            outcomes, nodes = found.pop(str(shown))
            yield [replace(line, found=one) for line, one in zip(chunks[shown], outcomes, strict=True)], nodes
            shown += 1
