"""The simplest sums: for each value that some sum of a small width has, the one with the least metric. Compiled.

The metric counts a sum's undominated moves, of both players, and adds the metrics of what they lead to. A sum is
linked to the simplest one of its value; as equal values are the same form, every link is a proof of equality.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.values.arrays import enlarged
from tengen.core.values.kernels import add, at_most, can_continue
from tengen.engines.clobber.kernels.parts import MOST_PIECES, expand
from tengen.engines.clobber.kernels.sums import SHALLOW, SHORT, as_bag, has_stack, unpack, with_component
from tengen.engines.clobber.kernels.valuing import value_of

Array = np.ndarray[Any, Any]

NO_ROOM = -1


class Links(NamedTuple):
    """By value: bag int32, the simplest sum, or -1; metric float32; size int32, its cells."""

    bag: Array
    complexity: Array
    size: Array


def fresh(values: int) -> Links:
    links = Links(np.full(values, -1, np.int32), np.zeros(values, np.float32), np.zeros(values, np.int32))
    links.bag[0] = 0
    return links


def widened(links: Links, values: int) -> Links:
    """The same links with room for more values."""
    return Links(enlarged(links.bag, values, -1), enlarged(links.complexity, values), enlarged(links.size, values))


@inner
def after_move(parts, sums, at, count, index, option):
    """The bag after a move of the part at `index` of lists[at:at + count], not made simpler; -1 for no room."""
    size = np.int64(0)
    for other in range(count):
        if other != index:
            sums.lists[at + count + size] = sums.lists[at + other]
            size += 1
    for piece in range(MOST_PIECES):
        part = np.int64(parts.options[option, piece])
        if part == 0:
            break
        sums.lists[at + count + size] = part << 1
        size += 1
    return as_bag(sums, at + count, size)


@inner
def value_of_bag(parts, forms, sums, bag):
    """The value of a sum of parts; -1 for no room."""
    total = np.int64(0)
    while bag != 0:
        value = value_of(parts, forms, np.int64(sums.last[bag]) >> 1, np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(-1)
        total = add(forms, total, value, np.int64(0), np.int64(0))
        if total < 0:
            return np.int64(-1)
        bag = np.int64(sums.rest[bag])
    return total


@inner
def complexity_of(parts, forms, sums, control, bag, top, at):
    """The metric of a sum of parts; -1 for no room."""
    if bag == 0:
        return np.float32(0.0)
    if sums.complexity[bag] > 0:
        return np.float32(sums.complexity[bag] - np.float32(1.0))
    if not has_stack(sums, top, at):
        return np.float32(NO_ROOM)
    count = unpack(sums, bag, at)
    complexity = np.float32(0.0)
    for side in range(2):
        moves = np.int64(0)
        for index in range(count):
            part = np.int64(sums.lists[at + index]) >> 1
            if not expand(parts, part):
                return np.float32(NO_ROOM)
            begin = np.int64(parts.moves[part]) + (np.int64(parts.lefts[part]) if side else 0)
            end = begin + (parts.rights[part] if side else parts.lefts[part])
            for option in range(begin, end):
                after = after_move(parts, sums, at, count, index, option)
                if after < 0:
                    return np.float32(NO_ROOM)
                value = value_of_bag(parts, forms, sums, after)
                if value < 0:
                    return np.float32(NO_ROOM)
                if complexity_of(parts, forms, sums, control, after, top + moves, at + count) < 0:
                    return np.float32(NO_ROOM)
                moves = keep_better(forms, sums, side, top, moves, after, value)
        for place in range(top, top + moves):
            complexity += np.float32(1.0)
            if not control[SHALLOW] and sums.child_bags[place] != 0:
                complexity += sums.complexity[sums.child_bags[place]] - np.float32(1.0)
    sums.complexity[bag] = complexity + np.float32(1.0)
    return complexity


@inner
def keep_better(forms, sums, side, top, moves, after, value):
    """Add a move to those of one side, unless it is dominated; of equal ones the simpler stays."""
    kept = np.int64(0)
    for place in range(top, top + moves):
        other = np.int64(sums.child_scores[place])
        if other == value:
            if sums.complexity[after] < sums.complexity[sums.child_bags[place]]:
                sums.child_bags[place] = after
            return moves
        if at_most(forms, value, other) if side == 0 else at_most(forms, other, value):
            return moves
        if at_most(forms, other, value) if side == 0 else at_most(forms, value, other):
            continue
        sums.child_bags[top + kept] = sums.child_bags[place]
        sums.child_scores[top + kept] = other
        kept += 1
    sums.child_bags[top + kept] = after
    sums.child_scores[top + kept] = value
    return kept + 1


@kernel
def link_sums(parts, forms, sums, control, links, ordered, width, state, stack):
    """Look at every sum of these parts (sorted by id) up to a width, in which one cell lies between two parts.

    stack: int64[depth, 4], and state: int64[2] (the depth, the sums seen) tell how far it is: the bag, its
    value, the next part and the room left, each. Returns 0, or -1 for no room; then it goes on with more of it.
    """
    control[SHORT] = width
    while state[0] >= 0:
        if not can_continue(forms, np.int64(0), np.int64(0)):
            return np.int64(-1)
        depth = state[0]
        bag = stack[depth, 0]
        index = stack[depth, 2]
        if index >= ordered.size:
            state[0] -= 1
            continue
        part = np.int64(ordered[index])
        length = np.int64(parts.width[part])
        if length > stack[depth, 3]:
            stack[depth, 2] += 1
            continue
        bigger = with_component(sums, bag, part << 1)
        if bigger < 0:
            return np.int64(-1)
        value = value_of(parts, forms, part, np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(-1)
        value = add(forms, stack[depth, 1], value, np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(-1)
        if value >= links.bag.size:
            return np.int64(-1)
        complexity = complexity_of(parts, forms, sums, control, bigger, np.int64(0), np.int64(0))
        if complexity < 0:
            return np.int64(-1)
        size = width - stack[depth, 3] + length
        best = links.bag[value]
        simpler = complexity < links.complexity[value] or (
            complexity == links.complexity[value] and size < links.size[value]
        )
        if best < 0 or simpler:
            links.bag[value] = bigger
            links.complexity[value] = complexity
            links.size[value] = size
        state[1] += 1
        stack[depth, 2] += 1
        stack[depth + 1, 0] = bigger
        stack[depth + 1, 1] = value
        stack[depth + 1, 2] = index
        stack[depth + 1, 3] = stack[depth, 3] - length - 1
        state[0] += 1
    return np.int64(0)
