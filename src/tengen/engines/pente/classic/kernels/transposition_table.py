"""The transposition table of the classic player.

Its utilities are float64 and do not fit into an entry of the shared table, so they have an array of their own: the
value of the entry at word `slot` is `values[slot // 2]`. Keys are those of the rules, including captures and side
to move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.search.kernels import transposition_table as shared
from tengen.search.kernels.transposition_table import Table, bucket_of, pack

_0, _1, _2 = np.uint64(0), np.uint64(1), np.uint64(2)


def make_table(megabytes: int) -> tuple[Table, np.ndarray[Any, np.dtype[np.float64]]]:
    """An empty table and its values, of at most `megabytes` together."""
    table = shared.make_table((megabytes << 20) * 2 // 3)
    return table, np.zeros(len(table) // 2, np.float64)


@inner
def find(table, key):
    """(index of the value, data) of a position; data is 0 if it is not there."""
    slot = bucket_of(table, key)
    for _ in range(2):
        data = table[slot + _1]
        if table[slot] ^ data == key:
            return slot >> _1, data
        slot += _2
    return _0, _0


@inner
def put(table, values, key, data, value):
    shared.store(table, key, data)
    index, stored = find(table, key)
    if stored == data:  # else a deeper result of the same position was kept
        values[index] = value


@inner
def pack_result(move, depth, bound):
    return pack(move, min(depth, 255), 0, bound, 0)
