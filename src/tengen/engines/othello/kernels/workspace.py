"""Memory of a search: `WORK`, the record of one thread, and `Memory`, what the search functions take.

Move lists are part of the record, so that no search allocates memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.records import record_type
from tengen.engines.othello.midgame.kernels.probcut import MARGIN_COUNT
from tengen.engines.othello.midgame.patterns import LANES
from tengen.search.kernels.thread_record import SEARCH_FIELDS

MAX_PLIES = 140
MOVES_PER_LIST = 80
"""Size of a move list, including moves deferred to other threads."""
USE_TABLE, USE_ORDERING, USE_STABILITY, USE_ETC, USE_PROBCUT, USE_PATTERNS = (1 << bit for bit in range(6))
"""Bits of `switches`."""

WORK = record_type(
    *SEARCH_FIELDS,
    ("switches", np.int64),
    ("age", np.int64),
    ("thread_count", np.int64),
    ("board", np.uint64),  # all squares
    ("corners", np.uint64),
    ("draw_value", np.int64),  # to the side at the root, in centi-discs
    ("whole_discs", np.int64),  # whether values by patterns are rounded to whole discs
    ("margins", np.int16, MARGIN_COUNT),  # see `probcut.margin_table`
    ("features", np.int16, MAX_PLIES * LANES),  # a row for each ply, passes included
    ("endgame_moves", np.int64, 65 * MOVES_PER_LIST),  # a list for each number of empty squares
    ("endgame_flips", np.uint64, 65 * MOVES_PER_LIST),
    ("midgame_moves", np.int64, MAX_PLIES * MOVES_PER_LIST),  # a list for each ply
)


class Memory(NamedTuple):
    """Memory of one thread, and from `table` on of all threads.

    Python passes arrays, `work` with one record; search functions take the record and pointers.
    """

    work: Any
    endgame_table: Any  # small enough for the cache of the thread's core
    table: Any
    weights: Any
    edges: Any  # see `stability.edge_stability_table`
    busy: Any  # uint64[BUSY_SLOTS]: positions that a thread is searching
    stop: Any
