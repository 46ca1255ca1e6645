"""A question to the tactical search: whether the attacker succeeds, or which answers of the defender stand.

The search has a budget of loose moves; here it grows, from none, until the question is answered.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.engines.go.kernels.board import NOWHERE
from tengen.engines.go.reading.kernels.board import (
    KO,
    KO_FOR,
    LOGGED,
    LOGGED_WORDS,
    colour_at,
    open_board,
    place,
    take_back,
)
from tengen.engines.go.reading.kernels.candidates import (
    CUT,
    OTHER,
)
from tengen.engines.go.reading.kernels.capture import (
    CAUGHT,
    FREE,
    UNKNOWN,
    attacker_of,
    open_search,
    read_capture,
)
from tengen.engines.go.reading.kernels.capture_moves import (
    list_defences,
)
from tengen.engines.go.reading.kernels.connection import (
    list_cuts,
)


@inner
def _read_first(board, search, target, attacker, most):
    """CAUGHT, FREE or UNKNOWN for the attacker's move, by budgets that grow up to the largest one."""
    for budget in range(most + 1):
        search.facts[CUT] = 0
        value = read_capture(board, search, target, attacker, np.int64(budget))
        if value != FREE or search.facts[CUT] == 0:
            return value
    return np.int64(FREE)


@inner
def _refute(board, search, target, attacker, most, moves, refuted, line):
    """Read the attack after each answer that is not refuted yet, by growing budgets; returns how many stand."""
    count = 0
    while moves[count] != NOWHERE:
        refuted[count] = 0
        count += 1
    standing = count
    logged, words = board.facts[LOGGED], board.facts[LOGGED_WORDS]
    ko, ko_for, key = board.facts[KO], board.facts[KO_FOR], board.key[0]
    for budget in range(most + 1):
        search.facts[CUT] = 0
        for i in range(count):
            if refuted[i] != 0:
                continue
            place(board, moves[i], 3 - attacker)
            search.touched[moves[i]] = 1
            value = read_capture(board, search, target, attacker, np.int64(budget))
            take_back(board, logged, words)
            board.facts[KO] = ko
            board.facts[KO_FOR] = ko_for
            board.key[0] = key
            if value == UNKNOWN:
                return standing
            if value == CAUGHT:
                refuted[i] = budget + 1
                standing -= 1
                _copy_line(search, line)
        if standing == 0 or search.facts[CUT] == 0:
            return standing
    return standing


@inner
def _copy_line(search, line):
    line[0] = search.lengths[0]
    for i in range(search.lengths[0]):
        line[1 + i] = search.lines[i]


@kernel
def read_string(board_arrays, search_arrays, target, most, preventing, moves, refuted, line):
    """Whether the attacker, to move, reaches the goal; or, preventing, how many answers of the defender stand.

    The answers that were read are then in moves, best first, NOWHERE after the last; refuted gets the budget + 1
    that refutes each, 0 while it stands. NODES is past LIMIT if not all was read. line gets its length and the
    moves of the attack, or what follows on the answer that was refuted last.
    """
    board, search = open_board(board_arrays), open_search(search_arrays)
    target = np.int64(target)
    attacker = attacker_of(search, colour_at(board, target))
    line[0] = 0
    if not preventing:
        value = _read_first(board, search, target, attacker, most)
        if value == CAUGHT:
            _copy_line(search, line)
        return value
    if search.facts[OTHER] != NOWHERE:
        end = list_cuts(board, search, target, np.int64(0), NOWHERE, NOWHERE, NOWHERE, 0)
    else:
        end = list_defences(board, search, target, np.int64(0), NOWHERE, NOWHERE, NOWHERE, 0)
    for i in range(end):
        moves[i] = search.moves[i] & 1023
    moves[end] = NOWHERE
    return np.int64(_refute(board, search, target, attacker, most, moves, refuted, line))
