"""Candidates of the tactical search: which moves the attacker and the defender of a string try, best first."""

from __future__ import annotations

from tengen.core.compiled.kernel import inner
from tengen.engines.go.kernels.board import BORDER, EMPTY, NOWHERE
from tengen.engines.go.kernels.reading_board import (
    KO,
    KO_FOR,
    STAMP,
    beside,
    colour_at,
    first_liberty,
    has_liberty,
    head_at,
    is_legal,
    liberties_of,
    next_liberty,
    next_stone,
    reach,
    stones_of,
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
    OTHER,  # the string that the first is to be joined with, or NOWHERE where it is to be caught
    WAVE,  # what marks a point as reached just now when distances are measured
    JOIN,  # the move that joins, where one does
    JOINER,  # the colour that joins
    SEARCH_FACTS,
) = range(11)

WIDEST = 64  # candidates of one position


@inner
def add_move(board, search, at, first, point, score):
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
def may_play(board, search, point, colour, attacker):
    """Whether a side may play an empty point: no suicide, and no ko that it may not retake in this search."""
    if point == board.facts[KO] and colour == board.facts[KO_FOR]:
        search.facts[KO_SEEN] = 1
        mode = search.facts[MODE]
        free = mode == ATTACKER_RETAKES if colour == attacker else mode == DEFENDER_RETAKES
        if not free:
            return False
    return is_legal(board, point, colour)


@inner
def best_moves(search, first, end, ply):
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
def list_attacks(board, search, target, first, budget, hint, killer, ply):
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
        if may_play(board, search, point, attacker, attacker):
            mine = reach(board, point, attacker)
            theirs = reach(board, point, colour)
            score = 100 + 8 * min(theirs, 8) + min(mine, 4)
            if mine <= 1:
                score -= 60
            end = add_move(board, search, end, first, point, score)
        if loose:
            # Make room first where a liberty cannot be played well: its other neighbours.
            for direction in range(8):
                near = beside(board, point, direction)
                if colour_at(board, near) == EMPTY and (direction < 4 or count <= 3):
                    if not has_liberty(board, head, near) and may_play(board, search, near, attacker, attacker):
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
                        end = add_move(board, search, end, first, near, score)
                elif colour_at(board, near) == colour and direction < 4:
                    friend = head_at(board, near)
                    if friend != head and liberties_of(board, friend) <= 3:
                        score = 30 + 10 * (3 - liberties_of(board, friend))
                        end = add_liberties(board, search, end, first, friend, attacker, attacker, score)
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
                        end = add_liberties(board, search, end, first, own, attacker, attacker, score)
                        end = add_captures(board, search, end, first, own, attacker, attacker, score + 20)
            stone = next_stone(board, stone)
            if stone == head:
                break
    if killer != NOWHERE and board.marks[killer] == board.facts[STAMP]:
        end = add_move(board, search, end, first, killer, 190)
    if hint != NOWHERE and board.marks[hint] == board.facts[STAMP]:
        end = add_move(board, search, end, first, hint, 1000)
    return best_moves(search, first, end, ply)


@inner
def add_liberties(board, search, end, first, head, colour, attacker, score):
    """Its liberties as moves of a colour that are worth so much."""
    point = first_liberty(board, head)
    while point != NOWHERE:
        if may_play(board, search, point, colour, attacker):
            worth = score if reach(board, point, colour) > 1 else score - 20
            end = add_move(board, search, end, first, point, worth)
        point = next_liberty(board, head, point)
    return end


@inner
def add_captures(board, search, end, first, head, colour, attacker, score):
    """Captures of enemies in atari beside a string of this colour."""
    stone = head
    while True:
        for direction in range(4):
            near = beside(board, stone, direction)
            if colour_at(board, near) == 3 - colour:
                enemy = head_at(board, near)
                if liberties_of(board, enemy) == 1:
                    point = first_liberty(board, enemy)
                    if may_play(board, search, point, colour, attacker):
                        end = add_move(
                            board, search, end, first, point, score + 4 * min(stones_of(board, enemy), 10)
                        )
        stone = next_stone(board, stone)
        if stone == head:
            return end


@inner
def ways_into(board, point, colour, taken):
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
def list_defences(board, search, target, first, threat, hint, killer, ply):
    """Moves for the defender, best first; returns where they end."""
    colour = colour_at(board, target)
    attacker = 3 - colour
    head = head_at(board, target)
    count = liberties_of(board, head)
    board.facts[STAMP] += 1
    end = first
    point = first_liberty(board, head)
    while point != NOWHERE:
        if may_play(board, search, point, colour, attacker):
            mine = reach(board, point, colour)
            if mine > 1:
                end = add_move(board, search, end, first, point, 50 + 10 * min(mine, 8))
        point = next_liberty(board, head, point)
    end = add_captures(board, search, end, first, head, colour, attacker, 100)
    if count == 1 and stones_of(board, head) == 1 and search.facts[MODE] == DEFENDER_RETAKES:
        # Make its capture a ko, where it has one more way in.
        ways, way_in = ways_into(board, first_liberty(board, head), attacker, head)
        if ways == 1 and way_in != NOWHERE and may_play(board, search, way_in, colour, attacker):
            end = add_move(board, search, end, first, way_in, 10)
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
                        end = add_liberties(board, search, end, first, enemy, colour, attacker, score)
                    if left == 2 or left == 3:
                        end = add_friends_captures(board, search, end, first, enemy, colour, attacker)
            stone = next_stone(board, stone)
            if stone == head:
                break
        point = first_liberty(board, head)
        while point != NOWHERE:
            for direction in range(8):
                near = beside(board, point, direction)
                content = colour_at(board, near)
                if content == EMPTY and (direction < 4 or count <= 2):
                    if not has_liberty(board, head, near) and may_play(board, search, near, colour, attacker):
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
                            end = add_move(board, search, end, first, near, score)
                elif content == colour and direction < 4:
                    # A friend to join: save it first, if it is short of liberties.
                    friend = head_at(board, near)
                    if friend != head and liberties_of(board, friend) <= 3:
                        score = 30 + 10 * (3 - liberties_of(board, friend))
                        end = add_liberties(board, search, end, first, friend, colour, attacker, score)
                        end = add_captures(board, search, end, first, friend, colour, attacker, score)
            point = next_liberty(board, head, point)
    if threat != NOWHERE and colour_at(board, threat) == EMPTY:
        if may_play(board, search, threat, colour, attacker):
            end = add_move(board, search, end, first, threat, 130)
    if killer != NOWHERE and board.marks[killer] == board.facts[STAMP]:
        end = add_move(board, search, end, first, killer, 120)
    if hint != NOWHERE and board.marks[hint] == board.facts[STAMP]:
        end = add_move(board, search, end, first, hint, 1000)
    return best_moves(search, first, end, ply)


@inner
def add_friends_captures(board, search, end, first, head, colour, attacker):
    """Captures of what is in atari beside an enemy string's own neighbours: they take its support away."""
    stone = head
    while True:
        for direction in range(4):
            near = beside(board, stone, direction)
            if colour_at(board, near) == colour:
                end = add_captures(board, search, end, first, head_at(board, near), colour, attacker, 40)
        stone = next_stone(board, stone)
        if stone == head:
            return end
