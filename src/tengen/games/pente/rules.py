"""The rules of Pente and its family: turns, captures, ends and opening protocols. See `record` for the state.

A placed stone is judged on the board as it then stands, all at once: it takes every run of exactly two enemy
stones (or three, with `longest` 3) between itself and another own stone; with `poof`, an own run of that length
which it completes between two enemy stones is lost, even if it takes one of these two at the same time. Then what
was taken or lost comes off. Only a run with the new stone in it can be lost so, because the enemy's stones on its
ends stood there before; and a stone that is lost makes no row. Each stone counts once, whatever the number of runs
that it was in.

Who has won, in this order:

1. boat: a row that stood open to capture and still stands after the reply wins, whatever the reply took;
2. a row of five (six) through the new stone; under boat not while a reply could break it by capture;
3. `goal` captured stones and more than the other side has: at 10-10, which only poof can bring about, it goes on;
4. nobody, if the board is full, or in renju if Black may not move.

With `caro`, a row of exactly five between two enemy stones wins nothing; the edge does not count as a stone.

In renju, Black may make neither overlines nor two threes or fours at once (see `renju`), and only White wins with
more than five.

A row counts only for the player who places a stone in it: with `exact`, an overline that a capture shortens to
five wins nothing.

`number` is not in the key: it is the stones on the board and the captured ones together (and a constant, from a
set-up board), and the key has both. So it tells apart the moves that a rule binds: the first, the second of who
began, the first or second stone of a turn.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import helper
from tengen.core.compiled.rng import below, mix, zobrist
from tengen.core.compiled.rules import rule
from tengen.core.compiled.symmetry import canonical_hash
from tengen.games.pente.evaluation import guess
from tengen.games.pente.lines import (
    axis_step,
    can_break_row,
    has_row,
    is_winning_row,
    run_ahead,
    run_behind,
    taken_ahead,
    taken_behind,
)
from tengen.games.pente.record import (
    ANYWHERE,
    BY_CAPTURES,
    BY_FULL_BOARD,
    BY_NO_MOVE,
    BY_ROW,
    EMPTY,
    FIELDS,
    G_PENTE,
    GOES_ON,
    HOW_MANY,
    MAX_DECLARED,
    NO_OPENING,
    NOBODY,
    NOTHING,
    OFFER_ONE,
    OFFER_TEN,
    PICK,
    POINTS,
    SIDE,
    SIDE_OR_MORE,
    SIDE_OR_TEN,
    SOOSORV,
    STRIDE,
    SWAP2,
    TAKE_BLACK,
    TAKE_WHITE,
    TARAGUCHI,
    TWO_MORE,
)
from tengen.games.pente.renju import ALLOWED, drop_forbidden, has_allowed_point, reason_at
from tengen.games.pente.renju_openings import (
    UNLIMITED,
    after_side,
    after_stone,
    cells_with_offers,
    declare,
    end_offers,
    is_offered,
    is_offering,
    list_choices,
    next_chooser,
    offer,
    symmetries_of,
    zone,
)

STONE_KEYS = zobrist(2 * POINTS, seed=21).reshape(2, POINTS)
_FIVE_KEYS = zobrist(POINTS, seed=22)
_OFFER_KEYS = zobrist(POINTS, seed=23)
_0, _1, _STRIDE = np.uint64(0), np.uint64(1), np.uint64(STRIDE)
_VOID_UP_TO = 6  # up to this size there is no restriction on the second stone


# ---- where a stone may go


@helper
def from_middle(size, line):
    """Distance of a line from the middle line, or from the nearer middle line on even sizes."""
    return abs(2 * line - (size - 1)) // 2


@helper
def binds(state):
    """Whether the next stone is restricted."""
    if zone(state) != UNLIMITED:
        return True
    if state.number == 0:
        return state.centred
    return state.number == state.a_turn + 1 and state.second != ANYWHERE and state.width > _VOID_UP_TO


@helper
def is_allowed(state, point):
    """Whether a restricted stone may be placed on an empty point (see `binds`)."""
    across = from_middle(state.width, np.int64(point % _STRIDE) - 1)
    down = from_middle(state.width, np.int64(point // _STRIDE) - 1)
    limit = zone(state)
    if limit != UNLIMITED:
        return across <= limit and down <= limit
    if state.number == 0:
        return across == 0 and down == 0
    if across < 3 and down < 3:
        return False
    return not (state.second == G_PENTE and min(across, down) == 0 and max(across, down) <= 4)


@helper
def has_forbidden_points(state):
    """Whether forbidden moves of renju bind the next stone."""
    return state.renju and state.colour == 0


@rule(FIELDS)
def to_move(state):
    return state.turn


@rule(FIELDS)
def legal_moves(state, out):
    if state.choice == HOW_MANY or state.choice == PICK:
        return list_choices(state, out)
    if state.choice != NOTHING:
        out[0] = TAKE_BLACK
        out[1] = TAKE_WHITE
        out[2] = TWO_MORE if state.choice == SIDE_OR_MORE else OFFER_TEN
        return 2 if state.choice == SIDE else 3
    offering = is_offering(state)
    symmetries = symmetries_of(state) if offering else 0
    count = 0
    bound = binds(state)
    for row in range(np.uint64(state.width)):
        point = _STRIDE * (np.uint64(row) + _1)
        for _ in range(state.width):
            point += _1
            if (
                state.pente_stones[point] == EMPTY
                and (not bound or is_allowed(state, point))
                and not (offering and is_offered(state, point, symmetries))
            ):
                out[count] = point
                count += 1
    return drop_forbidden(state, out, count) if has_forbidden_points(state) else count


@rule(FIELDS)
def random_move(state, rng):
    if state.choice == PICK:
        return np.uint64(state.offers[below(rng, np.uint64(state.offer_count))])
    if state.choice == HOW_MANY:
        return np.uint64(OFFER_ONE) + below(rng, MAX_DECLARED)
    if state.choice != NOTHING:
        choice = _1 + below(rng, 2 if state.choice == SIDE else 3)
        return np.uint64(OFFER_TEN) if choice == TWO_MORE and state.choice == SIDE_OR_TEN else choice
    if is_offering(state):
        symmetries = symmetries_of(state)
        while True:
            point = np.uint64(state.empties[below(rng, state.empty_count)])
            if not is_offered(state, point, symmetries):
                return point
    if not binds(state) and not has_forbidden_points(state):
        return np.uint64(state.empties[below(rng, state.empty_count)])
    if state.number == 0 and (state.centred or zone(state) == 0):
        middle = np.uint64((state.width - 1) // 2)
        wide = np.uint64(2 - state.width % 2)  # number of middle lines
        return _STRIDE * (middle + below(rng, wide) + _1) + middle + below(rng, wide) + _1
    while True:
        point = np.uint64(state.empties[below(rng, state.empty_count)])
        if binds(state) and not is_allowed(state, point):
            continue
        if not has_forbidden_points(state) or reason_at(state, point) == ALLOWED:
            return point


# ---- stones come and go


@helper
def _take_off(state, point, colour):
    state.pente_stones[point] = EMPTY
    state.stones_key ^= STONE_KEYS[colour, point]
    state.empties[state.empty_count] = point
    state.place[point] = state.empty_count
    state.empty_count += _1


@helper
def _put_on(state, point, colour):
    state.pente_stones[point] = colour + 1
    state.stones_key ^= STONE_KEYS[colour, point]
    # The last of the empty points moves into its place.
    state.empty_count -= _1
    last = np.uint64(state.empties[state.empty_count])
    place = np.uint64(state.place[point])
    state.empties[place] = last
    state.place[last] = place


@helper
def _take_run(state, point, step, count, colour):
    """Remove the `count` stones after a point."""
    for _ in range(count):
        point += step
        _take_off(state, point, colour)


@helper
def _take_run_behind(state, point, step, count, colour):
    for _ in range(count):
        point -= step
        _take_off(state, point, colour)


@helper
def _place(state, point, colour):
    """Place a stone and remove captured stones; returns whether it makes a winning row."""
    _put_on(state, point, colour)
    own, enemy = np.uint8(colour + 1), np.uint8(2 - colour)
    row = False
    lost = _0  # own stones adjacent to the new one
    taken = _0
    longest = np.uint64(state.longest)
    for axis in range(4):
        step = axis_step(axis)
        ahead = run_ahead(state, point, step, own)
        behind = run_behind(state, point, step, own)
        length = ahead + behind + _1
        row |= is_winning_row(state, point, step, ahead, behind, own)
        if longest == _0:
            continue
        # The axes meet only in the new stone, so what one of them loses is no matter to the others.
        ahead_taken = taken_ahead(state, point, step, own, enemy)
        behind_taken = taken_behind(state, point, step, own, enemy)
        if (
            state.poof
            and _1 < length <= longest
            and state.pente_stones[point + step * (ahead + _1)] == enemy
            and state.pente_stones[point - step * (behind + _1)] == enemy
        ):
            _take_run(state, point, step, ahead, colour)
            _take_run_behind(state, point, step, behind, colour)
            lost += ahead + behind
        if ahead_taken + behind_taken != _0:
            _take_run(state, point, step, ahead_taken, 1 - colour)
            _take_run_behind(state, point, step, behind_taken, 1 - colour)
            taken += ahead_taken + behind_taken
    if taken != _0:
        state.captured[colour] += np.int64(taken)
    if lost != _0:
        _take_off(state, point, colour)
        state.captured[1 - colour] += np.int64(lost) + 1
        return False
    return row


@helper
def _finish(state, end, winner):
    state.end = end
    state.winner = winner


@helper
def _settle(state, point, colour, row):
    """End the game if the stone just placed wins; `row` says whether it made a winning row."""
    if state.five != _0:
        five = state.five
        state.five = _0
        if has_row(state, five, np.uint8(2 - colour)):
            _finish(state, BY_ROW, 1 - colour)
            return
    if row:
        if state.boat and can_break_row(state, point, np.uint8(2 - colour), np.uint8(colour + 1)):
            state.five = point
        else:
            _finish(state, BY_ROW, colour)
            return
    own, other = state.captured[colour], state.captured[1 - colour]
    if state.goal > 0 and own != other and max(own, other) >= state.goal:
        _finish(state, BY_CAPTURES, colour if own > other else 1 - colour)
    elif state.empty_count == _0:
        _finish(state, BY_FULL_BOARD, NOBODY)
    elif state.renju and colour == 1 and not has_allowed_point(state):
        _finish(state, BY_NO_MOVE, NOBODY)


@helper
def _pass_turn(state):
    """Update the turn after a stone."""
    if state.a_turn == 1 or state.number % 2 == 1:
        state.colour = 1 - state.colour
    if state.left == 0:
        state.turn = state.colour ^ state.swapped
        return
    state.left -= 1
    if state.left == 0 and state.opening in (SOOSORV, TARAGUCHI):
        after_stone(state)
    elif state.left == 0:
        state.turn = 1 - state.turn
        state.choice = SIDE_OR_MORE if state.opening == SWAP2 and state.number == 3 else SIDE


@helper
def _choose(state, move):
    if move >= OFFER_ONE:
        declare(state, move)
        return
    state.choice = NOTHING
    if move == TWO_MORE:
        state.left = 2
    else:
        state.swapped = state.turn if move == TAKE_BLACK else 1 - state.turn
        state.turn = state.colour ^ state.swapped
        if state.opening in (SOOSORV, TARAGUCHI):
            after_side(state)


@rule(FIELDS)
def play(state, move):
    point = np.uint64(move)
    if is_offering(state):
        offer(state, point)
        return
    if state.choice == PICK:
        end_offers(state)
    elif state.choice != NOTHING:
        _choose(state, move)
        return
    colour = state.colour
    row = _place(state, point, colour)
    state.number += 1
    _settle(state, point, colour, row)
    _pass_turn(state)


# ---- the end, and what is known before


@rule(FIELDS)
def is_over(state):
    return state.end != GOES_ON


@rule(FIELDS)
def score(state):
    """1000 or -1000 for a win; 0 for a draw or an unfinished game."""
    if state.end == GOES_ON or state.winner == NOBODY:
        return np.int64(0)
    return np.int64(1000) if state.winner == state.swapped else np.int64(-1000)


@rule(FIELDS)
def evaluate(state):
    value = guess(state)
    chooser = next_chooser(state)
    if chooser >= 0:
        # The player who chooses takes the better side.
        return abs(value) if chooser == 0 else -abs(value)
    return -value if state.swapped == 1 else value


@rule(FIELDS)
def key(state):
    bits = state.stones_key ^ _FIVE_KEYS[state.five]
    bits ^= mix(np.uint64(4096 * (state.captured[0] + 1) + state.captured[1]))
    if state.opening == NO_OPENING:
        return bits ^ mix(np.uint64(state.turn + 1))
    # Books store these keys, so those of the older protocols must stay: their choices are less than HOW_MANY.
    choice = state.choice if state.choice < HOW_MANY else 512 * state.choice
    phase = 8 * (4 * state.left + choice) + 4 * state.swapped + 2 * state.colour + state.turn
    if state.wanted > 0:
        phase += 65536 * state.wanted
        for i in range(state.offer_count):
            bits ^= _OFFER_KEYS[state.offers[i]]
    return bits ^ mix(np.uint64(phase + 1))


@rule(FIELDS)
def off_board_key(state):
    bits = key(state) ^ state.stones_key ^ _FIVE_KEYS[state.five]
    for i in range(state.offer_count):
        bits ^= _OFFER_KEYS[state.offers[i]]
    return mix(bits)


@rule(FIELDS)
def canonical_key(state, symmetries, out):
    if state.offer_count > 0:
        cells = cells_with_offers(state)
        return canonical_hash(cells, np.int64(state.five), off_board_key(state), symmetries, out)
    return canonical_hash(state.pente_stones, np.int64(state.five), off_board_key(state), symmetries, out)


@rule(FIELDS)
def write_stones(state, out):
    for row in range(out.shape[0]):
        start = STRIDE * (row + 1) + 1
        for column in range(out.shape[1]):
            out[row, column] = state.pente_stones[start + column]
    return True
