"""What a move looks like, as a few of many features, and how likely that makes it the best one. Compiled.

A move has one look of each group (its 3x3 shape, how far it is from the last two moves, the line it is on with
the nearest stones, those around the 3x3 square, its place in a corner and whose stones are there) and any number
of tactical ones: what it takes, saves, threatens or gives away. Each look has a weight, learned from self-play;
the probability of a move is the exponential of the sum of its weights, over that of all moves (Coulom 2007).
"""

from __future__ import annotations

import math

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import (
    BEFORE,
    BORDER,
    EMPTY,
    LAST,
    NOWHERE,
    first_liberty,
    head_of,
    is_legal,
    neighbour,
    other_liberty,
)
from tengen.engines.go.mcts.kernels.tactics import (
    best_atari,
    dies_in_ladder,
    is_bad_self_atari,
    liberties_after,
)

FAR = 4  # the distance of whatever is not nearer
_FURTHEST = 17  # from the last moves: dx + dy + the larger of both
_LINES = 5

# Where each group of looks begins among the weights. The 3x3 shapes come last, as many as there are.
LAST_AT = 0
BEFORE_AT = LAST_AT + _FURTHEST + 1
STEPS_AT = BEFORE_AT + _FURTHEST + 1
PLACE_AT = STEPS_AT + FAR + 1
JUMPS_AT = PLACE_AT + FAR * FAR * _LINES
TACTICS_AT = JUMPS_AT + 25
# Tactics, each a bit of a point's marks.
TAKES = 0  # 3 sizes, each: any, one that threatens to take, the last move's
RUNS = TAKES + 9  # 2 sizes, each: to its death, into a ladder, to two liberties, to more
CATCHES = RUNS + 8  # an atari that a ladder follows up: 2 sizes, the last move's or any
ATARIS = CATCHES + 4  # any other
SAVES = ATARIS + 4  # stones that a ladder would catch: to three liberties, or not
BAD_ATARI = SAVES + 2  # of itself: a stone, or more
TACTICS = BAD_ATARI + 2
CORNERS_AT = TACTICS_AT + TACTICS
CORNER = 6  # lines of a corner; boards with fewer than twice as many have none
SPOTS = CORNER * (CORNER + 1) // 2  # of a corner, those mirrored at its diagonal being one
SHAPES_AT = CORNERS_AT + 1 + 4 * SPOTS
MOST_LOOKS = 40  # of one move


@inner
def _spread(board, geometry, distance, waiting, count):
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
def measure(board, geometry, colour, near_last, near_own, near_enemy, waiting):
    """How far each point is, by way of strings, from the last move, own and enemy stones; at most FAR."""
    own = 0
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        near_last[point] = FAR
        near_own[point] = FAR
        near_enemy[point] = FAR
        if board.colour[point] == colour:
            near_own[point] = 0
            waiting[own] = point
            own += 1
    _spread(board, geometry, near_own, waiting, own)
    enemies = 0
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        if board.colour[point] == 3 - colour:
            near_enemy[point] = 0
            waiting[enemies] = point
            enemies += 1
    _spread(board, geometry, near_enemy, waiting, enemies)
    last = board.facts[LAST]
    if last != NOWHERE:
        near_last[last] = 0
        waiting[0] = last
        _spread(board, geometry, near_last, waiting, 1)


@inner
def _threatens(board, geometry, head, colour):
    """Whether a string of the enemy has a neighbour of this colour in atari."""
    stone = head
    while True:
        for direction in range(4):
            beside = neighbour(stone, direction, geometry)
            if board.colour[beside] == colour and board.count[head_of(board, beside)] == 1:
                return True
        stone = np.int64(board.link[stone])
        if stone == head:
            return False


@inner
def mark_tactics(board, geometry, colour, marks, reading, ladders):
    """Mark what moves of this colour do to strings with one or two liberties; `ladders` are read to the end.

    marks: int64[points], a bit for each tactic, cleared here. reading: a board to play on.
    """
    for i in range(geometry.area):
        marks[np.int64(geometry.inside[i])] = 0
    last = board.facts[LAST]
    one = np.int64(1)
    for i in range(geometry.area):
        head = np.int64(geometry.inside[i])
        owner = np.int64(board.colour[head])
        if owner == EMPTY or head_of(board, head) != head or board.count[head] > 2:
            continue
        size = np.int64(board.size[head])
        more = np.int64(size > 1)
        first = first_liberty(board, geometry, head)
        lately = np.int64(last != NOWHERE and head_of(board, last) == head and board.colour[last] == owner)
        if board.count[head] == 1:
            if owner != colour:
                kind = 2 if lately else 1 if _threatens(board, geometry, head, colour) else 0
                marks[first] |= one << (TAKES + 3 * (more + np.int64(size > 3)) + kind)
            elif is_legal(board, geometry, first, colour):
                after = liberties_after(board, geometry, first, colour, 3)
                end = max(after, 1)
                if after == 2 and ladders and dies_in_ladder(board, geometry, head, colour, False, reading):
                    end = 1
                elif after < 2:
                    end = 0
                marks[first] |= one << (RUNS + 4 * more + end)
            continue
        second = other_liberty(board, geometry, head, first)
        if owner != colour:
            atari = best_atari(board, geometry, head, owner) if ladders else NOWHERE
            catches = atari != NOWHERE and dies_in_ladder(board, geometry, head, owner, True, reading)
            for choice in range(2):
                point = first if choice == 0 else second
                tactic = CATCHES if catches and point == atari else ATARIS
                marks[point] |= one << (tactic + 2 * more + lately)
        elif ladders and dies_in_ladder(board, geometry, head, colour, True, reading):
            for choice in range(2):
                point = first if choice == 0 else second
                if is_legal(board, geometry, point, colour):
                    safe = liberties_after(board, geometry, point, colour, 3) >= 3
                    marks[point] |= one << (SAVES + np.int64(safe))


@inner
def _distance(point, other, stride):
    """From a move to one of the last ones: 0 if that was none, else from 1 to the furthest."""
    if other == NOWHERE:
        return np.int64(0)
    across = abs(point % stride - other % stride)
    down = abs(point // stride - other // stride)
    return min(across + down + max(across, down), np.int64(_FURTHEST + 1)) - 1


@inner
def _line(point, geometry):
    """The line of a point, counted from the nearest edge, from 0 on."""
    row = point // geometry.stride - 1
    column = point % geometry.stride - 1
    width = geometry.stride - 1
    height = geometry.area // width
    return min(min(min(row, height - 1 - row), min(column, width - 1 - column)), np.int64(_LINES - 1))


@inner
def _jumps(board, geometry, point, colour):
    """Stones around the 3x3 square, a jump or a knight's move away: own ones and the enemy's, up to 4 of each."""
    own = np.int64(0)
    enemy = np.int64(0)
    for direction in range(4):
        step = geometry.steps[direction]
        side = geometry.steps[2] if direction < 2 else geometry.steps[0]
        beside = point + step
        if board.colour[beside] == EMPTY:
            for turn in range(-1, 2):
                content = np.int64(board.colour[beside + step + turn * side])
                own += np.int64(content == colour)
                enemy += np.int64(content == 3 - colour)
    return 5 * min(own, np.int64(4)) + min(enemy, np.int64(4))


@inner
def _corner(board, geometry, point, colour):
    """Where in its corner a point is, and whose stones are in it: nobody's, own, the enemy's, both. 0: in none."""
    width = geometry.stride - 1
    height = geometry.area // width
    row = point // geometry.stride - 1
    column = point % geometry.stride - 1
    down, across = min(row, height - 1 - row), min(column, width - 1 - column)
    if max(down, across) >= CORNER or min(width, height) < 2 * CORNER:
        return np.int64(0)
    top = 0 if row < CORNER else height - CORNER
    left = 0 if column < CORNER else width - CORNER
    own = np.int64(0)
    enemy = np.int64(0)
    for line in range(top, top + CORNER):
        for at in range(left, left + CORNER):
            content = np.int64(board.colour[(line + 1) * geometry.stride + at + 1])
            own |= np.int64(content == colour)
            enemy |= np.int64(content == 3 - colour)
        if own + enemy == 2:
            break
    far, near = max(down, across), min(down, across)
    return 1 + (own + 2 * enemy) * SPOTS + far * (far + 1) // 2 + near


@inner
def looks_of(board, geometry, point, colour, classes, near_last, near_own, near_enemy, marks, scratch, out):
    """Write the looks of a legal move, which is no pass; returns how many they are.

    classes: see `shapes.shape_classes`, by colour. out: int64[MOST_LOOKS].
    """
    facts = board.facts
    out[0] = LAST_AT + _distance(point, facts[LAST], geometry.stride)
    out[1] = BEFORE_AT + _distance(point, facts[BEFORE], geometry.stride)
    out[2] = STEPS_AT + near_last[point]
    place = (near_own[point] - 1) * FAR + near_enemy[point] - 1
    out[3] = PLACE_AT + place * _LINES + _line(point, geometry)
    out[4] = JUMPS_AT + _jumps(board, geometry, point, colour)
    out[5] = SHAPES_AT + np.int64(classes[((colour - 1) << 16) + np.int64(board.around[point])])
    out[6] = CORNERS_AT + _corner(board, geometry, point, colour)
    count = 7
    bits = marks[point]
    if is_bad_self_atari(board, geometry, point, colour, scratch):
        alone = True
        for direction in range(4):
            alone &= board.colour[neighbour(point, direction, geometry)] != colour
        bits |= np.int64(1) << (BAD_ATARI + np.int64(not alone))
    tactic = 0
    while bits != 0:
        if bits & 1:
            out[count] = TACTICS_AT + tactic
            count += 1
        bits >>= 1
        tactic += 1
    return count


@inner
def likelihoods(
    board,
    geometry,
    colour,
    moves,
    count,
    classes,
    gammas,
    points,
    marks,
    reading,
    ladders,
    scratch,
    looks,
    chances,
):
    """Write the probability of each of these moves, none of them a pass.

    points: int64[4, points], scratch; marks: int64[points]; gammas: float32, the weights of looks.
    """
    near_last, near_own, near_enemy, waiting = points
    measure(board, geometry, colour, near_last, near_own, near_enemy, waiting)
    mark_tactics(board, geometry, colour, marks, reading, ladders)
    total = 0.0
    for i in range(count):
        found = looks_of(
            board,
            geometry,
            moves[i],
            colour,
            classes,
            near_last,
            near_own,
            near_enemy,
            marks,
            scratch,
            looks,
        )
        weight = 0.0
        for look in range(found):
            weight += gammas[looks[look]]
        chances[i] = math.exp(weight)
        total += chances[i]
    for i in range(count):
        chances[i] /= total
