"""Arrays that store canonical forms, and functions that enlarge them.

A form is identified by its index. Form 0 is the game without options. The options of a form and their negatives
have smaller ids than the form.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

# Indices into `counts`.
FORMS, OPTIONS, FULL, COMPARISONS, SUMS = range(5)
# Values of `counts[FULL]`: the kind of space that ran out. The kernel then returns -1 and is called again after
# `with_more_space`. STOPPED means that the stop flag was set instead.
NOT_FULL, FORM_SPACE, OPTION_SPACE, SCRATCH_SPACE, STOPPED = range(5)

# Columns of `bounds`, and the value for "no finite bound".
LOW, HIGH, LOW_STAR, HIGH_STAR = range(4)
INFINITE_BOUND = 30000

# Columns of `heat`; the temperature of a number.
LEFT_STOP, RIGHT_STOP, MEAN_LOW, MEAN_HIGH, TEMPERATURE = range(5)
COLD = -1.0


class Forms(NamedTuple):
    """All canonical forms, with caches of comparisons and sums.

    start: int32, index of a form's first option in `options`: Left options, then Right options, each sorted by id
    lefts, rights: int32, number of Left and Right options
    negative: int32
    bounds: int16[n, 4], for G: the largest k with k up <= G (INFINITE_BOUND if all k satisfy it, -INFINITE_BOUND
        if none), the smallest k with G <= k up, and the same two for k up + star
    heat: float64[n, 5], the stops, bounds of the mean, and an upper bound of the temperature that is at least 0,
        COLD for numbers
    complexity: float32, number of options plus the complexities of all options; estimates the cost of sums
    slots: int32, hash table from options to ids: 0 for a free slot, else id + 1
    comparison_cache: uint64, results of `at_most`; sum_keys: uint64 and sum_ids: int32, results of `add`. Newer
        entries replace older ones. Entries contain the complete key, so there are no hash collisions
    scratch: int32[2, n], stacks of Left and Right options of the forms under construction
    counts: int64, see above
    stop: int64[1], set by another thread to make kernels return early
    """

    start: Array
    lefts: Array
    rights: Array
    negative: Array
    bounds: Array
    heat: Array
    complexity: Array
    options: Array
    slots: Array
    comparison_cache: Array
    sum_keys: Array
    sum_ids: Array
    scratch: Array
    counts: Array
    stop: Array


def make_forms(
    forms: int = 1 << 16, options: int = 1 << 18, memory: int = 1 << 18, scratch: int = 1 << 16
) -> Forms:
    """Arrays that contain only form 0. All sizes must be powers of two; `memory` is that of the caches."""
    arrays = Forms(
        start=np.zeros(forms, np.int32),
        lefts=np.zeros(forms, np.int32),
        rights=np.zeros(forms, np.int32),
        negative=np.zeros(forms, np.int32),
        bounds=np.zeros((forms, 4), np.int16),
        heat=np.zeros((forms, 5), np.float64),
        complexity=np.zeros(forms, np.float32),
        options=np.zeros(options, np.int32),
        slots=np.zeros(4 * forms, np.int32),
        comparison_cache=np.zeros(memory, np.uint64),
        sum_keys=np.zeros(memory, np.uint64),
        sum_ids=np.zeros(memory, np.int32),
        scratch=np.zeros((2, scratch), np.int32),
        counts=np.zeros(8, np.int64),
        stop=np.zeros(1, np.int64),
    )
    arrays.counts[FORMS] = 1
    arrays.bounds[0] = (0, 0, -2, 2)
    arrays.heat[0, TEMPERATURE] = COLD
    return arrays


def enlarged(array: Array, size: int, blank: int = 0) -> Array:
    """A copy with `size` entries; the new ones are `blank`."""
    shape = (size, *array.shape[1:])
    # Zeros take no memory before they are written.
    larger = np.full(shape, blank, array.dtype) if blank else np.zeros(shape, array.dtype)
    larger[: len(array)] = array
    return larger


def with_more_space(forms: Forms) -> Forms:
    """The same forms with the exhausted arrays doubled. A new hash table is empty; the caller must rebuild it."""
    full = int(forms.counts[FULL])
    forms.counts[FULL] = NOT_FULL
    if full == FORM_SPACE:
        size = 2 * len(forms.start)
        names = ("start", "lefts", "rights", "negative", "bounds", "heat", "complexity")
        forms = forms._replace(**{name: enlarged(getattr(forms, name), size) for name in names})
        return forms._replace(slots=np.zeros(4 * size, np.int32))
    if full == OPTION_SPACE:
        return forms._replace(options=enlarged(forms.options, 2 * len(forms.options)))
    return forms._replace(scratch=np.zeros((2, 2 * forms.scratch.shape[1]), np.int32))


def with_cache_size(forms: Forms, memory: int) -> Forms:
    """The same forms with empty caches of `memory` entries each."""
    return forms._replace(
        comparison_cache=np.zeros(memory, np.uint64),
        sum_keys=np.zeros(memory, np.uint64),
        sum_ids=np.zeros(memory, np.int32),
    )
