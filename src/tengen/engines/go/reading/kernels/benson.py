"""Unconditional life by Benson's algorithm: strings that cannot be captured even if their owner always passes.

A region is a connected set of points that are not of a colour. It is vital to a string of that colour if all its
empty points are liberties of the string. Strings with fewer than two vital regions are eliminated, together with
the regions that they border, until nothing changes; the remaining strings are alive.

Everything is limited to the zone of a search region (`Dfpn.zone`), which may be the whole board. The solver of
small boards has the same algorithm on bitboards, where a string or region is one word.
"""

from __future__ import annotations

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.engines.go.kernels.board import BORDER, EMPTY
from tengen.engines.go.reading.kernels.board import colour_at, has_liberty, head_at, neighbour, next_stone
from tengen.engines.go.reading.kernels.proof_number_search import ZONE
from tengen.engines.go.reading.kernels.territory import mark_territory


@inner
def _mark_region(board, dfpn, colour, start, number, end):
    """Number a connected region of points that are not of `colour`.

    Returns (end of its points in `members`, whether it is enclosed, that is, within the zone).
    """
    regions, members = dfpn.regions, dfpn.members
    regions[start] = number
    members[end] = start
    at, enclosed = end, True
    end += 1
    while at < end:
        for direction in range(4):
            near = neighbour(board, members[at], direction)
            content = colour_at(board, near)
            if content == BORDER or content == colour:
                # Strings outside the zone do not count as alive.
                enclosed &= content == BORDER or dfpn.flags[near] & ZONE != 0
            elif dfpn.flags[near] & ZONE == 0:
                enclosed = False
            elif regions[near] == 0:
                regions[near] = number
                members[end] = near
                end += 1
        at += 1
    return end, enclosed


@inner
def mark_regions(board, dfpn, colour):
    """Find the regions of the zone; returns their number.

    `regions` gets the number of each point's region, from 1; `members` and `starts` list the points of each.
    Regions that are not enclosed are eliminated; all strings count as alive.
    """
    zone = dfpn.zone
    for i in range(1, zone[0] + 1):
        dfpn.regions[zone[i]] = 0
        if colour_at(board, zone[i]) == colour:
            dfpn.alive[head_at(board, zone[i])] = 1
    count, end = 0, 0
    for i in range(1, zone[0] + 1):
        point = zone[i]
        if colour_at(board, point) != colour and dfpn.regions[point] == 0:
            count += 1
            dfpn.starts[count] = end
            end, enclosed = _mark_region(board, dfpn, colour, point, count, end)
            dfpn.eliminated[count] = 0 if enclosed else 1
    dfpn.starts[count + 1] = end
    return count


@inner
def _is_vital_to(board, dfpn, number, head):
    """Whether a region is vital to a string: all its empty points are liberties of the string."""
    for i in range(dfpn.starts[number], dfpn.starts[number + 1]):
        point = dfpn.members[i]
        if colour_at(board, point) == EMPTY and not has_liberty(board, head, point):
            return False
    return True


@inner
def _count_eyes(board, dfpn, colour, head):
    """Number of remaining regions that are vital to a string, up to two."""
    stone, found, one = head, 0, 0
    while True:
        for direction in range(4):
            near = neighbour(board, stone, direction)
            content = colour_at(board, near)
            if content == BORDER or content == colour or dfpn.flags[near] & ZONE == 0:
                continue
            number = dfpn.regions[near]
            if number != one and dfpn.eliminated[number] == 0 and _is_vital_to(board, dfpn, number, head):
                found += 1
                one = number
                if found == 2:
                    return found
        stone = next_stone(board, stone)
        if stone == head:
            return found


@inner
def _has_dead_border(board, dfpn, colour, number):
    """Whether a string around a region no longer counts as alive."""
    for i in range(dfpn.starts[number], dfpn.starts[number + 1]):
        for direction in range(4):
            near = neighbour(board, dfpn.members[i], direction)
            if colour_at(board, near) == colour and dfpn.alive[head_at(board, near)] == 0:
                return True
    return False


@inner
def eliminate(board, dfpn, colour, count, own):
    """Eliminate strings and the `count` regions; returns False as soon as the string with head `own` is."""
    zone = dfpn.zone
    changed = True
    while changed:
        changed = False
        for i in range(1, zone[0] + 1):
            if colour_at(board, zone[i]) != colour:
                continue
            head = head_at(board, zone[i])
            if head != zone[i] and dfpn.flags[head] & ZONE != 0:
                continue  # each string once
            if dfpn.alive[head] != 0 and _count_eyes(board, dfpn, colour, head) < 2:
                if head == own:
                    return False
                dfpn.alive[head] = 0
                changed = True
        for number in range(1, count + 1):
            if dfpn.eliminated[number] == 0 and _has_dead_border(board, dfpn, colour, number):
                dfpn.eliminated[number] = 1
                changed = True
    return True


@kernel
def unconditional_ownership(board, dfpn, arrays, safe, sheltered, doubtful):
    """Write to `safe` the colour that owns each point unconditionally, or EMPTY. The zone must be the whole board.

    These are living strings and unconditional territory. For `sheltered` and `doubtful` see `mark_territory`.
    """
    board, dfpn, arrays = reference(board), reference(dfpn), reference(arrays)
    for i in range(board.area):
        safe[board.inside[i]] = EMPTY
        sheltered[board.inside[i]] = EMPTY
        doubtful[board.inside[i]] = EMPTY
    for colour in range(1, 3):
        count = mark_regions(board, dfpn, colour)
        eliminate(board, dfpn, colour, count, -1)
        for i in range(board.area):
            point = board.inside[i]
            arrays.is_alive[point] = 0
            if colour_at(board, point) == colour and dfpn.alive[head_at(board, point)] != 0:
                arrays.is_alive[point] = 1
                safe[point] = colour
        mark_territory(board, arrays, colour, safe, sheltered, doubtful)
