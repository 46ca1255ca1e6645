"""What can be seen of a group's life without reading: eyes that nobody takes, ways out, no room for two eyes.

All of it looks only at the points of the *arena*, the list of points on which the life of a group may depend, so
that it costs the same on every board.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    STAMP,
    at_cursor,
    beside,
    colour_at,
    first_liberty,
    has_liberty,
    head_at,
    liberties_of,
    next_beside,
    next_liberty,
    next_stone,
    reach,
)

# What `ground` says of a point; bits.
FIELD, WAY_OUT, WALL, ARENA = 1, 2, 4, 8

ENOUGH = 4  # a string that came out has so many liberties; else it may yet be caught there
ROOMY = 10  # a space of so many points is alive, whoever moves, even in the corner


@inner
def _mark_region(board, life, colour, start, number, end):
    """Number a region of points that are not of a colour; returns where its points end, and whether it is shut.

    It is open if it goes on beyond the arena.
    """
    regions, members = life.regions, life.members
    regions[start] = number
    members[end] = start
    at, shut = end, True
    end += 1
    while at < end:
        for direction in range(4):
            near = beside(board, members[at], direction)
            content = colour_at(board, near)
            if content == BORDER or content == colour:
                continue
            if life.ground[near] & ARENA == 0:
                shut = False
            elif regions[near] == 0:
                regions[near] = number
                members[end] = near
                end += 1
        at += 1
    return end, shut


@inner
def _counts_for(board, life, number, head):
    """Whether a region is an eye of a string that no row of enemy moves takes: all its empty points touch it."""
    for i in range(life.starts[number], life.starts[number + 1]):
        point = life.members[i]
        if colour_at(board, point) == EMPTY and not has_liberty(board, head, point):
            return False
    return True


@inner
def _eyes_of(board, life, colour, head):
    """How many regions that stand are eyes of a string, counted up to two."""
    stone, found, one = head, 0, 0
    while True:
        for direction in range(4):
            near = beside(board, stone, direction)
            content = colour_at(board, near)
            if content == BORDER or content == colour or life.ground[near] & ARENA == 0:
                continue
            number = life.regions[near]
            if number != one and life.struck[number] == 0 and _counts_for(board, life, number, head):
                found += 1
                one = number
                if found == 2:
                    return found
        stone = next_stone(board, stone)
        if stone == head:
            return found


@inner
def is_wall(board, life, head):
    """Whether an attacker's string belongs to what surrounds the group."""
    stone = head
    while True:
        if life.ground[stone] & (WALL | ARENA) != ARENA:
            return True
        stone = next_stone(board, stone)
        if stone == head:
            return False


@inner
def _most_eyes(board, life, colour, first, size):
    """How many eyes a space may become at best if the enemy moves: none if it is one point, and false."""
    if size != 1:
        return 1 if size < 4 else 2
    point, foreign, edge = life.members[first], 0, 0
    for direction in range(4, 8):
        content = colour_at(board, beside(board, point, direction))
        edge += content == BORDER
        if content == 3 - colour and is_wall(board, life, head_at(board, beside(board, point, direction))):
            foreign += 1
    return 0 if foreign > (0 if edge > 0 else 1) else 1


@inner
def is_alive(board, life, target, colour, guess):
    """Benson's algorithm in the arena: whether the string of the target is unconditionally alive.

    With `guess`, spaces that look like two eyes of the group, which must be marked then, are enough.
    """
    arena = life.arena
    for i in range(1, arena[0] + 1):
        life.regions[arena[i]] = 0
        if colour_at(board, arena[i]) == colour:
            life.alive[head_at(board, arena[i])] = 1
    count, end = 0, 0
    for i in range(1, arena[0] + 1):
        point = arena[i]
        if colour_at(board, point) != colour and life.regions[point] == 0:
            count += 1
            life.starts[count] = end
            end, shut = _mark_region(board, life, colour, point, count, end)
            life.struck[count] = 0 if shut else 1
    life.starts[count + 1] = end
    # A string outside, which no point of the arena is of, is not taken for alive.
    for number in range(1, count + 1):
        for i in range(life.starts[number], life.starts[number + 1]):
            for direction in range(4):
                near = beside(board, life.members[i], direction)
                if colour_at(board, near) == colour and life.ground[near] & ARENA == 0:
                    life.struck[number] = 1
    own = head_at(board, target)
    if guess and _has_two_eyes(board, life, colour, count):
        return True
    changed = True
    while changed:
        changed = False
        for i in range(1, arena[0] + 1):
            if colour_at(board, arena[i]) != colour:
                continue
            head = head_at(board, arena[i])
            if life.alive[head] != 0 and _eyes_of(board, life, colour, head) < 2:
                if head == own:
                    return False
                life.alive[head] = 0
                changed = True
        for number in range(1, count + 1):
            if life.struck[number] == 0 and _has_dead_border(board, life, colour, number):
                life.struck[number] = 1
                changed = True
    return True


@inner
def _has_dead_border(board, life, colour, number):
    """Whether a string around a region is no longer taken for alive."""
    for i in range(life.starts[number], life.starts[number + 1]):
        for direction in range(4):
            near = beside(board, life.members[i], direction)
            if colour_at(board, near) == colour and life.alive[head_at(board, near)] == 0:
                return True
    return False


@inner
def _has_two_eyes(board, life, colour, count):
    """Whether the group that was marked encloses two spaces, or a large one, with few enemies in them: a guess."""
    eyes = 0
    for number in range(1, count + 1):
        first, size = life.starts[number], life.starts[number + 1] - life.starts[number]
        if life.struck[number] != 0:
            continue
        enemies, own = 0, True
        for i in range(first, first + size):
            point = life.members[i]
            enemies += colour_at(board, point) != EMPTY
            for direction in range(4):
                near = beside(board, point, direction)
                if colour_at(board, near) == colour:
                    own &= board.marks[head_at(board, near)] == board.facts[STAMP]
        if not own or 2 * enemies > size:
            continue
        if size >= ROOMY and 4 * enemies <= size:
            return True
        eyes += _most_eyes(board, life, colour, first, 1) if size == 1 else 1
    return eyes > 1


# ---- the group: strings that cannot be cut apart


@inner
def _shared_liberties(board, one, other):
    count = np.uint64(0)
    for word in range(board.words):
        count += popcount(board.libs[one * board.words + word] & board.libs[other * board.words + word])
    return np.int64(count)


@inner
def mark_group(board, life, target, colour):
    """Stamp the heads of all strings that hang together with the target's by two common liberties; their number.

    They are listed in `members`.
    """
    board.facts[STAMP] += 1
    stamp, heads = board.facts[STAMP], life.members
    heads[0] = head_at(board, target)
    board.marks[heads[0]] = stamp
    at, end = 0, 1
    while at < end:
        head = heads[at]
        at += 1
        point = first_liberty(board, head)
        while point != NOWHERE:
            for direction in range(4):
                near = beside(board, point, direction)
                if colour_at(board, near) == colour:
                    other = head_at(board, near)
                    if board.marks[other] != stamp and _shared_liberties(board, head, other) >= 2:
                        board.marks[other] = stamp
                        heads[end] = other
                        end += 1
            point = next_liberty(board, head, point)
    return end


@inner
def mark_liberties(board, life, heads):
    """Stamp the liberties of the group that was marked too."""
    for i in range(heads):
        point = first_liberty(board, life.members[i])
        while point != NOWHERE:
            board.marks[point] = board.facts[STAMP]
            point = next_liberty(board, life.members[i], point)


@inner
def nearness(board, point):
    """Of an empty point to the group whose liberties were marked: 1 for these, 2 for points beside them, also
    diagonally, 3 where a string is short of liberties, 0 for others.
    """
    stamp = board.facts[STAMP]
    if board.marks[point] == stamp:
        return 1
    for direction in range(8):
        near = beside(board, point, direction)
        if colour_at(board, near) == EMPTY and board.marks[near] == stamp:
            return 2
    for direction in range(4):
        near = beside(board, point, direction)
        content = colour_at(board, near)
        if content != EMPTY and content != BORDER and liberties_of(board, head_at(board, near)) <= 2:
            return 3
    return 0


@inner
def is_out(board, life, colour):
    """Whether the group that was marked has reached a way out."""
    for i in range(1, life.outs[0] + 1):
        point = life.outs[i]
        if colour_at(board, point) == colour:
            head = head_at(board, point)
            if board.marks[head] == board.facts[STAMP] and liberties_of(board, head) >= ENOUGH:
                return True
    return False


@inner
def _is_short(board, head):
    """Whether a string is in danger: in atari, or with two liberties and nowhere to go."""
    if liberties_of(board, head) > 2:
        return False
    point = first_liberty(board, head)
    while point != NOWHERE:
        if liberties_of(board, head) == 2 and reach(board, point, colour_at(board, head)) > 2:
            return False
        point = next_liberty(board, head, point)
    return True


@inner
def is_hopeless(board, life, colour, heads, own_turn):
    """Whether the group that was marked has no room for two eyes, no way out, and nothing around it to take.

    heads: how many strings were marked. A guess: it does not see a seki.
    """
    stamp = board.facts[STAMP]
    for i in range(heads):
        at = next_beside(board, life.members[i], -1, 3 - colour)
        while at >= 0:
            enemy = head_at(board, at_cursor(board, at))
            if is_wall(board, life, enemy) and _is_short(board, enemy):
                return False
            at = next_beside(board, life.members[i], at, 3 - colour)
    arena = life.arena
    for i in range(1, arena[0] + 1):
        life.regions[arena[i]] = 0
    eyes = 0
    for i in range(1, arena[0] + 1):
        start = arena[i]
        if life.regions[start] != 0 or not _is_space(board, life, colour, start, stamp):
            continue
        life.regions[start] = 1
        life.members[0] = start
        at, end, size, touches = 0, 1, 0, False
        while at < end:
            point = life.members[at]
            at += 1
            size += colour_at(board, point) != colour
            if life.ground[point] & WAY_OUT != 0:
                return False
            for direction in range(4):
                near = beside(board, point, direction)
                content = colour_at(board, near)
                if content == colour and board.marks[head_at(board, near)] == stamp:
                    touches = True
                elif content != BORDER and life.ground[near] & ARENA == 0:
                    if content != 3 - colour:
                        return False  # it goes on beyond what is looked at
                elif content != BORDER and life.regions[near] == 0:
                    if _is_space(board, life, colour, near, stamp):
                        life.regions[near] = 1
                        life.members[end] = near
                        end += 1
        if touches:
            eyes += 2 if size == 3 and own_turn else _most_eyes(board, life, colour, 0, size)
            if eyes > 1:
                return False
    return True


@inner
def _is_space(board, life, colour, point, stamp):
    """Whether the group may come to own a point: empty, a friend's, or of an enemy who does not surround it."""
    content = colour_at(board, point)
    if content == EMPTY:
        return not _is_held(board, life, colour, point)
    head = head_at(board, point)
    if content == colour:
        return board.marks[head] != stamp
    return not is_wall(board, life, head)


@inner
def _is_held(board, life, colour, point):
    """Whether what surrounds the group holds an empty point: a gap in the wall, which no friend touches yet."""
    walls, edges = 0, 0
    for direction in range(4):
        near = beside(board, point, direction)
        content = colour_at(board, near)
        if content == colour:
            return False
        edges += content == BORDER
        walls += content == 3 - colour and life.ground[near] & (WALL | ARENA) != ARENA
    return walls > 0 and walls + edges > 1
