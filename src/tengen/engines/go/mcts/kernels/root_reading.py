"""Tactical reading of the root position, for playouts (forced replies) and the tree (prior factors).

For a string that lives if its owner moves first and is captured otherwise, the reply to the attack is the move
that saves it. For a string that is captured either way, each attempt to save it has a refutation as its reply.
Reading costs as much as several playouts, so only the root is read, once per search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.references import reference
from tengen.engines.go.kernels import board as boards
from tengen.engines.go.kernels.board import EMPTY, NOWHERE
from tengen.engines.go.reading.kernels.board import (
    colour_at,
    head_at,
    liberties_of,
    place,
    restore,
    save,
    stones_of,
)
from tengen.engines.go.reading.kernels.candidates import NOBODY_RETAKES, start_list
from tengen.engines.go.reading.kernels.capture import CAUGHT, UNKNOWN, read_capture, set_goal
from tengen.engines.go.reading.kernels.capture_moves import list_defences

MAX_BUDGET = 2  # see `reading.kernels.capture`: one non-atari move of the attacker per line
MAX_LIBERTIES = 3  # of a string that can be captured within this budget; others are not read
MAX_SAVING_MOVES = 2  # reading stops after finding this many
MAX_MOVES = 128  # candidates for saving a string

# Factors of a move's probability in the tree. Set by hand; for their effect see docs/measurements/go.md.
URGENT_FACTOR_PER_STONE = 1.0  # for a move that captures or saves a string that depends on who moves first
MAX_COUNTED_STONES = 6  # of a string; more have no further effect
FUTILE_FACTOR = 0.3  # for a futile attempt to save a string
REPLY_FACTOR = 6.0  # for the reply to the last move


class ReaderData(NamedTuple):
    """Memory for reading."""

    board: Any  # a `reading.kernels.board`
    search: Any
    moves: Any  # int64[MAX_MOVES]: defences against an attack
    refutations: Any  # int64[MAX_MOVES]: the refutation of each, or NOWHERE


@inner
def _load(source, board):
    """Copy the tree's board to the reading board; both represent strings the same way."""
    points = board.points
    for point in range(points):
        board.cells[point] = np.uint16(source.colour[point])
        board.cells[points + point] = source.head[point]
        board.cells[2 * points + point] = source.link[point]
        board.cells[3 * points + point] = source.liberty_count[point]
        board.cells[4 * points + point] = source.size[point]
    for i in range(points * board.words):
        board.libs[i] = source.libs[i]
    state = board.state[0]
    state.log_length = 0
    state.word_log_length = 0
    state.key = np.uint64(0)
    state.ko = source.state[0].ko
    state.ko_for = source.state[0].turn


@inner
def _start_query(board, search, target, limit):
    """Reset the search for a new target; the target is the query id in the transposition table."""
    state = search.state[0]
    state.nodes = 0
    state.node_limit = limit
    state.ko_mode = NOBODY_RETAKES
    state.ko_seen = 0
    state.budget_cut = 0
    state.query_id = target
    set_goal(board, search, target, NOWHERE)


@inner
def _attack(board, search, target, attacker):
    """The move that captures a string, or NOWHERE."""
    for budget in range(MAX_BUDGET + 1):
        search.state[0].budget_cut = 0
        value = read_capture(board, search, target, attacker, np.int64(budget))
        if value == CAUGHT:
            return np.int64(search.lines[0]) if search.lengths[0] > 0 else NOWHERE
        if value == UNKNOWN or search.state[0].budget_cut == 0:
            break
    return NOWHERE


@inner
def _read_defences(board, search, target, attacker, moves, refutations):
    """Read the attack after each defence until MAX_SAVING_MOVES hold; returns (defences read, how many hold)."""
    start_list(board, search, 0, NOWHERE, NOWHERE)
    end = list_defences(board, search, target, NOWHERE, 0)
    for i in range(end):
        moves[i] = search.moves[i] & 1023
    unrefuted = 0
    save(board, board.saved[0])
    for i in range(end):
        place(board, moves[i], 3 - attacker)
        refutations[i] = _attack(board, search, target, attacker)
        restore(board, board.saved[0])
        unrefuted += np.int64(refutations[i] == NOWHERE)
        if unrefuted == MAX_SAVING_MOVES:
            return i + 1, unrefuted
    return end, unrefuted


@kernel
def read_root(root, inside, reader, replies, prior_factors, limit):
    """Read the strings of the root and fill `replies` and `prior_factors`: see `playout_policy` and `search`.

    `limit` is the node budget per string. Returns the number of strings that can be captured.
    """
    board, search = reference(reader.board), reference(reader.search)
    moves, refutations = pointer(reader.moves), pointer(reader.refutations)
    _load(boards.open_board(root), board)
    found = 0
    for i in range(len(inside)):
        target = np.int64(inside[i])
        owner = colour_at(board, target)
        if owner == EMPTY or head_at(board, target) != target or liberties_of(board, target) > MAX_LIBERTIES:
            continue
        attacker = 3 - owner
        _start_query(board, search, target, limit)
        attack = _attack(board, search, target, attacker)
        if attack == NOWHERE:
            continue
        count, unrefuted = _read_defences(board, search, target, attacker, moves, refutations)
        if search.state[0].nodes > limit:
            continue  # not read to the end
        found += 1
        size = min(stones_of(board, target), MAX_COUNTED_STONES)
        urgent = 1.0 + URGENT_FACTOR_PER_STONE * size
        for move in range(count - 1, -1, -1):  # backwards, so that the first move that saves it becomes the reply
            at = moves[move]
            if refutations[move] == NOWHERE:
                replies[attacker - 1, attack] = at
                prior_factors[owner - 1, at] = max(prior_factors[owner - 1, at], urgent)
            else:
                replies[owner - 1, at] = refutations[move]
                if unrefuted == 0 and prior_factors[owner - 1, at] == 1.0:
                    prior_factors[owner - 1, at] = FUTILE_FACTOR
        if unrefuted > 0:
            prior_factors[attacker - 1, attack] = max(prior_factors[attacker - 1, attack], urgent)
    return found
