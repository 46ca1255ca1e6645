"""Memory of one search thread, as kernels see it.

A kernel is given arrays and makes a `Thread` of them: a tuple of records and pointers that all functions of the
search and the threat search share.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.records import record_type
from tengen.engines.pente.kernels.board import WORDS
from tengen.games.pente.record import POINTS
from tengen.search.kernels.thread_record import SEARCH_FIELDS

MAX_PLIES = 128
MOVES_PER_PLY = 384
MAX_FOURS = 24
"""Attacker's moves in a win by fours."""

SEARCH = record_type(
    *SEARCH_FIELDS,
    # The root, and more of its result.
    ("colour", np.uint64),
    ("alpha", np.int64),
    ("beta", np.int64),
    ("root_depth", np.int64),
    ("promising_count", np.int64),  # the other root moves are searched only if these lose
    ("complete", np.int64),  # 1: all root moves were searched
    # Settings.
    ("age", np.int64),
    ("width", np.int64),
    ("leaf_nodes", np.int64),  # node budgets of the threat search: at a leaf, inside the tree
    ("inner_nodes", np.int64),
    ("threes_divisor", np.int64),  # at the root, wins by threes get this fraction of all nodes
    ("error", np.int64),  # largest random error of the evaluation
    ("vision", np.int64),  # percentage of promising moves that are seen
    ("seed", np.int64),
    ("use_fours", np.bool_),
    ("use_threes", np.bool_),
    ("use_zones", np.bool_),
    ("use_reductions", np.bool_),
    ("use_table", np.bool_),
    # The threat search.
    ("threat_limit_hit", np.bool_),
    ("collect_zone", np.bool_),
    ("threat_node_limit", np.int64),
    ("zone", np.uint64, (WORDS * (2 * MAX_FOURS + 4),)),  # a zone, and space to save one per ply
    ("estimates", np.int64, (MAX_PLIES,)),  # by ply: static values
    # Move ordering.
    ("capture_order", np.int64, (4,)),  # see `weights.Weights`
    ("killers", np.int64, (2 * MAX_PLIES,)),
    ("history", np.int64, (2 * POINTS,)),  # by colour and point
    ("moves", np.int64, (MAX_PLIES * MOVES_PER_PLY,)),  # by ply: priority << 16 | point
)


class Thread(NamedTuple):
    """What one search thread works with."""

    board: Any  # record BOARD
    patterns: Any  # the tables of the rules and weights: see `kernels.shape_tables`
    threat_table: Any  # see `threats.kernels.win_table`
    work: Any  # record SEARCH
    stop: Any  # int64[1], not 0: stop


class Shared(NamedTuple):
    """What all search threads share."""

    table: Any  # see `search.kernels.transposition_table`
    weights: Any  # int64[TERMS], see `search.kernels.evaluation`
