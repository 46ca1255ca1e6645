"""Lower bounds of subgames and sums among the multiples of up, by induction on their moves.

Bounds are multiples k up and k up + star. Four numbers describe a game G, each the largest k proved so far:

    SECOND, SECOND_STAR   G >= k up, G >= k up + star: Left wins the difference moving second
    FIRST, FIRST_STAR     Left wins G - k up, or G - (k up + star), moving first

For canonical forms they follow exactly from the form's bounds. For a sum they follow from those of its terms: Left
moves second in all of them, or first in one. For a long strip they follow from the sums of shorter strips that its
moves leave, so its value is not needed. Bounds for Right are the bounds for Left of the negative.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.values.arrays import (
    HIGH,
    HIGH_STAR,
    INFINITE_BOUND,
    LEFT_STOP,
    LOW,
    LOW_STAR,
    MEAN_HIGH,
    MEAN_LOW,
    RIGHT_STOP,
    TEMPERATURE,
)
from tengen.core.values.kernels import at_most, can_continue
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
    ALIKE,
    BOUND_FROM,
    BOUND_PARTS,
    BOUNDS,
    HEAT,
    LEAVES,
    LOST,
    NODES,
    OPEN,
    PAIRS,
    SHORT,
    SHORT_BOARD,
    WON,
)

SECOND, SECOND_STAR, FIRST, FIRST_STAR = range(4)
MAX_LEARNED = 12  # multiples of up that results teach, within those that the checker compares with
MAX_ALIKE = 16  # solved sums of the same subgame that are compared
ROUNDING = 1e-6  # larger than the rounding errors of means, which are sums of dyadic fractions
_NONE = np.int64(-1 << 40)  # no bound: below every sum of multiples that occurs


@inner
def bounds_from_options(best, best_star, worst, worst_star):
    """The four numbers of a game in which both players can move.

    best, best_star: maxima of SECOND and SECOND_STAR over Left's options; worst, worst_star: minima of FIRST and
    FIRST_STAR over Right's options. G >= c holds exactly if Left has an answer to each move of Right in G - c: in
    G, or in -c, whose Right options are the negatives of the Left options of c. Those of k up are 0 if k > 0 and
    (k + 1) up + star if k < 0; those of k up + star are 0, for up + star also star, and (k + 1) up if k < -1.
    """
    always = worst
    if always > 0 and best < 0:
        always = np.int64(0)
    if always < 0:
        always = min(always, best_star - 1)
    best = max(best, always - 1)
    best_star = max(best_star, always + 1)
    always_star = worst_star
    if always_star >= -1 and best < 0:
        always_star = np.int64(-2)
    if always_star == 1 and best_star < 0:
        always_star = np.int64(0)
    if always_star <= -2:
        always_star = min(always_star, best - 1)
    always = max(always, always_star - 2)
    always_star = max(always_star, always - 2)
    return (
        always,
        always_star,
        max(best, always - 1, always_star + 1),
        max(best_star, always_star - 1, always + 1),
    )


@inner
def bounds_of_form(forms, form):
    """The four numbers of a form. Moving first, Left wins G - c unless G <= c."""
    bounds = forms.bounds[form]
    return (
        np.int64(bounds[LOW]) if bounds[LOW] > -INFINITE_BOUND else _NONE,
        np.int64(bounds[LOW_STAR]) if bounds[LOW_STAR] > -INFINITE_BOUND else _NONE,
        np.int64(bounds[HIGH]) - 1 if bounds[HIGH] > -INFINITE_BOUND else _NONE,
        np.int64(bounds[HIGH_STAR]) - 1 if bounds[HIGH_STAR] > -INFINITE_BOUND else _NONE,
    )


@inner
def shown(number):
    """A stored bound; the bounds of numbers beside it may be infinite."""
    return np.int64(number) if number > NOTHING_SHOWN else _NONE


@inner
def bounds_of_subgame(subgames, subgame):
    bounds = subgames.bounds[subgame]
    return shown(bounds[0]), shown(bounds[1]), shown(bounds[2]), shown(bounds[3])


@inner
def add_bounds(a, b):
    """The four numbers of the sum of two games."""
    return (
        max(a[0] + b[0], a[1] + b[1]),
        max(a[0] + b[1], a[1] + b[0]),
        max(a[0] + b[2], a[1] + b[3], a[2] + b[0], a[3] + b[1]),
        max(a[0] + b[3], a[1] + b[2], a[2] + b[1], a[3] + b[0]),
    )


@inner
def zero_bounds():
    """The four numbers of 0."""
    return np.int64(0), np.int64(-2), np.int64(-1), np.int64(1)


@inner
def nothing_shown():
    """The four numbers of a game of which nothing is known yet; `learn` raises them."""
    return (
        np.int64(NOTHING_SHOWN),
        np.int64(NOTHING_SHOWN),
        np.int64(NOTHING_SHOWN),
        np.int64(NOTHING_SHOWN),
    )


@inner
def set_bounds(subgames, subgame, numbers):
    for index in range(4):
        subgames.bounds[subgame, index] = numbers[index]


@inner
def compute_bounds(subgames, forms, control, subgame):
    """Compute the bounds of a subgame and its negative, if it is short enough; return False if an array is
    full.
    """
    if subgames.bounds[subgame, 0] != NO_BOUNDS:
        return True
    if subgames.kind[subgame] != CLOBBER:  # multiples of up say little about hot games, but 0 is one of them
        set_bounds(subgames, subgame, nothing_shown())
        set_bounds(subgames, np.int64(subgames.negative[subgame]), nothing_shown())
        return True
    width = np.int64(subgames.width[subgame])
    height = np.int64(subgames.height[subgame])
    other = np.int64(subgames.negative[subgame])
    if (
        subgames.value[subgame] != UNKNOWN
        or subgames.size[subgame] <= control[SHORT if height == 1 else SHORT_BOARD]
    ):
        value = value_of(subgames, forms, subgame, np.int64(0), np.int64(0))
        if value < 0:
            return False
        set_bounds(subgames, subgame, bounds_of_form(forms, value))
        set_bounds(subgames, other, bounds_of_form(forms, np.int64(forms.negative[value])))
        return True
    if height > 1:
        set_bounds(subgames, subgame, nothing_shown())
        set_bounds(subgames, other, nothing_shown())
        return True
    if width > control[BOUND_PARTS] or not control[BOUNDS] or control[NODES] < control[BOUND_FROM]:
        return True
    if not can_continue(forms, np.int64(0), np.int64(0)) or not expand(subgames, subgame):
        return False
    best, best_star, worst, worst_star = _NONE, _NONE, -_NONE, -_NONE  # of the subgame
    far, far_star, near, near_star = _NONE, _NONE, -_NONE, -_NONE  # of its negative
    begin = np.int64(subgames.moves[subgame])
    middle = begin + subgames.lefts[subgame]
    for option in range(begin, middle + subgames.rights[subgame]):
        mine = zero_bounds()
        theirs = zero_bounds()
        for index in range(MAX_PIECES):
            piece = np.int64(subgames.options[option, index])
            if piece == 0:
                break
            if not compute_bounds(subgames, forms, control, piece):
                return False
            mine = add_bounds(mine, bounds_of_subgame(subgames, piece))
            theirs = add_bounds(theirs, bounds_of_subgame(subgames, np.int64(subgames.negative[piece])))
        if option < middle:
            best, best_star = max(best, mine[0]), max(best_star, mine[1])
            near, near_star = min(near, theirs[2]), min(near_star, theirs[3])
        else:
            worst, worst_star = min(worst, mine[2]), min(worst_star, mine[3])
            far, far_star = max(far, theirs[0]), max(far_star, theirs[1])
    set_bounds(subgames, subgame, bounds_from_options(best, best_star, worst, worst_star))
    set_bounds(subgames, other, bounds_from_options(far, far_star, near, near_star))
    return True


@inner
def subgame_and_value(sums, sum_id):
    """The subgame and the form of a sum of one subgame and at most one form; subgame -1 for other sums."""
    first = np.int64(sums.last[sum_id])
    rest = np.int64(sums.rest[sum_id])
    second = np.int64(sums.last[rest]) if rest != 0 else np.int64(1)
    if rest != 0 and sums.rest[rest] != 0:
        return np.int64(-1), np.int64(0)
    if first & 1 == 0 and second & 1:
        return first >> 1, second >> 1
    if second & 1 == 0 and first & 1:
        return second >> 1, first >> 1
    return np.int64(-1), np.int64(0)


@inner
def learn(subgames, forms, subgame, form, result):
    """Raise the bounds of a subgame, or of its negative, by the result of it plus a multiple of up."""
    bounds = forms.bounds[form]
    star = np.int64(0)
    k = np.int64(bounds[LOW])
    if bounds[LOW] != bounds[HIGH]:
        if bounds[LOW_STAR] != bounds[HIGH_STAR]:
            return
        star = np.int64(1)
        k = np.int64(bounds[LOW_STAR])
    if abs(k) > MAX_LEARNED:
        return
    if result == WON:  # Left, moving first, wins the difference with the negative of the form
        which = subgame
        row = FIRST + star
        k = -k
    else:  # the negative of the subgame is at least the form
        which = np.int64(subgames.negative[subgame])
        row = SECOND + star
    numbers = subgames.bounds[which]
    if numbers[0] == NO_BOUNDS:
        return
    numbers[row] = max(np.int64(numbers[row]), k)
    if result != WON:
        other = SECOND_STAR - star
        numbers[other] = max(np.int64(numbers[other]), k - 2)
        numbers[FIRST + star] = max(np.int64(numbers[FIRST + star]), k - 1)
        numbers[FIRST_STAR - star] = max(np.int64(numbers[FIRST_STAR - star]), k + 1)


@inner
def record_result(subgames, forms, sums, control, sum_id, result):
    """Store the result of a sum, also where `decide_by_alike` and bounds find it."""
    if sums.result[sum_id] == OPEN and control[ALIKE]:
        subgame, form = subgame_and_value(sums, sum_id)
        if subgame >= 0:
            sums.next_solved[sum_id] = subgames.solved[subgame]
            subgames.solved[subgame] = sum_id
            learn(subgames, forms, subgame, form, result)
    sums.result[sum_id] = result


@inner
def decide_by_alike(subgames, forms, sums, control, sum_id):
    """Decide a subgame plus a value by solved sums of the same subgame and other values: more is at least as good
    for Left.
    """
    if not control[ALIKE]:
        return np.int64(OPEN)
    subgame, form = subgame_and_value(sums, sum_id)
    if subgame < 0:
        return np.int64(OPEN)
    other = np.int64(subgames.solved[subgame])
    for _ in range(MAX_ALIKE):
        if other == 0:
            break
        _, beside = subgame_and_value(sums, other)
        if sums.result[other] == WON:
            if at_most(forms, beside, form):
                return np.int64(WON)
        elif at_most(forms, form, beside):
            return np.int64(LOST)
        other = np.int64(sums.next_solved[other])
    return np.int64(OPEN)


@inner
def decide_by_heat(forms, sums, sum_id):
    """Decide a sum of values: Left, moving first, reaches at least the sum of the means, and at most that and the
    highest temperature; and at least the sum of the Right stops, in one term the Left stop.
    """
    left_stops, right_stops, low, high = 0.0, 0.0, 0.0, 0.0
    widest, temperature = 0.0, 0.0
    rest = sum_id
    while rest != 0:
        heat = forms.heat[np.int64(sums.last[rest]) >> 1]
        left_stops += heat[LEFT_STOP]
        right_stops += heat[RIGHT_STOP]
        widest = max(widest, heat[LEFT_STOP] - heat[RIGHT_STOP])
        low += heat[MEAN_LOW]
        high += heat[MEAN_HIGH]
        temperature = max(temperature, heat[TEMPERATURE])
        rest = np.int64(sums.rest[rest])
    if max(low, right_stops + widest) > ROUNDING:
        return np.int64(WON)
    if min(left_stops, high + temperature) < -ROUNDING:
        return np.int64(LOST)
    return np.int64(OPEN)


@inner
def decide(subgames, forms, sums, control, sum_id):
    """Decide a sum without search: WON, LOST or OPEN."""
    if sums.result[sum_id] != OPEN:
        return np.int64(sums.result[sum_id])
    verdict = decide_by_alike(subgames, forms, sums, control, sum_id)
    if verdict != OPEN:
        sums.result[sum_id] = verdict  # not recorded: it says nothing that the other sum does not
        return verdict
    count = 0
    values = 0
    first = np.int64(0)
    second = np.int64(0)
    mine = zero_bounds()
    theirs = zero_bounds()
    rest = sum_id
    while rest != 0:
        component = np.int64(sums.last[rest])
        which = component >> 1
        count += 1
        if component & 1:
            second = first
            first = which
            values += 1
            mine = add_bounds(mine, bounds_of_form(forms, which))
            theirs = add_bounds(theirs, bounds_of_form(forms, np.int64(forms.negative[which])))
        elif subgames.bounds[which, 0] == NO_BOUNDS:
            return np.int64(OPEN)
        else:
            mine = add_bounds(mine, bounds_of_subgame(subgames, which))
            theirs = add_bounds(theirs, bounds_of_subgame(subgames, np.int64(subgames.negative[which])))
        rest = np.int64(sums.rest[rest])
    verdict = np.int64(OPEN)
    if control[HEAT] and values == count:
        verdict = decide_by_heat(forms, sums, sum_id)
    if verdict != OPEN:
        pass
    elif count == 1 and values == 1:
        verdict = np.int64(WON if forms.bounds[first, HIGH] > 0 else LOST)
    elif control[BOUNDS] and mine[FIRST] >= 0:
        verdict = np.int64(WON)
    elif control[BOUNDS] and (theirs[SECOND] >= 0 or theirs[SECOND_STAR] >= 2):
        verdict = np.int64(LOST)  # the sum is <= 0
    elif control[PAIRS] and count == 2 and values == 2:
        verdict = np.int64(LOST if at_most(forms, first, np.int64(forms.negative[second])) else WON)
    if verdict != OPEN:
        control[LEAVES] += 1
        record_result(subgames, forms, sums, control, sum_id, verdict)
    return verdict
