"""Layout of `work`, the int64 workspace of one search thread: counters, limits, move lists by ply."""

from __future__ import annotations

NODES, NODE_LIMIT, STOPPED, AGE, SWITCHES, WIDTH, ROOT_DEPTH, LEAF_NODES, INNER_NODES = range(9)
"""Nodes so far and their limit, whether the search was stopped, its age, feature switches, moves searched near the
root, depth of this iteration, and node budgets of the threat search at a leaf and inside the tree.
"""
THREAT_NODE_LIMIT, THREAT_LIMIT_HIT, COLLECT_ZONE = 9, 10, 11
"""Node count at which a threat search ends, whether it was reached, and whether to collect the zone."""
NOISE, VISION, SEED = 12, 13, 14
"""Largest random evaluation error, percentage of promising moves that are seen, and the seed of both."""
STOP_THREATS = 15
"""Set to stop threat searches, which do not check the stop flag."""
ROOT_THREES_DIVISOR = 16
"""At the root, wins by threes may take one N-th of the nodes so far."""
KILLERS = 17
MAX_PLIES = 128
HISTORY = KILLERS + 2 * MAX_PLIES
HISTORY_POINTS = 421
LISTS = HISTORY + 2 * HISTORY_POINTS
MOVES_PER_PLY = 384
SIZE = LISTS + MOVES_PER_PLY * MAX_PLIES

USE_FOURS, USE_THREES, USE_ZONES, USE_REDUCTIONS, USE_TABLE = 1, 2, 4, 8, 16
"""Feature switches: wins by fours, wins by threes, answers restricted to a zone, reductions, table."""
BEST, BEST_MOVE, DONE, COMPLETE = 0, 1, 2, 3
"""Slots of the result of a root search: best score and move so far, whether it is done, and whether all moves were
searched.
"""
