"""All strips of up to twelve cells, either player first, against plain minimax: 797,160 of them."""

from __future__ import annotations

import itertools

from tests.reference import strips

from tengen.engines.clobber.solver import Solver
from tengen.engines.clobber.switches import Switches


def test_all_strips_up_to_twelve_cells() -> None:
    solver, searching = Solver(), Solver(Switches(short=6, merge=100))
    for length in range(1, 13):
        for cells in itertools.product("XO.", repeat=length):
            strip = "".join(cells)
            expected = strips.outcome(strip)
            assert solver.outcome(strip) == expected, strip
            assert searching.outcome(strip) == expected, strip
