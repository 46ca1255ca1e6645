"""Kernels for canonical forms of short games: comparison, reduction and sums.

Read `at_most` first, then `canonicalize`, then `add`. Functions that create forms return -1 if an array is full.
Partial results stay valid, and the caller repeats the call with larger arrays.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.core.compiled.rng import mix
from tengen.core.values.arrays import (
    COLD,
    COMPARISONS,
    FORM_SPACE,
    FORMS,
    FULL,
    HIGH,
    HIGH_STAR,
    INFINITE_BOUND,
    LEFT_STOP,
    LOW,
    LOW_STAR,
    MEAN_HIGH,
    MEAN_LOW,
    OPTION_SPACE,
    OPTIONS,
    RIGHT_STOP,
    SCRATCH_SPACE,
    STOPPED,
    SUMS,
    TEMPERATURE,
)

_ONE = np.uint64(1)
_32 = np.uint64(32)
_ZERO = np.int64(0)
LEFT, RIGHT = np.int64(0), np.int64(1)
COMPARE, ADD, MAKE = range(3)  # operations of `run_operation`
SCRATCH_MARGIN = 4096  # scratch entries required for the options of one form


@inner
def at_most(forms, a, b):
    """Whether a <= b: Left wins b - a moving second."""
    if a == b:
        return True
    below = forms.bounds[a]
    above = forms.bounds[b]
    # If a <= b, every lower bound of a bounds b and every upper bound of b bounds a.
    if below[LOW] > above[LOW] or below[HIGH] > above[HIGH]:
        return False
    if below[LOW_STAR] > above[LOW_STAR] or below[HIGH_STAR] > above[HIGH_STAR]:
        return False
    if below[HIGH] <= above[LOW] and below[HIGH] < INFINITE_BOUND and above[LOW] > -INFINITE_BOUND:
        return True
    if (
        below[HIGH_STAR] <= above[LOW_STAR]
        and below[HIGH_STAR] < INFINITE_BOUND
        and above[LOW_STAR] > -INFINITE_BOUND
    ):
        return True
    # a <= b is equivalent to -b <= -a, so one cache entry serves both.
    c = np.int64(forms.negative[b])
    d = np.int64(forms.negative[a])
    if c < a or (c == a and d < b):
        a = c
        b = d
    key = (np.uint64(a) << _32) | (np.uint64(b) << _ONE)
    slot = mix(key) & np.uint64(forms.comparison_cache.size - 1)
    entry = forms.comparison_cache[slot]
    if entry >> _ONE == key >> _ONE:
        return entry & _ONE == _ONE
    forms.counts[COMPARISONS] += 1
    answer = True
    first = np.int64(forms.start[a])
    for place in range(first, first + forms.lefts[a]):
        if at_most(forms, b, np.int64(forms.options[place])):
            answer = False
            break
    if answer:
        first = np.int64(forms.start[b]) + forms.lefts[b]
        for place in range(first, first + forms.rights[b]):
            if at_most(forms, np.int64(forms.options[place]), a):
                answer = False
                break
    forms.comparison_cache[slot] = key | np.uint64(1 if answer else 0)
    return answer


@inner
def form_at_least(forms, x, left, lefts, right, rights):
    """Whether x <= G, where G = {scratch[0, left:left + lefts] | scratch[1, right:right + rights]}."""
    for place in range(right, right + rights):
        if at_most(forms, np.int64(forms.scratch[1, place]), x):
            return False
    first = np.int64(forms.start[x])
    for place in range(first, first + forms.lefts[x]):
        y = np.int64(forms.options[place])
        # If G <= y, Left's move from x to y refutes x <= G.
        beaten = False
        for mine in range(left, left + lefts):
            if at_most(forms, y, np.int64(forms.scratch[0, mine])):
                beaten = True
                break
        if not beaten:
            second = np.int64(forms.start[y]) + forms.lefts[y]
            for answer in range(second, second + forms.rights[y]):
                if form_at_least(forms, np.int64(forms.options[answer]), left, lefts, right, rights):
                    beaten = True
                    break
        if not beaten:
            return False
    return True


@inner
def form_at_most(forms, x, left, lefts, right, rights):
    """Whether G <= x, for the same G."""
    for place in range(left, left + lefts):
        if at_most(forms, x, np.int64(forms.scratch[0, place])):
            return False
    first = np.int64(forms.start[x]) + forms.lefts[x]
    for place in range(first, first + forms.rights[x]):
        y = np.int64(forms.options[place])
        beaten = False
        for mine in range(right, right + rights):
            if at_most(forms, np.int64(forms.scratch[1, mine]), y):
                beaten = True
                break
        if not beaten:
            second = np.int64(forms.start[y])
            for answer in range(second, second + forms.lefts[y]):
                if form_at_most(forms, np.int64(forms.options[answer]), left, lefts, right, rights):
                    beaten = True
                    break
        if not beaten:
            return False
    return True


@inner
def add_option(forms, side, first, count, option):
    """Add an option to a form under construction and remove dominated ones; return the new count."""
    row = forms.scratch[side]
    kept = _ZERO
    for place in range(first, first + count):
        other = np.int64(row[place])
        if other == option or (at_most(forms, option, other) if side == LEFT else at_most(forms, other, option)):
            return count  # dominated or duplicate; it cannot dominate another option either
        if at_most(forms, other, option) if side == LEFT else at_most(forms, option, other):
            continue
        row[first + kept] = other
        kept += 1
    row[first + kept] = option
    return kept + 1


@inner
def bypass_reversible(forms, side, first, count, index, reply):
    """Replace the reversible option at `index` by the mover's options of `reply`; return the new count."""
    row = forms.scratch[side]
    row[first + index] = row[first + count - 1]
    count -= 1
    begin = np.int64(forms.start[reply]) + (0 if side == LEFT else np.int64(forms.lefts[reply]))
    end = begin + (forms.lefts[reply] if side == LEFT else forms.rights[reply])
    for place in range(begin, end):
        count = add_option(forms, side, first, count, np.int64(forms.options[place]))
    return count


@inner
def canonicalize(forms, left, lefts, right, rights):
    """The id of the form with these options (see `form_at_least`), after bypassing reversible options.

    The options must not dominate each other.
    """
    changed = True
    while changed:
        changed = False
        index = _ZERO
        while index < lefts:
            option = np.int64(forms.scratch[0, left + index])
            begin = np.int64(forms.start[option]) + forms.lefts[option]
            for place in range(begin, begin + forms.rights[option]):
                reply = np.int64(forms.options[place])
                if form_at_least(forms, reply, left, lefts, right, rights):
                    lefts = bypass_reversible(forms, LEFT, left, lefts, index, reply)
                    changed = True
                    index = np.int64(-1)
                    break
            index += 1
        index = _ZERO
        while index < rights:
            option = np.int64(forms.scratch[1, right + index])
            begin = np.int64(forms.start[option])
            for place in range(begin, begin + forms.lefts[option]):
                reply = np.int64(forms.options[place])
                if form_at_most(forms, reply, left, lefts, right, rights):
                    rights = bypass_reversible(forms, RIGHT, right, rights, index, reply)
                    changed = True
                    index = np.int64(-1)
                    break
            index += 1
    return intern(forms, left, lefts, right, rights)


@inner
def sort_options(row, first, count):
    """Sort in ascending order, by insertion: the lists are short."""
    for place in range(first + 1, first + count):
        item = row[place]
        hole = place
        while hole > first and row[hole - 1] > item:
            row[hole] = row[hole - 1]
            hole -= 1
        row[hole] = item


@inner
def hash_options(forms, left, lefts, right, rights):
    code = np.uint64(lefts * 1000003 + rights)
    for place in range(left, left + lefts):
        code = mix(code ^ np.uint64(forms.scratch[0, place]))
    code = mix(code)
    for place in range(right, right + rights):
        code = mix(code ^ np.uint64(forms.scratch[1, place]))
    return code


@inner
def find_slot(forms, left, lefts, right, rights):
    """The hash slot of the form with these sorted options, or the free slot to insert it."""
    mask = np.uint64(forms.slots.size - 1)
    slot = hash_options(forms, left, lefts, right, rights) & mask
    while forms.slots[slot] != 0:
        form = np.int64(forms.slots[slot]) - 1
        if forms.lefts[form] == lefts and forms.rights[form] == rights:
            begin = np.int64(forms.start[form])
            same = True
            for index in range(lefts):
                if forms.options[begin + index] != forms.scratch[0, left + index]:
                    same = False
                    break
            if same:
                begin += lefts
                for index in range(rights):
                    if forms.options[begin + index] != forms.scratch[1, right + index]:
                        same = False
                        break
            if same:
                return slot
        slot = (slot + _ONE) & mask
    return slot


@inner
def shift_bound(k, by):
    """The bound `k` plus `by`, unless it is infinite."""
    return k if abs(k) >= INFINITE_BOUND else k + np.int64(by)


@inner
def compute_bounds(forms, form):
    """Compute the bounds of a form from those of its options.

    Derived from the definition of G >= H with the canonical forms k up = {0 | (k-1) up *},
    k up * = {0 | (k-1) up} for k > 1 and up * = {0, * | 0}.
    """
    begin = np.int64(forms.start[form])
    middle = begin + forms.lefts[form]
    end = middle + forms.rights[form]
    low, low_star = -INFINITE_BOUND, -INFINITE_BOUND  # maximum over Left's options
    for index in range(begin, middle):
        option = forms.options[index]
        low = max(low, np.int64(forms.bounds[option, LOW]))
        low_star = max(low_star, np.int64(forms.bounds[option, LOW_STAR]))
    high, high_star = INFINITE_BOUND, INFINITE_BOUND  # minimum over Right's options
    for index in range(middle, end):
        option = forms.options[index]
        high = min(high, np.int64(forms.bounds[option, HIGH]))
        high_star = min(high_star, np.int64(forms.bounds[option, HIGH_STAR]))
    at_least_zero = high > 0  # no Right option is <= 0
    at_most_zero = low < 0
    result = forms.bounds[form]
    if at_least_zero:
        result[LOW] = 0 if at_most_zero else max(0, shift_bound(high, -1))
        result[HIGH_STAR] = max(shift_bound(low_star, 1), shift_bound(np.int64(result[LOW]), 2), 1)
    else:
        star_below = not at_most_zero and high_star > 0
        above = shift_bound(low_star, 1)
        result[HIGH_STAR] = 0 if above == -1 and star_below else above
        result[LOW] = min(-1, shift_bound(high, -1), shift_bound(np.int64(result[HIGH_STAR]), -2))
    if at_most_zero:
        result[HIGH] = 0 if at_least_zero else min(0, shift_bound(low, 1))
        result[LOW_STAR] = min(shift_bound(high_star, -1), shift_bound(np.int64(result[HIGH]), -2), -1)
    else:
        star_above = not at_least_zero and low_star < 0
        below = shift_bound(high_star, -1)
        result[LOW_STAR] = 0 if below == 1 and star_above else below
        result[HIGH] = max(1, shift_bound(low, 1), shift_bound(np.int64(result[LOW_STAR]), 2))


@inner
def compute_heat(forms, form):
    """Compute stops and bounds of mean and temperature of a form from those of its options.

    Above the temperatures of all options, the walls of the thermograph meet where the means of the best options,
    less or plus the tax, are equal. If they meet below, the mean lies between the stops.
    """
    begin = np.int64(forms.start[form])
    middle = begin + forms.lefts[form]
    end = middle + forms.rights[form]
    result = forms.heat[form]
    left_stop, left_low, left_high = -np.inf, -np.inf, -np.inf
    right_stop, right_low, right_high = np.inf, np.inf, np.inf
    warmest = COLD
    for index in range(begin, end):
        option = forms.heat[forms.options[index]]
        warmest = max(warmest, option[TEMPERATURE])
        if index < middle:
            left_stop = max(left_stop, option[RIGHT_STOP])
            left_low = max(left_low, option[MEAN_LOW])
            left_high = max(left_high, option[MEAN_HIGH])
        else:
            right_stop = min(right_stop, option[LEFT_STOP])
            right_low = min(right_low, option[MEAN_LOW])
            right_high = min(right_high, option[MEAN_HIGH])
    if middle == begin or middle == end or (warmest == COLD and left_stop < right_stop):
        number = 0.5 * (left_stop + right_stop)  # a canonical form: m - 1 and m + 1 over the same denominator
        if middle == begin:
            number = right_stop - 1.0
        elif middle == end:
            number = left_stop + 1.0
        for index in range(4):
            result[index] = number
        result[TEMPERATURE] = COLD
        return
    low, high = right_stop, left_stop
    if 0.5 * (left_low - right_high) >= warmest:
        low, high = max(low, 0.5 * (left_low + right_low)), min(high, 0.5 * (left_high + right_high))
    result[LEFT_STOP], result[RIGHT_STOP] = left_stop, right_stop
    result[MEAN_LOW], result[MEAN_HIGH] = low, high
    result[TEMPERATURE] = max(0.0, warmest, 0.5 * (left_high - right_low))


@inner
def append_form(forms, slot, left, lefts, right, rights):
    """Append a form; the arrays must have space. The caller sets its negative."""
    form = forms.counts[FORMS]
    begin = forms.counts[OPTIONS]
    forms.slots[slot] = form + 1
    forms.start[form] = begin
    forms.lefts[form] = lefts
    forms.rights[form] = rights
    for index in range(lefts):
        forms.options[begin + index] = forms.scratch[0, left + index]
    for index in range(rights):
        forms.options[begin + lefts + index] = forms.scratch[1, right + index]
    complexity = np.float32(lefts + rights)
    for index in range(begin, begin + lefts + rights):
        complexity += forms.complexity[forms.options[index]]
    forms.complexity[form] = complexity
    compute_bounds(forms, form)
    compute_heat(forms, form)
    forms.counts[FORMS] += 1
    forms.counts[OPTIONS] += lefts + rights
    return form


@inner
def intern(forms, left, lefts, right, rights):
    """The id of the canonical form with these options, or -1 if an array is full. Creates it and its negative."""
    if lefts == 0 and rights == 0:
        return _ZERO
    sort_options(forms.scratch[0], left, lefts)
    sort_options(forms.scratch[1], right, rights)
    slot = find_slot(forms, left, lefts, right, rights)
    if forms.slots[slot] != 0:
        return np.int64(forms.slots[slot]) - 1
    if forms.counts[FORMS] + 2 > forms.start.size:
        forms.counts[FULL] = FORM_SPACE
        return np.int64(-1)
    if forms.counts[OPTIONS] + 2 * (lefts + rights) > forms.options.size:
        forms.counts[FULL] = OPTION_SPACE
        return np.int64(-1)
    form = append_form(forms, slot, left, lefts, right, rights)
    # Build the negative's options above those of the form on the scratch stacks.
    for index in range(rights):
        forms.scratch[0, left + lefts + index] = forms.negative[forms.scratch[1, right + index]]
    for index in range(lefts):
        forms.scratch[1, right + rights + index] = forms.negative[forms.scratch[0, left + index]]
    sort_options(forms.scratch[0], left + lefts, rights)
    sort_options(forms.scratch[1], right + rights, lefts)
    slot = find_slot(forms, left + lefts, rights, right + rights, lefts)
    if forms.slots[slot] != 0:
        forms.negative[form] = forms.slots[slot] - 1  # the form is its own negative
    else:
        other = append_form(forms, slot, left + lefts, rights, right + rights, lefts)
        forms.negative[form] = other
        forms.negative[other] = form
    return form


@inner
def can_continue(forms, left, right):
    """Whether there is enough scratch space and the stop flag is not set."""
    if max(left, right) + SCRATCH_MARGIN > forms.scratch.size // 2:
        forms.counts[FULL] = SCRATCH_SPACE
        return False
    if atomics.load(forms.stop, 0) != 0:
        forms.counts[FULL] = STOPPED
        return False
    return True


@inner
def add(forms, a, b, left, right):
    """The id of a + b, or -1 if an array is full. `left` and `right` are the tops of the scratch stacks."""
    if a == 0:
        return b
    if b == 0:
        return a
    if forms.negative[a] == b:
        return _ZERO
    if a > b:
        a, b = b, a
    # -(a + b) = -a + -b, so one cache entry serves both.
    c = np.int64(forms.negative[a])
    d = np.int64(forms.negative[b])
    if c > d:
        c, d = d, c
    negated = c < a or (c == a and d < b)
    if negated:
        a, b = c, d
    key = (np.uint64(a) << _32) | np.uint64(b)
    slot = mix(key) & np.uint64(forms.sum_keys.size - 1)
    if forms.sum_keys[slot] == key:
        total = np.int64(forms.sum_ids[slot])
        return np.int64(forms.negative[total]) if negated else total
    if not can_continue(forms, left, right):
        return np.int64(-1)
    forms.counts[SUMS] += 1
    lefts = _ZERO
    rights = _ZERO
    for turn in range(2):
        x = a if turn == 0 else b
        y = b if turn == 0 else a
        begin = np.int64(forms.start[x])
        middle = begin + forms.lefts[x]
        for place in range(begin, middle):
            option = add(forms, np.int64(forms.options[place]), y, left + lefts, right + rights)
            if option < 0:
                return np.int64(-1)
            lefts = add_option(forms, LEFT, left, lefts, option)
        for place in range(middle, middle + forms.rights[x]):
            option = add(forms, np.int64(forms.options[place]), y, left + lefts, right + rights)
            if option < 0:
                return np.int64(-1)
            rights = add_option(forms, RIGHT, right, rights, option)
    total = canonicalize(forms, left, lefts, right, rights)
    if total < 0:
        return np.int64(-1)
    forms.sum_keys[slot] = key
    forms.sum_ids[slot] = total
    return np.int64(forms.negative[total]) if negated else total


@kernel
def run_operation(forms, operation, first, second):
    """Perform an operation on arrays of ids. A single kernel, because the operations share most of their code.

    COMPARE returns a <= b as bit 0 and b <= a as bit 1. ADD and MAKE return the id of the sum, or of the game with
    Left options `first` and Right options `second`, or -1.
    """
    forms = reference(forms)
    if operation == COMPARE:
        a = np.int64(first[0])
        b = np.int64(second[0])
        return np.int64(at_most(forms, a, b)) + 2 * np.int64(at_most(forms, b, a))
    if operation == ADD:
        return add(forms, np.int64(first[0]), np.int64(second[0]), _ZERO, _ZERO)
    if max(first.size, second.size) + SCRATCH_MARGIN > forms.scratch.size // 2:
        forms.counts[FULL] = SCRATCH_SPACE
        return np.int64(-1)
    lefts = _ZERO
    for option in first:
        lefts = add_option(forms, LEFT, _ZERO, lefts, np.int64(option))
    rights = _ZERO
    for option in second:
        rights = add_option(forms, RIGHT, _ZERO, rights, np.int64(option))
    return canonicalize(forms, _ZERO, lefts, _ZERO, rights)
