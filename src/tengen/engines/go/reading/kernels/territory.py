"""Unconditional territory: points where the opponent cannot live even if the owner always passes.

The opponent can capture all stones of the colour that are not unconditionally alive, by filling all their
liberties, and loses nothing by it: such a string and its liberties are one region, and so at most one eye, until
the string is captured. After that, an eye is a point that is

- on the place of a captured stone, or empty now and not next to a stone that has to be captured, and
- not next to a living stone.

Larger eyes are never better than one point, because the opponent may fill the rest. So a configuration is a set of
such points that stay empty, no two of them adjacent, with opposing stones everywhere else; its strings live if
Benson's algorithm says so. A point is territory if no configuration has a living string or an eye of one there.

The opponent may also leave stones uncaptured inside one large eye. That is no life if the owner can fill the eye
but for one point so that the stones have a killing shape (nakade); otherwise it may be life or seki, which only a
search can tell (`reading/territory.py`). See `_mark_shared`.

A point that separates a part without another point for an eye from the rest is no eye in any configuration. All
configurations of the others are tried if they are at most `MAX_EYE_POINTS`; otherwise the opponent counts as able
to live.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.kernels.board import colour_at, head_at, neighbour

MAX_EYE_POINTS = 12
MAX_CANDIDATES = 40  # with more points for eyes, none is ruled out
NOT_LIVABLE, LIVABLE, PERHAPS_LIVABLE = range(3)


class TerritoryArrays(NamedTuple):
    """Arrays with a number for each point of the board; kernels use them by reference. All int64."""

    is_alive: Any  # the living stones of the colour
    region: Any  # number of the region, from 1; 0 for living stones and outside the board
    is_eye: Any
    string: Any  # number of the filled string, from 0
    livable: Any  # whether the opponent can live here; perhaps: with uncaptured stones inside
    members: Any  # the points of a region
    eye_points: Any  # those of them that can become eyes
    stack: Any
    alive: Any  # by number of the string
    eyes: Any  # by number of the string
    shape: Any  # number of the shape that was last found here
    shape_points: Any  # their number, then its points


@inner
def _number_strings(board, arrays, count):
    """Number the strings if all points of a region but the eyes are filled; returns how many there are."""
    members, string, stack, is_eye = arrays.members, arrays.string, arrays.stack, arrays.is_eye
    strings = 0
    for i in range(count):
        string[members[i]] = -1
    for i in range(count):
        if is_eye[members[i]] or string[members[i]] >= 0:
            continue
        stack[0], height = members[i], 1
        string[members[i]] = strings
        while height > 0:
            height -= 1
            point = stack[height]
            for direction in range(4):
                near = neighbour(board, point, direction)
                if arrays.region[near] != 0 and not is_eye[near] and string[near] < 0:
                    string[near] = strings
                    stack[height] = near
                    height += 1
        strings += 1
    return strings


@inner
def _is_whole_eye(board, arrays, point):
    """Whether all strings around an eye are alive."""
    for direction in range(4):
        near = neighbour(board, point, direction)
        if arrays.region[near] != 0 and not arrays.alive[arrays.string[near]]:
            return False
    return True


@inner
def _count_eye(board, arrays, point):
    """Add an eye to each string around it."""
    string = arrays.string
    for direction in range(4):
        near = neighbour(board, point, direction)
        if arrays.region[near] == 0 or string[near] < 0:
            continue
        seen = False
        for other in range(direction):
            before = neighbour(board, point, other)
            seen |= arrays.region[before] != 0 and string[before] == string[near]
        if not seen:
            arrays.eyes[string[near]] += 1


@inner
def _mark_livable(board, arrays, count):
    """Mark what lives if all `count` points of a region but the eyes are filled."""
    members, alive, eyes, is_eye = arrays.members, arrays.alive, arrays.eyes, arrays.is_eye
    strings = _number_strings(board, arrays, count)
    for i in range(strings):
        alive[i] = 1
    changed = True
    while changed:
        changed = False
        for i in range(strings):
            eyes[i] = 0
        for i in range(count):
            if is_eye[members[i]] and _is_whole_eye(board, arrays, members[i]):
                _count_eye(board, arrays, members[i])
        for i in range(strings):
            if alive[i] and eyes[i] < 2:
                alive[i] = 0
                changed = True
    for i in range(count):
        point = members[i]
        if _is_whole_eye(board, arrays, point) if is_eye[point] else alive[arrays.string[point]]:
            arrays.livable[point] = LIVABLE


@inner
def _try_all(board, arrays, count, eye_count):
    """Try every set of eyes that are not adjacent."""
    eye_points, is_eye = arrays.eye_points, arrays.is_eye
    for chosen in range(1, 1 << eye_count):
        for i in range(eye_count):
            is_eye[eye_points[i]] = (chosen >> i) & 1
        is_adjacent = False
        for i in range(eye_count):
            if is_eye[eye_points[i]]:
                for direction in range(0, 4, 2):  # one direction of each axis
                    is_adjacent |= is_eye[neighbour(board, eye_points[i], direction)] != 0
        if not is_adjacent:
            _mark_livable(board, arrays, count)
    for i in range(eye_count):
        is_eye[eye_points[i]] = 0


@inner
def _is_killing_shape(board, arrays, number, left_out):
    """Whether the points of a shape (those with `number`), but for one, kill when they are captured: nakade."""
    size, edges, most = 0, 0, 0
    for i in range(arrays.shape_points[0]):
        point = arrays.shape_points[i + 1]
        if point == left_out:
            continue
        degree = 0
        for direction in range(4):
            near = neighbour(board, point, direction)
            degree += near != left_out and arrays.shape[near] == number
        size += 1
        edges += degree
        most = max(most, degree)
    edges //= 2
    if size <= 3:
        return True
    if size == 4:
        return edges == 4 or most == 3
    if size == 5:
        return edges == 5 or most == 4
    return size == 6 and edges == 6 and most == 4


@inner
def _flood_shape(board, arrays, colour, start, number):
    """Mark the stones and empty points (those with `is_eye`) that are connected with a stone."""
    points, shape = arrays.shape_points, arrays.shape
    points[1] = start
    shape[start] = number
    at, count = 1, 1
    while at <= count:
        for direction in range(4):
            near = neighbour(board, points[at], direction)
            if arrays.region[near] == 0 or shape[near] == number:
                continue
            if arrays.is_eye[near] or colour_at(board, near) == colour:
                count += 1
                points[count] = near
                shape[near] = number
        at += 1
    points[0] = count


@inner
def _is_safe_around(board, arrays, colour, number):
    """Whether each opposing string around a shape has two of its empty points as liberties."""
    points, string, eyes = arrays.shape_points, arrays.string, arrays.eyes
    for i in range(1, points[0] + 1):
        for direction in range(4):
            near = neighbour(board, points[i], direction)
            if arrays.region[near] != 0 and arrays.shape[near] != number:
                eyes[string[near]] = 0
    for i in range(1, points[0] + 1):
        if colour_at(board, points[i]) == EMPTY:
            _count_eye(board, arrays, points[i])
    for i in range(1, points[0] + 1):
        for direction in range(4):
            near = neighbour(board, points[i], direction)
            if arrays.region[near] != 0 and arrays.shape[near] != number and eyes[string[near]] < 2:
                return False
    return True


@inner
def _mark_shared(board, arrays, colour, count, start, number):
    """Mark what lives if the string at `start` is not captured; returns the next number for `shape`.

    Its liberties that are not next to a living stone may stay empty; all subsets of two or more are tried.
    """
    members, is_eye, libs = arrays.members, arrays.is_eye, arrays.eye_points
    lib_count = 0
    for i in range(count):
        point = members[i]
        if colour_at(board, point) != EMPTY:
            continue
        near_string, near_wall = False, False
        for direction in range(4):
            near = neighbour(board, point, direction)
            near_string |= colour_at(board, near) == colour and head_at(board, near) == head_at(board, start)
            near_wall |= arrays.is_alive[near] != 0
        if near_string and not near_wall:
            libs[lib_count] = point
            lib_count += 1
    if lib_count > MAX_EYE_POINTS:
        for i in range(count):
            _mark(arrays, members[i])
        return number
    for chosen in range(3, 1 << lib_count):
        if chosen & (chosen - 1) == 0:
            continue
        for i in range(lib_count):
            is_eye[libs[i]] = (chosen >> i) & 1
        number += 1
        _flood_shape(board, arrays, colour, start, number)
        can_kill = False
        for i in range(lib_count):
            can_kill |= is_eye[libs[i]] != 0 and _is_killing_shape(board, arrays, number, libs[i])
        if not can_kill:
            for i in range(1, arrays.shape_points[0] + 1):
                is_eye[arrays.shape_points[i]] = 1
            _number_strings(board, arrays, count)
            if _is_safe_around(board, arrays, colour, number):
                for i in range(1, arrays.shape_points[0] + 1):
                    _mark(arrays, arrays.shape_points[i])
                    for direction in range(4):
                        near = neighbour(board, arrays.shape_points[i], direction)
                        if arrays.region[near] != 0 and arrays.shape[near] != number:
                            _mark_string(arrays, count, arrays.string[near])
            for i in range(1, arrays.shape_points[0] + 1):
                is_eye[arrays.shape_points[i]] = 0
    for i in range(lib_count):
        is_eye[libs[i]] = 0
    return number


@inner
def _mark_string(arrays, count, wanted):
    for i in range(count):
        if arrays.string[arrays.members[i]] == wanted:
            _mark(arrays, arrays.members[i])


@inner
def _mark(arrays, point):
    if arrays.livable[point] == NOT_LIVABLE:
        arrays.livable[point] = PERHAPS_LIVABLE


@inner
def _separates(board, arrays, point, marks):
    """Whether a part of the region next to an eye has no other point for an eye (`marks` of it is not 0)."""
    stack, string = arrays.stack, arrays.string
    for i in range(4):
        start = neighbour(board, point, i)
        if arrays.region[start] == 0:
            continue
        # A flood from each neighbour in turn, with its own number in `string`.
        number = -2 - i
        height, has_eye = 1, marks[start] != 0
        stack[0] = start
        string[start] = number
        while height > 0 and not has_eye:
            height -= 1
            at = stack[height]
            for direction in range(4):
                near = neighbour(board, at, direction)
                if arrays.region[near] != 0 and near != point and string[near] != number:
                    string[near] = number
                    has_eye |= marks[near] != 0
                    stack[height] = near
                    height += 1
        if not has_eye:
            return True
    return False


@inner
def _rule_out(board, arrays, count, eye_count):
    """Remove from `eye_points` those that are no eye in any configuration; returns how many are left."""
    points, marks = arrays.eye_points, arrays.is_eye
    for i in range(eye_count):
        marks[points[i]] = 1
    changed = True
    while changed:
        changed = False
        for i in range(eye_count):
            if marks[points[i]] == 0:
                continue
            for k in range(count):
                arrays.string[arrays.members[k]] = -1
            if _separates(board, arrays, points[i], marks):
                marks[points[i]] = 0
                changed = True
    left = 0
    for i in range(eye_count):
        if marks[points[i]] != 0:
            marks[points[i]] = 0
            points[left] = points[i]
            left += 1
    return left


@inner
def _find_region(board, arrays, colour, start, number):
    """Number a region; returns its size, its points for eyes, and whether a living stone is next to it."""
    members, region = arrays.members, arrays.region
    region[start] = number
    members[0] = start
    at, count, eye_count, has_wall = 0, 1, 0, False
    while at < count:
        point = members[at]
        content = colour_at(board, point)
        can_be_eye = content == colour or content == EMPTY
        for direction in range(4):
            near = neighbour(board, point, direction)
            if colour_at(board, near) == BORDER:
                continue
            if arrays.is_alive[near]:
                can_be_eye = False
                has_wall = True
                continue
            can_be_eye &= content == colour or colour_at(board, near) != colour
            if region[near] == 0:
                region[near] = number
                members[count] = near
                count += 1
        if can_be_eye:
            arrays.eye_points[eye_count] = point
            eye_count += 1
        at += 1
    return count, eye_count, has_wall


@inner
def mark_territory(board, arrays, colour, owner, sheltered, doubtful):
    """Write the colour to `owner` for all points of its unconditional territory; `arrays.is_alive` is given.

    Its own stones in there, which can be captured, are written to `sheltered` instead. `doubtful` gets the points
    where the opponent can at most live with uncaptured stones inside.
    """
    for i in range(board.area):
        point = board.inside[i]
        arrays.region[point] = 0
        arrays.livable[point] = 0
        arrays.shape[point] = 0
    number, shapes = 0, 0
    for i in range(board.area):
        start = board.inside[i]
        if arrays.region[start] != 0 or arrays.is_alive[start]:
            continue
        number += 1
        count, eye_count, has_wall = _find_region(board, arrays, colour, start, number)
        if eye_count <= MAX_CANDIDATES:
            eye_count = _rule_out(board, arrays, count, eye_count)
        if not has_wall or eye_count > MAX_EYE_POINTS:
            continue
        if eye_count >= 2:
            _try_all(board, arrays, count, eye_count)
        for k in range(count):
            point = arrays.members[k]
            if colour_at(board, point) == colour and head_at(board, point) == point:
                shapes = _mark_shared(board, arrays, colour, count, point, shapes)
        for k in range(count):
            point = arrays.members[k]
            if arrays.livable[point] == PERHAPS_LIVABLE:
                doubtful[point] = colour
            elif arrays.livable[point] == NOT_LIVABLE:
                if colour_at(board, point) == colour:
                    sheltered[point] = colour
                else:
                    owner[point] = colour
