"""The scratch memory of one thread, an array of np.int64 known by its pointer: counters, limits, lists by ply."""

from __future__ import annotations

NODES, MOST_NODES, STOPPED, AGE, SWITCHES, WIDTH, ROOT_DEPTH, LEAF, INNER = range(9)
"""Nodes so far and at most, whether it was stopped, the age of the search; which features are on, the moves looked
at near the root, the depth of this round; nodes that a search for forced wins may cost at a leaf and inside."""
FORCED_END, FORCED_CUT, COLLECT = 9, 10, 11
"""When a search for forced wins has to end, whether it had to, and whether it collects its zone."""
NOISE, VISION, SEED = 12, 13, 14
"""Misjudgement of a position at most, percentage of the promising moves that are seen, and by which numbers."""
HALT = 15
"""Set by whoever ends the search, for searches for forced wins, which do not know the stop flag."""
SHARE = 16
"""One part in so many of the nodes so far may be spent on wins by threes at the root."""
KILLERS = 17
MOST_PLIES = 128
HISTORY = KILLERS + 2 * MOST_PLIES
POINT_ROOM = 421
LISTS = HISTORY + 2 * POINT_ROOM
ROOM = 384
SIZE = LISTS + ROOM * MOST_PLIES

FOURS, THREES, ZONES, REDUCTIONS, TABLED = 1, 2, 4, 8, 16
"""Features that can be switched off: wins by fours, by threes, answers within a zone, reductions, the table."""
BEST, BEST_MOVE, DONE, COMPLETE = 0, 1, 2, 3
"""What a search of the root writes, into an array of its own: value and move so far, whether it is done, and
whether it looked at all moves."""
