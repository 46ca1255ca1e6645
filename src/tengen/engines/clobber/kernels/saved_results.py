"""A table of fixed size for results and proof numbers, which outlives the arrays of a search.

When these fill the memory, the search saves what it knows of each sum that it expanded, clears them, and begins
again. It then finds each sum here when it creates it, and is soon back where it was. Sums are identified by a hash
of 64 bits of their components' contents, because their numbers do not outlive the arrays.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import mix
from tengen.engines.clobber.kernels.subgames import code_of
from tengen.engines.clobber.kernels.sums import DISPROOF, FIRST, LOST, OPEN, PROOF, SUMS, WON

PLACES = 4  # of an entry: the first is given by its key
SOLVED = np.int64(0)  # a proof or disproof number
_ONE = np.uint64(1)
_LEAST_KEY = np.uint64(2)


@inner
def key_of(subgames, sums, sum_id):
    """A hash of a sum's components that does not depend on the numbers of subgames; never 0."""
    key = np.uint64(0)
    repeats = np.uint64(0)
    previous = np.int64(-1)
    rest = sum_id
    while rest != 0:
        component = np.int64(sums.last[rest])
        repeats = repeats + _ONE if component == previous else np.uint64(0)
        previous = component
        if component & 1:
            code = mix(np.uint64(component))  # forms are not cleared
        else:
            which = component >> 1
            begin = np.int64(subgames.at[which])
            width, height = np.int64(subgames.width[which]), np.int64(subgames.height[which])
            for index in range(width * height):
                subgames.buffer[0, index] = subgames.cells[begin + index]
            code = mix(code_of(subgames, np.int64(subgames.kind[which]), width, height) ^ _LEAST_KEY)
        key ^= mix(code ^ repeats)
        rest = np.int64(sums.rest[rest])
    return max(key, _LEAST_KEY)


@inner
def save(sums, key, proof, disproof):
    """Store the numbers of a sum, in place of an unsolved one if there is no space."""
    mask = np.uint64(sums.saved_keys.size - 1)
    chosen = key & mask
    for place in range(PLACES):
        slot = (key + np.uint64(place)) & mask
        if sums.saved_keys[slot] == 0 or sums.saved_keys[slot] == key:
            chosen = slot
            break
        if sums.saved_numbers[slot, 0] != SOLVED and sums.saved_numbers[slot, 1] != SOLVED:
            chosen = slot
    sums.saved_keys[chosen] = key
    sums.saved_numbers[chosen, 0] = proof
    sums.saved_numbers[chosen, 1] = disproof


@inner
def save_all(subgames, sums):
    """Save all sums that were expanded, or solved after they were not decided at once."""
    for sum_id in range(1, sums.counts[SUMS]):
        is_expanded = sums.search_data[sum_id, FIRST] != 0
        if not is_expanded and (sums.search_data[sum_id, PROOF] == 0 or sums.result[sum_id] == OPEN):
            continue
        proof = np.int64(sums.search_data[sum_id, PROOF])
        disproof = np.int64(sums.search_data[sum_id, DISPROOF])
        if sums.result[sum_id] != OPEN:
            proof = SOLVED if sums.result[sum_id] == WON else np.int64(1)
            disproof = SOLVED if sums.result[sum_id] == LOST else np.int64(1)
        save(sums, key_of(subgames, sums, sum_id), proof, disproof)


@inner
def find_saved(subgames, sums, sum_id):
    """Set the proof numbers of a sum to those saved; return its result, OPEN if it is not solved. The numbers
    remain 0 if nothing was saved.
    """
    if sums.saved_keys.size == 1:
        return np.int64(OPEN)
    key = key_of(subgames, sums, sum_id)
    mask = np.uint64(sums.saved_keys.size - 1)
    for place in range(PLACES):
        slot = (key + np.uint64(place)) & mask
        if sums.saved_keys[slot] == key:
            if sums.saved_numbers[slot, 0] == SOLVED:
                return np.int64(WON)
            if sums.saved_numbers[slot, 1] == SOLVED:
                return np.int64(LOST)
            sums.search_data[sum_id, PROOF] = sums.saved_numbers[slot, 0]
            sums.search_data[sum_id, DISPROOF] = sums.saved_numbers[slot, 1]
            break
    return np.int64(OPEN)
