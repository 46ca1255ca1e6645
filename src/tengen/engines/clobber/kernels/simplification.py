"""Simplification of sums of subgames by the database, before they are searched."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.values.kernels import add
from tengen.engines.clobber.kernels.subgame_values import value_of
from tengen.engines.clobber.kernels.sums import (
    CANCEL,
    LINKS,
    MAX_COMPONENTS,
    WIDTH,
    WINDOWS,
    cancel_opposites,
    intern_list,
)

ARRAY_FULL = np.int64(-2)


@inner
def cells(subgames, component):
    return np.int64(subgames.width[component >> 1]) * subgames.height[component >> 1]


@inner
def in_database(subgames, control, component):
    return (
        component > 1 and subgames.height[component >> 1] == 1 and subgames.width[component >> 1] <= control[WIDTH]
    )


@inner
def append_simplest(sums, links, end, value, size, own):
    """Append the simplest sum of a value if it differs from `own` and is no larger; return its subgames, or -1."""
    if (
        value >= links.sum_id.size
        or links.sum_id[value] < 0
        or links.sum_id[value] == own
        or links.size[value] > size
    ):
        return np.int64(-1)
    appended = np.int64(0)
    sum_id = np.int64(links.sum_id[value])
    while sum_id != 0:
        sums.lists[end + appended] = sums.last[sum_id]
        sum_id = np.int64(sums.rest[sum_id])
        appended += 1
    return appended


@inner
def link_window(subgames, forms, sums, control, links, end, chosen, count):
    """Replace the subgames at the indices lists[chosen:chosen + count] by the simplest sum of their value.

    Returns the number of subgames appended at `end`, -1 if they were kept, or ARRAY_FULL.
    """
    size = count - 1
    for index in range(chosen, chosen + count):
        component = np.int64(sums.lists[sums.lists[index]])
        if not in_database(subgames, control, component):
            return np.int64(-1)
        size += cells(subgames, component)
    if size > control[WIDTH]:
        return np.int64(-1)
    value = np.int64(0)
    for index in range(count):
        component = np.int64(sums.lists[sums.lists[chosen + index]])
        sums.lists[chosen + count + index] = component
        more = value_of(subgames, forms, component >> 1, np.int64(0), np.int64(0))
        if more < 0:
            return ARRAY_FULL
        value = add(forms, value, more, np.int64(0), np.int64(0))
        if value < 0:
            return ARRAY_FULL
    appended = np.int64(0)
    if value != 0:
        if not control[LINKS]:
            return np.int64(-1)
        own = intern_list(sums, chosen + count, count)
        if own < 0:
            return ARRAY_FULL
        appended = append_simplest(sums, links, end, value, size, own)
        if appended < 0:
            return np.int64(-1)
    for index in range(chosen, chosen + count):
        sums.lists[sums.lists[index]] = 0
    return appended


@inner
def simplify(subgames, forms, sums, control, links, at, count):
    """Replace single subgames and groups, cancel opposites, and sort; return the resulting sum, or -1."""
    end = at + count
    for size in range(1, control[WINDOWS] + 1):
        last = end
        chosen = last + MAX_COMPONENTS // 2  # a list of indices, above everything that is appended
        if last - at < size:
            break
        for index in range(size):
            sums.lists[chosen + index] = at + index
        while True:
            appended = link_window(subgames, forms, sums, control, links, end, chosen, np.int64(size))
            if appended == ARRAY_FULL:
                return np.int64(-1)
            end += max(np.int64(0), appended)
            turning = size - 1  # advance to the next combination of `size` indices
            while turning >= 0 and sums.lists[chosen + turning] == last - size + turning:
                turning -= 1
            if turning < 0:
                break
            first = np.int64(sums.lists[chosen + turning]) + 1
            for index in range(turning, size):
                sums.lists[chosen + index] = first + index - turning
    if control[CANCEL]:
        cancel_opposites(subgames, forms, sums, at, end - at)
    return intern_list(sums, at, end - at)
