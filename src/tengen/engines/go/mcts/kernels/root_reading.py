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
from tengen.engines.go.kernels import board as boards
from tengen.engines.go.kernels.board import EMPTY, NOWHERE, TURN, open_geometry
from tengen.engines.go.reading.kernels import board as readings
from tengen.engines.go.reading.kernels.board import (
    LOG_LENGTH,
    WORD_LOG_LENGTH,
    colour_at,
    head_at,
    liberties_of,
    place,
    stones_of,
    undo,
)
from tengen.engines.go.reading.kernels.candidates import (
    BUDGET_CUT,
    JOIN_TARGET,
    KO_SEEN,
    LIMIT,
    MODE,
    NOBODY_RETAKES,
    NODES,
    QUERY_ID,
)
from tengen.engines.go.reading.kernels.capture import CAUGHT, UNKNOWN, open_search, read_capture
from tengen.engines.go.reading.kernels.capture_moves import list_defences

MAX_LIBERTIES = 4  # strings with more are not read
MAX_BUDGET = 2  # see `reading.kernels.capture`: one non-atari move of the attacker per line
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
    board.facts[LOG_LENGTH] = 0
    board.facts[WORD_LOG_LENGTH] = 0
    board.key[0] = np.uint64(0)
    board.facts[readings.KO] = source.facts[boards.KO]
    board.facts[readings.KO_FOR] = source.facts[TURN]


@inner
def _start_query(search, target, limit):
    """Reset the search for a new target; the target is the query id in the transposition table."""
    search.facts[NODES] = 0
    search.facts[LIMIT] = limit
    search.facts[MODE] = NOBODY_RETAKES
    search.facts[JOIN_TARGET] = NOWHERE
    search.facts[KO_SEEN] = 0
    search.facts[BUDGET_CUT] = 0
    search.facts[QUERY_ID] = target


@inner
def _attack(board, search, target, attacker):
    """The move that captures a string, or NOWHERE."""
    for budget in range(MAX_BUDGET + 1):
        search.facts[BUDGET_CUT] = 0
        value = read_capture(board, search, target, attacker, np.int64(budget))
        if value == CAUGHT:
            return np.int64(search.lines[0]) if search.lengths[0] > 0 else NOWHERE
        if value == UNKNOWN or search.facts[BUDGET_CUT] == 0:
            break
    return NOWHERE


@inner
def _read_defences(board, search, target, attacker, moves, refutations):
    """Read the attack after each defence until MAX_SAVING_MOVES hold; returns (defences read, how many hold)."""
    end = list_defences(board, search, target, np.int64(0), NOWHERE, NOWHERE, NOWHERE, 0)
    for i in range(end):
        moves[i] = search.moves[i] & 1023
    unrefuted = 0
    ko, ko_for = board.facts[readings.KO], board.facts[readings.KO_FOR]
    for i in range(end):
        place(board, moves[i], 3 - attacker)
        refutations[i] = _attack(board, search, target, attacker)
        undo(board, 0, 0)
        board.key[0] = np.uint64(0)
        board.facts[readings.KO] = ko
        board.facts[readings.KO_FOR] = ko_for
        unrefuted += np.int64(refutations[i] == NOWHERE)
        if unrefuted == MAX_SAVING_MOVES:
            return i + 1, unrefuted
    return end, unrefuted


@kernel
def read_root(shared, reader, limit):
    """Read the strings of the root and fill `shared.replies` and `shared.prior_factors`.

    `limit` is the node budget per string. Returns the number of strings that can be captured.
    """
    geometry = open_geometry(shared.shape, shared.keys, shared.table, shared.inside)
    board, search = readings.open_board(reader.board), open_search(reader.search)
    moves, refutations = pointer(reader.moves), pointer(reader.refutations)
    replies, prior_factors = shared.replies, shared.prior_factors
    _load(boards.open_board(shared.root), board)
    found = 0
    for i in range(geometry.area):
        target = np.int64(geometry.inside[i])
        owner = colour_at(board, target)
        if owner == EMPTY or head_at(board, target) != target or liberties_of(board, target) > MAX_LIBERTIES:
            continue
        attacker = 3 - owner
        _start_query(search, target, limit)
        attack = _attack(board, search, target, attacker)
        if attack == NOWHERE:
            continue
        count, unrefuted = _read_defences(board, search, target, attacker, moves, refutations)
        if search.facts[NODES] > limit:
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
