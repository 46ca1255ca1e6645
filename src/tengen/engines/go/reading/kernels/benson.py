"""Unconditional life by Benson's algorithm: strings that cannot be captured even if their owner always passes.

A region is a connected set of points that are not of a colour. It is vital to a string of that colour if all its
empty points are liberties of the string. Strings with fewer than two vital regions are eliminated, together with
the regions that they border, until nothing changes; the remaining strings are alive.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    has_liberty,
    head_at,
    neighbour,
    next_stone,
    open_board,
)


@inner
def _mark_region(board, colour, start, number, regions, members, end):
    """Number a region and list its points in `members` from `end` on; returns the new end."""
    regions[start] = number
    members[end] = start
    at = end
    end += 1
    while at < end:
        for direction in range(4):
            near = neighbour(board, members[at], direction)
            content = colour_at(board, near)
            if content != BORDER and content != colour and regions[near] == 0:
                regions[near] = number
                members[end] = near
                end += 1
        at += 1
    return end


@inner
def _is_vital(board, members, first, end, head):
    """Whether all empty points of a region are liberties of a string."""
    for i in range(first, end):
        if colour_at(board, members[i]) == EMPTY and not has_liberty(board, head, members[i]):
            return False
    return True


@inner
def _is_border_alive(board, members, first, end, alive, colour):
    """Whether all strings around a region still count as alive."""
    for i in range(first, end):
        for direction in range(4):
            near = neighbour(board, members[i], direction)
            if colour_at(board, near) == colour and alive[head_at(board, near)] == 0:
                return False
    return True


@inner
def benson(board, colour, regions, members, starts, alive):
    """Mark in `alive`, by heads, the strings of a colour that live unconditionally; returns the number of regions.

    `regions` gets the region of each point, from 1, or 0 for stones of the colour; `members` and `starts` list the
    points of each region. starts[count + 2 + number] is 1 for eliminated regions.
    """
    count, end = 0, 0
    for i in range(board.area):
        point = board.inside[i]
        regions[point] = 0
        alive[point] = colour_at(board, point) == colour and head_at(board, point) == point
    for i in range(board.area):
        point = board.inside[i]
        if colour_at(board, point) != colour and regions[point] == 0:
            count += 1
            starts[count] = end
            end = _mark_region(board, colour, point, count, regions, members, end)
    starts[count + 1] = end
    for number in range(1, count + 1):
        starts[count + 2 + number] = 0
    changed = True
    while changed:
        changed = False
        for i in range(board.area):
            head = board.inside[i]
            if alive[head] == 0:
                continue
            vital = 0
            # Walk along the stones to find the string's adjacent regions.
            stone = head
            one = 0
            while vital < 2:
                for direction in range(4):
                    near = neighbour(board, stone, direction)
                    content = colour_at(board, near)
                    if content == BORDER or content == colour:
                        continue
                    number = regions[near]
                    if number == one or starts[count + 2 + number] != 0:
                        continue
                    if _is_vital(board, members, starts[number], starts[number + 1], head):
                        vital += 1
                        one = number
                        if vital == 2:
                            break
                stone = next_stone(board, stone)
                if stone == head:
                    break
            if vital < 2:
                alive[head] = 0
                changed = True
        for number in range(1, count + 1):
            if starts[count + 2 + number] == 0:
                if not _is_border_alive(board, members, starts[number], starts[number + 1], alive, colour):
                    starts[count + 2 + number] = 1
                    changed = True
    return count


@kernel
def unconditional_ownership(arrays, safe, region_numbers, region_points, region_starts, alive_heads):
    """Write to `safe` the colour that owns each point unconditionally, or EMPTY.

    These are living strings and enclosed regions in which no enemy can live: two enemy eyes would need two points
    that are not adjacent to living stones, and there is at most one.
    """
    board = open_board(arrays)
    regions, members = pointer(region_numbers), pointer(region_points)
    starts, alive = pointer(region_starts), pointer(alive_heads)
    for i in range(board.area):
        safe[board.inside[i]] = EMPTY
    for colour in range(1, 3):
        count = benson(board, np.int64(colour), regions, members, starts, alive)
        for i in range(board.area):
            point = board.inside[i]
            if colour_at(board, point) == colour and alive[head_at(board, point)] != 0:
                safe[point] = colour
        for number in range(1, count + 1):
            if starts[count + 2 + number] != 0:
                continue
            touched, inner_points = 0, 0
            for i in range(starts[number], starts[number + 1]):
                point = members[i]
                next_to_own = False
                for direction in range(4):
                    next_to_own |= colour_at(board, neighbour(board, point, direction)) == colour
                touched += next_to_own
                inner_points += not next_to_own
            if touched > 0 and inner_points <= 1:
                for i in range(starts[number], starts[number + 1]):
                    safe[members[i]] = colour
