"""Move generation: which moves are searched, and in which order.

Threat rules; the first that applies decides:

1. an own four: only the move that completes it; 2. a capture that wins: only that move; 3. a breakable enemy row
(boat): captures; 4. one enemy four: the block, and captures that break it; several: only such captures (without
any, the blocks: it is lost); 5. an enemy capture that would win: captures of both sides; 6. otherwise all levels
from the highest down, own points before the enemy's. So own threes come before enemy threes, and    among them
those in more directions, such as double fours, come first; 7. but an enemy double four comes last if leaves are
split among moves: it gets the unused rest.

Within a level, points with more directions come first, then those with more cutoffs before, then lower points.
Other orders: *multiple threats* compares, instead of directions, all uses of a point, level by level, own before
enemy. *Fukumi* starts with points that threaten to win by fours: own points that make a four together with
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
from tengen.engines.pente.classic.kernels.utility import count_serving, wins_by_taking
from tengen.engines.pente.classic.line_patterns import WINDOWS
from tengen.engines.pente.classic.search_state import MAX_CANDIDATES
from tengen.engines.pente.classic.tunables import FUKUMI, MULTI_THREAT
from tengen.engines.pente.kernels.lines import STEPS
from tengen.games.pente.record import POINTS
from tengen.games.pente.rules import binds, is_allowed

ALL_LEVELS = (1 << LEVELS) - 1
_0, _1, _4, _64 = (np.uint64(number) for number in (0, 1, 4, 64))
_POINTS, _WORDS, _LEVELS = np.uint64(POINTS), np.uint64(WORDS), np.uint64(LEVELS)
_PRIORITY_STEP = 1 << 40  # above any number of cutoffs


@inner
def is_hidden(point, settings):
    """Whether limited vision hides a point, for the whole search."""
    if settings.vision == 100:
        return False
    return mix(np.uint64(point) ^ settings.vision_seed) % np.uint64(100) >= np.uint64(settings.vision)


@inner
def _directions(counts, colour, level, point):
    return directions(counts.serves[(np.uint64(colour) * _LEVELS + np.uint64(level)) * _POINTS + point])


@inner
def _all_uses(counts, us, point):
    """All uses of a point: three bits for each level and side, highest level and own side first."""
    total = 0
    for down in range(LEVELS):
        level = LEVELS - 1 - down
        for side in range(2):
            total = 8 * total + _directions(counts, us if side == 0 else 1 - us, level, point)
    return total


@inner
def _is_fukumi(counts, colour, point):
    """Whether a stone here makes a four and, in another direction, a four, a three or a capture."""
    fours = _directions(counts, colour, THREE, point)
    others = _directions(counts, colour, TWO, point) + _directions(counts, colour, TAKE, point)
    return fours > 1 or (fours == 1 and others > 1)  # the axis of a three also has twos


@inner
def _insert(frame, point, priority, kind, first, max_moves):
    """Insert a move into the candidates from `first` on, keeping at most `max_moves`."""
    for i in range(first):
        if frame.moves[i] == point:
            return
    count = frame.count
    if count >= max_moves and priority <= frame.priorities[count - 1]:
        return
    if count < max_moves:
        count += 1
    i = count - 1
    while i > first and frame.priorities[i - 1] < priority:
        frame.moves[i], frame.priorities[i], frame.kinds[i] = (
            frame.moves[i - 1],
            frame.priorities[i - 1],
            frame.kinds[i - 1],
        )
        i -= 1
    frame.moves[i], frame.priorities[i], frame.kinds[i] = point, priority, kind
    frame.count = count


@inner
def _add_level(counts, state, settings, history, frame, colour, level, max_moves):
    """Append the points that serve a colour at a level, best first."""
    if frame.count >= max_moves:
        return
    first = frame.count
    us = state.colour
    bound = binds(state)
    order = settings.order
    at = (np.uint64(colour) * _LEVELS + np.uint64(level)) * _WORDS
    for i in range(_WORDS):
        bits = counts.sets[at + i] & counts.vacant[i]
        while bits != _0:
            point = _64 * i + np.uint64(trailing_zeros(bits))
            bits &= bits - _1
            if (bound and not is_allowed(state, point)) or is_hidden(point, settings):
                continue
            if order == MULTI_THREAT:
                priority = _all_uses(counts, us, point)
            else:
                priority = np.int64(_directions(counts, colour, level, point)) * _PRIORITY_STEP
            if order != MULTI_THREAT and settings.history != 0:
                priority += history[us, point]
            kind = 2 * level + (1 if colour == us else 0)
            _insert(frame, np.int64(point), priority, kind, first, max_moves)


@inner
def _add_fukumi(counts, state, settings, frame, colour, max_moves):
    """Append the points that threaten to win by fours."""
    bound = binds(state)
    at = (np.uint64(colour) * _LEVELS + np.uint64(THREE)) * _WORDS
    for i in range(_WORDS):
        bits = counts.sets[at + i] & counts.vacant[i]
        while bits != _0 and frame.count < max_moves:
            point = _64 * i + np.uint64(trailing_zeros(bits))
            bits &= bits - _1
            if (bound and not is_allowed(state, point)) or is_hidden(point, settings):
                continue
            if _is_fukumi(counts, colour, point):
                kind = 2 * THREE + (1 if colour == state.colour else 0)
                _insert(frame, np.int64(point), 0, kind, frame.count, max_moves)


@inner
def _add_captors(counts, frame, point):
    """Append the moves that capture the stone on a point."""
    captors = np.uint64(counts.captors[point])
    while captors != _0:
        bit = np.uint64(trailing_zeros(captors))
        captors &= captors - _1
        step = STEPS[bit >> np.uint64(3)] * ((bit & np.uint64(3)) + _1)
        taker = point + step if bit & _4 != _0 else point - step
        _insert(frame, np.int64(taker), 0, 2 * TAKE + 1, frame.count, MAX_CANDIDATES)


@inner
def _add_breakers(counts, state, settings, frame):
    """Append the captures that break an enemy four."""
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
                    # The window that starts `back` steps behind, with the points next to it.
                    code = (line >> np.uint64(2 * (5 - back))) & np.uint64(4**7 - 1)
                    if WINDOWS[table, code] != 5 * them + 4:
                        continue
                    point = gap - step * np.uint64(back)
                    for _ in range(5):
                        if counts.contents[point] == enemy:
                            _add_captors(counts, frame, point)
                        point += step
    kept = 0
    for i in range(frame.count):
        if not (frame.kinds[i] == 2 * TAKE + 1 and is_hidden(np.uint64(frame.moves[i]), settings)):
            frame.moves[kept], frame.kinds[kept] = frame.moves[i], frame.kinds[i]
            kept += 1
    frame.count = kept


@inner
def _move_double_four_last(counts, them, frame):
    """Move the first enemy double four to the end."""
    moves, kinds, last = frame.moves, frame.kinds, frame.count - 1
    for i in range(frame.count):
        if kinds[i] == 2 * THREE and _directions(counts, them, THREE, np.uint64(moves[i])) > 1:
            move, kind = moves[i], kinds[i]
            for j in range(i, last):
                moves[j], kinds[j] = moves[j + 1], kinds[j + 1]
            moves[last], kinds[last] = move, kind
            return


@inner
def list_forced_answers(counts, state, settings, history, frame):
    """List the moves that the threat rules force; returns whether one applies."""
    us = state.colour
    them = 1 - us
    if state.five != _0:
        _add_level(counts, state, settings, history, frame, us, TAKE, MAX_CANDIDATES)
    elif counts.windows[6 * us + 4] > 0:
        _add_level(counts, state, settings, history, frame, us, FOUR, MAX_CANDIDATES if state.boat else 1)
    elif wins_by_taking(counts, state, us):
        max_moves = 1 if state.captured[us] + 2 >= state.goal else MAX_CANDIDATES
        _add_level(counts, state, settings, history, frame, us, TAKE, max_moves)
    elif counts.windows[6 * them + 4] > 0:
        if count_serving(counts, them, FOUR) == 1:
            _add_level(counts, state, settings, history, frame, them, FOUR, MAX_CANDIDATES)
        if counts.takes[us] > 0:
            if settings.captors != 0:
                _add_breakers(counts, state, settings, frame)
            else:
                _add_level(counts, state, settings, history, frame, us, TAKE, MAX_CANDIDATES)
        if frame.count == 0:
            _add_level(counts, state, settings, history, frame, them, FOUR, MAX_CANDIDATES)
    elif wins_by_taking(counts, state, them):
        _add_level(counts, state, settings, history, frame, us, TAKE, MAX_CANDIDATES)
        _add_level(counts, state, settings, history, frame, them, TAKE, MAX_CANDIDATES)
    return frame.count > 0


@inner
def candidates(counts, state, settings, history, frame, levels, width):
    """List the candidates of the levels with a bit in `levels`, best first; returns whether a threat forces them.

    If limited vision hides all answers to a threat, the threat itself is overlooked.
    """
    frame.count = 0
    if list_forced_answers(counts, state, settings, history, frame):
        return True
    us = state.colour
    if settings.order == FUKUMI and levels & (1 << THREE) != 0:
        _add_fukumi(counts, state, settings, frame, us, width)
        _add_fukumi(counts, state, settings, frame, 1 - us, width)
    for down in range(LEVELS):
        level = LEVELS - 1 - down
        if levels & (1 << level) != 0:
            for side in range(2):
                colour = us if side == 0 else 1 - us
                _add_level(counts, state, settings, history, frame, colour, level, width)
    if settings.budget != 0:
        _move_double_four_last(counts, 1 - us, frame)
    return False


@kernel
def list_candidates(boards, states, settings, history, frames, width):
    """List the candidates of all levels of states[0], counted in boards[0], in frames[0].

    Returns whether a threat forces them.
    """
    return candidates(boards[0], states[0], settings[0], history, frames[0], ALL_LEVELS, width)
