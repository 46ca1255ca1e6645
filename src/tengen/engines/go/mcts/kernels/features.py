"""The move policy: features of moves, and move probabilities from their weights.

A move has one feature of each group (3x3 pattern, distances from the last two moves, line and distances of the
nearest stones, stones around the 3x3 square, location in a corner and the stones there) and any number of tactical
features: captures, extensions, ataris, self-atari. Each feature has a weight, learned from self-play. The
probability of a move is the softmax of the sum of its weights (Coulom 2007).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels.board import (
    BORDER,
    EMPTY,
    NOWHERE,
    first_liberty,
    head_of,
    is_legal,
    neighbour,
    other_liberty,
)
from tengen.engines.go.mcts.kernels.tactics import best_atari, dies_in_ladder, is_bad_self_atari, liberties_after

MAX_DISTANCE = 4  # larger distances count as this
_MAX_MOVE_DISTANCE = 17  # from the last two moves: dx + dy + max(dx, dy)
_LINES = 5

# The first index of each feature group. The 3x3 patterns come last because their number is computed.
LAST_MOVE_AT = 0
PREVIOUS_MOVE_AT = LAST_MOVE_AT + _MAX_MOVE_DISTANCE + 1
STRING_DISTANCE_AT = PREVIOUS_MOVE_AT + _MAX_MOVE_DISTANCE + 1
STONE_DISTANCE_AT = STRING_DISTANCE_AT + MAX_DISTANCE + 1
JUMPS_AT = STONE_DISTANCE_AT + MAX_DISTANCE * MAX_DISTANCE * _LINES
TACTICS_AT = JUMPS_AT + 25
# Tactical features, each a bit of a point's marks.
CAPTURES = 0  # 3 sizes, each: any, a string with a neighbour of ours in atari, the last move's string
EXTENSIONS = CAPTURES + 9  # of a string in atari: 2 sizes, each: futile, into a ladder, to two liberties, to more
LADDER_ATARIS = EXTENSIONS + 8  # ataris that start a working ladder: 2 sizes, each: any, the last move's string
OTHER_ATARIS = LADDER_ATARIS + 4  # the same for other ataris
LADDER_ESCAPES = OTHER_ATARIS + 4  # of a string that a ladder would capture: to two liberties, to three
BAD_SELF_ATARI = LADDER_ESCAPES + 2  # of a lone stone, of more stones
TACTIC_COUNT = BAD_SELF_ATARI + 2
CORNERS_AT = TACTICS_AT + TACTIC_COUNT
CORNER_LINES = 6  # size of a corner; boards with less than twice as many lines have none
CORNER_POINTS = CORNER_LINES * (CORNER_LINES + 1) // 2  # of a corner, up to reflection in its diagonal
PATTERNS_AT = CORNERS_AT + 1 + 4 * CORNER_POINTS
MAX_FEATURES = 40  # per move


class Policy(NamedTuple):
    """The data of the move policy. All but the first two are scratch."""

    pattern_class: Any  # uint16[2, codes], see `patterns.pattern_classes`
    feature_weights: Any  # float32
    last_distance: Any  # int64[points]: distance from the last move, as the next two from own and enemy stones
    own_distance: Any
    enemy_distance: Any
    queue: Any  # int64[points]
    marks: Any  # int64[points]: the tactical features of moves, a bit for each
    features: Any  # int64[MAX_FEATURES]: the features of a move
    shapes: Any  # int64[16]
    probabilities: Any  # float64[points]


@inner
def _spread_distances(board, geometry, distance, queue, count):
    """Fill in distances by breadth-first search from the first `count` points of `queue`; a string is one step."""
    at = 0
    while at < count:
        point = queue[at]
        at += 1
        further = distance[point] + 1
        if further >= MAX_DISTANCE:
            continue
        for direction in range(4):
            adjacent = neighbour(point, direction, geometry)
            content = np.int64(board.colour[adjacent])
            if content == BORDER or distance[adjacent] < MAX_DISTANCE:
                continue
            stone = adjacent
            while True:
                distance[stone] = further
                queue[count] = stone
                count += 1
                if content == EMPTY:
                    break
                stone = np.int64(board.link[stone])
                if stone == adjacent:
                    break


@inner
def measure_distances(board, geometry, colour, policy):
    """Measure each point's distance from the last move, own and enemy stones, up to MAX_DISTANCE."""
    last_distance, own_distance = pointer(policy.last_distance), pointer(policy.own_distance)
    enemy_distance, queue = pointer(policy.enemy_distance), pointer(policy.queue)
    own = 0
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        last_distance[point] = MAX_DISTANCE
        own_distance[point] = MAX_DISTANCE
        enemy_distance[point] = MAX_DISTANCE
        if board.colour[point] == colour:
            own_distance[point] = 0
            queue[own] = point
            own += 1
    _spread_distances(board, geometry, own_distance, queue, own)
    enemies = 0
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        if board.colour[point] == 3 - colour:
            enemy_distance[point] = 0
            queue[enemies] = point
            enemies += 1
    _spread_distances(board, geometry, enemy_distance, queue, enemies)
    last = board.state[0].last_move
    if last != NOWHERE:
        last_distance[last] = 0
        queue[0] = last
        _spread_distances(board, geometry, last_distance, queue, 1)


@inner
def _has_neighbour_in_atari(board, geometry, head, colour):
    """Whether an enemy string has an adjacent string of this colour in atari."""
    stone = head
    while True:
        for direction in range(4):
            adjacent = neighbour(stone, direction, geometry)
            if board.colour[adjacent] == colour and board.liberty_count[head_of(board, adjacent)] == 1:
                return True
        stone = np.int64(board.link[stone])
        if stone == head:
            return False


@inner
def mark_tactics(board, geometry, colour, policy, ladder_board, ladders):
    """Mark the tactical features of moves of this colour around strings with one or two liberties.

    With `ladders`, ladders are read on `ladder_board`.
    """
    marks = pointer(policy.marks)
    for i in range(geometry.area):
        marks[np.int64(geometry.inside[i])] = 0
    last = board.state[0].last_move
    one = np.int64(1)
    for i in range(geometry.area):
        head = np.int64(geometry.inside[i])
        owner = np.int64(board.colour[head])
        if owner == EMPTY or head_of(board, head) != head or board.liberty_count[head] > 2:
            continue
        size = np.int64(board.size[head])
        several = np.int64(size > 1)
        first = first_liberty(board, geometry, head)
        is_last_move = np.int64(last != NOWHERE and head_of(board, last) == head and board.colour[last] == owner)
        if board.liberty_count[head] == 1:
            if owner != colour:
                kind = 2 if is_last_move else 1 if _has_neighbour_in_atari(board, geometry, head, colour) else 0
                marks[first] |= one << (CAPTURES + 3 * (several + np.int64(size > 3)) + kind)
            elif is_legal(board, geometry, first, colour):
                after = liberties_after(board, geometry, first, colour, 3)
                outcome = max(after, 1)
                if after == 2 and ladders and dies_in_ladder(board, geometry, head, colour, False, ladder_board):
                    outcome = 1
                elif after < 2:
                    outcome = 0
                marks[first] |= one << (EXTENSIONS + 4 * several + outcome)
            continue
        second = other_liberty(board, geometry, head, first)
        if owner != colour:
            atari = best_atari(board, geometry, head, owner) if ladders else NOWHERE
            ladder_works = atari != NOWHERE and dies_in_ladder(board, geometry, head, owner, True, ladder_board)
            for choice in range(2):
                point = first if choice == 0 else second
                tactic = LADDER_ATARIS if ladder_works and point == atari else OTHER_ATARIS
                marks[point] |= one << (tactic + 2 * several + is_last_move)
        elif ladders and dies_in_ladder(board, geometry, head, colour, True, ladder_board):
            for choice in range(2):
                point = first if choice == 0 else second
                if is_legal(board, geometry, point, colour):
                    safe = liberties_after(board, geometry, point, colour, 3) >= 3
                    marks[point] |= one << (LADDER_ESCAPES + np.int64(safe))


@inner
def _move_distance(point, other, stride):
    """Distance from a move to one of the last two moves, from 1; 0 if there is no such move."""
    if other == NOWHERE:
        return np.int64(0)
    across = abs(point % stride - other % stride)
    down = abs(point // stride - other // stride)
    return min(across + down + max(across, down), np.int64(_MAX_MOVE_DISTANCE + 1)) - 1


@inner
def _edge_line(point, geometry):
    """The line of a point, counted from 0 at the nearest edge."""
    row = point // geometry.stride - 1
    column = point % geometry.stride - 1
    width = geometry.stride - 1
    height = geometry.area // width
    return min(min(min(row, height - 1 - row), min(column, width - 1 - column)), np.int64(_LINES - 1))


@inner
def _count_jump_stones(board, geometry, point, colour):
    """Own and enemy stones a one-space jump or a knight's move away, up to 4 each, as one number."""
    own = np.int64(0)
    enemy = np.int64(0)
    for direction in range(4):
        step = geometry.steps[direction]
        side = geometry.steps[2] if direction < 2 else geometry.steps[0]
        adjacent = point + step
        if board.colour[adjacent] == EMPTY:
            for turn in range(-1, 2):
                content = np.int64(board.colour[adjacent + step + turn * side])
                own += np.int64(content == colour)
                enemy += np.int64(content == 3 - colour)
    return 5 * min(own, np.int64(4)) + min(enemy, np.int64(4))


@inner
def _corner_feature(board, geometry, point, colour):
    """Location in a corner combined with whose stones are there (none, own, enemy, both); 0: not in a corner."""
    width = geometry.stride - 1
    height = geometry.area // width
    row = point // geometry.stride - 1
    column = point % geometry.stride - 1
    down, across = min(row, height - 1 - row), min(column, width - 1 - column)
    if max(down, across) >= CORNER_LINES or min(width, height) < 2 * CORNER_LINES:
        return np.int64(0)
    top = 0 if row < CORNER_LINES else height - CORNER_LINES
    left = 0 if column < CORNER_LINES else width - CORNER_LINES
    own = np.int64(0)
    enemy = np.int64(0)
    for line in range(top, top + CORNER_LINES):
        for at in range(left, left + CORNER_LINES):
            content = np.int64(board.colour[(line + 1) * geometry.stride + at + 1])
            own |= np.int64(content == colour)
            enemy |= np.int64(content == 3 - colour)
        if own + enemy == 2:
            break
    far, near = max(down, across), min(down, across)
    return 1 + (own + 2 * enemy) * CORNER_POINTS + far * (far + 1) // 2 + near


@inner
def extract_features(board, geometry, point, colour, policy):
    """Write the features of a legal move other than a pass to `policy.features`; returns their number."""
    state, out = board.state[0], pointer(policy.features)
    out[0] = LAST_MOVE_AT + _move_distance(point, state.last_move, geometry.stride)
    out[1] = PREVIOUS_MOVE_AT + _move_distance(point, state.previous_move, geometry.stride)
    out[2] = STRING_DISTANCE_AT + policy.last_distance[point]
    place = (policy.own_distance[point] - 1) * MAX_DISTANCE + policy.enemy_distance[point] - 1
    out[3] = STONE_DISTANCE_AT + place * _LINES + _edge_line(point, geometry)
    out[4] = JUMPS_AT + _count_jump_stones(board, geometry, point, colour)
    out[5] = PATTERNS_AT + np.int64(policy.pattern_class[colour - 1, np.int64(board.neighbours[point])])
    out[6] = CORNERS_AT + _corner_feature(board, geometry, point, colour)
    count = 7
    bits = policy.marks[point]
    if is_bad_self_atari(board, geometry, point, colour, pointer(policy.shapes)):
        alone = True
        for direction in range(4):
            alone &= board.colour[neighbour(point, direction, geometry)] != colour
        bits |= np.int64(1) << (BAD_SELF_ATARI + np.int64(not alone))
    tactic = 0
    while bits != 0:
        if bits & 1:
            out[count] = TACTICS_AT + tactic
            count += 1
        bits >>= 1
        tactic += 1
    return count


@inner
def move_probabilities(board, ladder_board, geometry, moves, count, policy, ladders):
    """Write the probability of each of `count` moves, none of them a pass, to `policy.probabilities`."""
    colour, probabilities = board.state[0].turn, pointer(policy.probabilities)
    measure_distances(board, geometry, colour, policy)
    mark_tactics(board, geometry, colour, policy, ladder_board, ladders)
    total = 0.0
    for i in range(count):
        weight = 0.0
        for feature in range(extract_features(board, geometry, moves[i], colour, policy)):
            weight += policy.feature_weights[policy.features[feature]]
        probabilities[i] = math.exp(weight)
        total += probabilities[i]
    for i in range(count):
        probabilities[i] /= total
