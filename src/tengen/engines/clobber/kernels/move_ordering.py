"""Move generation and ordering for sums of subgames."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner
from tengen.core.compiled.rng import mix
from tengen.core.values.arrays import HIGH, LOW
from tengen.core.values.kernels import add, at_most
from tengen.engines.clobber.kernels.simplest_sums import after_move, complexity_of
from tengen.engines.clobber.kernels.simplification import in_database
from tengen.engines.clobber.kernels.subgame_values import value_of
from tengen.engines.clobber.kernels.subgames import MAX_PIECES, expand
from tengen.engines.clobber.kernels.sums import (
    BEST_FIRST,
    DOMINANCE,
    NEGATIVE_FIRST,
    RANKED,
    SEED,
    SIMPLER,
    intern_list,
    list_components,
    negate,
)

BEST, ESTIMATE = 0, 1  # columns of `effort`


@inner
def option_value(subgames, forms, option):
    """The value after a move in a subgame; -1 if an array is full."""
    total = np.int64(0)
    for piece in range(MAX_PIECES):
        value = value_of(subgames, forms, np.int64(subgames.options[option, piece]), np.int64(0), np.int64(0))
        if value < 0:
            return np.int64(-1)
        total = add(forms, total, value, np.int64(0), np.int64(0))
        if total < 0:
            return np.int64(-1)
    return total


@inner
def option_complexity(subgames, forms, sums, control, option, top, at):
    """The complexity of the sum after a move in a subgame; -1 if an array is full."""
    size = np.int64(0)
    for piece in range(MAX_PIECES):
        subgame = np.int64(subgames.options[option, piece])
        if subgame == 0:
            break
        sums.lists[at + size] = subgame << 1
        size += 1
    sum_id = intern_list(sums, at, size)
    if sum_id < 0:
        return np.float32(-1.0)
    return complexity_of(subgames, forms, sums, control, sum_id, top, at)


@inner
def is_dominated(subgames, forms, sums, control, subgame, option, top, at):
    """Whether another of Left's moves in a subgame dominates `option` or equals it; -1 if an array is full.

    Of equal moves one is kept: the first, or the simplest.
    """
    mine = option_value(subgames, forms, option)
    if mine < 0:
        return np.int64(-1)
    begin = np.int64(subgames.moves[subgame])
    for other in range(begin, begin + subgames.lefts[subgame]):
        if other == option:
            continue
        value = option_value(subgames, forms, other)
        if value < 0:
            return np.int64(-1)
        if value == mine:
            earlier = other < option
            if control[SIMPLER]:
                complexity = option_complexity(subgames, forms, sums, control, option, top, at)
                its = option_complexity(subgames, forms, sums, control, other, top, at)
                if complexity < 0 or its < 0:
                    return np.int64(-1)
                earlier = its < complexity or (its == complexity and earlier)
            if earlier:
                return np.int64(1)
        elif at_most(forms, mine, value):
            return np.int64(1)
    return np.int64(0)


@inner
def outcome_class(forms, value):
    """Outcome class for Left: 0 if the value is >= 0, 1 if the next player wins, 2 if it is < 0."""
    if forms.bounds[value, LOW] >= 0:
        return np.int64(0)
    return np.int64(1 if forms.bounds[value, HIGH] > 0 else 2)


@inner
def simplest_option(subgames, forms, sums, control, begin, end, top, at):
    """The move that leads to the least complexity; -1 if an array is full."""
    best = begin
    least = np.float32(np.inf)
    for option in range(begin, end):
        complexity = option_complexity(subgames, forms, sums, control, option, top, at)
        if complexity < 0:
            return np.int64(-1)
        if complexity < least:
            least = complexity
            best = option
    return np.int64(best)


@inner
def insert_move(sums, top, moves, after, score):
    """Insert a move into the list, which is sorted by score."""
    hole = top + moves
    while hole > top and sums.child_scores[hole - 1] > score:
        sums.child_scores[hole] = sums.child_scores[hole - 1]
        sums.child_sums[hole] = sums.child_sums[hole - 1]
        hole -= 1
    sums.child_scores[hole] = score
    sums.child_sums[hole] = after


@inner
def list_moves(subgames, forms, sums, control, sum_id, top, at, count):
    """List Left's moves, best first, as the negatives of the resulting sums; return their number, -1 if an array
    is full.

    Original order: the best move of the table, moves in negative subgames, others. Alternative order (RANKED): the
    middle of long subgames, the best move, the simplest move in negative and in next-player-wins subgames, then
    the rest: negative, next player wins, long, positive.
    """
    seed = np.uint64(control[SEED])
    moves = np.int64(0)
    for index in range(count):
        component = np.int64(sums.lists[at + index])
        if index > 0 and sums.lists[at + index - 1] == component:
            continue
        subgame = component >> 1
        if not expand(subgames, subgame):
            return np.int64(-1)
        begin = np.int64(subgames.moves[subgame])
        end = begin + subgames.lefts[subgame]
        known = in_database(subgames, control, component)
        rank = np.int64(6 if control[RANKED] else 2)
        first = begin  # the move to search before the others of its subgame
        first_rank = np.int64(0 if control[RANKED] else 2)
        if known:
            value = value_of(subgames, forms, subgame, np.int64(0), np.int64(0))
            if value < 0:
                return np.int64(-1)
            kind = outcome_class(forms, value)
            if control[RANKED]:
                rank = np.int64(7 if kind == 0 else 6 - kind)
                first_rank = np.int64(7 if kind == 0 else 4 - kind)
                first = simplest_option(subgames, forms, sums, control, begin, end, top + moves, at + count)
                if first < 0:
                    return np.int64(-1)
            elif control[NEGATIVE_FIRST] and kind == 2:
                rank = np.int64(1)
                first_rank = np.int64(1)
        for option in range(begin, end):
            if known and control[DOMINANCE]:
                dominated = is_dominated(subgames, forms, sums, control, subgame, option, top + moves, at + count)
                if dominated < 0:
                    return np.int64(-1)
                if dominated:
                    continue
            after = after_move(subgames, sums, at, count, index, option)
            if after < 0:
                return np.int64(-1)
            size = list_components(sums, after, at + count)
            for place in range(at + count, at + count + size):
                sums.lists[place] = negate(subgames, forms, np.int64(sums.lists[place]))
            after = intern_list(sums, at + count, size)
            if after < 0:
                return np.int64(-1)
            own_rank = first_rank if option == first else rank
            if control[BEST_FIRST] and sums.search_data[sum_id, BEST] == after:
                own_rank = min(own_rank, np.int64(1)) if control[RANKED] else np.int64(0)
            chance = np.int64(mix(np.uint64(after) ^ mix(seed)) & np.uint64(0xFFFF))
            insert_move(sums, top, moves, after, (own_rank << 16) + chance)
            moves += 1
    return moves
