"""Unconditional life by Benson's algorithm: strings that cannot be taken even if their owner always passes.

A region is a connected set of points that are not of a colour. It is vital to a string of that colour if all its
empty points are liberties of the string. Strings with fewer than two vital regions are struck off, with them the
regions that they border, until nothing changes: what is left is alive, and so is what it encloses.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.kernels.board import (
    beside,
    colour_at,
    has_liberty,
    head_at,
    next_stone,
    open_board,
)


@inner
def _mark_region(board, colour, start, number, regions, members, end):
    """Give a region its number, and list its points from `end` on; returns where they end."""
    regions[start] = number
    members[end] = start
    at = end
    end += 1
    while at < end:
        for direction in range(4):
            near = beside(board, members[at], direction)
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
def _borders(board, members, first, end, alive, colour):
    """Whether all strings around a region are still taken for alive."""
    for i in range(first, end):
        for direction in range(4):
            near = beside(board, members[i], direction)
            if colour_at(board, near) == colour and alive[head_at(board, near)] == 0:
                return False
    return True


@inner
def benson(board, colour, regions, members, starts, alive):
    """Mark in `alive`, by heads, the strings of a colour that live unconditionally; returns how many regions.

    regions: the number of the region of each point, from 1, 0 for stones of the colour; members, starts: the
    points of all regions, one after the other. starts[regions + 2 + number] is 1 for regions that were struck off.
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
            # The regions beside a string are found along its stones; each is looked at once.
            stone = head
            one = 0
            while vital < 2:
                for direction in range(4):
                    near = beside(board, stone, direction)
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
                if not _borders(board, members, starts[number], starts[number + 1], alive, colour):
                    starts[count + 2 + number] = 1
                    changed = True
    return count


@kernel
def unconditional(arrays, safe, region_numbers, region_points, region_starts, alive_heads):
    """safe: the colour that owns each point unconditionally, or EMPTY: living strings and what they enclose.

    What is enclosed counts if no enemy can live in it: at most one of its points is not beside living stones, and
    an eye needs one each.
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
                beside_own = False
                for direction in range(4):
                    beside_own |= colour_at(board, beside(board, point, direction)) == colour
                touched += beside_own
                inner_points += not beside_own
            if touched > 0 and inner_points <= 1:
                for i in range(starts[number], starts[number + 1]):
                    safe[members[i]] = colour
