"""Connections: the distance of two strings, and candidate moves that connect or cut them.

The distance is the number of stones that connect two strings if the enemy does not reply. Friendly strings on the
path cost nothing; an enemy string short of liberties is passed by capturing it. Capturing a string and connecting
two use the same search: the distance takes the place of the liberties, the connecting side that of the attacker.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    first_liberty,
    head_at,
    liberties_after,
    liberties_of,
    neighbour,
    next_adjacent,
    next_liberty,
    stone_at_cursor,
    stones_of,
)
from tengen.engines.go.reading.kernels.candidates import (
    add_captures,
    add_liberties,
    add_move,
    add_threat,
    is_playable,
    order_candidates,
)

MAX_DISTANCE = 5  # longer distances are not measured
UNREACHABLE = 99  # the distance if it is longer, or if a string was captured
MAX_CAPTURABLE_LIBERTIES = 3  # of an enemy string that may be captured on the path
_DELAY = 12  # entries of `front` are a point and, from this bit on, the delay until it is due


@inner
def _add_enemy(board, search, near, cost, filled, stamp, end, into):
    """Add an enemy string next to the path, if it can be captured, at the cost of a move per liberty.

    `filled` is the number of its liberties that the path fills already. It is delayed in `front` until its cost is
    reached.
    """
    enemy = head_at(board, near)
    left = liberties_of(board, enemy)
    if into[enemy] < stamp and left <= MAX_CAPTURABLE_LIBERTIES:
        into[enemy] = stamp + cost + 1
        search.front[end] = enemy | ((max(left - filled, 1) - 1) << _DELAY)
        end += 1
    return end


@inner
def _add_string(board, search, head, cost, stamp, end, into):
    """Add the liberties and capturable neighbours of a friendly string to the front."""
    into[head] = stamp + cost
    point = first_liberty(board, head)
    while point != NOWHERE:
        if into[point] < stamp:
            into[point] = stamp + cost + 1
            search.front[end] = point
            end += 1
        point = next_liberty(board, head, point)
    enemy = 3 - colour_at(board, head)
    at = next_adjacent(board, head, -1, enemy)
    while at >= 0:
        end = _add_enemy(board, search, stone_at_cursor(board, at), cost, 0, stamp, end, into)
        at = next_adjacent(board, head, at, enemy)
    return end


@inner
def _is_ko_capture(board, enemy, move, colour):
    """Whether a move that captures an enemy string captures a lone stone in a ko."""
    if stones_of(board, head_at(board, enemy)) != 1:
        return False
    for direction in range(4):
        near = neighbour(board, move, direction)
        content = colour_at(board, near)
        if content == EMPTY or content == colour:
            return False
        if content != BORDER and near != enemy and liberties_of(board, head_at(board, near)) == 1:
            return False
    return True


@inner
def measure_distance(board, search, start, goal, limit, into):
    """Distance from one string to another, or UNREACHABLE; writes distances of points up to `limit` to `into`.

    `goal` is a stone, or NOWHERE to measure all points. Sets JOINING_MOVE.
    """
    colour = colour_at(board, start)
    search.state[0].distance_stamp += 1
    stamp = search.state[0].distance_stamp << 6
    search.state[0].joining_move = NOWHERE
    goal_head = head_at(board, goal) if goal != NOWHERE else NOWHERE
    head = head_at(board, start)
    if head == goal_head:
        return np.int64(0)
    end = _add_string(board, search, head, 0, stamp, 0, into)
    at = 0
    while at < end:
        point, delay = search.front[at] & 1023, search.front[at] >> _DELAY
        at += 1
        cost = into[point] - stamp
        if cost > limit:
            return np.int64(UNREACHABLE)
        if delay > 0:
            into[point] += 1
            search.front[end] = point | ((delay - 1) << _DELAY)
            end += 1
        elif colour_at(board, point) == EMPTY:
            if cost == 1 and (
                not is_playable(board, search, point, colour) or liberties_after(board, point, colour) <= 1
            ):
                continue
            for direction in range(4):
                near = neighbour(board, point, direction)
                content = colour_at(board, near)
                if content == EMPTY:
                    if into[near] < stamp:
                        into[near] = stamp + cost + 1
                        search.front[end] = near
                        end += 1
                elif content == colour:
                    other = head_at(board, near)
                    if into[other] < stamp:
                        if other == goal_head:
                            search.state[0].joining_move = point
                            return cost
                        end = _add_string(board, search, other, cost, stamp, end, into)
                elif content == 3 - colour:
                    end = _add_enemy(board, search, near, cost, 1, stamp, end, into)
        else:
            capturing_move = first_liberty(board, point)
            if cost == 1 and not is_playable(board, search, capturing_move, colour):
                continue
            if cost == 1 and _is_ko_capture(board, point, capturing_move, colour):
                # The stone can be retaken, so the ko must be filled as well.
                into[point] += 1
                search.front[end] = point
                end += 1
                continue
            contact = next_adjacent(board, point, -1, colour)
            while contact >= 0:
                other = head_at(board, stone_at_cursor(board, contact))
                if into[other] < stamp:
                    if other == goal_head:
                        search.state[0].joining_move = capturing_move
                        return cost
                    end = _add_string(board, search, other, cost, stamp, end, into)
                contact = next_adjacent(board, point, contact, colour)
            # The stones that captured it have reached their neighbours.
            liberty = first_liberty(board, point)
            while liberty != NOWHERE:
                if into[liberty] < stamp or into[liberty] > stamp + cost:
                    into[liberty] = stamp + cost
                    for direction in range(4):
                        near = neighbour(board, liberty, direction)
                        content = colour_at(board, near)
                        if content == EMPTY and into[near] < stamp:
                            into[near] = stamp + cost + 1
                            search.front[end] = near
                            end += 1
                        elif content == colour and into[head_at(board, near)] < stamp:
                            other = head_at(board, near)
                            if other == goal_head:
                                search.state[0].joining_move = capturing_move
                                return cost
                            end = _add_string(board, search, other, cost, stamp, end, into)
                liberty = next_liberty(board, point, liberty)
    return np.int64(UNREACHABLE)


@inner
def distance(board, search, target, colour):
    """Distance of the query's two strings: 0 if connected, UNREACHABLE without a path or if one was captured."""
    other = search.state[0].join_target
    # The first move may have captured both.
    if colour == EMPTY or colour_at(board, target) != colour or colour_at(board, other) != colour:
        return np.int64(UNREACHABLE)
    return measure_distance(board, search, target, other, MAX_DISTANCE, search.near)


@inner
def _list_between(board, search, target, mover, slack):
    """List the points on paths up to `slack` longer than the shortest, as moves of either side."""
    colour = colour_at(board, target)
    other = search.state[0].join_target
    length = measure_distance(board, search, target, other, MAX_DISTANCE, search.near)
    measure_distance(board, search, target, NOWHERE, min(length + slack, MAX_DISTANCE + 1), search.near)
    near_stamp = search.state[0].distance_stamp << 6
    measure_distance(board, search, other, NOWHERE, min(length + slack, MAX_DISTANCE + 1), search.far)
    far_stamp = search.state[0].distance_stamp << 6
    for i in range(board.area):
        point = board.inside[i]
        content = colour_at(board, point)
        if content == colour or search.near[point] < near_stamp or search.far[point] < far_stamp:
            continue
        if content != EMPTY:
            # A capturable enemy string; both distances include its liberties.
            left = liberties_of(board, point)
            over = (search.near[point] - near_stamp) + (search.far[point] - far_stamp) - left - length
            if over <= slack:
                add_liberties(board, search, point, mover, 95 - 25 * over)
                if mover != colour:
                    add_captures(board, search, point, mover, 75)
            continue
        over = (search.near[point] - near_stamp) + (search.far[point] - far_stamp) - 1 - length
        if over > slack or not is_playable(board, search, point, mover):
            continue
        score = 100 - 25 * over
        for direction in range(4):
            score += 3 * np.int64(colour_at(board, neighbour(board, point, direction)) != EMPTY)
        if liberties_after(board, point, mover) <= 1:
            score -= 45
        add_move(board, search, point, score)


@inner
def _add_weak_neighbours(board, search, head, mover, colour):
    """Add moves that capture or save adjacent enemy strings with one or two liberties."""
    at = next_adjacent(board, head, -1, 3 - colour)
    while at >= 0:
        enemy = head_at(board, stone_at_cursor(board, at))
        left = liberties_of(board, enemy)
        if left <= 2:
            add_liberties(board, search, enemy, mover, 110 if left == 1 else 70)
            if mover != colour:
                add_captures(board, search, enemy, mover, 75)
        at = next_adjacent(board, head, at, 3 - colour)


@inner
def list_connections(board, search, target, ply):
    """List moves that may connect the two strings, best first; returns the end of the list."""
    colour = colour_at(board, target)
    _list_between(board, search, target, colour, 1)
    for which in range(2):
        head = head_at(board, target if which == 0 else search.state[0].join_target)
        _add_weak_neighbours(board, search, head, colour, colour)
        if liberties_of(board, head) <= 2:
            add_liberties(board, search, head, colour, 50)
    return order_candidates(board, search, colour, 190, ply)


@inner
def list_cuts(board, search, target, threat, ply):
    """List moves that may cut the two strings apart, best first; returns the end of the list."""
    colour = colour_at(board, target)
    mover = 3 - colour
    _list_between(board, search, target, mover, 1)
    for which in range(2):
        head = head_at(board, target if which == 0 else search.state[0].join_target)
        _add_weak_neighbours(board, search, head, mover, colour)
        left = liberties_of(board, head)
        if left <= 2:
            add_liberties(board, search, head, mover, 200 if left == 1 else 60)
    # Weak friendly strings on the path.
    for i in range(search.state[0].first, search.state[0].end):
        point = search.moves[i] & 1023
        for direction in range(4):
            near = neighbour(board, point, direction)
            if colour_at(board, near) == colour and liberties_of(board, head_at(board, near)) <= 2:
                friend = head_at(board, near)
                score = 105 if liberties_of(board, friend) == 1 else 55
                add_liberties(board, search, friend, mover, score)
    add_threat(board, search, threat, mover)
    return order_candidates(board, search, mover, 125, ply)
