"""Proved and failed goals of positions, as data of the shared transposition table.

bits  0-6   proved goal + 64 (0: none)          bits 30-37  effort of the failure
bits  7-13  failed goal + 64 (0: none)          bits 38-43  best move, 63: none
bit  14     the failure reached the horizon     bits 44-51  round (search) of the failure
bits 16-23  binary logarithm of the nodes searched
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.go.solver.kernels.state import FAILED, NO_POINT, OPEN, PROVED, UNLIMITED
from tengen.search.kernels import transposition_table as table


@inner
def _mixed(key):
    """The key with mixed low bits; different keys stay different."""
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(29))


@inner
def probe(key, s):
    """The data of a position, or 0."""
    return np.int64(table.probe(s.table, _mixed(key)))


@inner
def store(key, result, effort, horizon, best, work, s):
    """Store the result of a search of `work` nodes, together with what is known already."""
    old = probe(key, s)
    size = max(np.int64(1), table.depth_of(np.uint64(old)))
    while work >> size > 0:
        size += 1
    goal = s.state[0].goal + 64
    proved, failed, met = old & 127, (old >> 7) & 127, reached_horizon(old)
    reach, when = (old >> 30) & 255, (old >> 44) & 255
    if result == PROVED:
        proved = max(proved, goal)
    elif result == FAILED:
        failed, met, reach, when = goal, horizon, effort, s.state[0].round_number
    if best == NO_POINT and old != 0:
        best = entry_move(old)
    data = proved | (failed << 7) | (met << 14) | (size << 16) | (reach << 30) | (best << 38) | (when << 44)
    table.store(s.table, _mixed(key), np.uint64(data))


@inner
def reached_horizon(entry):
    return (entry >> 14) & 1


@inner
def entry_move(entry):
    return (entry >> 38) & 63


@inner
def table_result(entry, goal, effort, s):
    """PROVED, FAILED or OPEN: the result of an entry for a goal."""
    if (entry & 127) >= goal + 64:
        return PROVED
    failed = (entry >> 7) & 127
    reach = (entry >> 30) & 255
    if failed != 0 and failed <= goal + 64 and reach >= effort:
        if s.state[0].thorough == 0 and (reach == UNLIMITED or ((entry >> 44) & 255) == s.state[0].round_number):
            return FAILED
    return OPEN
