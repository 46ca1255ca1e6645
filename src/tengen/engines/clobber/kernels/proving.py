"""Solving a sum by proof numbers: values for short parts, search for long ones. Compiled.

Each open sum has two numbers: how many sums must still be solved, at least, to prove that Left, to move, wins it,
and how many to prove that he does not. The search goes where the fewest are missing (df-pn). A first guess of both
comes from the size of what is left and from the bounds of the values in it.

All that was found lies in the arrays, so a search that was cut short goes on where it was.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner
from tengen.core.values.arrays import HIGH, LOW
from tengen.engines.clobber.kernels.bounding import bound, judge
from tengen.engines.clobber.kernels.parts import MOST_PIECES, UNBOUNDED, UNKNOWN, expand
from tengen.engines.clobber.kernels.sums import (
    BOUND_WEIGHT,
    FULL,
    LOST,
    NODE_LIMIT,
    NODES,
    OPEN,
    POOL,
    POOL_SPACE,
    SHORT,
    SHORT_BOARD,
    SIZE_WEIGHT,
    WON,
    negated,
    pack,
    unpack,
)
from tengen.engines.clobber.kernels.valuing import value_of

PROOF, DISPROOF, FIRST, COUNT = range(4)  # columns of `effort`
INFINITE = np.int64(1 << 30)
DONE, CUT_SHORT, NO_ROOM = np.int64(0), np.int64(-1), np.int64(-2)


@inner
def component_of(parts, forms, control, part):
    """A part as a component: its value if it is short or known, else itself; -1 for no room."""
    largest = control[SHORT] if parts.height[part] == 1 else control[SHORT_BOARD]
    if parts.value[part] != UNKNOWN or parts.width[part] * parts.height[part] <= largest:
        value = value_of(parts, forms, part, np.int64(0), np.int64(0))
        return np.int64(-1) if value < 0 else value << 1 | 1
    return np.int64(part) << 1


@inner
def guess(parts, forms, sums, control, bag):
    """The first proof and disproof numbers: the larger a sum the more work, and bounds tell whose."""
    size = 0.0
    balance = 0.0
    rest = bag
    while rest != 0:
        component = np.int64(sums.last[rest])
        which = component >> 1
        if component & 1:
            size += 0.5 * np.log2(1.0 + forms.complexity[which])
            balance += forms.bounds[which, LOW] + forms.bounds[which, HIGH]
        else:
            size += parts.width[which] * parts.height[which]
            if parts.bounds[which, 0] != UNBOUNDED:
                balance += parts.bounds[which, 0] - parts.bounds[parts.negative[which], 0]
        rest = np.int64(sums.rest[rest])
    work = max(1.0, 0.01 * control[SIZE_WEIGHT] * size)
    favour = 2.0 ** min(10.0, max(-10.0, 0.01 * control[BOUND_WEIGHT] * balance))
    sums.effort[bag, PROOF] = max(1, np.int64(work / favour))
    sums.effort[bag, DISPROOF] = max(1, np.int64(work * favour))


@inner
def find_moves(parts, forms, sums, control, bag):
    """List the bags that Left's moves lead to, Right then to move; stops at one that is seen to win."""
    count = unpack(sums, bag, np.int64(0))
    first = sums.counts[POOL]
    moves = 0
    for index in range(count):
        component = np.int64(sums.lists[index])
        if index > 0 and sums.lists[index - 1] == component:
            continue  # equal components have equal moves
        which = component >> 1
        if component & 1:
            begin = np.int64(forms.start[which])
            end = begin + forms.lefts[which]
        else:
            if not expand(parts, which):
                return NO_ROOM
            begin = np.int64(parts.moves[which])
            end = begin + parts.lefts[which]
        if first + moves + (end - begin) > sums.pool.size:
            sums.counts[FULL] = POOL_SPACE
            return NO_ROOM
        for option in range(begin, end):
            if (
                atomics.load(forms.stop, 0) != 0
            ):  # at each move: on long boards there are many, and each is much work
                return CUT_SHORT
            size = np.int64(0)
            for other in range(count):
                if other != index:
                    sums.lists[count + size] = negated(parts, forms, np.int64(sums.lists[other]))
                    size += 1
            if component & 1:
                sums.lists[count + size] = np.int64(forms.negative[forms.options[option]]) << 1 | 1
                size += 1
            else:
                for piece in range(MOST_PIECES):
                    part = np.int64(parts.options[option, piece])
                    if part == 0:
                        break
                    made = component_of(parts, forms, control, np.int64(parts.negative[part]))
                    if made < 0 or (made & 1 == 0 and not bound(parts, forms, control, made >> 1)):
                        return NO_ROOM
                    sums.lists[count + size] = made
                    size += 1
            after = pack(parts, forms, sums, control, count, size)
            if after < 0:
                return NO_ROOM
            verdict = judge(parts, forms, sums, control, after)
            if verdict == LOST:
                sums.known[bag] = WON
                return DONE
            if verdict == OPEN:
                known = False
                for place in range(first, first + moves):
                    if sums.pool[place] == after:
                        known = True
                        break
                if not known:
                    sums.pool[first + moves] = after
                    moves += 1
                    if sums.effort[after, PROOF] == 0:
                        guess(parts, forms, sums, control, after)
    if moves == 0:
        sums.known[bag] = LOST
    sums.effort[bag, FIRST] = first + 1
    sums.effort[bag, COUNT] = moves
    sums.counts[POOL] = first + moves
    return DONE


@inner
def prove(parts, forms, sums, control, bag, proof_limit, disproof_limit):
    """Search a bag until it is solved or one of its numbers reaches its limit. Returns DONE or why not."""
    if sums.effort[bag, FIRST] == 0 and judge(parts, forms, sums, control, bag) == OPEN:
        control[NODES] += 1
        if control[NODES] > control[NODE_LIMIT]:
            return CUT_SHORT
        status = find_moves(parts, forms, sums, control, bag)
        if status != DONE:
            return status
    while sums.known[bag] == OPEN:
        best = np.int64(-1)
        least = INFINITE
        second = INFINITE
        total = 0
        first = np.int64(sums.effort[bag, FIRST]) - 1
        for place in range(first, first + sums.effort[bag, COUNT]):
            after = np.int64(sums.pool[place])
            if sums.known[after] == LOST:
                sums.known[bag] = WON
                return DONE
            if sums.known[after] == WON:
                continue
            total += sums.effort[after, PROOF]
            disproof = np.int64(sums.effort[after, DISPROOF])
            if disproof < least:
                second = least
                least = disproof
                best = after
            elif disproof < second:
                second = disproof
        if best < 0:
            sums.known[bag] = LOST
            break
        total = min(total, INFINITE - 1)
        sums.effort[bag, PROOF] = least
        sums.effort[bag, DISPROOF] = total
        if least >= proof_limit or total >= disproof_limit:
            break
        status = prove(
            parts,
            forms,
            sums,
            control,
            best,
            disproof_limit - total + np.int64(sums.effort[best, PROOF]),
            min(proof_limit, second + 1 + second // 4),  # a little more than the second, or it goes to and fro
        )
        if status != DONE:
            return status
    return DONE


@inner
def prove_bag(parts, forms, sums, control, bag):
    """Solve a bag: `known[bag]` tells. Returns DONE, CUT_SHORT or NO_ROOM."""
    rest = bag
    while rest != 0:
        component = np.int64(sums.last[rest])
        if component & 1 == 0 and not bound(parts, forms, control, component >> 1):
            return NO_ROOM
        rest = np.int64(sums.rest[rest])
    if judge(parts, forms, sums, control, bag) != OPEN:
        return DONE
    return prove(parts, forms, sums, control, bag, INFINITE, INFINITE)


@inner
def bag_of(parts, forms, sums, control, components):
    """The bag of these components, made simpler; -1 for no room."""
    for index in range(components.size):
        sums.lists[index] = components[index]
    return pack(parts, forms, sums, control, np.int64(0), np.int64(components.size))
