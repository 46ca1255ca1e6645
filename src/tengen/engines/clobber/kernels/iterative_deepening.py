"""Depth-first solver of sums with a database and iterative deepening: the original design of this engine.

Each idea can be switched off in `control`. A sum consists of subgames only; values serve as the database, for
subgames and sums up to a width.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.core.values.arrays import HIGH, HIGH_STAR, LOW, LOW_STAR
from tengen.engines.clobber.kernels.move_ordering import BEST, ESTIMATE, list_moves, outcome_class
from tengen.engines.clobber.kernels.simplest_sums import value_of_sum
from tengen.engines.clobber.kernels.simplification import ARRAY_FULL, in_database, simplify
from tengen.engines.clobber.kernels.subgame_values import value_of
from tengen.engines.clobber.kernels.sums import (
    BOUNDS,
    HEURISTIC,
    LEAF_LIMIT,
    LEAVES,
    LOOKUP,
    LOST,
    NEXT_PARTS,
    NODE_LIMIT,
    NODES,
    OPEN,
    POSITIVE,
    QUIRK,
    STATIC,
    WIDTH,
    WON,
    has_stack_space,
    intern_list,
    list_components,
    negate,
)

CUT_SHORT = np.int64(-1)


@inner
def total_width(subgames, sums, at, count):
    """The width of a strip that contains the sum; a huge number if a subgame is not a strip."""
    width = count - 1
    for place in range(at, at + count):
        subgame = np.int64(sums.lists[place]) >> 1
        if subgames.height[subgame] != 1:
            return np.int64(1 << 30)
        width += np.int64(subgames.width[subgame])
    return np.int64(width)


@inner
def decide_by_static_rules(subgames, forms, sums, control, at, count):
    """WON, LOST or OPEN by static rules, if all subgames are in the database; -1 if an array is full."""
    negative = 0
    next_wins = 0
    low, low_star, high, high_star = 0, -(1 << 20), 0, 1 << 20
    for place in range(at, at + count):
        component = np.int64(sums.lists[place])
        if not in_database(subgames, control, component):
            return np.int64(OPEN)
        value = value_of(subgames, forms, component >> 1, np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(-1)
        bounds = forms.bounds[value]
        if bounds[LOW] < 0:
            if bounds[HIGH] > 0:
                next_wins += 1
            else:
                negative += 1
        low, low_star = (
            max(low + np.int64(bounds[LOW]), low_star + np.int64(bounds[LOW_STAR])),
            max(low + np.int64(bounds[LOW_STAR]), low_star + np.int64(bounds[LOW])),
        )
        high, high_star = (
            min(high + np.int64(bounds[HIGH]), high_star + np.int64(bounds[HIGH_STAR])),
            min(high + np.int64(bounds[HIGH_STAR]), high_star + np.int64(bounds[HIGH])),
        )
    if control[STATIC]:
        if negative == count:  # or no subgame is left
            return np.int64(LOST)
        if negative == 0 and next_wins <= 1:  # zero subgames have been removed
            return np.int64(WON)
    if control[BOUNDS]:
        if low >= 1 or low_star >= -1:
            return np.int64(WON)
        if high <= 0 or high_star <= -2:
            return np.int64(LOST)
    return np.int64(OPEN)


@inner
def deepen(space, sum_id, depth, top, at, root):
    """Whether Left, to move, wins: WON, LOST, OPEN at a limit, CUT_SHORT, or ARRAY_FULL. `root` is 1 or 0.

    At the root a move must be found, so the sum is not simplified, looked up or decided by static rules.
    """
    subgames, forms, sums, control, links = space.subgames, space.forms, space.sums, space.control, space.links
    control[NODES] += 1
    if control[NODES] > control[NODE_LIMIT]:
        return CUT_SHORT
    if control[NODES] & 255 == 0 and atomics.load(forms.stop, 0) != 0:
        return CUT_SHORT
    if not has_stack_space(sums, top, at):
        return ARRAY_FULL
    if not control[QUIRK] and control[LEAVES] >= control[LEAF_LIMIT]:
        control[HEURISTIC] = 0
        return np.int64(OPEN)
    count = list_components(sums, sum_id, at)
    if not root:
        sum_id = simplify(subgames, forms, sums, control, links, at, count)
        if sum_id < 0:
            return ARRAY_FULL
        if sums.result[sum_id] != OPEN:
            return np.int64(sums.result[sum_id])
        count = list_components(sums, sum_id, at)
        if control[LOOKUP] and total_width(subgames, sums, at, count) <= control[WIDTH]:
            value = value_of_sum(subgames, forms, sums, sum_id)
            if value < 0:
                return ARRAY_FULL
            control[LEAVES] += 1
            sums.result[sum_id] = WON if forms.bounds[value, HIGH] > 0 else LOST
            return np.int64(sums.result[sum_id])
        if control[STATIC] or control[BOUNDS]:
            verdict = decide_by_static_rules(subgames, forms, sums, control, at, count)
            if verdict < 0:
                return ARRAY_FULL
            if verdict != OPEN:
                control[LEAVES] += 1
                sums.result[sum_id] = verdict
                return verdict
        if control[POSITIVE] or control[NEXT_PARTS]:
            for index in range(count):
                component = np.int64(sums.lists[at + index])
                if not in_database(subgames, control, component):
                    continue
                value = value_of(subgames, forms, component >> 1, np.int64(0), np.int64(0))
                if value < 0:
                    return ARRAY_FULL
                kind = outcome_class(forms, value)
                # A subgame >= 0: if Left wins the rest moving first, Left wins. A subgame that the next player
                # wins: Left moves there to an option >= 0; if Left wins the rest moving second, Left wins.
                if not ((kind == 0 and control[POSITIVE]) or (kind == 1 and control[NEXT_PARTS])):
                    continue
                size = np.int64(0)
                for other in range(count):
                    if other != index:
                        left = np.int64(sums.lists[at + other])
                        sums.lists[at + count + size] = negate(subgames, forms, left) if kind else left
                        size += 1
                rest = intern_list(sums, at + count, size)
                if rest < 0:
                    return ARRAY_FULL
                verdict = deepen(space, rest, depth - kind, top, at + count, np.int64(0))
                if verdict < 0:
                    return verdict
                if verdict == (LOST if kind else WON):
                    sums.result[sum_id] = WON
                    return np.int64(WON)
    elif sums.result[sum_id] != OPEN:
        return np.int64(sums.result[sum_id])
    moves = list_moves(subgames, forms, sums, control, sum_id, top, at, count)
    if moves < 0:
        return ARRAY_FULL
    if moves == 0:
        control[LEAVES] += 1
        sums.result[sum_id] = LOST
        return np.int64(LOST)
    if not root and (depth <= 0 or control[LEAVES] >= control[LEAF_LIMIT]):
        control[LEAVES] += 1
        replies = 0
        for index in range(count):
            subgame = np.int64(sums.lists[at + index]) >> 1
            replies += subgames.rights[subgame] if subgames.height[subgame] == 1 else subgames.size[subgame]
        sums.search_data[sum_id, ESTIMATE] = -replies
        control[HEURISTIC] = -replies
        return np.int64(OPEN)
    best = np.int64(0)
    highest = -(1 << 30)
    for place in range(top, top + moves):
        after = np.int64(sums.child_sums[place])
        verdict = deepen(space, after, depth - 1, top + moves, at + count, np.int64(0))
        if verdict < 0:
            return verdict
        if verdict == LOST:
            sums.result[sum_id] = WON
            sums.search_data[sum_id, BEST] = after
            return np.int64(WON)
        if verdict == OPEN and -control[HEURISTIC] > highest:
            highest = -control[HEURISTIC]
            best = after
    if best == 0:
        sums.result[sum_id] = LOST
        return np.int64(LOST)
    sums.search_data[sum_id, BEST] = best
    sums.search_data[sum_id, ESTIMATE] = highest
    control[HEURISTIC] = highest
    return np.int64(OPEN)


@kernel
def deepen_sum(space, sum_id, depth):
    """One search of a sum to a depth; see `deepen` and `simplest_sums.DatabaseSearch`."""
    return deepen(reference(space), sum_id, depth, np.int64(0), np.int64(0), np.int64(1))
