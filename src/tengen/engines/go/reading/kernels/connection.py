"""Joining two strings: how many stones it takes at least, and which moves join or cut.

The distance of two strings is the number of stones that join them if the enemy does not answer. Own strings on
the way cost nothing, and an enemy string in atari is passed by taking it. To catch a string and to join two are
the same search: the distance takes the place of the liberties, the side that joins that of the attacker.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    STAMP,
    at_cursor,
    beside,
    colour_at,
    first_liberty,
    head_at,
    liberties_of,
    next_beside,
    next_liberty,
    reach,
)
from tengen.engines.go.reading.kernels.candidates import (
    JOIN,
    OTHER,
    WAVE,
    add_captures,
    add_liberties,
    add_move,
    add_threat,
    finish_list,
    may_play,
)

REACH = 5  # the longest distance that is measured
FAR = 99  # any longer one, and that of strings that are gone
SHORT = 3  # an enemy string with so many liberties may be taken on the way
_DELAY = 12  # entries of `front` are a point, and from this bit on how much later it is due


@inner
def _meet_enemy(board, search, near, cost, known, wave, end, into):
    """Add an enemy string beside the way, if it is short of liberties: it may be taken, for a move on each.

    known: how many of its liberties the way has filled already. It waits in `front` until its cost is due.
    """
    enemy = head_at(board, near)
    left = liberties_of(board, enemy)
    if into[enemy] < wave and left <= SHORT:
        into[enemy] = wave + cost + 1
        search.front[end] = enemy | ((max(left - known, 1) - 1) << _DELAY)
        end += 1
    return end


@inner
def _spread_string(board, search, head, cost, wave, end, into):
    """Add what is beside a string of ours to the points to go on from."""
    into[head] = wave + cost
    point = first_liberty(board, head)
    while point != NOWHERE:
        if into[point] < wave:
            into[point] = wave + cost + 1
            search.front[end] = point
            end += 1
        point = next_liberty(board, head, point)
    enemy = 3 - colour_at(board, head)
    at = next_beside(board, head, -1, enemy)
    while at >= 0:
        end = _meet_enemy(board, search, at_cursor(board, at), cost, 0, wave, end, into)
        at = next_beside(board, head, at, enemy)
    return end


@inner
def spread(board, search, start, goal, most, into):
    """How far it is from one string to another, or FAR; `into` gets the distance of points up to most.

    goal: a stone, or NOWHERE to spread all around.
    """
    colour = colour_at(board, start)
    search.facts[WAVE] += 1
    wave = search.facts[WAVE] << 6
    search.facts[JOIN] = NOWHERE
    aim = head_at(board, goal) if goal != NOWHERE else NOWHERE
    head = head_at(board, start)
    if head == aim:
        return np.int64(0)
    end = _spread_string(board, search, head, 0, wave, 0, into)
    at = 0
    while at < end:
        point, delay = search.front[at] & 1023, search.front[at] >> _DELAY
        at += 1
        cost = into[point] - wave
        if cost > most:
            return np.int64(FAR)
        if delay > 0:
            into[point] += 1
            search.front[end] = point | ((delay - 1) << _DELAY)
            end += 1
        elif colour_at(board, point) == EMPTY:
            if cost == 1 and (
                not may_play(board, search, point, colour, colour) or reach(board, point, colour) <= 1
            ):
                continue
            for direction in range(4):
                near = beside(board, point, direction)
                content = colour_at(board, near)
                if content == EMPTY:
                    if into[near] < wave:
                        into[near] = wave + cost + 1
                        search.front[end] = near
                        end += 1
                elif content == colour:
                    other = head_at(board, near)
                    if into[other] < wave:
                        if other == aim:
                            search.facts[JOIN] = point
                            return cost
                        end = _spread_string(board, search, other, cost, wave, end, into)
                elif content == 3 - colour:
                    end = _meet_enemy(board, search, near, cost, 1, wave, end, into)
        else:
            taking = first_liberty(board, point)
            if cost == 1 and not may_play(board, search, taking, colour, colour):
                continue
            contact = next_beside(board, point, -1, colour)
            while contact >= 0:
                other = head_at(board, at_cursor(board, contact))
                if into[other] < wave:
                    if other == aim:
                        search.facts[JOIN] = taking
                        return cost
                    end = _spread_string(board, search, other, cost, wave, end, into)
                contact = next_beside(board, point, contact, colour)
    return np.int64(FAR)


@inner
def distance(board, search, target, colour):
    """Of the two strings of the question: 0 when they are one, FAR when one of them is gone or there is no way."""
    other = search.facts[OTHER]
    # A first move that takes both leaves no colour to go by.
    if colour == EMPTY or colour_at(board, target) != colour or colour_at(board, other) != colour:
        return np.int64(FAR)
    return spread(board, search, target, other, REACH, search.near)


@inner
def _list_between(board, search, target, colour, mover, first, slack):
    """Points on the shortest ways, and on those that take a stone more, as moves of either side."""
    other = search.facts[OTHER]
    length = spread(board, search, target, other, REACH, search.near)
    spread(board, search, target, NOWHERE, min(length + slack, REACH + 1), search.near)
    near_wave = search.facts[WAVE] << 6
    spread(board, search, other, NOWHERE, min(length + slack, REACH + 1), search.far)
    far_wave = search.facts[WAVE] << 6
    end = first
    for i in range(board.area):
        point = board.inside[i]
        content = colour_at(board, point)
        if content == colour or search.near[point] < near_wave or search.far[point] < far_wave:
            continue
        if content != EMPTY:
            # An enemy string to be taken; both distances have its liberties in them.
            left = liberties_of(board, point)
            over = (search.near[point] - near_wave) + (search.far[point] - far_wave) - left - length
            if over <= slack:
                end = add_liberties(board, search, end, first, point, mover, colour, 95 - 25 * over)
                if mover != colour:
                    end = add_captures(board, search, end, first, point, mover, colour, 75)
            continue
        over = (search.near[point] - near_wave) + (search.far[point] - far_wave) - 1 - length
        if over > slack or not may_play(board, search, point, mover, colour):
            continue
        score = 100 - 25 * over
        for direction in range(4):
            score += 3 * np.int64(colour_at(board, beside(board, point, direction)) != EMPTY)
        if reach(board, point, mover) <= 1:
            score -= 45
        end = add_move(board, search, end, first, point, score)
    return end


@inner
def _add_weak_neighbours(board, search, end, first, head, mover, colour):
    """Moves on the liberties of what stands beside a string and is short of them: to take it, or to save it."""
    at = next_beside(board, head, -1, 3 - colour)
    while at >= 0:
        enemy = head_at(board, at_cursor(board, at))
        left = liberties_of(board, enemy)
        if left <= 2:
            end = add_liberties(board, search, end, first, enemy, mover, colour, 110 if left == 1 else 70)
            if mover != colour:
                end = add_captures(board, search, end, first, enemy, mover, colour, 75)
        at = next_beside(board, head, at, 3 - colour)
    return end


@inner
def list_joins(board, search, target, first, hint, killer, ply):
    """Moves that may join the two strings, best first; returns where they end."""
    colour = colour_at(board, target)
    board.facts[STAMP] += 1
    end = _list_between(board, search, target, colour, colour, first, 1)
    for which in range(2):
        head = head_at(board, target if which == 0 else search.facts[OTHER])
        end = _add_weak_neighbours(board, search, end, first, head, colour, colour)
        if liberties_of(board, head) <= 2:
            end = add_liberties(board, search, end, first, head, colour, colour, 50)
    return finish_list(board, search, first, end, colour, killer, 190, hint, ply)


@inner
def list_cuts(board, search, target, first, threat, hint, killer, ply):
    """Moves that may keep the two strings apart, best first; returns where they end."""
    colour = colour_at(board, target)
    mover = 3 - colour
    board.facts[STAMP] += 1
    end = _list_between(board, search, target, colour, mover, first, 1)
    for which in range(2):
        head = head_at(board, target if which == 0 else search.facts[OTHER])
        end = _add_weak_neighbours(board, search, end, first, head, mover, colour)
        left = liberties_of(board, head)
        if left <= 2:
            end = add_liberties(board, search, end, first, head, mover, colour, 200 if left == 1 else 60)
    # Strings that the way leads over.
    for i in range(first, end):
        point = search.moves[i] & 1023
        for direction in range(4):
            near = beside(board, point, direction)
            if colour_at(board, near) == colour and liberties_of(board, head_at(board, near)) <= 2:
                friend = head_at(board, near)
                score = 105 if liberties_of(board, friend) == 1 else 55
                end = add_liberties(board, search, end, first, friend, mover, colour, score)
    end = add_threat(board, search, end, first, threat, mover, colour)
    return finish_list(board, search, first, end, mover, killer, 125, hint, ply)
