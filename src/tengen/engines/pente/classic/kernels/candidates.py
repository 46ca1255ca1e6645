"""Which moves are looked at, and in which order.

The rules of threats, of which the first that applies decides:

1. an own four: the move that completes it, alone;
2. a take that wins: that move, alone;
3. an enemy row that stands but can be broken (boat): the takes;
4. one enemy four: the block, and the takes that break it; several: such takes (without any, the blocks: it is
   lost);
5. an enemy take that would win: both sides' takes;
6. else all levels from the highest down, own points before the enemy's. So own threes come before enemy threes;
   and among them those in more directions, of which a double four is one, first;
7. but an enemy double four comes last where leaves are split among moves: what is left over goes to it.

Within a level, more directions come first, then those that cut more often before, then lower points. Other
orders: *multiple threats* compares, instead of the directions, all that a point serves for: level by level, own
before enemy. *Fukumi* puts first the points that threaten to win by fours: own ones that make a four with
something else, then enemy ones; the rest in the original order.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.rng import mix
from tengen.engines.pente.classic.kernels.counts import (
    FOUR,
    LEVELS,
    TAKE,
    THREE,
    TWO,
    WORDS,
    around,
    directions,
)
from tengen.engines.pente.classic.kernels.line_patterns import WINDOWS
from tengen.engines.pente.classic.kernels.utility import serving, wins_by_taking
from tengen.engines.pente.classic.tunables import AT, FUKUMI, MULTI_THREAT
from tengen.engines.pente.kernels.lines import STEPS
from tengen.games.pente.record import POINTS
from tengen.games.pente.rules import binds, is_allowed

ALL_LEVELS = (1 << LEVELS) - 1
MOST = 361
"""Room for a list of candidates."""

_ORDER, _CAPTORS, _BUDGET, _HISTORY, _VISION = (AT[n] for n in ("order", "captors", "budget", "history", "vision"))
_0, _1, _4, _64 = (np.uint64(number) for number in (0, 1, 4, 64))
_POINTS, _WORDS, _LEVELS = np.uint64(POINTS), np.uint64(WORDS), np.uint64(LEVELS)
_FIFTH = 1 << 40  # above any count of cuts


@inner
def is_hidden(point, genome, blind):
    """Whether a weak vision overlooks a point, in the whole search that `blind` belongs to."""
    if genome[_VISION] == 100:
        return False
    return mix(np.uint64(point) ^ blind) % np.uint64(100) >= np.uint64(genome[_VISION])


@inner
def _directions(counts, colour, level, point):
    return directions(counts.serves[(np.uint64(colour) * _LEVELS + np.uint64(level)) * _POINTS + point])


@inner
def _all_threats(counts, us, point):
    """All that a point serves for: three bits for each level and side, the highest level and own ones first."""
    sum_ = 0
    for down in range(LEVELS):
        level = LEVELS - 1 - down
        for side in range(2):
            sum_ = 8 * sum_ + _directions(counts, us if side == 0 else 1 - us, level, point)
    return sum_


@inner
def _is_fukumi(counts, colour, point):
    """Whether a stone here makes a four and, in another direction, a four, a three or a capture."""
    fours = _directions(counts, colour, THREE, point)
    others = _directions(counts, colour, TWO, point) + _directions(counts, colour, TAKE, point)
    return fours > 1 or (fours == 1 and others > 1)  # the axis of a three has twos on it, too


@inner
def _insert(point, worth, kind, moves, worths, kinds, first, count, most):
    """Put a move into its place among moves[first:count], at most up to `most`; returns the new count."""
    for i in range(first):
        if moves[i] == point:
            return count
    if count >= most and worth <= worths[count - 1]:
        return count
    if count < most:
        count += 1
    i = count - 1
    while i > first and worths[i - 1] < worth:
        moves[i], worths[i], kinds[i] = moves[i - 1], worths[i - 1], kinds[i - 1]
        i -= 1
    moves[i], worths[i], kinds[i] = point, worth, kind
    return count


@inner
def _add_level(counts, state, colour, level, genome, history, blind, moves, worths, kinds, count, most):
    """Append the points that serve a colour at a level, the best first."""
    if count >= most:
        return count
    first = count
    us = state.colour
    bound = binds(state)
    order = genome[_ORDER]
    at = (np.uint64(colour) * _LEVELS + np.uint64(level)) * _WORDS
    for i in range(_WORDS):
        bits = counts.sets[at + i] & counts.vacant[i]
        while bits != _0:
            point = _64 * i + np.uint64(trailing_zeros(bits))
            bits &= bits - _1
            if (bound and not is_allowed(state, point)) or is_hidden(point, genome, blind):
                continue
            if order == MULTI_THREAT:
                worth = _all_threats(counts, us, point)
            else:
                worth = np.int64(_directions(counts, colour, level, point)) * _FIFTH
            if order != MULTI_THREAT and genome[_HISTORY] != 0:
                worth += history[us, point]
            kind = 2 * level + (1 if colour == us else 0)
            count = _insert(np.int64(point), worth, kind, moves, worths, kinds, first, count, most)
    return count


@inner
def _add_fukumi(counts, state, colour, genome, blind, moves, worths, kinds, count, most):
    """Append the points that threaten to win by fours."""
    bound = binds(state)
    at = (np.uint64(colour) * _LEVELS + np.uint64(THREE)) * _WORDS
    for i in range(_WORDS):
        bits = counts.sets[at + i] & counts.vacant[i]
        while bits != _0 and count < most:
            point = _64 * i + np.uint64(trailing_zeros(bits))
            bits &= bits - _1
            if (bound and not is_allowed(state, point)) or is_hidden(point, genome, blind):
                continue
            if _is_fukumi(counts, colour, point):
                kind = 2 * THREE + (1 if colour == state.colour else 0)
                count = _insert(np.int64(point), 0, kind, moves, worths, kinds, count, count, most)
    return count


@inner
def _add_captors(counts, point, colour, moves, worths, kinds, count, most):
    """Append the moves that capture the stone on a point."""
    captors = np.uint64(counts.captors[point])
    while captors != _0:
        bit = np.uint64(trailing_zeros(captors))
        captors &= captors - _1
        step = STEPS[bit >> np.uint64(3)] * ((bit & np.uint64(3)) + _1)
        taker = point + step if bit & _4 != _0 else point - step
        count = _insert(np.int64(taker), 0, 2 * TAKE + 1, moves, worths, kinds, count, count, most)
    return count


@inner
def _add_breakers(counts, state, genome, blind, moves, worths, kinds, count, most):
    """Append the takes that break an enemy four."""
    them = 1 - state.colour
    enemy = np.uint8(them + 1)
    table = _1 if state.exact else _0
    at = (np.uint64(them) * _LEVELS + np.uint64(FOUR)) * _WORDS
    for i in range(_WORDS):
        bits = counts.sets[at + i] & counts.vacant[i]
        while bits != _0:
            gap = _64 * i + np.uint64(trailing_zeros(bits))
            bits &= bits - _1
            for direction in range(4):
                axis = np.uint64(direction)
                step = STEPS[axis]
                line = around(counts, axis, gap)
                for back in range(5):
                    # The window that begins so many steps behind, with the points beside it.
                    code = (line >> np.uint64(2 * (5 - back))) & np.uint64(4**7 - 1)
                    if WINDOWS[table, code] != 5 * them + 4:
                        continue
                    point = gap - step * np.uint64(back)
                    for _ in range(5):
                        if counts.contents[point] == enemy:
                            count = _add_captors(counts, point, them, moves, worths, kinds, count, most)
                        point += step
    kept = 0
    for i in range(count):
        if not (kinds[i] == 2 * TAKE + 1 and is_hidden(np.uint64(moves[i]), genome, blind)):
            moves[kept], kinds[kept] = moves[i], kinds[i]
            kept += 1
    return kept


@inner
def _last_double_four(counts, them, moves, kinds, count):
    """Move the first enemy double four to the end."""
    for i in range(count):
        if kinds[i] == 2 * THREE and _directions(counts, them, THREE, np.uint64(moves[i])) > 1:
            move, kind = moves[i], kinds[i]
            for j in range(i, count - 1):
                moves[j], kinds[j] = moves[j + 1], kinds[j + 1]
            moves[count - 1], kinds[count - 1] = move, kind
            return


@inner
def answers(counts, state, genome, history, blind, moves, worths, kinds):
    """The moves by the rules of threats, as far as one forces them: how many, or -1 if none does."""
    us = state.colour
    them = 1 - us
    if state.five != _0:
        return _add_level(counts, state, us, TAKE, genome, history, blind, moves, worths, kinds, 0, MOST)
    if counts.windows[6 * us + 4] > 0:
        most = MOST if state.boat else 1
        return _add_level(counts, state, us, FOUR, genome, history, blind, moves, worths, kinds, 0, most)
    if wins_by_taking(counts, state, us):
        most = 1 if state.captured[us] + 2 >= state.goal else MOST
        return _add_level(counts, state, us, TAKE, genome, history, blind, moves, worths, kinds, 0, most)
    if counts.windows[6 * them + 4] > 0:
        count = 0
        if serving(counts, them, FOUR) == 1:
            count = _add_level(counts, state, them, FOUR, genome, history, blind, moves, worths, kinds, 0, MOST)
        if counts.takes[us] > 0:
            if genome[_CAPTORS] != 0:
                count = _add_breakers(counts, state, genome, blind, moves, worths, kinds, count, MOST)
            else:
                count = _add_level(
                    counts, state, us, TAKE, genome, history, blind, moves, worths, kinds, count, MOST
                )
        if count == 0:
            count = _add_level(counts, state, them, FOUR, genome, history, blind, moves, worths, kinds, 0, MOST)
        return count
    if wins_by_taking(counts, state, them):
        count = _add_level(counts, state, us, TAKE, genome, history, blind, moves, worths, kinds, 0, MOST)
        return _add_level(counts, state, them, TAKE, genome, history, blind, moves, worths, kinds, count, MOST)
    return -1


@inner
def candidates(counts, state, genome, history, blind, levels, width, moves, worths, kinds):
    """(how many moves, whether a threat forces them), the best first, of the levels with a bit in `levels`.

    moves, worths, kinds: int64[MOST]; a kind is twice the level, and one more if it is an own point. Where a weak
    vision hides all that a threat leaves, the threat itself is overlooked.
    """
    count = answers(counts, state, genome, history, blind, moves, worths, kinds)
    if count > 0:
        return count, True
    us = state.colour
    count = 0
    if genome[_ORDER] == FUKUMI and levels & (1 << THREE) != 0:
        count = _add_fukumi(counts, state, us, genome, blind, moves, worths, kinds, count, width)
        count = _add_fukumi(counts, state, 1 - us, genome, blind, moves, worths, kinds, count, width)
    for down in range(LEVELS):
        level = LEVELS - 1 - down
        if levels & (1 << level) != 0:
            for side in range(2):
                colour = us if side == 0 else 1 - us
                count = _add_level(
                    counts, state, colour, level, genome, history, blind, moves, worths, kinds, count, width
                )
    if genome[_BUDGET] != 0:
        _last_double_four(counts, 1 - us, moves, kinds, count)
    return count, False


@kernel
def list_candidates(boards, states, genome, history, blind, levels, width, moves, worths, kinds):
    """The candidates of states[0], counted in boards[0]: how many, and whether a threat forces them."""
    return candidates(boards[0], states[0], genome, history, blind, levels, width, moves, worths, kinds)
