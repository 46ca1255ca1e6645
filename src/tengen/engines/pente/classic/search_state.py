"""Memory of a classic search, as kernels see it: one frame per ply, and what the whole search shares."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.records import record_type
from tengen.engines.pente.classic.kernels.counts import LEVELS
from tengen.games.pente.record import POINTS

MAX_PLIES = 40
MAX_CANDIDATES = 361
MAX_SAMPLES, VALUES_PER_SAMPLE = 4096, 20
"""Capacity for samples of values: see `choice_statistics`."""

FRAME = record_type(
    ("count", np.int64),  # of the candidates
    ("moves", np.int64, (MAX_CANDIDATES,)),
    ("kinds", np.int64, (MAX_CANDIDATES,)),  # twice the level, plus one for own points
    ("priorities", np.int64, (MAX_CANDIDATES,)),
    ("values", np.float64, (MAX_CANDIDATES,)),  # of the moves searched so far
    ("index", np.int64),  # of the move that is searched
    ("threatened", np.int64),  # 1: a threat forces the candidates
    ("close", np.int64),  # 1: neither side is far ahead
    ("budget", np.int64),  # of leaves
    ("used", np.int64),
    ("killer", np.int64),
    ("rival", np.int64),  # candidate with the most cutoffs before
    ("key", np.uint64),
    ("alpha", np.float64),
    ("beta", np.float64),
    ("floor", np.float64),  # alpha as the node was entered
    ("best", np.float64),
    ("best_move", np.int64),
    ("line", np.int64, (MAX_PLIES + 1,)),  # best line from here
    ("length", np.int64),
)

SEARCH = record_type(
    ("ply", np.int64),
    ("entering", np.int64),  # 1: the node at `ply` is about to be entered
    ("nodes", np.int64),
    ("node_limit", np.int64),
    ("depth", np.int64),  # of the step
    ("viewer", np.int64),  # the colour to move at the root
    ("full_window_plies", np.int64),  # plies whose moves are all searched with a full window
    ("killers", np.int64, (MAX_PLIES + 1,)),
    ("history", np.int64, (2, POINTS)),
    # Statistics of positions with a choice: see `choice_statistics`.
    ("choices", np.int64),
    ("distance", np.int64),
    ("by_killer", np.int64),
    ("by_history", np.int64),
    ("available", np.int64, (LEVELS,)),
    ("chosen", np.int64, (LEVELS,)),
    ("sample_count", np.int64),
    ("samples", np.float64, (MAX_SAMPLES, 2 + VALUES_PER_SAMPLE)),  # ply, number of values, values
)


class Memory(NamedTuple):
    """What the functions of the search share."""

    stack: Any  # states by ply
    counts: Any  # record COUNTS, of the position that is searched
    frames: Any  # FRAME by ply
    work: Any  # record SEARCH
    settings: Any  # record SETTINGS
    table: Any  # see `kernels.transposition_table`
    values: Any
