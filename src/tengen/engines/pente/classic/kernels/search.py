"""Alpha-beta, deep and narrow, over the candidates of each position.

The search has an explicit stack, so that it can pause before any node and resume later. States are copied ply by
ply; the counts are one board that follows the search down and up. Values are for the side to move.

How far a position is searched depends on the step's depth or, by settings, on a separate depth for each level of
candidates, or on a share of a leaf budget: each position splits its share among its moves, and what earlier ones
do not use goes to later ones. Where a level is not searched, the side to move may also play none of the searched
moves, and then gets the static value.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.rng import mix
from tengen.core.compiled.rules import key, play
from tengen.engines.pente.classic.kernels import transposition_table as table
from tengen.engines.pente.classic.kernels.candidates import ALL_LEVELS, MAX_CANDIDATES, candidates
from tengen.engines.pente.classic.kernels.counts import COUNTS, LEVELS, sync_move
from tengen.engines.pente.classic.kernels.utility import (
    UNDECIDED,
    balance,
    forced_value,
    misjudge,
    score_of,
    utility,
    verdict,
)
from tengen.engines.pente.classic.tunables import AT, BEST_AND_WORST, NO_FILTER
from tengen.games.pente.record import POINTS, RECORD

MAX_PLIES = 40
MAX_SAMPLES = 4096
"""Capacity for samples of values: see `choice_statistics`."""
VALUES_PER_SAMPLE = 20

# control: int64
(
    PLY,
    ENTERING,  # the node at PLY is about to be entered
    NODES,
    NODE_LIMIT,
    DEPTH,  # of the step
    VIEWER,  # the colour to move at the root
    FULL_WINDOW_PLIES,  # plies whose moves are all searched with a full window
    SAMPLE_COUNT,
    CONTROL_SIZE,
) = range(9)

# frames: int64[ply, ...]
INDEX, COUNT, BEST_MOVE, CLOSE, BUDGET, USED, THREATENED, KILLER, RIVAL, FRAME_SIZE = range(10)
# reals: float64[ply, ...]; FLOOR is alpha as the node was entered
ALPHA, BETA, BEST, FLOOR, REALS_SIZE = range(5)

# tally: int64, over positions with a choice: see `choice_statistics`
CHOICES, DISTANCE, BY_KILLER, BY_HISTORY, AVAILABLE, CHOSEN = 0, 1, 2, 3, 4, 4 + LEVELS
TALLY_SIZE = 4 + 2 * LEVELS

# stack: records; boards: COUNTS[1]; keys: uint64[ply]; moves, kinds: int64[ply, MAX_CANDIDATES]; priorities:
# int64[MAX_CANDIDATES]; values: float64[ply, MAX_CANDIDATES], of the moves searched so far; lines, lengths: the
# best line from each ply; killers: int64[ply]; history: int64[2, POINTS]; settings, filtering: see `tunables`;
# seeds: uint64[2], for vision and judgement; samples: float64[MAX_SAMPLES, 2 + VALUES_PER_SAMPLE], ply, number of
# values and the values
Buffers = namedtuple(
    "Buffers",
    "stack boards frames reals keys moves kinds priorities values lines lengths table_keys table_values "
    "table_data killers history settings filtering seeds tally samples",
)

_WIDTH, _CHOKE_PLY, _CHOKED_WIDTH = AT["width"], AT["choke_ply"], AT["choked_width"]
_CLOSENESS, _CLOSE_RATIO, _CLOSE_WIDTH, _FAR_WIDTH = (
    AT[name] for name in ("closeness", "close_ratio", "close_width", "far_width")
)
_BY_LEVEL, _BUDGET, _KILLER, _HISTORY = AT["by_level"], AT["budget"], AT["killer"], AT["history"]
_TABLE_FROM, _TABLE_LEFT, _FILTER, _DIVIDE = AT["table_from"], AT["table_left"], AT["filter"], AT["divide"]
_DEPTH_BONUS = np.array([AT[name] for name in ("ones", "twos", "threats", "threes", "takes", "fours")], np.int64)
_INFINITE = np.inf


def make_buffers(
    settings: np.ndarray[Any, Any], filtering: np.ndarray[Any, Any], tables: tuple[np.ndarray[Any, Any], ...]
) -> Buffers:
    """Memory of a search."""
    plies = MAX_PLIES + 1
    return Buffers(
        stack=np.zeros(plies, RECORD), boards=np.zeros(1, COUNTS), frames=np.zeros((plies, FRAME_SIZE), np.int64),
        reals=np.zeros((plies, REALS_SIZE), np.float64), keys=np.zeros(plies, np.uint64),
        moves=np.zeros((plies, MAX_CANDIDATES), np.int64), kinds=np.zeros((plies, MAX_CANDIDATES), np.int64),
        priorities=np.zeros(MAX_CANDIDATES, np.int64), values=np.zeros((plies, MAX_CANDIDATES), np.float64),
        lines=np.zeros((plies + 1, plies + 1), np.int64), lengths=np.zeros(plies + 1, np.int64),
        table_keys=tables[0], table_values=tables[1], table_data=tables[2], killers=np.zeros(plies, np.int64),
        history=np.zeros((2, POINTS), np.int64), settings=settings, filtering=filtering,
        seeds=np.zeros(2, np.uint64), tally=np.zeros(TALLY_SIZE, np.int64),
        samples=np.zeros((MAX_SAMPLES, 2 + VALUES_PER_SAMPLE), np.float64),
    )  # fmt: skip


@inner
def _levels(settings, depth, ply):
    """The levels that are searched, as bits."""
    if settings[_BUDGET] != 0:
        return ALL_LEVELS
    if settings[_BY_LEVEL] == 0:
        return ALL_LEVELS if ply < depth else 0
    bits = 0
    for level in range(LEVELS):
        if ply < depth + settings[_DEPTH_BONUS[level]]:
            bits |= 1 << level
    return bits


@inner
def _width(buffers, ply):
    settings = buffers.settings
    width = settings[_WIDTH]
    if settings[_CLOSENESS] != 0:
        width = settings[_CLOSE_WIDTH] if buffers.frames[ply - 1, CLOSE] != 0 else settings[_FAR_WIDTH]
    return min(width, settings[_CHOKED_WIDTH]) if ply + 1 >= settings[_CHOKE_PLY] else width


@inner
def _remaining(buffers, control, ply):
    """How thoroughly a node is searched, for the table: plies, or doublings of its share of leaves."""
    if buffers.settings[_BUDGET] == 0:
        return control[DEPTH] - ply
    doublings = 0
    share = buffers.frames[ply, BUDGET]
    while share > 1:
        share >>= 1
        doublings += 1
    return doublings


@inner
def _bring_forward(moves, kinds, count, move):
    for i in range(1, count):
        if moves[i] == move:
            kind = kinds[i]
            for j in range(i, 0, -1):
                moves[j], kinds[j] = moves[j - 1], kinds[j - 1]
            moves[0], kinds[0] = move, kind
            return


@inner
def _is_close(ours, theirs, settings):
    return max(ours, theirs) < settings[_CLOSE_RATIO] * max(min(ours, theirs), 1)


@inner
def _enter(buffers, control, ply):
    """Enter a node: (whether it already has its value, that value)."""
    counts, state = buffers.boards[0], buffers.stack[ply]
    frame, real = buffers.frames[ply], buffers.reals[ply]
    settings = buffers.settings
    viewer = control[VIEWER]
    sign = 1.0 if state.colour == viewer else -1.0
    buffers.lengths[ply] = 0
    frame[USED] = 1
    winner, number, is_certain = verdict(counts, state)
    if winner != UNDECIDED and is_certain:
        return True, sign * forced_value(winner, number, viewer, settings)
    if winner != UNDECIDED:
        static = sign * forced_value(winner, number, viewer, settings)
    else:
        ours, theirs = score_of(counts, state, viewer, settings), score_of(counts, state, 1 - viewer, settings)
        frame[CLOSE] = 1 if _is_close(ours, theirs, settings) else 0
        static = sign * misjudge(balance(ours, theirs, settings), state, settings, buffers.seeds[1])
    levels = _levels(settings, control[DEPTH], ply)
    if levels == 0 or ply == MAX_PLIES or (settings[_BUDGET] != 0 and frame[BUDGET] <= 1):
        return True, static
    position = np.uint64(key(state))
    if settings[_DIVIDE] != 0:  # a quotient is not the negative of the other side's
        position ^= mix(np.uint64(viewer + 1))
    buffers.keys[ply] = position
    first = np.int64(0)
    if ply >= settings[_TABLE_FROM]:
        slot, data = table.find(buffers.table_keys, buffers.table_data, position)
        if data != 0:
            first = table.move_of(data)
            if table.depth_of(data) >= _remaining(buffers, control, ply) and ply >= control[FULL_WINDOW_PLIES]:
                bound, known = table.bound_of(data), buffers.table_values[slot]
                if (
                    bound == table.EXACT
                    or (bound == table.LOWER and known >= real[BETA])
                    or (bound == table.UPPER and known <= real[ALPHA])
                ):
                    return True, known
    count, threatened = candidates(
        counts, state, settings, buffers.history, buffers.seeds[0], levels, _width(buffers, ply),
        buffers.moves[ply], buffers.priorities, buffers.kinds[ply],
    )  # fmt: skip
    if count == 0:
        return True, static
    frame[INDEX], frame[COUNT], frame[BEST_MOVE], frame[USED] = 0, count, 0, 0
    frame[THREATENED] = 1 if threatened else 0
    frame[KILLER] = buffers.killers[ply]
    frame[RIVAL] = _most_cutoffs(buffers.history[state.colour], buffers.moves[ply], count)
    if settings[_KILLER] != 0 and frame[KILLER] != 0:
        _bring_forward(buffers.moves[ply], buffers.kinds[ply], count, frame[KILLER])
    if first != 0:
        _bring_forward(buffers.moves[ply], buffers.kinds[ply], count, first)
    real[FLOOR] = real[ALPHA]
    real[BEST] = -_INFINITE
    if levels != ALL_LEVELS and not threatened:
        real[BEST] = static
        if static >= real[BETA]:
            return True, static
        real[ALPHA] = max(real[ALPHA], static)
    return False, 0.0


@inner
def _most_cutoffs(cuts, moves, count):
    """The move of a list with the most cutoffs, or 0."""
    best, max_moves = np.int64(0), np.int64(0)
    for i in range(count):
        if cuts[moves[i]] > max_moves:
            best, max_moves = moves[i], cuts[moves[i]]
    return best


@inner
def _descend(buffers, control, ply):
    """Play the next move of a node."""
    frame, real = buffers.frames[ply], buffers.reals[ply]
    child = buffers.reals[ply + 1]
    move = buffers.moves[ply, frame[INDEX]]
    buffers.stack[ply + 1] = buffers.stack[ply]
    play(buffers.stack[ply + 1], move)
    sync_move(buffers.boards[0], buffers.stack[ply + 1], move)
    if ply < control[FULL_WINDOW_PLIES]:
        child[ALPHA], child[BETA] = -_INFINITE, _INFINITE
    else:
        child[ALPHA], child[BETA] = -real[BETA], -real[ALPHA]
    left = frame[BUDGET] - frame[USED]
    buffers.frames[ply + 1, BUDGET] = max(1, left // (frame[COUNT] - frame[INDEX]))


@inner
def _ascend(buffers, control, ply, value):
    """Undo a node's move, whose value was `value`; returns whether the others can be skipped."""
    frame, real = buffers.frames[ply], buffers.reals[ply]
    index = frame[INDEX]
    move = buffers.moves[ply, index]
    sync_move(buffers.boards[0], buffers.stack[ply], move)
    buffers.values[ply, index] = value
    frame[INDEX] += 1
    frame[USED] += buffers.frames[ply + 1, USED]
    if value > real[BEST] or (frame[BEST_MOVE] == 0 and value >= real[BEST]):
        real[BEST] = value
        frame[BEST_MOVE] = move
        buffers.lines[ply, 0] = move
        for i in range(buffers.lengths[ply + 1]):
            buffers.lines[ply, i + 1] = buffers.lines[ply + 1, i]
        buffers.lengths[ply] = buffers.lengths[ply + 1] + 1
        real[ALPHA] = max(real[ALPHA], value)
    elif ply >= control[FULL_WINDOW_PLIES] and frame[THREATENED] == 0 and _is_filtered(buffers, ply, index):
        return True
    if ply >= control[FULL_WINDOW_PLIES] and real[ALPHA] >= real[BETA]:
        buffers.killers[ply] = move
        buffers.history[buffers.stack[ply].colour, move] += 1
        return True
    return False


@inner
def _is_filtered(buffers, ply, index):
    """Whether a move is so much worse than the best that the moves after it are pruned."""
    filter_method = buffers.settings[_FILTER]
    if filter_method == NO_FILTER:
        return False
    best, value = buffers.reals[ply, BEST], buffers.values[ply, index]
    if filter_method == BEST_AND_WORST:
        worst = best
        for i in range(index):
            worst = min(worst, buffers.values[ply, i])
        return worst < best and (value - worst) / (best - worst) < buffers.filtering[0]
    return np.exp(np.log(buffers.filtering[1]) * (value - best)) < buffers.filtering[0]


@inner
def _store_node(buffers, control, ply):
    """Store a finished node in the table, and its choice in the statistics."""
    frame, real = buffers.frames[ply], buffers.reals[ply]
    left = _remaining(buffers, control, ply)
    if ply >= max(buffers.settings[_TABLE_FROM], 1) and left >= buffers.settings[_TABLE_LEFT]:
        bound = table.EXACT
        if real[BEST] >= real[BETA]:
            bound = table.LOWER
        elif real[BEST] <= real[FLOOR]:
            bound = table.UPPER
        table.put(
            buffers.table_keys, buffers.table_values, buffers.table_data, buffers.keys[ply], real[BEST],
            frame[BEST_MOVE], left, bound,
        )  # fmt: skip
    if frame[THREATENED] != 0 or frame[COUNT] < 2 or frame[BEST_MOVE] == 0:
        return
    if ply < control[FULL_WINDOW_PLIES] and control[SAMPLE_COUNT] < MAX_SAMPLES:
        sample = buffers.samples[control[SAMPLE_COUNT]]
        control[SAMPLE_COUNT] += 1
        shown = min(frame[INDEX], VALUES_PER_SAMPLE)
        sample[0], sample[1] = ply, shown
        for i in range(shown):
            sample[2 + i] = buffers.values[ply, i]
    if ply > 0:
        _count_choice(buffers, ply)


@inner
def _count_choice(buffers, ply):
    frame, tally = buffers.frames[ply], buffers.tally
    best_level, level = np.int64(0), np.int64(0)
    for i in range(frame[COUNT]):
        here = buffers.kinds[ply, i] >> 1
        tally[AVAILABLE + here] += 1
        best_level = max(best_level, here)
        if buffers.moves[ply, i] == frame[BEST_MOVE]:
            level = here
    tally[CHOICES] += 1
    tally[DISTANCE] += best_level - level
    tally[CHOSEN + level] += 1
    tally[BY_KILLER] += frame[BEST_MOVE] == frame[KILLER]
    tally[BY_HISTORY] += frame[BEST_MOVE] == frame[RIVAL]


@kernel
def search(buffers, control, stop):
    """Search until the root is done (returns True), or the node limit or a stop is reached (False).

    The root's moves are in moves[0], its window in reals[0]; boards[0] has counted stack[0].
    """
    ply = control[PLY]
    entering = control[ENTERING] != 0
    nodes = control[NODES]
    value = 0.0
    ended = False  # the node at `ply` has its value
    while True:
        if entering:
            if nodes >= control[NODE_LIMIT] or (nodes & 63 == 0 and atomics.load(stop, 0) != 0):
                control[PLY], control[ENTERING], control[NODES] = ply, 1, nodes
                return False
            nodes += 1
            ended = False
            if ply > 0:
                ended, value = _enter(buffers, control, ply)
            entering = False
        while ended:
            ply -= 1
            value = -value
            ended = _ascend(buffers, control, ply, value)
            if ended or buffers.frames[ply, INDEX] == buffers.frames[ply, COUNT]:
                _store_node(buffers, control, ply)
                ended = True
                value = buffers.reals[ply, BEST]
                if ply == 0:
                    control[PLY], control[NODES] = 0, nodes
                    return True
        _descend(buffers, control, ply)
        ply += 1
        entering = True


@kernel
def one_ply(buffers, control, moves, values):
    """Utility of the position after each of these root moves, for the side to move at the root."""
    counts = buffers.boards[0]
    for i in range(len(moves)):
        buffers.stack[1] = buffers.stack[0]
        play(buffers.stack[1], moves[i])
        sync_move(counts, buffers.stack[1], moves[i])
        values[i], _ = utility(counts, buffers.stack[1], control[VIEWER], buffers.settings, buffers.seeds[1])
        sync_move(counts, buffers.stack[0], moves[i])
