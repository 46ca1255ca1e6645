"""Fields of a search thread's record that `search.threads` reads and writes.

A module of its own, because a compiled kernel depends on all that its file imports.
"""

from __future__ import annotations

import numpy as np

NO_MOVE = -1

SEARCH_FIELDS = [
    ("nodes", np.int64),  # searched since the search began
    ("node_limit", np.int64),  # the kernel stops at this number of nodes
    ("stopped", np.int64),  # 1: the kernel stopped, at the limit or by the stop flag
    ("best_value", np.int64),
    ("best_move", np.int64),  # of the root moves searched so far, or NO_MOVE
    ("done", np.int64),  # 1: all root moves are searched
]
