"""For each value of a sum of small width, the sum of least complexity with that value.

The complexity of a sum is the number of undominated moves of both players plus the complexities of the sums they
lead to. Equal values are the same form, so each link from a sum to the simplest one proves that they are equal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.core.values.arrays import Forms, enlarged
from tengen.core.values.kernels import add, at_most, can_continue
from tengen.engines.clobber.kernels.subgame_values import value_of
from tengen.engines.clobber.kernels.subgames import MAX_PIECES, Subgames, expand
from tengen.engines.clobber.kernels.sums import (
    SHALLOW,
    SHORT,
    Sums,
    has_stack_space,
    intern_list,
    list_components,
    with_component,
)

Array = np.ndarray[Any, Any]

ARRAY_FULL = -1


class SimplestSums(NamedTuple):
    """Indexed by form: sum_id int32, the simplest sum or -1; complexity float32; size int32, its cells."""

    sum_id: Array
    complexity: Array
    size: Array


class DatabaseSearch(NamedTuple):
    """All that a search with a database needs; kernels use it by reference."""

    subgames: Subgames
    forms: Forms
    sums: Sums
    control: Array
    links: SimplestSums


def no_simplest_sums(values: int) -> SimplestSums:
    links = SimplestSums(np.full(values, -1, np.int32), np.zeros(values, np.float32), np.zeros(values, np.int32))
    links.sum_id[0] = 0
    return links


def with_space_for(links: SimplestSums, values: int) -> SimplestSums:
    """The same table, enlarged to `values` entries."""
    return SimplestSums(
        enlarged(links.sum_id, values, -1), enlarged(links.complexity, values), enlarged(links.size, values)
    )


@inner
def after_move(subgames, sums, at, count, index, option):
    """The sum after a move in the subgame at `index` of lists[at:at + count], not simplified; -1 if an array is
    full.
    """
    size = np.int64(0)
    for other in range(count):
        if other != index:
            sums.lists[at + count + size] = sums.lists[at + other]
            size += 1
    for piece in range(MAX_PIECES):
        subgame = np.int64(subgames.options[option, piece])
        if subgame == 0:
            break
        sums.lists[at + count + size] = subgame << 1
        size += 1
    return intern_list(sums, at + count, size)


@inner
def value_of_sum(subgames, forms, sums, sum_id):
    """The value of a sum of subgames; -1 if an array is full."""
    total = np.int64(0)
    while sum_id != 0:
        value = value_of(subgames, forms, np.int64(sums.last[sum_id]) >> 1, np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(-1)
        total = add(forms, total, value, np.int64(0), np.int64(0))
        if total < 0:
            return np.int64(-1)
        sum_id = np.int64(sums.rest[sum_id])
    return total


@inner
def complexity_of(subgames, forms, sums, control, sum_id, top, at):
    """The complexity of a sum of subgames; -1 if an array is full."""
    if sum_id == 0:
        return np.float32(0.0)
    if sums.complexity[sum_id] > 0:
        return np.float32(sums.complexity[sum_id] - np.float32(1.0))
    if not has_stack_space(sums, top, at):
        return np.float32(ARRAY_FULL)
    count = list_components(sums, sum_id, at)
    complexity = np.float32(0.0)
    for side in range(2):
        moves = np.int64(0)
        for index in range(count):
            subgame = np.int64(sums.lists[at + index]) >> 1
            if not expand(subgames, subgame):
                return np.float32(ARRAY_FULL)
            begin = np.int64(subgames.moves[subgame]) + (np.int64(subgames.lefts[subgame]) if side else 0)
            end = begin + (subgames.rights[subgame] if side else subgames.lefts[subgame])
            for option in range(begin, end):
                after = after_move(subgames, sums, at, count, index, option)
                if after < 0:
                    return np.float32(ARRAY_FULL)
                value = value_of_sum(subgames, forms, sums, after)
                if value < 0:
                    return np.float32(ARRAY_FULL)
                if complexity_of(subgames, forms, sums, control, after, top + moves, at + count) < 0:
                    return np.float32(ARRAY_FULL)
                moves = add_undominated(forms, sums, side, top, moves, after, value)
        for place in range(top, top + moves):
            complexity += np.float32(1.0)
            if not control[SHALLOW] and sums.child_sums[place] != 0:
                complexity += sums.complexity[sums.child_sums[place]] - np.float32(1.0)
    sums.complexity[sum_id] = complexity + np.float32(1.0)
    return complexity


@inner
def add_undominated(forms, sums, side, top, moves, after, value):
    """Add a move to those of one side unless it is dominated, and remove dominated ones; of equal moves, keep the
    simpler.
    """
    kept = np.int64(0)
    for place in range(top, top + moves):
        other = np.int64(sums.child_scores[place])
        if other == value:
            if sums.complexity[after] < sums.complexity[sums.child_sums[place]]:
                sums.child_sums[place] = after
            return moves
        if at_most(forms, value, other) if side == 0 else at_most(forms, other, value):
            return moves
        if at_most(forms, other, value) if side == 0 else at_most(forms, value, other):
            continue
        sums.child_sums[top + kept] = sums.child_sums[place]
        sums.child_scores[top + kept] = other
        kept += 1
    sums.child_sums[top + kept] = after
    sums.child_scores[top + kept] = value
    return kept + 1


@kernel
def find_simplest_sums(space, ordered, width, state, stack):
    """Enumerate all sums of these subgames (sorted by id) up to a width, with one empty cell between subgames.

    stack: int64[depth, 4] and state: int64[2] (depth, number of sums) are the progress of the enumeration. A stack
    entry is the sum, its value, the next subgame and the remaining width. Returns 0, or -1 if an array is full;
    the next call continues.
    """
    space = reference(space)
    subgames, forms, sums, control, links = space.subgames, space.forms, space.sums, space.control, space.links
    control[SHORT] = width
    while state[0] >= 0:
        if not can_continue(forms, np.int64(0), np.int64(0)):
            return np.int64(-1)
        depth = state[0]
        sum_id = stack[depth, 0]
        index = stack[depth, 2]
        if index >= ordered.size:
            state[0] -= 1
            continue
        subgame = np.int64(ordered[index])
        length = np.int64(subgames.width[subgame])
        if length > stack[depth, 3]:
            stack[depth, 2] += 1
            continue
        bigger = with_component(sums, sum_id, subgame << 1)
        if bigger < 0:
            return np.int64(-1)
        value = value_of(subgames, forms, subgame, np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(-1)
        value = add(forms, stack[depth, 1], value, np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(-1)
        if value >= links.sum_id.size:
            return np.int64(-1)
        complexity = complexity_of(subgames, forms, sums, control, bigger, np.int64(0), np.int64(0))
        if complexity < 0:
            return np.int64(-1)
        size = width - stack[depth, 3] + length
        best = links.sum_id[value]
        simpler = complexity < links.complexity[value] or (
            complexity == links.complexity[value] and size < links.size[value]
        )
        if best < 0 or simpler:
            links.sum_id[value] = bigger
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
