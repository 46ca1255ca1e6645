"""What reading tells playouts and the tree: which moves around strings decide, and what answers them. Compiled.

Where whoever moves first decides over a string, the attack has an answer that saves it. Where it is lost either
way, each move that would run with it has an answer that catches it all the same. Reading costs as much as several
playouts, so only the root is read, once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels import board as boards
from tengen.engines.go.kernels.board import EMPTY, NOWHERE, TURN, open_geometry
from tengen.engines.go.reading.kernels import board as readings
from tengen.engines.go.reading.kernels.board import (
    LOGGED,
    LOGGED_WORDS,
    colour_at,
    head_at,
    liberties_of,
    place,
    stones_of,
    take_back,
)
from tengen.engines.go.reading.kernels.candidates import (
    CUT,
    KO_SEEN,
    LIMIT,
    MODE,
    NOBODY_RETAKES,
    NODES,
    OTHER,
    SALT,
)
from tengen.engines.go.reading.kernels.capture import CAUGHT, UNKNOWN, open_search, read_capture
from tengen.engines.go.reading.kernels.capture_moves import list_defences

MOST_LIBERTIES = 4  # of a string that is worth a question
MOST_LOOSE = 2  # moves of the attacker that are no atari, in one line
MOST_ANSWERS = 2  # moves that save a string, of which we want to know
MOST_MOVES = 128  # that might save a string

# How much likelier a move becomes in the tree. Set by hand; docs/measurements/go.md has what it gains.
URGENT = 1.0  # for each stone that it takes or saves, where whoever moves first decides
MOST_STONES = 6  # of a string; more make a move no likelier
FUTILE = 0.3  # if it runs with a string that is lost either way
ANSWER = 6.0  # if it is the answer to the last move


class Reader(NamedTuple):
    """The memory to read in."""

    board: Any  # a board of the readers
    search: Any
    moves: Any  # int64[MOST_MOVES]: answers to an attack
    replies: Any  # int64[MOST_MOVES]: what refutes each, NOWHERE where it stands


@inner
def _load(source, board):
    """Make the readers' board the one of the tree; both keep strings in the same way."""
    points = board.points
    for point in range(points):
        board.cells[point] = np.uint16(source.colour[point])
        board.cells[points + point] = source.head[point]
        board.cells[2 * points + point] = source.link[point]
        board.cells[3 * points + point] = source.count[point]
        board.cells[4 * points + point] = source.size[point]
    for i in range(points * board.words):
        board.libs[i] = source.libs[i]
    board.facts[LOGGED] = 0
    board.facts[LOGGED_WORDS] = 0
    board.key[0] = np.uint64(0)
    board.facts[readings.KO] = source.facts[boards.KO]
    board.facts[readings.KO_FOR] = source.facts[TURN]


@inner
def _ask(search, target, limit):
    """Begin a question: its positions are told apart from those of other ones by the string."""
    search.facts[NODES] = 0
    search.facts[LIMIT] = limit
    search.facts[MODE] = NOBODY_RETAKES
    search.facts[OTHER] = NOWHERE
    search.facts[KO_SEEN] = 0
    search.facts[CUT] = 0
    search.facts[SALT] = target


@inner
def _attack(board, search, target, attacker):
    """The move that catches a string, or NOWHERE."""
    for budget in range(MOST_LOOSE + 1):
        search.facts[CUT] = 0
        value = read_capture(board, search, target, attacker, np.int64(budget))
        if value == CAUGHT:
            return np.int64(search.lines[0]) if search.lengths[0] > 0 else NOWHERE
        if value == UNKNOWN or search.facts[CUT] == 0:
            break
    return NOWHERE


@inner
def _answers(board, search, target, attacker, moves, replies):
    """Read the attack after moves that might save a string, until enough stand: (moves read, how many stand)."""
    end = list_defences(board, search, target, np.int64(0), NOWHERE, NOWHERE, NOWHERE, 0)
    for i in range(end):
        moves[i] = search.moves[i] & 1023
    standing = 0
    ko, ko_for = board.facts[readings.KO], board.facts[readings.KO_FOR]
    for i in range(end):
        place(board, moves[i], 3 - attacker)
        replies[i] = _attack(board, search, target, attacker)
        take_back(board, 0, 0)
        board.key[0] = np.uint64(0)
        board.facts[readings.KO] = ko
        board.facts[readings.KO_FOR] = ko_for
        standing += np.int64(replies[i] == NOWHERE)
        if standing == MOST_ANSWERS:
            return i + 1, standing
    return end, standing


@kernel
def read_answers(shared, reader, limit):
    """Read the strings of the root: what answers moves around them, to `shared.answers`, and which moves that
    makes likelier, to `shared.advice`.

    limit: of positions for each string. Returns how many strings can be caught.
    """
    geometry = open_geometry(shared.shape, shared.keys, shared.table, shared.inside)
    board, search = readings.open_board(reader.board), open_search(reader.search)
    moves, replies = pointer(reader.moves), pointer(reader.replies)
    answers, advice = shared.answers, shared.advice
    _load(boards.open_board(shared.root), board)
    found = 0
    for i in range(geometry.area):
        target = np.int64(geometry.inside[i])
        owner = colour_at(board, target)
        if owner == EMPTY or head_at(board, target) != target or liberties_of(board, target) > MOST_LIBERTIES:
            continue
        attacker = 3 - owner
        _ask(search, target, limit)
        attack = _attack(board, search, target, attacker)
        if attack == NOWHERE:
            continue
        count, standing = _answers(board, search, target, attacker, moves, replies)
        if search.facts[NODES] > limit:
            continue  # not read to the end: say nothing
        found += 1
        size = min(stones_of(board, target), MOST_STONES)
        urgent = 1.0 + URGENT * size
        for move in range(count - 1, -1, -1):  # the first that saves it is to be the answer
            at = moves[move]
            if replies[move] == NOWHERE:
                answers[attacker - 1, attack] = at
                advice[owner - 1, at] = max(advice[owner - 1, at], urgent)
            else:
                answers[owner - 1, at] = replies[move]
                if standing == 0 and advice[owner - 1, at] == 1.0:
                    advice[owner - 1, at] = FUTILE
        if standing > 0:
            advice[attacker - 1, attack] = max(advice[attacker - 1, attack], urgent)
    return found
