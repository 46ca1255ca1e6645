"""Layout of `work`, the int64 workspace of one search thread: counters, switches, ProbCut margins, move lists.

The move lists are allocated once, so that no search allocates memory.
"""

from __future__ import annotations

from tengen.engines.othello.midgame.kernels.probcut import MARGIN_COUNT

NODES, SWITCHES, AGE, STOPPED, NODE_LIMIT, THREAD_COUNT, CORNERS, DRAW_VALUE = range(8)
MARGINS_START = 64
"""The first ProbCut margin; see `midgame.kernels.probcut.margin_table`."""
ENDGAME_LISTS = MARGINS_START + MARGIN_COUNT
"""Move lists of the endgame solver, one for each number of empty squares up to 64."""
MOVES_PER_LIST = 80
"""Size of a move list, including moves deferred to other threads."""
MIDGAME_LISTS = ENDGAME_LISTS + MOVES_PER_LIST * 65
"""Move lists of the midgame search, one for each ply."""
MAX_PLIES = 140
WORK_SIZE = MIDGAME_LISTS + MOVES_PER_LIST * MAX_PLIES

USE_TABLE, USE_ORDERING, USE_STABILITY, USE_ETC, USE_PROBCUT, USE_PATTERNS = (1 << bit for bit in range(6))
"""Bits of `work[SWITCHES]`."""
