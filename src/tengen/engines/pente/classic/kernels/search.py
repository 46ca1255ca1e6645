"""Alpha-beta, deep and narrow, over the candidates of each position.

The search has an explicit stack, so that it can pause before any node and resume later. States are copied ply by
ply; the counts are one board that follows the search down and up. Values are for the side to move.

How far a position is searched depends on the step's depth or, by settings, on a separate depth for each level of
candidates, or on a share of a leaf budget: each position splits its share among its moves, and what earlier ones
do not use goes to later ones. Where a level is not searched, the side to move may also play none of the searched
moves, and then gets the static value.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.rng import mix
from tengen.core.compiled.rules import key, play
from tengen.engines.pente.classic.kernels.candidates import ALL_LEVELS, candidates
from tengen.engines.pente.classic.kernels.counts import LEVELS, sync_move
from tengen.engines.pente.classic.kernels.transposition_table import find, pack_result, put
from tengen.engines.pente.classic.kernels.utility import (
    UNDECIDED,
    balance,
    forced_value,
    misjudge,
    score_of,
    utility,
    verdict,
)
from tengen.engines.pente.classic.search_state import MAX_PLIES, MAX_SAMPLES, VALUES_PER_SAMPLE, Memory
from tengen.engines.pente.classic.tunables import BEST_AND_WORST, NO_FILTER
from tengen.search.kernels.transposition_table import EXACT, LOWER, UPPER, bound_of, depth_of, move_of

_INFINITE = np.inf


@inner
def _levels(settings, depth, ply):
    """The levels that are searched, as bits."""
    if settings.budget != 0:
        return ALL_LEVELS
    if settings.by_level == 0:
        return ALL_LEVELS if ply < depth else 0
    bits = 0
    for level in range(LEVELS):
        if ply < depth + settings.additional_plies[level]:
            bits |= 1 << level
    return bits


@inner
def _width(settings, is_close, ply):
    """Number of moves to search; `is_close` is about the position before the last move."""
    width = settings.width
    if settings.closeness != 0:
        width = settings.close_width if is_close != 0 else settings.far_width
    return min(width, settings.choked_width) if ply + 1 >= settings.choke_ply else width


@inner
def _remaining(memory, ply):
    """How thoroughly a node is searched, for the table: plies, or doublings of its share of leaves."""
    if memory.settings.budget == 0:
        return memory.work.depth - ply
    doublings = 0
    share = memory.frames[ply].budget
    while share > 1:
        share >>= 1
        doublings += 1
    return doublings


@inner
def _bring_forward(frame, move):
    moves, kinds = frame.moves, frame.kinds
    for i in range(1, frame.count):
        if moves[i] == move:
            kind = kinds[i]
            for j in range(i, 0, -1):
                moves[j], kinds[j] = moves[j - 1], kinds[j - 1]
            moves[0], kinds[0] = move, kind
            return


@inner
def _is_close(ours, theirs, settings):
    return max(ours, theirs) < settings.close_ratio * max(min(ours, theirs), 1)


@inner
def _enter(memory, ply):
    """Enter a node: (whether it already has its value, that value)."""
    counts, state = memory.counts, memory.stack[ply]
    frame, work, settings = memory.frames[ply], memory.work, memory.settings
    viewer = work.viewer
    sign = 1.0 if state.colour == viewer else -1.0
    frame.length = 0
    frame.used = 1
    winner, number, is_certain = verdict(counts, state)
    if winner != UNDECIDED and is_certain:
        return True, sign * forced_value(winner, number, viewer, settings)
    if winner != UNDECIDED:
        static = sign * forced_value(winner, number, viewer, settings)
    else:
        ours, theirs = score_of(counts, state, viewer, settings), score_of(counts, state, 1 - viewer, settings)
        frame.close = 1 if _is_close(ours, theirs, settings) else 0
        static = sign * misjudge(balance(ours, theirs, settings), state, settings)
    levels = _levels(settings, work.depth, ply)
    if levels == 0 or ply == MAX_PLIES or (settings.budget != 0 and frame.budget <= 1):
        return True, static
    position = np.uint64(key(state))
    if settings.divide != 0:  # a quotient is not the negative of the other side's
        position ^= mix(np.uint64(viewer + 1))
    frame.key = position
    first = np.int64(0)
    if ply >= settings.table_from:
        index, data = find(memory.table, position)
        if data != 0:
            first = move_of(data)
            if depth_of(data) >= _remaining(memory, ply) and ply >= work.full_window_plies:
                bound, known = bound_of(data), memory.values[index]
                if (
                    bound == EXACT
                    or (bound == LOWER and known >= frame.beta)
                    or (bound == UPPER and known <= frame.alpha)
                ):
                    return True, known
    width = _width(settings, memory.frames[ply - 1].close, ply)
    threatened = candidates(counts, state, settings, work.history, frame, levels, width)
    if frame.count == 0:
        return True, static
    frame.index, frame.best_move, frame.used = 0, 0, 0
    frame.threatened = 1 if threatened else 0
    frame.killer = work.killers[ply]
    frame.rival = _most_cutoffs(work.history, state.colour, frame)
    if settings.killer != 0 and frame.killer != 0:
        _bring_forward(frame, frame.killer)
    if first != 0:
        _bring_forward(frame, first)
    frame.floor = frame.alpha
    frame.best = -_INFINITE
    if levels != ALL_LEVELS and not threatened:
        frame.best = static
        if static >= frame.beta:
            return True, static
        frame.alpha = max(frame.alpha, static)
    return False, 0.0


@inner
def _most_cutoffs(history, colour, frame):
    """The candidate with the most cutoffs, or 0."""
    best, most = np.int64(0), np.int64(0)
    for i in range(frame.count):
        move = frame.moves[i]
        if history[colour, move] > most:
            best, most = move, history[colour, move]
    return best


@inner
def _descend(memory, ply):
    """Play the next move of a node."""
    frame, child = memory.frames[ply], memory.frames[ply + 1]
    move = frame.moves[frame.index]
    memory.stack[ply + 1] = memory.stack[ply]
    play(memory.stack[ply + 1], move)
    sync_move(memory.counts, memory.stack[ply + 1], move)
    if ply < memory.work.full_window_plies:
        child.alpha, child.beta = -_INFINITE, _INFINITE
    else:
        child.alpha, child.beta = -frame.beta, -frame.alpha
    left = frame.budget - frame.used
    child.budget = max(1, left // (frame.count - frame.index))


@inner
def _ascend(memory, ply, value):
    """Undo a node's move, whose value was `value`; returns whether the others can be skipped."""
    frame, child, work = memory.frames[ply], memory.frames[ply + 1], memory.work
    index = frame.index
    move = frame.moves[index]
    sync_move(memory.counts, memory.stack[ply], move)
    frame.values[index] = value
    frame.index += 1
    frame.used += child.used
    if value > frame.best or (frame.best_move == 0 and value >= frame.best):
        frame.best = value
        frame.best_move = move
        frame.line[0] = move
        for i in range(child.length):
            frame.line[i + 1] = child.line[i]
        frame.length = child.length + 1
        frame.alpha = max(frame.alpha, value)
    elif ply >= work.full_window_plies and frame.threatened == 0 and _is_filtered(memory, ply, index):
        return True
    if ply >= work.full_window_plies and frame.alpha >= frame.beta:
        work.killers[ply] = move
        work.history[memory.stack[ply].colour, move] += 1
        return True
    return False


@inner
def _is_filtered(memory, ply, index):
    """Whether a move is so much worse than the best that the moves after it are pruned."""
    settings, frame = memory.settings, memory.frames[ply]
    if settings.filter == NO_FILTER:
        return False
    best, value = frame.best, frame.values[index]
    if settings.filter == BEST_AND_WORST:
        worst = best
        for i in range(index):
            worst = min(worst, frame.values[i])
        return worst < best and (value - worst) / (best - worst) < settings.threshold
    return np.exp(np.log(settings.exp_base) * (value - best)) < settings.threshold


@inner
def _store_node(memory, ply):
    """Store a finished node in the table, and its choice in the statistics."""
    frame, work, settings = memory.frames[ply], memory.work, memory.settings
    left = _remaining(memory, ply)
    if ply >= max(settings.table_from, 1) and left >= settings.table_left:
        bound = EXACT
        if frame.best >= frame.beta:
            bound = LOWER
        elif frame.best <= frame.floor:
            bound = UPPER
        put(memory.table, memory.values, frame.key, pack_result(frame.best_move, left, bound), frame.best)
    if frame.threatened != 0 or frame.count < 2 or frame.best_move == 0:
        return
    if ply < work.full_window_plies and work.sample_count < MAX_SAMPLES:
        sample = work.sample_count
        work.sample_count += 1
        shown = min(frame.index, VALUES_PER_SAMPLE)
        work.samples[sample, 0], work.samples[sample, 1] = ply, shown
        for i in range(shown):
            work.samples[sample, 2 + i] = frame.values[i]
    if ply > 0:
        _count_choice(work, frame)


@inner
def _count_choice(work, frame):
    best_level, level = np.int64(0), np.int64(0)
    for i in range(frame.count):
        here = frame.kinds[i] >> 1
        work.available[here] += 1
        best_level = max(best_level, here)
        if frame.moves[i] == frame.best_move:
            level = here
    work.choices += 1
    work.distance += best_level - level
    work.chosen[level] += 1
    work.by_killer += frame.best_move == frame.killer
    work.by_history += frame.best_move == frame.rival


@kernel
def search(stack, boards, frames, works, settings, table, values, stop):
    """Search until the root is done (returns True), or the node limit or a stop is reached (False).

    The root's moves and window are in frames[0]; boards[0] has counted stack[0].
    """
    work = works[0]
    memory = Memory(stack, boards[0], frames, work, settings[0], pointer(table), pointer(values))
    ply = work.ply
    entering = work.entering != 0
    nodes = work.nodes
    value = 0.0
    ended = False  # the node at `ply` has its value
    while True:
        if entering:
            if nodes >= work.node_limit or (nodes & 63 == 0 and atomics.load(stop, 0) != 0):
                work.ply, work.entering, work.nodes = ply, 1, nodes
                return False
            nodes += 1
            ended = False
            if ply > 0:
                ended, value = _enter(memory, ply)
            entering = False
        while ended:
            ply -= 1
            value = -value
            ended = _ascend(memory, ply, value)
            if ended or frames[ply].index == frames[ply].count:
                _store_node(memory, ply)
                ended = True
                value = frames[ply].best
                if ply == 0:
                    work.ply, work.nodes = 0, nodes
                    return True
        _descend(memory, ply)
        ply += 1
        entering = True


@kernel
def one_ply(stack, boards, works, settings, moves, values):
    """Utility of the position after each of these root moves, for the side to move at the root."""
    counts = boards[0]
    for i in range(len(moves)):
        stack[1] = stack[0]
        play(stack[1], moves[i])
        sync_move(counts, stack[1], moves[i])
        values[i], _ = utility(counts, stack[1], works[0].viewer, settings[0])
        sync_move(counts, stack[0], moves[i])
