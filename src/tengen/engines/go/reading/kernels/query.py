"""Queries to the budget search: whether the attacker succeeds, or which defences hold.

The budget grows from 0 until the query is answered.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.reading.kernels.board import (
    KO,
    KO_FOR,
    LOG_LENGTH,
    WORD_LOG_LENGTH,
    colour_at,
    open_board,
    place,
    undo,
)
from tengen.engines.go.reading.kernels.candidates import BUDGET_CUT, JOIN_TARGET
from tengen.engines.go.reading.kernels.capture import CAUGHT, FREE, UNKNOWN, attacker_of, open_search, read_capture
from tengen.engines.go.reading.kernels.capture_moves import list_defences
from tengen.engines.go.reading.kernels.connection import list_cuts


@inner
def _read_attack(board, search, target, attacker, max_budget):
    """CAUGHT, FREE or UNKNOWN with the attacker to move, by growing budgets."""
    for budget in range(max_budget + 1):
        search.facts[BUDGET_CUT] = 0
        value = read_capture(board, search, target, attacker, np.int64(budget))
        if value != FREE or search.facts[BUDGET_CUT] == 0:
            return value
    return np.int64(FREE)


@inner
def _refute(board, search, target, attacker, max_budget, moves, refuted, line):
    """Read the attack after each defence by growing budgets; returns how many are not refuted."""
    count = 0
    while moves[count] != NOWHERE:
        refuted[count] = 0
        count += 1
    unrefuted = count
    logged, words = board.facts[LOG_LENGTH], board.facts[WORD_LOG_LENGTH]
    ko, ko_for, key = board.facts[KO], board.facts[KO_FOR], board.key[0]
    for budget in range(max_budget + 1):
        search.facts[BUDGET_CUT] = 0
        for i in range(count):
            if refuted[i] != 0:
                continue
            place(board, moves[i], 3 - attacker)
            search.touched[moves[i]] = 1
            value = read_capture(board, search, target, attacker, np.int64(budget))
            undo(board, logged, words)
            board.facts[KO] = ko
            board.facts[KO_FOR] = ko_for
            board.key[0] = key
            if value == UNKNOWN:
                return unrefuted
            if value == CAUGHT:
                refuted[i] = budget + 1
                unrefuted -= 1
                _copy_line(search, line)
        if unrefuted == 0 or search.facts[BUDGET_CUT] == 0:
            return unrefuted
    return unrefuted


@inner
def _copy_line(search, line):
    line[0] = search.lengths[0]
    for i in range(search.lengths[0]):
        line[1 + i] = search.lines[i]


@kernel
def read_string(board_arrays, search_arrays, target, max_budget, preventing, moves, refuted, line):
    """Whether the attacker, to move, reaches the goal; or, if `preventing`, how many defences are not refuted.

    Then `moves` gets the defences, best first, followed by NOWHERE, and `refuted` the refuting budget + 1 of each,
    or 0. NODES exceeds LIMIT if the search was not completed. `line` gets its length and the line of the attack,
    or of the last refutation.
    """
    board, search = open_board(board_arrays), open_search(search_arrays)
    target = np.int64(target)
    attacker = attacker_of(search, colour_at(board, target))
    line[0] = 0
    if not preventing:
        value = _read_attack(board, search, target, attacker, max_budget)
        if value == CAUGHT:
            _copy_line(search, line)
        return value
    if search.facts[JOIN_TARGET] != NOWHERE:
        end = list_cuts(board, search, target, np.int64(0), NOWHERE, NOWHERE, NOWHERE, 0)
    else:
        end = list_defences(board, search, target, np.int64(0), NOWHERE, NOWHERE, NOWHERE, 0)
    for i in range(end):
        moves[i] = search.moves[i] & 1023
    moves[end] = NOWHERE
    return np.int64(_refute(board, search, target, attacker, max_budget, moves, refuted, line))
