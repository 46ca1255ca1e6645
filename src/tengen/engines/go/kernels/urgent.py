"""What reading tells the tree: which moves catch or save a string, and which ones are in vain. Compiled.

A string matters where whoever moves first decides: then the moves that decide may get games won on credit. Where
it is lost either way, each move that would run with it has an answer. At the root these answers, and those that
save a string, are kept for the playouts.
Reading costs as much as several playouts, so of the nodes below the root only those are read that have had many,
between simulations: no thread runs meanwhile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels import board as boards
from tengen.engines.go.kernels import reading_board as readings
from tengen.engines.go.kernels.board import EMPTY, NOWHERE, TURN, copy_board, head_of, open_geometry, play
from tengen.engines.go.kernels.reading_board import LOGGED, LOGGED_WORDS, liberties_of, place, stones_of, take_back
from tengen.engines.go.kernels.reading_capture import CAUGHT, UNKNOWN, open_search, read_capture
from tengen.engines.go.kernels.reading_list import CUT, KO_SEEN, LIMIT, MODE, NOBODY_RETAKES, NODES, OTHER, SALT
from tengen.engines.go.kernels.reading_moves import list_defences
from tengen.engines.go.kernels.search import WIDTH
from tengen.engines.go.kernels.selection import add_credit, shown
from tengen.search.kernels.mcts import (
    COUNT,
    FIRST_CHILD,
    INNER,
    MOVE,
    NODE_SIZE,
    NOTE,
    OPEN,
    PROOF,
    STATUS,
    VISITS,
)

MOST_LIBERTIES = 4  # of a string that is worth a question
MOST_LOOSE = 2  # moves of the attacker that are no atari, in one line
LARGE = 6.0  # stones of a string whose moves get the whole credit
MOST_ANSWERS = 2  # moves that save a string, of which we want to know
MOST_DEPTH = 64  # how far down nodes are read
_STACK = 4096

# `facts`: int64
STAMP, FACTS = range(2)


class Reader(NamedTuple):
    """The memory to read in."""

    work: Any  # a board of the tree
    board: Any  # a board of the readers
    search: Any
    moves: Any  # int64: answers to an attack
    replies: Any  # int64: what refutes each, NOWHERE where it stands
    weights: Any  # float64[points]: credit of a move
    path: Any  # int64[MOST_DEPTH + 1]
    stack: Any  # int64[_STACK, 2]: node, depth
    facts: Any


def new_memory(points: int) -> dict[str, Any]:
    """The parts of a reader that are plain arrays."""
    return {
        "moves": np.zeros(128, np.int64),
        "replies": np.zeros(128, np.int64),
        "weights": np.zeros(points),
        "path": np.zeros(MOST_DEPTH + 1, np.int64),
        "stack": np.zeros((_STACK, 2), np.int64),
        "facts": np.zeros(FACTS, np.int64),
    }


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
def _ask(board, search, facts, limit):
    """Begin a question: its positions are told apart from those of former ones by a stamp."""
    facts[STAMP] += 1
    search.facts[NODES] = 0
    search.facts[LIMIT] = limit
    search.facts[MODE] = NOBODY_RETAKES
    search.facts[OTHER] = NOWHERE
    search.facts[KO_SEEN] = 0
    search.facts[CUT] = 0
    search.facts[SALT] = facts[STAMP]


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


@inner
def _weigh(source, geometry, board, search, reader, limit, answers, keep):
    """Write the credit of each point for the side to move; returns how many strings can be caught.

    answers: int64[2, points], written to if `keep`.
    """
    weights, moves, replies = pointer(reader.weights), pointer(reader.moves), pointer(reader.replies)
    colour = source.facts[TURN]
    found = 0
    for point in range(geometry.points):
        weights[point] = 0.0
    for i in range(geometry.area):
        target = np.int64(geometry.inside[i])
        owner = np.int64(source.colour[target])
        if owner == EMPTY or head_of(source, target) != target or liberties_of(board, target) > MOST_LIBERTIES:
            continue
        attacker = 3 - owner
        _ask(board, search, reader.facts, limit)
        attack = _attack(board, search, target, attacker)
        if attack == NOWHERE:
            continue
        count, standing = _answers(board, search, target, attacker, moves, replies)
        if search.facts[NODES] > limit:
            continue  # not read to the end: say nothing
        weight = min(1.0, np.float64(stones_of(board, target)) / LARGE)
        found += 1
        if standing > 0 and owner != colour:
            weights[attack] += weight
        for move in range(count - 1, -1, -1):  # the first that saves it is to be the answer
            if replies[move] == NOWHERE and owner == colour:
                weights[moves[move]] += weight
            if keep and replies[move] == NOWHERE:
                answers[attacker - 1, attack] = moves[move]
            elif keep:
                answers[owner - 1, moves[move]] = replies[move]
    return found


@inner
def _bring_forward(tree, node, child, width):
    """Make sure that a child is among those shown: it changes places with the last of them."""
    last = np.int64(tree[node, FIRST_CHILD]) + shown(tree, node, width) - 1
    if child > last:
        for field in range(NODE_SIZE):
            kept = tree[child, field]
            tree[child, field] = tree[last, field]
            tree[last, field] = kept
        return last
    return child


@inner
def _credit(tree, node, inward, weights, games, width):
    start = np.int64(tree[node, FIRST_CHILD])
    for child in range(start, start + np.int64(tree[node, COUNT])):
        weight = weights[np.int64(inward[np.uint64(tree[child, MOVE])])]
        if weight > 0.0:
            lent = games * min(weight, 2.0)
            add_credit(tree, _bring_forward(tree, node, child, width), lent, lent)


@kernel
def read_tree(shared, reader, least, games, limit, root_limit, keep):
    """Read the root, and every node with so many visits that was not read before; returns how many were.

    games: on credit for a move that decides. limit: of positions for each string, and another one for the root. If
    `keep`, the root is read in any case, and what playouts answer to moves is written to `shared.answers`.
    """
    geometry = open_geometry(shared.shape, shared.keys, shared.table, shared.inside)
    origin, source = boards.open_board(shared.root), boards.open_board(reader.work)
    board, search = readings.open_board(reader.board), open_search(reader.search)
    tree, inward, path, stack = shared.tree, pointer(shared.inward), reader.path, reader.stack
    weights, answers, width = pointer(reader.weights), shared.answers, shared.settings[WIDTH]
    stack[0, 0] = 0
    stack[0, 1] = 0
    waiting = 1
    read = 0
    while waiting > 0:
        waiting -= 1
        node, depth = stack[waiting, 0], stack[waiting, 1]
        path[depth] = node
        is_new, keeps = tree[node, NOTE] == 0, keep and node == 0
        if is_new or keeps:
            copy_board(origin, source, geometry)
            for step in range(1, depth + 1):
                play(source, geometry, np.int64(inward[np.uint64(tree[path[step], MOVE])]))
            _load(source, board)
            found = _weigh(
                source, geometry, board, search, reader, root_limit if node == 0 else limit, answers, keeps
            )
            if is_new and found > 0 and games > 0.0:
                _credit(tree, node, inward, weights, games, width)
            tree[node, NOTE] = 1
            read += 1
        start = np.int64(tree[node, FIRST_CHILD])
        for child in range(start, start + np.int64(tree[node, COUNT])):
            is_inner = tree[child, STATUS] == INNER and tree[child, PROOF] == OPEN
            if is_inner and tree[child, VISITS] >= least and waiting < _STACK and depth < MOST_DEPTH:
                stack[waiting, 0] = child
                stack[waiting, 1] = depth + 1
                waiting += 1
    return read
