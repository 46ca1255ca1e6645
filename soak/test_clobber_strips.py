"""All strips of up to twelve cells, either player first, against plain minimax: 797,160 of them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tengen.engines.clobber.solver import Solver
from tengen.engines.clobber.solver_options import SolverOptions

EMPTY, X, O = range(3)  # noqa: E741 - the stone's name


def mover_wins(length: int) -> list[np.ndarray[Any, Any]]:
    """For X and for O to move, whether the mover wins each strip; the number of a strip has a digit for each cell.

    A move leaves a stone less, so the strips with few stones come first. Who cannot move loses.
    """
    numbers = np.arange(3**length)
    cells = [numbers // 3**place % 3 for place in range(length)]
    stones = sum((cell != EMPTY).astype(int) for cell in cells)
    wins = [np.zeros(3**length, bool), np.zeros(3**length, bool)]
    for count in range(2, length + 1):
        level = numbers[stones == count]
        for mover, enemy in ((X, O), (O, X)):
            for place in range(length):
                for near in (place - 1, place + 1):
                    if not 0 <= near < length:
                        continue
                    able = level[(cells[place][level] == mover) & (cells[near][level] == enemy)]
                    after = able - mover * 3**place + (mover - enemy) * 3**near
                    wins[mover - X][able] |= ~wins[enemy - X][after]
    return wins


CHUNKS = [*((length, "") for length in range(1, 11)), *((length, first) for length in (11, 12) for first in "XO.")]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("length", "first"), CHUNKS)
def test_all_strips_of_a_length(length: int, first: str) -> None:
    """Every strip by values; one of each mirror pair that begins with a stone by search, too."""
    solver, searching = Solver(), Solver(SolverOptions(short=6, merge=100))
    x_first, o_first = mover_wins(length)
    for cells in itertools.product(".XO", repeat=length - len(first)):
        strip = first + "".join(cells)
        number = sum(".XO".index(stone) * 3**place for place, stone in enumerate(strip))
        expected = {(1, 1): "N", (1, 0): "L", (0, 1): "R", (0, 0): "P"}[int(x_first[number]), int(o_first[number])]
        assert solver.outcome(strip) == expected, strip
        if strip[0] != "." and strip <= strip[::-1]:
            assert searching.outcome(strip) == expected, strip
