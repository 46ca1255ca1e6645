"""Sums represented by integers, and the results of searches.

A component is a subgame (`subgame << 1`) or a canonical form (`form << 1 | 1`). A sum is a sorted list of
components, interned by adding one at a time: sum 0 is empty, every other one is a sum plus one component. So an id
identifies the whole list exactly, and results can be looked up without trusting a hash.

Left is always to move. For positions with Right to move, the negative of the sum is used.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import mix
from tengen.core.values.kernels import add

Array = np.ndarray[Any, Any]

# Indices into `counts`, and values of `counts[FULL]`: the kind of space that ran out.
SUMS, POOL, FULL = range(3)
NOT_FULL, SUM_SPACE, STACK_SPACE, POOL_SPACE = range(4)

OPEN, LOST, WON = range(3)  # for Left, who is to move
PROOF, DISPROOF, FIRST, COUNT = range(4)  # columns of `search_data` in proof-number search

# Indices into `control`: switches and counters of a search. As a record it made the search of (XO)^34 15 % slower.
NODES, LEAVES, NODE_LIMIT, LEAF_LIMIT = range(4)
SHORT, MERGE, BOUNDS, PAIRS, CANCEL = range(4, 9)
SIZE_WEIGHT, BOUND_WEIGHT = range(9, 11)
WIDTH, LINKS, WINDOWS, DOMINANCE, STATIC, POSITIVE, BEST_FIRST, NEGATIVE_FIRST, QUIRK, LOOKUP, SEED = range(11, 22)
SHALLOW, HEURISTIC = range(22, 24)  # complexities count moves only; heuristic value of a search
SHORT_BOARD, NEXT_PARTS, SIMPLER, RANKED = range(24, 28)
BOUND_PARTS, BOUND_FROM = range(28, 30)  # longest strips with bounds; node count from which they are computed
ALIKE, OVERLAP = 30, 31  # use results of the same subgame beside other values; divisor of proof numbers
PARTS = 32  # solve the parts of a sum first
HEAT = 33  # decide sums of values by their means and temperatures
SHORT_OF_KIND = 34  # the largest boards of other rulesets that are valued: one number for each kind
MAX_KINDS = 32
CONTROL_SIZE = SHORT_OF_KIND + MAX_KINDS

MAX_COMPONENTS = 4096  # components of a sum, and its moves: stack space reserved by each level of a search

_ONE = np.uint64(1)
_32 = np.uint64(32)


class Sums(NamedTuple):
    """All sums found so far.

    rest, last: int32, a sum's components except the last, as a sum, and the last
    slots: int32, hash table from (rest, last) to sum + 1
    result: uint8, OPEN, LOST or WON
    next_solved: int32, of a solved sum of one subgame and at most one value: another one with the same subgame
    search_data: int32[n, 4], for proof-number search: proof and disproof numbers, index of the first move in
        `pool` plus one, and number of moves; for iterative deepening: best move and heuristic value
    complexity: float32, plus one, for sums of the database; 0 for others
    pool: int32, the sums that moves lead to
    lists: int32, a stack of lists of components; child_sums, child_scores: int32, a stack of moves
    counts: int64
    saved_keys: uint64, saved_numbers: int32[n, 2], a hash table of proof and disproof numbers; see `saved_results`
    """

    rest: Array
    last: Array
    slots: Array
    result: Array
    next_solved: Array
    search_data: Array
    complexity: Array
    pool: Array
    lists: Array
    child_sums: Array
    child_scores: Array
    counts: Array
    saved_keys: Array
    saved_numbers: Array


def make_sums(sum_ids: int = 1 << 14, pool: int = 1 << 14, stack: int = 1 << 16) -> Sums:
    arrays = Sums(
        rest=np.zeros(sum_ids, np.int32),
        last=np.zeros(sum_ids, np.int32),
        slots=np.zeros(2 * sum_ids, np.int32),
        result=np.zeros(sum_ids, np.uint8),
        next_solved=np.zeros(sum_ids, np.int32),
        search_data=np.zeros((sum_ids, 4), np.int32),
        complexity=np.zeros(sum_ids, np.float32),
        pool=np.zeros(pool, np.int32),
        lists=np.zeros(stack, np.int32),
        child_sums=np.zeros(stack, np.int32),
        child_scores=np.zeros(stack, np.int32),
        counts=np.zeros(4, np.int64),
        saved_keys=np.zeros(1, np.uint64),
        saved_numbers=np.zeros((1, 2), np.int32),
    )
    arrays.counts[SUMS] = 1
    arrays.result[0] = LOST
    return arrays


@inner
def with_component(sums, sum_id, component):
    """The sum with one more component, which is not less than the others; -1 if an array is full."""
    key = (np.uint64(sum_id) << _32) | np.uint64(component)
    mask = np.uint64(sums.slots.size - 1)
    slot = mix(key) & mask
    while sums.slots[slot] != 0:
        found = np.int64(sums.slots[slot]) - 1
        if sums.rest[found] == sum_id and sums.last[found] == component:
            return found
        slot = (slot + _ONE) & mask
    if sums.counts[SUMS] >= sums.rest.size:
        sums.counts[FULL] = SUM_SPACE
        return np.int64(-1)
    made = sums.counts[SUMS]
    sums.counts[SUMS] += 1
    sums.slots[slot] = made + 1
    sums.rest[made] = sum_id
    sums.last[made] = component
    return made


@inner
def rebuild_slots(sums):
    """Insert all sums into an empty hash table."""
    mask = np.uint64(sums.slots.size - 1)
    for sum_id in range(1, sums.counts[SUMS]):
        slot = mix((np.uint64(sums.rest[sum_id]) << _32) | np.uint64(sums.last[sum_id])) & mask
        while sums.slots[slot] != 0:
            slot = (slot + _ONE) & mask
        sums.slots[slot] = sum_id + 1


@inner
def list_components(sums, sum_id, at):
    """Write the components of a sum into lists[at:], largest first; return their number."""
    count = np.int64(0)
    while sum_id != 0:
        sums.lists[at + count] = sums.last[sum_id]
        sum_id = np.int64(sums.rest[sum_id])
        count += 1
    return count


@inner
def has_stack_space(sums, top, at):
    if max(top, at) + 2 * MAX_COMPONENTS > sums.lists.size:
        sums.counts[FULL] = STACK_SPACE
        return False
    return True


@inner
def negate(subgames, forms, component):
    if component & 1:
        return np.int64(forms.negative[component >> 1]) << 1 | 1
    return np.int64(subgames.negative[component >> 1]) << 1


@inner
def intern_list(sums, at, count):
    """The sum of the components in lists[at:at + count] without zeros; -1 if an array is full."""
    row = sums.lists
    used = 0
    for index in range(at, at + count):
        item = row[index]
        if item > 1:  # 0 is subgame 0, 1 is form 0
            hole = at + used
            while hole > at and row[hole - 1] > item:
                row[hole] = row[hole - 1]
                hole -= 1
            row[hole] = item
            used += 1
    sum_id = np.int64(0)
    for index in range(at, at + used):
        sum_id = with_component(sums, sum_id, np.int64(row[index]))
        if sum_id < 0:
            return np.int64(-1)
    return sum_id


@inner
def cancel_opposites(subgames, forms, sums, at, count):
    """Remove pairs of a component and its negative."""
    row = sums.lists
    for index in range(at, at + count):
        if row[index] > 1:
            opposite = negate(subgames, forms, np.int64(row[index]))
            for other in range(index + 1, at + count):
                if row[other] == opposite:
                    row[index] = 0
                    row[other] = 0
                    break


@inner
def merge_small(forms, sums, control, at, count):
    """Add forms whose sum is cheap to compute; return False if an array is full."""
    row = sums.lists
    again = True
    while again:
        again = False
        for index in range(at, at + count):
            if row[index] & 1 == 0:
                continue
            a = np.int64(row[index] >> 1)
            for other in range(index + 1, at + count):
                if row[other] & 1 == 0:
                    continue
                b = np.int64(row[other] >> 1)
                if forms.complexity[a] * forms.complexity[b] <= control[MERGE]:
                    total = add(forms, a, b, np.int64(0), np.int64(0))
                    if total < 0:
                        return False
                    row[index] = total << 1 | 1
                    row[other] = 0
                    again = True
                    break
            if again:
                break
    return True


@inner
def simplify_and_intern(subgames, forms, sums, control, at, count):
    """The simplified sum of the components in lists[at:at + count]; -1 if an array is full."""
    if control[CANCEL]:
        cancel_opposites(subgames, forms, sums, at, count)
    if control[MERGE] and not merge_small(forms, sums, control, at, count):
        return np.int64(-1)
    return intern_list(sums, at, count)
