"""The moves of playouts. Compiled.

Light: any point that is no own eye. Heavy: an answer to the last move where there is a good one, by rules that are
tried in turn, each with its rate (0 switches it off); else any point that is neither an own eye nor a bad
self-atari.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import below, next_bits
from tengen.engines.go.kernels.board import (
    BEFORE,
    EMPTIES,
    EMPTY,
    KO,
    LAST,
    NOWHERE,
    SHAPE,
    TURN,
    first_liberty,
    head_of,
    is_connected,
    is_eye,
    is_legal,
    is_open,
    known,
    neighbour,
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

# rates: int64, 0 to ALWAYS
CAPTURES, ESCAPES, LADDERS, TWO_LIBERTIES, NAKADE, SHAPES, SELF_ATARI, ANSWERS, RATES = range(9)
ALWAYS = 256
SCRATCH = 64  # int64: the first 16 for shapes, the rest for moves to choose from
_MOVES = 16


@inner
def light_move(board, geometry, rng):
    """Any point that is legal and no own eye, each with the same chance; else a pass."""
    colour = board.facts[TURN]
    left = board.facts[EMPTIES]
    while left > 0:
        index = np.int64(below(rng, left))
        point = np.int64(board.empties[index])
        if is_open(board, point):
            return point
        if (
            not is_eye(board, geometry, point, colour)
            and point != board.facts[KO]
            and is_connected(board, geometry, point, colour)
        ):
            return point
        left -= 1
        _put_behind(board, index, left)
    return NOWHERE


@inner
def _put_behind(board, index, left):
    """Exchange two empty points in their list, so that each is tried once."""
    point, other = board.empties[index], board.empties[left]
    board.empties[left] = point
    board.place[np.int64(point)] = np.uint16(left)
    board.empties[index] = other
    board.place[np.int64(other)] = np.uint16(index)


@inner
def heavy_move(board, reading, geometry, rates, answers, scratch, rng):
    """An answer to the last move, or any sensible point.

    reading: a board to read ladders on. answers: int64[2 * points], the answer that reading found to a move of
    either colour on a point, or NOWHERE.
    """
    facts = board.facts
    colour = facts[TURN]
    last = facts[LAST]
    dice = np.int64(next_bits(rng) >> np.uint64(1))
    if last != NOWHERE:
        if (dice >> 56) & 127 < rates[ANSWERS] >> 1:
            answer = answers[(2 - colour) * geometry.points + last]
            if answer != NOWHERE and board.colour[answer] == EMPTY and is_legal(board, geometry, answer, colour):
                return answer
        count = 0
        if rates[CAPTURES] > 0 or rates[ESCAPES] > 0:
            count = _list_ataris(board, reading, geometry, last, colour, rates, dice, scratch)
        if count == 0 and (dice >> 16) & 255 < rates[TWO_LIBERTIES]:
            count = _list_two_liberties(board, reading, geometry, last, colour, rates, dice, scratch)
        if count > 0:
            return scratch[_MOVES + np.int64(below(rng, count))]
        if (dice >> 24) & 255 < rates[NAKADE]:
            for direction in range(4):
                beside = neighbour(last, direction, geometry)
                if board.colour[beside] == EMPTY:
                    point = vital_point(board, geometry, beside, scratch)
                    if point != NOWHERE and is_legal(board, geometry, point, colour):
                        return point
        if (dice >> 32) & 255 < rates[SHAPES]:
            count = _list_shapes(board, geometry, last, colour, scratch)
            if count == 0 and facts[BEFORE] != NOWHERE:
                count = _list_shapes(board, geometry, facts[BEFORE], colour, scratch)
            while count > 0:
                index = _MOVES + np.int64(below(rng, count))
                point = scratch[index]
                if not is_bad_self_atari(board, geometry, point, colour, scratch):
                    return point
                count -= 1
                scratch[index] = scratch[_MOVES + count]
    left = facts[EMPTIES]
    while left > 0:
        index = np.int64(below(rng, left))
        point = np.int64(board.empties[index])
        if is_open(board, point) or (
            not is_eye(board, geometry, point, colour)
            and point != facts[KO]
            and is_connected(board, geometry, point, colour)
        ):
            dice = np.int64(next_bits(rng) & np.uint64(255)) if rates[SELF_ATARI] < ALWAYS else 0
            if dice >= rates[SELF_ATARI] or not is_bad_self_atari(board, geometry, point, colour, scratch):
                return point
        left -= 1
        _put_behind(board, index, left)
    return NOWHERE


@inner
def _list_ataris(board, reading, geometry, last, colour, rates, dice, scratch):
    """Take the stones of the last move, or save what they put into atari."""
    count = 0
    takes, runs = dice & 255 < rates[CAPTURES], (dice >> 8) & 255 < rates[ESCAPES]
    if takes and board.colour[last] == 3 - colour and board.count[head_of(board, last)] == 1:
        point = first_liberty(board, geometry, head_of(board, last))
        if point != board.facts[KO]:
            scratch[_MOVES] = point
            count = 1
    for direction in range(4):
        beside = neighbour(last, direction, geometry)
        if board.colour[beside] != colour:
            continue
        head = head_of(board, beside)
        if board.count[head] != 1:
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
                        (dice >> 40) & 255 >= rates[LADDERS]
                        or not dies_in_ladder(board, geometry, head, colour, False, reading)
                    )
                ):
                    scratch[_MOVES + count] = point
                    count += 1
    return count


@inner
def _list_two_liberties(board, reading, geometry, last, colour, rates, dice, scratch):
    """Catch the stones of the last move, or get a third liberty for those that it left with two."""
    count = 0
    enemy = 3 - colour
    if board.colour[last] == enemy and board.count[head_of(board, last)] == 2:
        head = head_of(board, last)
        if (dice >> 48) & 255 < rates[LADDERS]:
            atari = best_atari(board, geometry, head, enemy)  # most have none: that is seen at once
            if atari != NOWHERE and dies_in_ladder(board, geometry, head, enemy, True, reading):
                scratch[_MOVES] = atari
                return 1
        first = first_liberty(board, geometry, head)
        second = other_liberty(board, geometry, head, first)
        for choice in range(2):
            point, run = (first, second) if choice == 0 else (second, first)
            # After the atari it has one liberty less wherever it runs: with one left it is caught.
            if (
                is_legal(board, geometry, point, colour)
                and liberties_after(board, geometry, run, enemy, 3) <= 2
                and liberties_after(board, geometry, point, colour, 2) >= 2
            ):
                scratch[_MOVES + count] = point
                count += 1
    for direction in range(4):
        beside = neighbour(last, direction, geometry)
        if board.colour[beside] == colour:
            head = head_of(board, beside)
            if board.count[head] == 2:
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
def _list_shapes(board, geometry, near, colour, scratch):
    """The points around a move that have one of the 3x3 shapes."""
    count = 0
    for row in range(-1, 2):
        for column in range(-1, 2):
            point = near + row * geometry.stride + column
            if board.colour[point] == EMPTY and known(board, geometry, point) & SHAPE:
                if is_legal(board, geometry, point, colour):
                    scratch[_MOVES + count] = point
                    count += 1
    return count
