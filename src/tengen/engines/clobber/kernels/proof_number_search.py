"""Proof-number search (df-pn) on sums: exact values for short subgames, search for long ones.

Each open sum has a proof number, the minimum number of sums that must still be solved to prove that Left, to move,
wins, and a disproof number for the opposite. The search expands where the numbers are smallest. Their initial
values depend on the size of the sum and on the bounds of its values.

All results are stored in the arrays, so that an interrupted search can be continued. This is a search of its own,
with a table of its own: a sum is identified by its components rather than by a hash, positions never repeat, and
children are listed once. Only when memory runs out, results are moved to a hash table (see `saved_results`).
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner
from tengen.core.values.arrays import HIGH, LOW
from tengen.engines.clobber.kernels.bounds import SECOND, compute_bounds, decide, record_result
from tengen.engines.clobber.kernels.saved_results import find_saved
from tengen.engines.clobber.kernels.subgame_values import value_of
from tengen.engines.clobber.kernels.subgames import (
    CLOBBER,
    MAX_PIECES,
    NO_BOUNDS,
    NOTHING_SHOWN,
    UNKNOWN,
    expand,
)
from tengen.engines.clobber.kernels.sums import (
    BOUND_WEIGHT,
    COUNT,
    DISPROOF,
    FIRST,
    FULL,
    LOST,
    NODE_LIMIT,
    NODES,
    OPEN,
    OVERLAP,
    PARTS,
    POOL,
    POOL_SPACE,
    PROOF,
    SHORT,
    SHORT_BOARD,
    SHORT_OF_KIND,
    SIZE_WEIGHT,
    WON,
    list_components,
    negate,
    simplify_and_intern,
    with_component,
)

INFINITE = np.int64(1 << 30)
DONE, CUT_SHORT, ARRAY_FULL = np.int64(0), np.int64(-1), np.int64(-2)


@inner
def component_of(subgames, forms, control, subgame):
    """A subgame as a component: its value if it is short or known, otherwise itself; -1 if an array is full."""
    if subgames.kind[subgame] != CLOBBER:
        largest = control[SHORT_OF_KIND + subgames.kind[subgame]]
    else:
        largest = control[SHORT] if subgames.height[subgame] == 1 else control[SHORT_BOARD]
    if subgames.value[subgame] != UNKNOWN or subgames.size[subgame] <= largest:
        value = value_of(subgames, forms, subgame, np.int64(0), np.int64(0))
        return np.int64(-1) if value < 0 else value << 1 | 1
    return np.int64(subgame) << 1


@inner
def begin_sum(subgames, forms, sums, control, sum_id):
    """Set the proof and disproof numbers of a new open sum; return its result, which may have been saved."""
    if sums.search_data[sum_id, PROOF] != 0:
        return np.int64(OPEN)
    result = find_saved(subgames, sums, sum_id)
    if result != OPEN:
        record_result(subgames, forms, sums, control, sum_id, result)
    elif sums.search_data[sum_id, PROOF] == 0:
        initialize_proof_numbers(subgames, forms, sums, control, sum_id)
    return result


@inner
def initialize_proof_numbers(subgames, forms, sums, control, sum_id):
    """Set the initial proof and disproof numbers from the size of the sum and the balance of bounds and moves."""
    size = 0.0
    balance = 0.0
    rest = sum_id
    while rest != 0:
        component = np.int64(sums.last[rest])
        which = component >> 1
        if component & 1:
            size += 0.5 * np.log2(1.0 + forms.complexity[which])
            balance += forms.bounds[which, LOW] + forms.bounds[which, HIGH]
        else:
            size += subgames.size[which]
            if subgames.kind[which] != CLOBBER:  # in Clobber, both have the same moves
                balance += subgames.balance[which]
            mine = np.int64(subgames.bounds[which, SECOND])
            theirs = np.int64(subgames.bounds[subgames.negative[which], SECOND])
            if mine == NOTHING_SHOWN or theirs == NOTHING_SHOWN:
                balance += np.int64(mine > theirs) - np.int64(mine < theirs)
            elif mine != NO_BOUNDS:
                balance += mine - theirs
        rest = np.int64(sums.rest[rest])
    work = max(1.0, 0.01 * control[SIZE_WEIGHT] * size)
    favour = 2.0 ** min(10.0, max(-10.0, 0.01 * control[BOUND_WEIGHT] * balance))
    sums.search_data[sum_id, PROOF] = max(1, np.int64(work / favour))
    sums.search_data[sum_id, DISPROOF] = max(1, np.int64(work * favour))


@inner
def expand_sum(subgames, forms, sums, control, sum_id):
    """Generate the sums after Left's moves, negated so that Left is to move; stop at a move that wins."""
    count = list_components(sums, sum_id, np.int64(0))
    first = sums.counts[POOL]
    moves = 0
    for index in range(count):
        component = np.int64(sums.lists[index])
        if index > 0 and sums.lists[index - 1] == component:
            continue  # equal components have the same moves
        which = component >> 1
        if component & 1:
            begin = np.int64(forms.start[which])
            end = begin + forms.lefts[which]
        else:
            if not expand(subgames, which):
                return ARRAY_FULL
            begin = np.int64(subgames.moves[which])
            end = begin + subgames.lefts[which]
        if first + moves + (end - begin) > sums.pool.size:
            sums.counts[FULL] = POOL_SPACE
            return ARRAY_FULL
        for option in range(begin, end):
            if (
                atomics.load(forms.stop, 0) != 0
            ):  # at each move: on long boards there are many, and each is much work
                return CUT_SHORT
            size = np.int64(0)
            for other in range(count):
                if other != index:
                    sums.lists[count + size] = negate(subgames, forms, np.int64(sums.lists[other]))
                    size += 1
            if component & 1:
                sums.lists[count + size] = np.int64(forms.negative[forms.options[option]]) << 1 | 1
                size += 1
            else:
                for piece in range(MAX_PIECES):
                    subgame = np.int64(subgames.options[option, piece])
                    if subgame == 0:
                        break
                    made = component_of(subgames, forms, control, np.int64(subgames.negative[subgame]))
                    if made < 0 or (made & 1 == 0 and not compute_bounds(subgames, forms, control, made >> 1)):
                        return ARRAY_FULL
                    sums.lists[count + size] = made
                    size += 1
            after = simplify_and_intern(subgames, forms, sums, control, count, size)
            if after < 0:
                return ARRAY_FULL
            verdict = decide(subgames, forms, sums, control, after)
            if verdict == OPEN:
                verdict = begin_sum(subgames, forms, sums, control, after)
            if verdict == LOST:
                record_result(subgames, forms, sums, control, sum_id, WON)
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
    if moves == 0:
        record_result(subgames, forms, sums, control, sum_id, LOST)
    sums.search_data[sum_id, FIRST] = first + 1
    sums.search_data[sum_id, COUNT] = moves
    sums.counts[POOL] = first + moves
    return DONE


@inner
def next_part(subgames, forms, sums, control, sum_id):
    """Of a sum of several subgames, one whose outcome is not known yet, as a sum; 0 if there is none, -1 if an
    array is full.

    The outcomes decide many sums, and take much less search than these.
    """
    if not control[PARTS]:
        return np.int64(0)
    count = 0
    rest = sum_id
    while rest != 0:
        count += sums.last[rest] & 1 == 0
        rest = np.int64(sums.rest[rest])
    if count < 2:
        return np.int64(0)
    rest = sum_id
    while rest != 0:
        component = np.int64(sums.last[rest])
        if component & 1 == 0:
            for side in range(2):
                part = with_component(
                    sums, np.int64(0), component if side == 0 else negate(subgames, forms, component)
                )
                if part < 0:
                    return np.int64(-1)
                if (
                    decide(subgames, forms, sums, control, part) == OPEN
                    and begin_sum(subgames, forms, sums, control, part) == OPEN
                ):
                    return part
        rest = np.int64(sums.rest[rest])
    return np.int64(0)


@inner
def prove(subgames, forms, sums, control, sum_id, proof_limit, disproof_limit):
    """Search a sum until it is solved or one of its numbers reaches its limit; return DONE, CUT_SHORT or
    ARRAY_FULL.
    """
    if decide(subgames, forms, sums, control, sum_id) == OPEN and sums.search_data[sum_id, FIRST] == 0:
        part = next_part(subgames, forms, sums, control, sum_id)
        while part > 0:
            status = prove(subgames, forms, sums, control, part, INFINITE, INFINITE)
            if status != DONE:
                return status
            if decide(subgames, forms, sums, control, sum_id) != OPEN:
                return DONE
            part = next_part(subgames, forms, sums, control, sum_id)
        if part < 0:
            return ARRAY_FULL
        control[NODES] += 1
        if control[NODES] > control[NODE_LIMIT]:
            return CUT_SHORT
        status = expand_sum(subgames, forms, sums, control, sum_id)
        if status != DONE:
            return status
    while sums.result[sum_id] == OPEN:
        best = np.int64(-1)
        least = INFINITE
        second = INFINITE
        total = 0
        largest = np.int64(0)
        first = np.int64(sums.search_data[sum_id, FIRST]) - 1
        for place in range(first, first + sums.search_data[sum_id, COUNT]):
            after = np.int64(sums.pool[place])
            if sums.result[after] == LOST:
                record_result(subgames, forms, sums, control, sum_id, WON)
                return DONE
            if sums.result[after] == WON:
                continue
            largest = max(largest, np.int64(sums.search_data[after, PROOF]))
            total += sums.search_data[after, PROOF]
            disproof = np.int64(sums.search_data[after, DISPROOF])
            if disproof < least:
                second = least
                least = disproof
                best = after
            elif disproof < second:
                second = disproof
        if best < 0:
            record_result(subgames, forms, sums, control, sum_id, LOST)
            break
        # Moves in another order lead to the same sums, which a plain total would count many times.
        total = min(largest + (total - largest) // max(1, control[OVERLAP]), INFINITE - 1)
        sums.search_data[sum_id, PROOF] = least
        sums.search_data[sum_id, DISPROOF] = total
        if least >= proof_limit or total >= disproof_limit:
            break
        status = prove(
            subgames,
            forms,
            sums,
            control,
            best,
            disproof_limit - total + np.int64(sums.search_data[best, PROOF]),
            min(proof_limit, second + 1 + second // 4),  # slightly above the second best, to avoid thrashing
        )
        if status != DONE:
            return status
    return DONE


@inner
def prove_sum(subgames, forms, sums, control, sum_id):
    """Solve a sum and store its `result`; return DONE, CUT_SHORT or ARRAY_FULL."""
    rest = sum_id
    while rest != 0:
        component = np.int64(sums.last[rest])
        if component & 1 == 0 and not compute_bounds(subgames, forms, control, component >> 1):
            return ARRAY_FULL
        rest = np.int64(sums.rest[rest])
    if decide(subgames, forms, sums, control, sum_id) != OPEN:
        return DONE
    if begin_sum(subgames, forms, sums, control, sum_id) != OPEN:
        return DONE
    return prove(subgames, forms, sums, control, sum_id, INFINITE, INFINITE)


@inner
def sum_of(subgames, forms, sums, control, components):
    """The simplified sum of these components; -1 if an array is full."""
    for index in range(components.size):
        sums.lists[index] = components[index]
    return simplify_and_intern(subgames, forms, sums, control, np.int64(0), np.int64(components.size))
