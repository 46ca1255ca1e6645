"""The arrays in which canonical forms live, and how they grow.

A form is known by a small integer. 0 is the game without options; the options of a form have been made before it,
and so has every negative, so that ids rise from simple to complex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

# Indices into `counts`.
FORMS, OPTIONS, FULL, COMPARISONS, SUMS = range(5)
# What `counts[FULL]` says has run out; kernels give up and are called again after `grown`. The last is no space:
# it is time to stop.
NOTHING, FORM_SPACE, OPTION_SPACE, SCRATCH_SPACE, STOPPED = range(5)

# Columns of `bounds`, and the end of the scale.
LOW, HIGH, LOW_STAR, HIGH_STAR = range(4)
ENDLESS = 30000


class Forms(NamedTuple):
    """All forms that exist, with the memory of what was compared and added.

    start: int32, where a form's options begin in `options`, its Left ones first, each side sorted by id
    lefts, rights: int32, how many there are of each
    negative: int32
    bounds: int16[n, 4], where a form stands among the multiples of up, and of up plus star: the largest k with
        k up <= G (ENDLESS for all, -ENDLESS for none), the least k with G <= k up, and the same for k up + star
    metric: float32, how complex a form is: its options and, again and again, theirs; a measure of work
    slots: int32, the hash table from options to ids, 0 for a free slot, else id + 1
    order: uint64, answers to `at_most`; sum_keys: uint64 and sum_ids: int32, answers to `add`: both forget the
        older of two entries for one slot, and hold the whole question, so that no answer is mistaken
    scratch: int32[2, n], the options of the games being put together, by side, as a stack
    counts: int64, see above
    stop: int64[1], set by another thread when kernels should give up
    """

    start: Array
    lefts: Array
    rights: Array
    negative: Array
    bounds: Array
    metric: Array
    options: Array
    slots: Array
    order: Array
    sum_keys: Array
    sum_ids: Array
    scratch: Array
    counts: Array
    stop: Array


def fresh(forms: int = 1 << 16, options: int = 1 << 18, memory: int = 1 << 18, scratch: int = 1 << 16) -> Forms:
    """Arrays with the form 0 only. All sizes are powers of two."""
    arrays = Forms(
        start=np.zeros(forms, np.int32),
        lefts=np.zeros(forms, np.int32),
        rights=np.zeros(forms, np.int32),
        negative=np.zeros(forms, np.int32),
        bounds=np.zeros((forms, 4), np.int16),
        metric=np.zeros(forms, np.float32),
        options=np.zeros(options, np.int32),
        slots=np.zeros(4 * forms, np.int32),
        order=np.zeros(memory, np.uint64),
        sum_keys=np.zeros(memory, np.uint64),
        sum_ids=np.zeros(memory, np.int32),
        scratch=np.zeros((2, scratch), np.int32),
        counts=np.zeros(8, np.int64),
        stop=np.zeros(1, np.int64),
    )
    arrays.counts[FORMS] = 1
    arrays.bounds[0] = (0, 0, -2, 2)
    return arrays


def wider(array: Array, size: int, blank: int = 0) -> Array:
    """A copy with room for `size` entries, blank where the old one ended."""
    larger = np.full((size, *array.shape[1:]), blank, array.dtype)
    larger[: len(array)] = array
    return larger


def grown(forms: Forms) -> Forms:
    """The same forms with more room for what has run out; a new hash table is left empty, to be filled."""
    full = int(forms.counts[FULL])
    forms.counts[FULL] = NOTHING
    if full == FORM_SPACE:
        size = 2 * len(forms.start)
        names = ("start", "lefts", "rights", "negative", "bounds", "metric")
        forms = forms._replace(**{name: wider(getattr(forms, name), size) for name in names})
        return forms._replace(slots=np.zeros(4 * size, np.int32))
    if full == OPTION_SPACE:
        return forms._replace(options=wider(forms.options, 2 * len(forms.options)))
    return forms._replace(scratch=np.zeros((2, 2 * forms.scratch.shape[1]), np.int32))


def remembering(forms: Forms, memory: int) -> Forms:
    """The same forms with an empty memory of so many comparisons and sums."""
    return forms._replace(
        order=np.zeros(memory, np.uint64), sum_keys=np.zeros(memory, np.uint64), sum_ids=np.zeros(memory, np.int32)
    )
