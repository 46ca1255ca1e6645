"""The transposition table of a proof search: proved and failed goals of positions.

The data of an entry:

    bits  0-6   proved goal + 64 (0: none)          bits 24-29  best move, 63: none
    bits  7-13  failed goal + 64 (0: none)          bits 32-39  binary logarithm of the nodes searched
    bit  14     the failure reached the horizon     bits 40-47  round (search) of the failure
    bits 16-23  effort of the failure
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.go.solver.kernels.state import FAILED, NO_POINT, OPEN, PROVED, ROUND, THOROUGH, UNLIMITED


@inner
def slot_of(key, keys):
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    return np.int64(mixed & np.uint64(len(keys) - 2))


@inner
def probe(key, s):
    slot = slot_of(key, s.keys)
    if s.keys[slot] == key:
        return s.data[slot]
    if s.keys[slot + 1] == key:
        return s.data[slot + 1]
    return np.int64(0)


@inner
def store(key, result, goal, effort, horizon, best, work, s):
    slot = slot_of(key, s.keys)
    size = np.int64(1)
    while work > 1:
        work >>= 1
        size += 1
    if s.keys[slot] != key:
        if s.keys[slot + 1] == key or ((s.data[slot] >> 32) & 255) > size:
            slot += 1
    old = s.data[slot] if s.keys[slot] == key else np.int64(0)
    proved, failed = old & 127, (old >> 7) & 127
    met, reach, when = (old >> 14) & 1, (old >> 16) & 255, (old >> 40) & 255
    if result == PROVED:
        proved = max(proved, goal + 64)
    elif result == FAILED:
        failed, met, reach, when = goal + 64, horizon, effort, s.facts[ROUND]
    if best == NO_POINT and old != 0:
        best = (old >> 24) & 63
    size = max(size, (old >> 32) & 255)
    s.keys[slot] = key
    s.data[slot] = (
        proved | (failed << 7) | (met << 14) | (reach << 16) | (best << 24) | (size << 32) | (when << 40)
    )


@inner
def table_result(entry, goal, effort, s):
    """PROVED, FAILED or OPEN: the result of an entry for a goal."""
    if (entry & 127) >= goal + 64:
        return PROVED
    failed = (entry >> 7) & 127
    reach = (entry >> 16) & 255
    if failed != 0 and failed <= goal + 64 and reach >= effort:
        if s.facts[THOROUGH] == 0 and (reach == UNLIMITED or ((entry >> 40) & 255) == s.facts[ROUND]):
            return FAILED
    return OPEN
