"""Queries to the budget search: whether the attacker succeeds, or which defences hold.

The budget grows from 0 until the query is answered.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.references import reference
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.reading.kernels.board import place, restore, save
from tengen.engines.go.reading.kernels.candidates import start_list
from tengen.engines.go.reading.kernels.capture import (
    CAUGHT,
    FREE,
    UNKNOWN,
    list_defending_moves,
    read_capture,
    start,
)


class Answer(NamedTuple):
    """Result of a query, see `read_string`; int64 arrays."""

    moves: Any
    refuted: Any
    line: Any


@inner
def _read_attack(board, search, target, attacker, max_budget):
    """CAUGHT, FREE or UNKNOWN with the attacker to move, by growing budgets."""
    for budget in range(max_budget + 1):
        search.state[0].budget_cut = 0
        value = read_capture(board, search, target, attacker, np.int64(budget))
        if value != FREE or search.state[0].budget_cut == 0:
            return value
    return np.int64(FREE)


@inner
def _refute(board, search, target, max_budget, answer):
    """Read the attack after each defence by growing budgets; returns how many are not refuted."""
    moves, refuted, attacker = answer.moves, answer.refuted, search.state[0].attacker
    count = 0
    while moves[count] != NOWHERE:
        refuted[count] = 0
        count += 1
    unrefuted = count
    save(board, board.saved[0])
    for budget in range(max_budget + 1):
        search.state[0].budget_cut = 0
        for i in range(count):
            if refuted[i] != 0:
                continue
            place(board, moves[i], 3 - attacker)
            search.touched[moves[i]] = 1
            value = read_capture(board, search, target, attacker, np.int64(budget))
            restore(board, board.saved[0])
            if value == UNKNOWN:
                return unrefuted
            if value == CAUGHT:
                refuted[i] = budget + 1
                unrefuted -= 1
                _copy_line(search, answer.line)
        if unrefuted == 0 or search.state[0].budget_cut == 0:
            return unrefuted
    return unrefuted


@inner
def _copy_line(search, line):
    line[0] = search.lengths[0]
    for i in range(search.lengths[0]):
        line[1 + i] = search.lines[i]


@kernel
def read_string(board, search, query, max_budget, preventing, answer):
    """(value, nodes, whether the ko mode mattered, whether a larger budget could change the result).

    The value is that of the attack; or, if `preventing`, the number of defences that are not refuted. Then
    `answer.moves` gets the defences, best first, followed by NOWHERE, and `answer.refuted` the refuting budget + 1
    of each, or 0. `answer.line` gets its length and the line of the attack, or of the last refutation.
    """
    board, search, answer = reference(board), reference(search), reference(answer)
    state, target = search.state[0], query.target
    attacker = start(board, search, query)
    answer.line[0] = 0
    if preventing:
        start_list(board, search, 0, NOWHERE, NOWHERE)
        end = list_defending_moves(board, search, target, NOWHERE, 0)
        for i in range(end):
            answer.moves[i] = search.moves[i] & 1023
        answer.moves[end] = NOWHERE
        value = _refute(board, search, target, max_budget, answer)
    else:
        value = _read_attack(board, search, target, attacker, max_budget)
        if value == CAUGHT:
            _copy_line(search, answer.line)
    return value, state.nodes, state.ko_seen != 0, state.budget_cut != 0
