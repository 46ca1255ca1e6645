"""Whether a string can be caught: ladders to any depth, and moves that are not atari up to a number of them.

The budget of a search is how many moves the attacker may play that leave the string two liberties or more. With
none, only ladders are read, however long; each further one lets in nets, loose ladders, races. A string with n
liberties needs n - 2 of them at least, which ends a search at once when it has got away. After such a move the
defender passes first: if the attacker then has nothing, it was no threat, and all other defences can be left out.

Ko is read by who may retake at once: nobody (as the rules have it), or only the defender, or only the attacker.
The caller tells from the three what depends on a ko.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.kernels.reading_board import (
    KO,
    KO_FOR,
    LOGGED,
    LOGGED_WORDS,
    STAMP,
    beside,
    colour_at,
    first_liberty,
    has_liberty,
    has_room,
    head_at,
    is_legal,
    liberties_of,
    next_liberty,
    next_stone,
    open_board,
    place,
    reach,
    stones_of,
    take_back,
)

# Who may retake a ko at once.
DEFENDER_RETAKES, NOBODY_RETAKES, ATTACKER_RETAKES = 0, 1, 2

# `facts` of a search: int64
(
    NODES,
    LIMIT,  # of nodes
    MODE,  # who may retake
    KO_SEEN,  # whether it mattered who may retake
    CUT,  # whether a larger budget could change the result
    SALT,  # makes the keys of this question different from those of others
    SEARCH_FACTS,
) = range(7)

CAUGHT, FREE, UNKNOWN = 1, 0, -1

MOST_PLIES = 400
MOST_MOVES = 1 << 15  # of all plies together
WIDEST = 64  # candidates of one position
TABLE_BITS = 16

# `frames`: int64, of each ply
(
    TURN,  # the colour to move
    BUDGET,
    FIRST,  # of the moves in `moves`, which is also where the next ply's begin after END
    NEXT,
    END,
    PLAYED,  # the move just being read
    PASSING,  # whether that is the defender's pass
    KEPT_LOG,
    KEPT_WORDS,
    KEPT_KO,
    KEPT_KO_FOR,
    LIBERTIES,
    HINT,  # what the table has as the best move
    FRAME,
) = range(14)


class Arrays(NamedTuple):
    """The memory of a search, for Python."""

    facts: Any
    frames: Any
    keys: Any
    moves: Any
    lines: Any
    lengths: Any
    killers: Any  # the move that last decided, of each ply
    table_keys: Any
    table: Any


Search = namedtuple("Search", Arrays._fields)

_MIX = np.uint64(0x9E3779B97F4A7C15)


@inner
def open_search(arrays):
    return Search(
        pointer(arrays.facts),
        pointer(arrays.frames),
        pointer(arrays.keys),
        pointer(arrays.moves),
        pointer(arrays.lines),
        pointer(arrays.lengths),
        pointer(arrays.killers),
        pointer(arrays.table_keys),
        pointer(arrays.table),
    )


@inner
def _add(board, search, at, first, point, score):
    """Add a candidate, or raise the score of one that is there. Returns the end of the list."""
    if board.marks[point] == board.facts[STAMP]:
        for i in range(first, at):
            if search.moves[i] & 1023 == point:
                if search.moves[i] >> 10 < score:
                    search.moves[i] = (score << 10) | point
                return at
        return at
    if at - first >= WIDEST:
        return at
    board.marks[point] = board.facts[STAMP]
    search.moves[at] = (score << 10) | point
    return at + 1


@inner
def _may_play(board, search, point, colour, attacker):
    """Whether a side may play an empty point: no suicide, and no ko that it may not retake in this search."""
    if point == board.facts[KO] and colour == board.facts[KO_FOR]:
        search.facts[KO_SEEN] = 1
        mode = search.facts[MODE]
        free = mode == ATTACKER_RETAKES if colour == attacker else mode == DEFENDER_RETAKES
        if not free:
            return False
    return is_legal(board, point, colour)


@inner
def _best(search, first, end, ply):
    """Sort a list of moves, best first, and keep as many as are read at this depth; returns where they end."""
    for i in range(first + 1, end):
        move = search.moves[i]
        j = i
        while j > first and search.moves[j - 1] < move:
            search.moves[j] = search.moves[j - 1]
            j -= 1
        search.moves[j] = move
    return min(end, first + (WIDEST if ply < 3 else 10 if ply < 7 else 7))


@inner
def _list_attacks(board, search, target, first, budget, hint, killer, ply):
    """Moves for the attacker, best first; returns where they end."""
    colour = colour_at(board, target)
    attacker = 3 - colour
    head = head_at(board, target)
    count = liberties_of(board, head)
    loose = count > 1 and budget > 0 and count - 1 <= budget
    if not loose:
        search.facts[CUT] = 1
    board.facts[STAMP] += 1
    end = first
    point = first_liberty(board, head)
    while point != NOWHERE:
        if _may_play(board, search, point, attacker, attacker):
            mine = reach(board, point, attacker)
            theirs = reach(board, point, colour)
            score = 100 + 8 * min(theirs, 8) + min(mine, 4)
            if mine <= 1:
                score -= 60
            end = _add(board, search, end, first, point, score)
        if loose:
            # Make room first where a liberty cannot be played well: its other neighbours.
            for direction in range(8):
                near = beside(board, point, direction)
                if colour_at(board, near) == EMPTY and (direction < 4 or count <= 3):
                    if not has_liberty(board, head, near) and _may_play(board, search, near, attacker, attacker):
                        score = 40 if direction < 4 else 20
                        for again in range(4):
                            further = beside(board, near, again)
                            content = colour_at(board, further)
                            if content == EMPTY and has_liberty(board, head, further):
                                score += 8
                            elif content == attacker:
                                score += 3
                        if reach(board, near, attacker) <= 1:
                            score -= 20
                        end = _add(board, search, end, first, near, score)
                elif colour_at(board, near) == colour and direction < 4:
                    friend = head_at(board, near)
                    if friend != head and liberties_of(board, friend) <= 3:
                        score = 30 + 10 * (3 - liberties_of(board, friend))
                        end = _add_liberties(board, search, end, first, friend, attacker, attacker, score)
        point = next_liberty(board, head, point)
    if loose:
        # Save attacking stones that are in danger themselves.
        stone = head
        while True:
            for direction in range(4):
                near = beside(board, stone, direction)
                if colour_at(board, near) == attacker:
                    own = head_at(board, near)
                    if liberties_of(board, own) <= 2:
                        score = 45 if liberties_of(board, own) == 1 else 30
                        end = _add_liberties(board, search, end, first, own, attacker, attacker, score)
                        end = _add_captures(board, search, end, first, own, attacker, attacker, score + 20)
            stone = next_stone(board, stone)
            if stone == head:
                break
    if killer != NOWHERE and board.marks[killer] == board.facts[STAMP]:
        end = _add(board, search, end, first, killer, 190)
    if hint != NOWHERE and board.marks[hint] == board.facts[STAMP]:
        end = _add(board, search, end, first, hint, 1000)
    return _best(search, first, end, ply)


@inner
def _add_liberties(board, search, end, first, head, colour, attacker, score):
    """Its liberties as moves of a colour that are worth so much."""
    point = first_liberty(board, head)
    while point != NOWHERE:
        if _may_play(board, search, point, colour, attacker):
            worth = score if reach(board, point, colour) > 1 else score - 20
            end = _add(board, search, end, first, point, worth)
        point = next_liberty(board, head, point)
    return end


@inner
def _add_captures(board, search, end, first, head, colour, attacker, score):
    """Captures of enemies in atari beside a string of this colour."""
    stone = head
    while True:
        for direction in range(4):
            near = beside(board, stone, direction)
            if colour_at(board, near) == 3 - colour:
                enemy = head_at(board, near)
                if liberties_of(board, enemy) == 1:
                    point = first_liberty(board, enemy)
                    if _may_play(board, search, point, colour, attacker):
                        end = _add(board, search, end, first, point, score + 4 * min(stones_of(board, enemy), 10))
        stone = next_stone(board, stone)
        if stone == head:
            return end


@inner
def _ways_into(board, point, colour, taken):
    """How many neighbours a stone of a colour on a point would be safe by, and one that is empty, or NOWHERE.

    If there are none, and it takes one stone (taken, a head) and nothing else, it can be retaken: that is a ko.
    """
    ways, way_in = 0, NOWHERE
    for direction in range(4):
        near = beside(board, point, direction)
        content = colour_at(board, near)
        if content == EMPTY:
            way_in = near
        ways += content == EMPTY or content == colour
        if content == 3 - colour:
            other = head_at(board, near)
            ways += other != taken and liberties_of(board, other) == 1
    return ways, way_in


@inner
def _list_defences(board, search, target, first, threat, hint, killer, ply):
    """Moves for the defender, best first; returns where they end."""
    colour = colour_at(board, target)
    attacker = 3 - colour
    head = head_at(board, target)
    count = liberties_of(board, head)
    board.facts[STAMP] += 1
    end = first
    point = first_liberty(board, head)
    while point != NOWHERE:
        if _may_play(board, search, point, colour, attacker):
            mine = reach(board, point, colour)
            if mine > 1:
                end = _add(board, search, end, first, point, 50 + 10 * min(mine, 8))
        point = next_liberty(board, head, point)
    end = _add_captures(board, search, end, first, head, colour, attacker, 100)
    if count == 1 and stones_of(board, head) == 1 and search.facts[MODE] == DEFENDER_RETAKES:
        # Make its capture a ko, where it has one more way in.
        ways, way_in = _ways_into(board, first_liberty(board, head), attacker, head)
        if ways == 1 and way_in != NOWHERE and _may_play(board, search, way_in, colour, attacker):
            end = _add(board, search, end, first, way_in, 10)
    if count > 1:
        # Atari on what surrounds it, or, with more liberties, fewer liberties for it.
        stone = head
        while True:
            for direction in range(4):
                near = beside(board, stone, direction)
                if colour_at(board, near) == attacker:
                    enemy = head_at(board, near)
                    left = liberties_of(board, enemy)
                    if left <= count:
                        score = 60 if left == 2 else 40
                        end = _add_liberties(board, search, end, first, enemy, colour, attacker, score)
                    if left == 2 or left == 3:
                        end = _add_friends_captures(board, search, end, first, enemy, colour, attacker)
            stone = next_stone(board, stone)
            if stone == head:
                break
        point = first_liberty(board, head)
        while point != NOWHERE:
            for direction in range(8):
                near = beside(board, point, direction)
                content = colour_at(board, near)
                if content == EMPTY and (direction < 4 or count <= 2):
                    if not has_liberty(board, head, near) and _may_play(board, search, near, colour, attacker):
                        score = 34 if direction < 4 else 16
                        for again in range(4):
                            further = beside(board, near, again)
                            beyond = colour_at(board, further)
                            if beyond == EMPTY and has_liberty(board, head, further):
                                score += 6
                            elif beyond == colour:
                                score += 10
                            elif beyond == BORDER:
                                score -= 2
                        if reach(board, near, colour) > 1:
                            end = _add(board, search, end, first, near, score)
                elif content == colour and direction < 4:
                    # A friend to join: save it first, if it is short of liberties.
                    friend = head_at(board, near)
                    if friend != head and liberties_of(board, friend) <= 3:
                        score = 30 + 10 * (3 - liberties_of(board, friend))
                        end = _add_liberties(board, search, end, first, friend, colour, attacker, score)
                        end = _add_captures(board, search, end, first, friend, colour, attacker, score)
            point = next_liberty(board, head, point)
    if threat != NOWHERE and colour_at(board, threat) == EMPTY:
        if _may_play(board, search, threat, colour, attacker):
            end = _add(board, search, end, first, threat, 130)
    if killer != NOWHERE and board.marks[killer] == board.facts[STAMP]:
        end = _add(board, search, end, first, killer, 120)
    if hint != NOWHERE and board.marks[hint] == board.facts[STAMP]:
        end = _add(board, search, end, first, hint, 1000)
    return _best(search, first, end, ply)


@inner
def _add_friends_captures(board, search, end, first, head, colour, attacker):
    """Captures of what is in atari beside an enemy string's own neighbours: they take its support away."""
    stone = head
    while True:
        for direction in range(4):
            near = beside(board, stone, direction)
            if colour_at(board, near) == colour:
                end = _add_captures(board, search, end, first, head_at(board, near), colour, attacker, 40)
        stone = next_stone(board, stone)
        if stone == head:
            return end


@inner
def _key_of(board, search, turn):
    """The key of a position in the table: stones, whose turn, ko, question."""
    key = board.key[0] ^ (np.uint64(search.facts[SALT] * 4 + turn) * _MIX)
    if board.facts[KO] != NOWHERE:
        key ^= np.uint64(board.facts[KO] * 4 + board.facts[KO_FOR]) * np.uint64(0xD1B54A32D192ED03)
    return key


@inner
def _open_frame(board, search, ply, turn, budget):
    at = ply * FRAME
    frames = search.frames
    frames[at + TURN] = turn
    frames[at + BUDGET] = budget
    frames[at + KEPT_LOG] = board.facts[LOGGED]
    frames[at + KEPT_WORDS] = board.facts[LOGGED_WORDS]
    frames[at + KEPT_KO] = board.facts[KO]
    frames[at + KEPT_KO_FOR] = board.facts[KO_FOR]
    frames[at + PASSING] = 0
    search.keys[ply] = board.key[0]
    search.lengths[ply] = 0


@inner
def _restore(board, search, ply):
    """The board as it was when this ply began."""
    at = ply * FRAME
    frames = search.frames
    take_back(board, frames[at + KEPT_LOG], frames[at + KEPT_WORDS])
    board.facts[KO] = frames[at + KEPT_KO]
    board.facts[KO_FOR] = frames[at + KEPT_KO_FOR]
    board.key[0] = search.keys[ply]


@inner
def _keep_line(search, ply, move):
    """The best line of a ply: a move and the line of the ply below."""
    length = min(search.lengths[ply + 1], MOST_PLIES - 2)
    search.lines[ply * MOST_PLIES] = move
    for i in range(length):
        search.lines[ply * MOST_PLIES + 1 + i] = search.lines[(ply + 1) * MOST_PLIES + i]
    search.lengths[ply] = length + 1


@inner
def _enter(board, search, target, colour, ply):
    """Value of a position that needs no moves to be tried, or UNKNOWN with its moves listed."""
    frames, at = search.frames, ply * FRAME
    attacker = 3 - colour
    turn, budget = frames[at + TURN], frames[at + BUDGET]
    if colour_at(board, target) != colour:
        if board.facts[KO] == target:
            search.facts[KO_SEEN] = 1
            if search.facts[MODE] == DEFENDER_RETAKES:
                return FREE  # it stands again at once
        return CAUGHT
    head = head_at(board, target)
    count = liberties_of(board, head)
    frames[at + LIBERTIES] = count
    if turn == attacker:
        if count == 1:
            point = first_liberty(board, head)
            if stones_of(board, head) > 1 and _may_play(board, search, point, attacker, attacker):
                search.lines[ply * MOST_PLIES] = point
                search.lengths[ply] = 1
                return CAUGHT
        if count - 2 > budget:
            search.facts[CUT] = 1
            return FREE
    elif count == 1 and stones_of(board, head) == 1 and search.facts[MODE] == DEFENDER_RETAKES:
        if _ways_into(board, first_liberty(board, head), attacker, head)[0] == 0:
            search.facts[KO_SEEN] = 1
            return FREE  # its capture is a ko that the defender retakes, whatever it plays now
    if ply >= MOST_PLIES - 2 or not has_room(board):
        return FREE
    hint = NOWHERE
    key = _key_of(board, search, turn)
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    if search.table_keys[slot] == key:
        entry = search.table[slot]
        hint = entry & 1023
        known = (entry >> 10) & 255
        if entry >> 18 == CAUGHT:
            search.lines[ply * MOST_PLIES] = hint
            search.lengths[ply] = 1 if hint != NOWHERE else 0
            return CAUGHT
        if known >= budget:
            search.facts[CUT] = 1
            if hint != NOWHERE:
                search.lines[ply * MOST_PLIES] = hint
                search.lengths[ply] = 1
            return FREE
    first = frames[at - FRAME + END] if ply > 0 else 0
    frames[at + FIRST] = first
    frames[at + NEXT] = first
    frames[at + HINT] = hint
    if turn == attacker:
        frames[at + END] = _list_attacks(board, search, target, first, budget, hint, search.killers[ply], ply)
    elif count > 1:
        frames[at + PASSING] = 1
        frames[at + END] = first
    else:
        frames[at + END] = _list_defences(board, search, target, first, NOWHERE, hint, search.killers[ply], ply)
    return UNKNOWN


@inner
def _remember(board, search, ply, value, move):
    key = _key_of(board, search, search.frames[ply * FRAME + TURN])
    slot = np.int64(key & np.uint64((1 << TABLE_BITS) - 1))
    search.table_keys[slot] = key
    search.table[slot] = (value << 18) | (search.frames[ply * FRAME + BUDGET] << 10) | move


@inner
def read_capture(board, search, target, turn, budget):
    """CAUGHT or FREE within a budget, or UNKNOWN when the nodes are used up. The line is in `lines[0]`."""
    frames = search.frames
    colour = colour_at(board, target)
    attacker = 3 - colour
    ply = 0
    _open_frame(board, search, 0, turn, budget)
    value = _enter(board, search, target, colour, 0)
    while True:
        at = ply * FRAME
        if value == UNKNOWN:
            search.facts[NODES] += 1
            if search.facts[NODES] > search.facts[LIMIT]:
                _restore(board, search, 0)
                search.lengths[0] = 0
                return UNKNOWN
            # Try the next move of this ply.
            turn, budget = frames[at + TURN], frames[at + BUDGET]
            if frames[at + PASSING] == 1:
                frames[at + PLAYED] = NOWHERE
                board.facts[KO] = NOWHERE
                less = max(budget - 1, frames[at + LIBERTIES] - 2)
                _open_frame(board, search, ply + 1, attacker, less)
            elif frames[at + NEXT] == frames[at + END]:
                value = FREE if turn == attacker else CAUGHT
                continue
            else:
                move = search.moves[frames[at + NEXT]] & 1023
                frames[at + NEXT] += 1
                frames[at + PLAYED] = move
                place(board, move, turn)
                left = budget
                if turn == attacker and colour_at(board, target) == colour:
                    count = liberties_of(board, head_at(board, target))
                    if count > 1:
                        left -= 1
                        if left < 0 or count - 2 > left:
                            search.facts[CUT] = 1
                            _restore(board, search, ply)
                            continue
                _open_frame(board, search, ply + 1, 3 - turn, left)
            ply += 1
            frames[ply * FRAME + END] = frames[(ply - 1) * FRAME + END]
            value = _enter(board, search, target, colour, ply)
            continue
        # This ply has a value: go up, and see what it means there.
        if ply == 0:
            return value
        ply -= 1
        at = ply * FRAME
        _restore(board, search, ply)
        turn, move = frames[at + TURN], frames[at + PLAYED]
        if turn == attacker:
            if value == CAUGHT:
                _keep_line(search, ply, move)
                search.killers[ply] = move
                _remember(board, search, ply, CAUGHT, move)
            elif frames[at + NEXT] == frames[at + END]:
                _remember(board, search, ply, FREE, NOWHERE)
            else:
                value = UNKNOWN
        elif value == FREE:
            _keep_line(search, ply, move)
            if move != NOWHERE:
                search.killers[ply] = move
            _remember(board, search, ply, FREE, move)
        elif frames[at + PASSING] == 1:
            # The pass does not save it: now the moves, above all the one that the attacker would have played.
            frames[at + PASSING] = 0
            threat = search.lines[(ply + 1) * MOST_PLIES] if search.lengths[ply + 1] > 0 else NOWHERE
            first = frames[at + FIRST]
            hint, killer = frames[at + HINT], search.killers[ply]
            frames[at + END] = _list_defences(board, search, target, first, threat, hint, killer, ply)
            frames[at + NEXT] = first
            search.lengths[ply] = 0
            value = UNKNOWN
        elif frames[at + NEXT] == frames[at + END]:
            if search.lengths[ply] == 0:
                _keep_line(search, ply, move)
            _remember(board, search, ply, CAUGHT, NOWHERE)
        else:
            if search.lengths[ply] == 0:
                _keep_line(search, ply, move)
            value = UNKNOWN


@inner
def _deepen(board, search, target, turn, most):
    """The result of the largest budget that was read: (value, the move that brings it)."""
    for budget in range(most + 1):
        search.facts[CUT] = 0
        value = read_capture(board, search, target, turn, np.int64(budget))
        if value == UNKNOWN:
            return UNKNOWN, NOWHERE
        if value == CAUGHT:
            return CAUGHT, search.lines[0] if search.lengths[0] > 0 else NOWHERE
        if search.facts[CUT] == 0:
            return FREE, NOWHERE
    return FREE, NOWHERE


@kernel
def attack_string(board_arrays, search_arrays, target, most, line):
    """Whether the attacker, to move, catches the string on a point. line gets its length, then the moves."""
    board, search = open_board(board_arrays), open_search(search_arrays)
    target = np.int64(target)
    attacker = 3 - colour_at(board, target)
    value, _ = _deepen(board, search, target, attacker, most)
    line[0] = 0
    if value == CAUGHT:
        line[0] = search.lengths[0]
        for i in range(search.lengths[0]):
            line[1 + i] = search.lines[i]
    return value


@kernel
def list_defences(board_arrays, search_arrays, target, moves):
    """Moves that may save the string on a point, best first; returns how many."""
    board, search = open_board(board_arrays), open_search(search_arrays)
    target = np.int64(target)
    end = _list_defences(board, search, target, np.int64(0), NOWHERE, NOWHERE, NOWHERE, 0)
    for i in range(end):
        moves[i] = search.moves[i] & 1023
    return end


@kernel
def refute_defences(board_arrays, search_arrays, target, moves, refuted, most, line):
    """Read the attack after each defence that is not refuted yet, by growing budgets, until none is left.

    refuted: int64 for each move, gets the budget + 1 that refutes it, 0 while it stands. Of the last move that was
    refuted, line gets what follows. Returns how many stand; NODES is past LIMIT if that was not all read.
    """
    board, search = open_board(board_arrays), open_search(search_arrays)
    target = np.int64(target)
    colour = colour_at(board, target)
    standing = 0
    for i in range(len(moves)):
        standing += refuted[i] == 0
    logged, words = board.facts[LOGGED], board.facts[LOGGED_WORDS]
    ko, ko_for, key = board.facts[KO], board.facts[KO_FOR], board.key[0]
    for budget in range(most + 1):
        search.facts[CUT] = 0
        for i in range(len(moves)):
            if refuted[i] != 0 or standing == 0:
                continue
            place(board, np.int64(moves[i]), colour)
            value = read_capture(board, search, target, 3 - colour, np.int64(budget))
            take_back(board, logged, words)
            board.facts[KO] = ko
            board.facts[KO_FOR] = ko_for
            board.key[0] = key
            if value == UNKNOWN:
                return standing
            if value == CAUGHT:
                refuted[i] = budget + 1
                standing -= 1
                line[0] = search.lengths[0]
                for j in range(search.lengths[0]):
                    line[1 + j] = search.lines[j]
        if standing == 0 or search.facts[CUT] == 0:
            return standing
    return standing
