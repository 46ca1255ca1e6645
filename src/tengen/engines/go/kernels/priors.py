"""What is known of a move before any game was played with it: games that it gets on credit. Compiled.

A prior is a number of games and of half wins in them, packed into one word. Every move begins with some even
games; what speaks for it adds wins, what speaks against it losses.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import (
    BORDER,
    EMPTY,
    LAST,
    NOWHERE,
    SHAPE,
    first_liberty,
    head_of,
    is_legal,
    known,
    neighbour,
    other_liberty,
)
from tengen.engines.go.kernels.tactics import (
    best_atari,
    dies_in_ladder,
    is_bad_self_atari,
    liberties_after,
)

FAR = 4  # the distance of whatever is not nearer
_SHIFT = 16
_SMALL = 150  # points of a board on which the centre is near
_MOST = np.int64(15000)  # games on credit that fit

# weights: int64, games
(
    EVEN,
    NEAR_1,
    NEAR_2,
    NEAR_3,
    SHAPED,
    TAKES_ONE,
    TAKES_MORE,
    RUNS,
    CAUGHT,
    SUICIDAL,
    LOW_LINE,
    GOOD_LINE,
    WEIGHTS,
) = range(13)


@inner
def games_of(prior):
    return np.float64(prior >> _SHIFT)


@inner
def half_wins_of(prior):
    return np.float64(prior & 0xFFFF)


@inner
def _spread_distance(board, geometry, distance, waiting, count):
    """Fill in the distances of points near those waiting, which are marked; a string is one step across."""
    at = 0
    while at < count:
        point = waiting[at]
        at += 1
        further = distance[point] + 1
        if further >= FAR:
            continue
        for direction in range(4):
            beside = neighbour(point, direction, geometry)
            content = np.int64(board.colour[beside])
            if content == BORDER or distance[beside] < FAR:
                continue
            stone = beside
            while True:
                distance[stone] = further
                waiting[count] = stone
                count += 1
                if content == EMPTY:
                    break
                stone = np.int64(board.link[stone])
                if stone == beside:
                    break


@inner
def measure_distances(board, geometry, near_last, near_stone, waiting):
    """How far each point is from the last move, by way of strings, and from any stone; FAR where further.

    near_last, near_stone, waiting: int64[points].
    """
    count = 0
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        near_last[point] = FAR
        near_stone[point] = FAR
        if board.colour[point] != EMPTY:
            near_stone[point] = 0
            waiting[count] = point
            count += 1
    _spread_distance(board, geometry, near_stone, waiting, count)
    last = board.facts[LAST]
    if last != NOWHERE:
        near_last[last] = 0
        waiting[0] = last
        _spread_distance(board, geometry, near_last, waiting, 1)


@inner
def read_strings(board, geometry, colour, weights, good, bad, reading):
    """Games for and against moves by what they do to strings: captures, escapes, and ladders read to the end.

    good, bad: int64[points], cleared here. reading: a board to play on.
    """
    enemy = 3 - colour
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        good[point] = 0
        bad[point] = 0
    for i in range(geometry.area):
        head = np.int64(geometry.inside[i])
        owner = np.int64(board.colour[head])
        if owner == EMPTY or head_of(board, head) != head or board.count[head] > 2:
            continue
        first = first_liberty(board, geometry, head)
        worth = weights[TAKES_ONE] if board.size[head] == 1 else weights[TAKES_MORE]
        if board.count[head] == 1:
            if owner == enemy:
                good[first] += worth
            elif is_legal(board, geometry, first, colour):
                after = liberties_after(board, geometry, first, colour, 3)
                if after < 2 or (after == 2 and dies_in_ladder(board, geometry, head, colour, False, reading)):
                    bad[first] += weights[CAUGHT]
                else:
                    good[first] += weights[RUNS] + (worth >> 1)
            continue
        if owner == enemy:
            atari = best_atari(board, geometry, head, enemy)
            if atari != NOWHERE and dies_in_ladder(board, geometry, head, enemy, True, reading):
                good[atari] += worth
        elif dies_in_ladder(board, geometry, head, colour, True, reading):
            second = other_liberty(board, geometry, head, first)
            for choice in range(2):
                point = first if choice == 0 else second
                if (
                    is_legal(board, geometry, point, colour)
                    and liberties_after(board, geometry, point, colour, 3) >= 3
                ):
                    good[point] += weights[RUNS]


@inner
def _line(point, geometry):
    """The line of a point, counted from the nearest edge, from 0 on."""
    row = point // geometry.stride - 1
    column = point % geometry.stride - 1
    width = geometry.stride - 1
    height = geometry.area // width
    return min(min(row, height - 1 - row), min(column, width - 1 - column))


@inner
def prior_of(board, geometry, point, colour, weights, near_last, near_stone, good, bad, stones):
    """The games on credit of a move, packed; of a pass, the even ones as losses: it is to be the last resort."""
    if point == NOWHERE:
        return weights[EVEN] << _SHIFT
    wins = good[point]
    losses = bad[point]
    distance = near_last[point]
    if distance == 1:
        wins += weights[NEAR_1]
    elif distance == 2:
        wins += weights[NEAR_2]
    elif distance == 3:
        wins += weights[NEAR_3]
    if known(board, geometry, point) & SHAPE:
        wins += weights[SHAPED]
    if is_bad_self_atari(board, geometry, point, colour, stones):
        losses += weights[SUICIDAL]
    if near_stone[point] >= FAR:
        line = _line(point, geometry)
        if line < 2 or (line > 3 and geometry.area > _SMALL):
            losses += weights[LOW_LINE]
        elif line < 4:
            wins += weights[GOOD_LINE]
    games = min(weights[EVEN] + wins + losses, _MOST)
    return games << _SHIFT | min(weights[EVEN] + 2 * wins, 2 * games)
