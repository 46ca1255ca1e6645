"""Solving a sum by depth-first search with a database: the design that this engine started from. Compiled.

Every idea is a switch in `control`. A sum is a bag of parts, none of them replaced by a value; values serve as the
database only, for parts and sums up to a width.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.rng import mix
from tengen.core.values.arrays import HIGH, HIGH_STAR, LOW, LOW_STAR
from tengen.core.values.kernels import add, at_most
from tengen.engines.clobber.kernels.links import after_move, value_of_bag
from tengen.engines.clobber.kernels.parts import MOST_PIECES, expand
from tengen.engines.clobber.kernels.sums import (
    BEST_FIRST,
    BOUNDS,
    CANCEL,
    DOMINANCE,
    HEURISTIC,
    LEAF_LIMIT,
    LEAVES,
    LINK_PAIRS,
    LINKS,
    LOOKUP,
    LOST,
    NEGATIVE_FIRST,
    NODE_LIMIT,
    NODES,
    OPEN,
    POSITIVE,
    QUIRK,
    SEED,
    STATIC,
    WIDTH,
    WON,
    as_bag,
    cancel_opposites,
    has_stack,
    negated,
    unpack,
    with_component,
)
from tengen.engines.clobber.kernels.valuing import value_of

CUT_SHORT, NO_ROOM = -1, -2
BEST, GUESS = 0, 1  # columns of `effort`


@inner
def cells(parts, component):
    return np.int64(parts.width[component >> 1]) * parts.height[component >> 1]


@inner
def in_database(parts, control, component):
    return component > 1 and parts.height[component >> 1] == 1 and parts.width[component >> 1] <= control[WIDTH]


@inner
def relink(sums, links, at, place, other, value, own_size, own_bag):
    """Replace one or two components by the simplest sum of their value, if that is another, no larger one.

    What does not fit in their places goes to the end of the list, which the caller tells by the return value: how
    many components were appended, or -1 if there is no such link.
    """
    if value >= links.bag.size or links.bag[value] < 0 or links.bag[value] == own_bag:
        return np.int64(-1)
    if links.size[value] > own_size:
        return np.int64(-1)
    sums.lists[place] = 0
    if other >= 0:
        sums.lists[other] = 0
    appended = 0
    bag = np.int64(links.bag[value])
    while bag != 0:
        sums.lists[at + appended] = sums.last[bag]
        bag = np.int64(sums.rest[bag])
        appended += 1
    return np.int64(appended)


@inner
def simplify(parts, forms, sums, control, links, at, count):
    """The four steps: single parts, pairs, opposites, order. Returns the bag that is left, or -1 for no room."""
    end = at + count
    for place in range(at, at + count):
        component = np.int64(sums.lists[place])
        if not in_database(parts, control, component):
            continue
        value = value_of(parts, forms, component >> 1, np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(-1)
        if value == 0:
            sums.lists[place] = 0
        elif control[LINKS]:
            own = with_component(sums, np.int64(0), component)
            if own < 0:
                return np.int64(-1)
            appended = relink(sums, links, end, place, -1, value, cells(parts, component), own)
            if appended > 0:
                end += appended
    if control[LINK_PAIRS]:
        last = end
        for first in range(at, last):
            for second in range(first + 1, last):
                one = np.int64(sums.lists[first])
                two = np.int64(sums.lists[second])
                if not in_database(parts, control, one) or not in_database(parts, control, two):
                    continue
                size = cells(parts, one) + cells(parts, two) + 1
                if size > control[WIDTH]:
                    continue
                value = value_of(parts, forms, one >> 1, np.int64(0), np.int64(0))
                third = value_of(parts, forms, two >> 1, np.int64(0), np.int64(0))
                if value < 0 or third < 0:
                    return np.int64(-1)
                value = add(forms, value, third, np.int64(0), np.int64(0))
                if value < 0:
                    return np.int64(-1)
                if value == 0:
                    sums.lists[first] = 0
                    sums.lists[second] = 0
                    break
                own = with_component(sums, np.int64(0), min(one, two))
                if own < 0:
                    return np.int64(-1)
                own = with_component(sums, own, max(one, two))
                if own < 0:
                    return np.int64(-1)
                appended = relink(sums, links, end, first, second, value, size, own)
                if appended > 0:
                    end += appended
                    break
    if control[CANCEL]:
        cancel_opposites(parts, forms, sums, at, end - at)
    return as_bag(sums, at, end - at)


@inner
def total_width(parts, sums, at, count):
    """The width of a strip that holds the sum, or one that no database reaches."""
    width = count - 1
    for place in range(at, at + count):
        part = np.int64(sums.lists[place]) >> 1
        if parts.height[part] != 1:
            return np.int64(1 << 30)
        width += np.int64(parts.width[part])
    return np.int64(width)


@inner
def by_rules(parts, forms, sums, control, at, count):
    """What the static rules tell, if all parts are in the database; -1 for no room."""
    negative = 0
    next_wins = 0
    low, low_star, high, high_star = 0, -(1 << 20), 0, 1 << 20
    for place in range(at, at + count):
        component = np.int64(sums.lists[place])
        if not in_database(parts, control, component):
            return np.int64(OPEN)
        value = value_of(parts, forms, component >> 1, np.int64(0), np.int64(0))
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
        if negative == count:  # or there is no part left at all
            return np.int64(LOST)
        if negative == 0 and next_wins <= 1:  # no part is 0: those were deleted
            return np.int64(WON)
    if control[BOUNDS]:
        if low >= 1 or low_star >= -1:
            return np.int64(WON)
        if high <= 0 or high_star <= -2:
            return np.int64(LOST)
    return np.int64(OPEN)


@inner
def option_value(parts, forms, option):
    """The value of what a move in a part leads to; -1 for no room."""
    total = np.int64(0)
    for piece in range(MOST_PIECES):
        value = value_of(parts, forms, np.int64(parts.options[option, piece]), np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(-1)
        total = add(forms, total, value, np.int64(0), np.int64(0))
        if total < 0:
            return np.int64(-1)
    return total


@inner
def is_dominated(parts, forms, option, begin, end):
    """Whether another of Left's moves, from `begin` to `end`, leads to no less; -1 for no room."""
    mine = option_value(parts, forms, option)
    if mine < 0:
        return np.int64(-1)
    for other in range(begin, end):
        if other == option:
            continue
        value = option_value(parts, forms, other)
        if value < 0:
            return np.int64(-1)
        if (value == mine and other < option) or (value != mine and at_most(forms, mine, value)):
            return np.int64(1)
    return np.int64(0)


@inner
def list_moves(parts, forms, sums, control, bag, top, at, count):
    """Left's moves, best first, as the negatives of what they lead to; how many, or -1 for no room."""
    seed = np.uint64(control[SEED])
    moves = 0
    for index in range(count):
        component = np.int64(sums.lists[at + index])
        if index > 0 and sums.lists[at + index - 1] == component:
            continue
        part = component >> 1
        if not expand(parts, part):
            return np.int64(-1)
        known = in_database(parts, control, component)
        rank = 2
        if known:
            value = value_of(parts, forms, part, np.int64(0), np.int64(0))
            if value < 0:
                return np.int64(-1)
            if control[NEGATIVE_FIRST] and forms.bounds[value, LOW] < 0 and forms.bounds[value, HIGH] <= 0:
                rank = 1
        begin = np.int64(parts.moves[part])
        end = begin + parts.lefts[part]
        for option in range(begin, end):
            if known and control[DOMINANCE]:
                dominated = is_dominated(parts, forms, option, begin, end)
                if dominated < 0:
                    return np.int64(-1)
                if dominated:
                    continue
            after = after_move(parts, sums, at, count, index, option)
            if after < 0:
                return np.int64(-1)
            size = unpack(sums, after, at + count)
            for place in range(at + count, at + count + size):
                sums.lists[place] = negated(parts, forms, np.int64(sums.lists[place]))
            after = as_bag(sums, at + count, size)
            if after < 0:
                return np.int64(-1)
            first = control[BEST_FIRST] and sums.effort[bag, BEST] == after
            chance = mix(np.uint64(after) ^ mix(seed)) & np.uint64(0xFFFF)
            score = np.int64(0 if first else (rank << 16) + np.int64(chance))
            hole = top + moves
            while hole > top and sums.child_scores[hole - 1] > score:
                sums.child_scores[hole] = sums.child_scores[hole - 1]
                sums.child_bags[hole] = sums.child_bags[hole - 1]
                hole -= 1
            sums.child_scores[hole] = score
            sums.child_bags[hole] = after
            moves += 1
    return np.int64(moves)


@inner
def deepen(parts, forms, sums, control, links, stop, bag, depth, top, at, root):
    """Whether Left, to move, wins: WON, LOST, OPEN at a limit, CUT_SHORT, or NO_ROOM. `root` is 1 or 0.

    The root must be left with its moves: it is neither made simpler nor looked up nor judged by rules.
    """
    control[NODES] += 1
    if control[NODES] > control[NODE_LIMIT]:
        return np.int64(CUT_SHORT)
    if control[NODES] & 255 == 0 and atomics.load(stop, 0) != 0:
        return np.int64(CUT_SHORT)
    if not has_stack(sums, top, at):
        return np.int64(NO_ROOM)
    if not control[QUIRK] and control[LEAVES] >= control[LEAF_LIMIT]:
        control[HEURISTIC] = 0
        return np.int64(OPEN)
    count = unpack(sums, bag, at)
    if not root:
        bag = simplify(parts, forms, sums, control, links, at, count)
        if bag < 0:
            return np.int64(NO_ROOM)
        if sums.known[bag] != OPEN:
            return np.int64(sums.known[bag])
        count = unpack(sums, bag, at)
        if control[LOOKUP] and total_width(parts, sums, at, count) <= control[WIDTH]:
            value = value_of_bag(parts, forms, sums, bag)
            if value < 0:
                return np.int64(NO_ROOM)
            control[LEAVES] += 1
            sums.known[bag] = WON if forms.bounds[value, HIGH] > 0 else LOST
            return np.int64(sums.known[bag])
        if control[STATIC] or control[BOUNDS]:
            verdict = by_rules(parts, forms, sums, control, at, count)
            if verdict < 0:
                return np.int64(NO_ROOM)
            if verdict != OPEN:
                control[LEAVES] += 1
                sums.known[bag] = verdict
                return verdict
        if control[POSITIVE]:
            for index in range(count):
                component = np.int64(sums.lists[at + index])
                if not in_database(parts, control, component):
                    continue
                value = np.int64(parts.value[component >> 1])
                if value < 0:
                    value = value_of(parts, forms, component >> 1, np.int64(0), np.int64(0))
                    if value < 0:
                        return np.int64(NO_ROOM)
                if forms.bounds[value, LOW] < 0:
                    continue
                size = 0
                for other in range(count):
                    if other != index:
                        sums.lists[at + count + size] = sums.lists[at + other]
                        size += 1
                rest = as_bag(sums, at + count, size)
                if rest < 0:
                    return np.int64(NO_ROOM)
                verdict = deepen(
                    parts, forms, sums, control, links, stop, rest, depth, top, at + count, np.int64(0)
                )
                if verdict < 0:
                    return verdict
                if verdict == WON:
                    sums.known[bag] = WON
                    return np.int64(WON)
    elif sums.known[bag] != OPEN:
        return np.int64(sums.known[bag])
    moves = list_moves(parts, forms, sums, control, bag, top, at, count)
    if moves < 0:
        return np.int64(NO_ROOM)
    if moves == 0:
        control[LEAVES] += 1
        sums.known[bag] = LOST
        return np.int64(LOST)
    if not root and (depth <= 0 or control[LEAVES] >= control[LEAF_LIMIT]):
        control[LEAVES] += 1
        replies = 0
        for index in range(count):
            replies += parts.rights[np.int64(sums.lists[at + index]) >> 1]
        sums.effort[bag, GUESS] = -replies
        control[HEURISTIC] = -replies
        return np.int64(OPEN)
    best = np.int64(0)
    highest = -(1 << 30)
    for place in range(top, top + moves):
        after = np.int64(sums.child_bags[place])
        verdict = deepen(
            parts, forms, sums, control, links, stop, after, depth - 1, top + moves, at + count, np.int64(0)
        )
        if verdict < 0:
            return verdict
        if verdict == LOST:
            sums.known[bag] = WON
            sums.effort[bag, BEST] = after
            return np.int64(WON)
        if verdict == OPEN and -control[HEURISTIC] > highest:
            highest = -control[HEURISTIC]
            best = after
    if best == 0:
        sums.known[bag] = LOST
        return np.int64(LOST)
    sums.effort[bag, BEST] = best
    sums.effort[bag, GUESS] = highest
    control[HEURISTIC] = highest
    return np.int64(OPEN)


@kernel
def deepen_bag(parts, forms, sums, control, links, stop, bag, depth):
    """One search of a bag to a depth: see `deepen`."""
    return deepen(parts, forms, sums, control, links, stop, bag, depth, np.int64(0), np.int64(0), np.int64(1))
