"""Move selection in playouts.

Light playouts play any point that is not an own eye. Heavy playouts first try rules that respond to the last move,
each with its own rate (0 disables it); otherwise they play any point that is neither an own eye nor a bad
self-atari.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.records import record_type
from tengen.core.compiled.rng import below, next_bits
from tengen.engines.go.kernels.board import (
    EMPTY,
    NOWHERE,
    PATTERN,
    first_liberty,
    has_empty_neighbour,
    head_of,
    is_eye,
    is_legal,
    is_not_suicide,
    neighbour,
    neighbourhood_flags,
    other_liberty,
)
from tengen.engines.go.mcts.kernels.tactics import (
    best_atari,
    capture_that_saves,
    dies_in_ladder,
    is_bad_self_atari,
    liberties_after,
    vital_point,
)

RATE_SCALE = 256
# Rates of the rules, from 0 to RATE_SCALE.
RATES = record_type(
    ("captures", np.int64),
    ("escapes", np.int64),
    ("ladders", np.int64),
    ("two_liberties", np.int64),
    ("nakade", np.int64),
    ("patterns", np.int64),
    ("self_atari", np.int64),
    ("replies", np.int64),
)
SCRATCH_SIZE = 64  # the first 16 for dead shapes, the rest for moves to choose from
_MOVES = 16


class Playout(NamedTuple):
    """The data of playouts."""

    rates: Any  # RATES[1]
    replies: (
        Any  # int64[2, points]: the reply that reading found to a move of each colour on each point, or NOWHERE
    )
    scratch: Any  # int64[SCRATCH_SIZE]
    to_rules: Any  # int32[points]
    played: Any  # int32: the moves of a playout, see `search.kernels.mcts`
    rng: Any


@inner
def light_move(board, geometry, rng):
    """A uniformly random legal point that is not an own eye, or a pass."""
    colour = board.state[0].turn
    left = board.state[0].empty_count
    while left > 0:
        index = np.int64(below(rng, left))
        point = np.int64(board.empties[index])
        if has_empty_neighbour(board, point):
            return point
        if (
            not is_eye(board, geometry, point, colour)
            and point != board.state[0].ko
            and is_not_suicide(board, geometry, point, colour)
        ):
            return point
        left -= 1
        _move_to_end(board, index, left)
    return NOWHERE


@inner
def _move_to_end(board, index, left):
    """Swap an empty point to position `left` of the list, so that each point is tried once."""
    point, other = board.empties[index], board.empties[left]
    board.empties[left] = point
    board.empty_index[np.int64(point)] = np.uint16(left)
    board.empties[index] = other
    board.empty_index[np.int64(other)] = np.uint16(index)


@inner
def heavy_move(board, ladder_board, geometry, playout):
    """A response to the last move, or any sensible point; ladders are read on `ladder_board`."""
    rates, scratch, rng = playout.rates[0], pointer(playout.scratch), pointer(playout.rng)
    state = board.state[0]
    colour = state.turn
    last = state.last_move
    random_bits = np.int64(next_bits(rng) >> np.uint64(1))
    if last != NOWHERE:
        if (random_bits >> 56) & 127 < rates.replies >> 1:
            reply = playout.replies[2 - colour, last]
            if reply != NOWHERE and board.colour[reply] == EMPTY and is_legal(board, geometry, reply, colour):
                return reply
        count = 0
        if rates.captures > 0 or rates.escapes > 0:
            count = _list_ataris(board, ladder_board, geometry, last, colour, rates, random_bits, scratch)
        if count == 0 and (random_bits >> 16) & 255 < rates.two_liberties:
            count = _list_two_liberties(board, ladder_board, geometry, last, colour, rates, random_bits, scratch)
        if count > 0:
            return scratch[_MOVES + np.int64(below(rng, count))]
        if (random_bits >> 24) & 255 < rates.nakade and board.colour[last] == 3 - colour:
            for direction in range(4):
                adjacent = neighbour(last, direction, geometry)
                if board.colour[adjacent] == EMPTY:
                    point = vital_point(board, geometry, adjacent, 3 - colour, scratch)
                    if point != NOWHERE and is_legal(board, geometry, point, colour):
                        return point
        if (random_bits >> 32) & 255 < rates.patterns:
            count = _list_patterns(board, geometry, last, colour, scratch)
            if count == 0 and state.previous_move != NOWHERE:
                count = _list_patterns(board, geometry, state.previous_move, colour, scratch)
            while count > 0:
                index = _MOVES + np.int64(below(rng, count))
                point = scratch[index]
                if not is_bad_self_atari(board, geometry, point, colour, scratch):
                    return point
                count -= 1
                scratch[index] = scratch[_MOVES + count]
    left = state.empty_count
    while left > 0:
        index = np.int64(below(rng, left))
        point = np.int64(board.empties[index])
        if has_empty_neighbour(board, point) or (
            not is_eye(board, geometry, point, colour)
            and point != state.ko
            and is_not_suicide(board, geometry, point, colour)
        ):
            random_bits = np.int64(next_bits(rng) & np.uint64(255)) if rates.self_atari < RATE_SCALE else 0
            if random_bits >= rates.self_atari or not is_bad_self_atari(board, geometry, point, colour, scratch):
                return point
        left -= 1
        _move_to_end(board, index, left)
    return NOWHERE


@inner
def _list_ataris(board, ladder_board, geometry, last, colour, rates, random_bits, scratch):
    """List moves that capture the string of the last move, or save strings that it put into atari."""
    count = 0
    takes, runs = random_bits & 255 < rates.captures, (random_bits >> 8) & 255 < rates.escapes
    if takes and board.colour[last] == 3 - colour and board.liberty_count[head_of(board, last)] == 1:
        point = first_liberty(board, geometry, head_of(board, last))
        if point != board.state[0].ko:
            scratch[_MOVES] = point
            count = 1
    for direction in range(4):
        adjacent = neighbour(last, direction, geometry)
        if board.colour[adjacent] != colour:
            continue
        head = head_of(board, adjacent)
        if board.liberty_count[head] != 1:
            continue
        if takes:
            point = capture_that_saves(board, geometry, head, colour)
            if point != NOWHERE:
                scratch[_MOVES + count] = point
                count += 1
        if runs:
            point = first_liberty(board, geometry, head)
            if is_legal(board, geometry, point, colour):
                after = liberties_after(board, geometry, point, colour, 3)
                if after > 2 or (
                    after == 2
                    and (
                        (random_bits >> 40) & 255 >= rates.ladders
                        or not dies_in_ladder(board, geometry, head, colour, False, ladder_board)
                    )
                ):
                    scratch[_MOVES + count] = point
                    count += 1
    return count


@inner
def _list_two_liberties(board, ladder_board, geometry, last, colour, rates, random_bits, scratch):
    """List ataris on the string of the last move, and extensions of strings that it left with two liberties."""
    count = 0
    enemy = 3 - colour
    if board.colour[last] == enemy and board.liberty_count[head_of(board, last)] == 2:
        head = head_of(board, last)
        if (random_bits >> 48) & 255 < rates.ladders:
            atari = best_atari(board, geometry, head, enemy)  # cheap, and most strings have none
            if atari != NOWHERE and dies_in_ladder(board, geometry, head, enemy, True, ladder_board):
                scratch[_MOVES] = atari
                return 1
        first = first_liberty(board, geometry, head)
        second = other_liberty(board, geometry, head, first)
        for choice in range(2):
            point, run = (first, second) if choice == 0 else (second, first)
            # The atari removes a liberty wherever the string extends; with one left it is captured.
            if (
                is_legal(board, geometry, point, colour)
                and liberties_after(board, geometry, run, enemy, 3) <= 2
                and liberties_after(board, geometry, point, colour, 2) >= 2
            ):
                scratch[_MOVES + count] = point
                count += 1
    for direction in range(4):
        adjacent = neighbour(last, direction, geometry)
        if board.colour[adjacent] == colour:
            head = head_of(board, adjacent)
            if board.liberty_count[head] == 2:
                first = first_liberty(board, geometry, head)
                second = other_liberty(board, geometry, head, first)
                for choice in range(2):
                    point = first if choice == 0 else second
                    if (
                        is_legal(board, geometry, point, colour)
                        and liberties_after(board, geometry, point, colour, 3) >= 3
                    ):
                        scratch[_MOVES + count] = point
                        count += 1
    return count


@inner
def _list_patterns(board, geometry, near, colour, scratch):
    """List the points around a move that match a 3x3 pattern."""
    count = 0
    for row in range(-1, 2):
        for column in range(-1, 2):
            point = near + row * geometry.stride + column
            if board.colour[point] == EMPTY and neighbourhood_flags(board, geometry, point) & PATTERN:
                if is_legal(board, geometry, point, colour):
                    scratch[_MOVES + count] = point
                    count += 1
    return count
