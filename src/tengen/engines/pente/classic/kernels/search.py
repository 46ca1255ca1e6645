"""Alpha-beta, deep and narrow, over the candidates of each position.

The search keeps its own stack, so that it can pause before any node and go on later. States are copied ply by
ply; the counts are one board that follows the search down and up again. Values are for the side to move.

How far a position is searched depends on the step's depth, or, by switches, on a reach of its own for each
level of candidates, or on a share of a number of leaves: each position splits its share among its moves, and
what the earlier ones leave goes to the later ones. Where a level is left out, the side to move may also make
none of the moves looked at, and then has what the position seems to be worth.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.generic import key, play
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.rng import mix
from tengen.engines.pente.classic.kernels import transposition_table as table
from tengen.engines.pente.classic.kernels.candidates import ALL_LEVELS, MOST, candidates
from tengen.engines.pente.classic.kernels.counts import COUNTS, LEVELS, follow
from tengen.engines.pente.classic.kernels.utility import (
    NOT_YET,
    balance,
    forced_value,
    misjudge,
    score_of,
    utility,
    verdict,
)
from tengen.engines.pente.classic.tunables import AT, BEST_AND_WORST, NO_FILTER
from tengen.games.pente.record import POINTS, RECORD

MOST_PLIES = 40
SAMPLES = 4096
"""Room for what was chosen, and from which values: see `research`."""
SAMPLED = 20
"""Values of a sample."""

# control: int64
(
    PLY,
    ENTERING,  # the node at PLY is about to be entered
    NODES,
    NODE_LIMIT,
    DEPTH,  # of the step
    VIEWER,  # the colour to move at the root
    OPEN,  # plies whose moves are all searched with an open window, to know all their values
    SAMPLED_SO_FAR,
    CONTROL_SIZE,
) = range(9)

# frames: int64[ply, ...]
INDEX, COUNT, BEST_MOVE, CLOSE, BUDGET, USED, THREATENED, KILLER, RIVAL, FRAME_SIZE = range(10)
# reals: float64[ply, ...]; FLOOR is alpha as the node was entered
ALPHA, BETA, BEST, FLOOR, REALS_SIZE = range(5)

# tally: int64, of positions with a choice: see `research`
CHOICES, DISTANCE, BY_KILLER, BY_HISTORY, AVAILABLE, CHOSEN = 0, 1, 2, 3, 4, 4 + LEVELS
TALLY_SIZE = 4 + 2 * LEVELS

# stack: records; boards: COUNTS[1]; keys: uint64[ply]; moves, kinds: int64[ply, MOST]; worths: int64[MOST];
# values: float64[ply, MOST], of the moves searched so far; lines, lengths: the best line from each ply; killers:
# int64[ply]; history: int64[2, POINTS]; genome, filtering: see `tuning`; luck: uint64[2], for vision and
# judgement; samples: float64[SAMPLES, 2 + SAMPLED], ply, number of values and the values
Room = namedtuple(
    "Room",
    "stack boards frames reals keys moves kinds worths values lines lengths table_keys table_values table_data "
    "killers history genome filtering luck tally samples",
)

_WIDTH, _CHOKE, _CHOKED, _START = AT["width"], AT["choke"], AT["choked"], AT["start"]
_CLOSENESS, _CLOSE_RATIO, _CLOSE_WIDTH, _FAR_WIDTH = (
    AT[name] for name in ("closeness", "close_ratio", "close_width", "far_width")
)
_BY_LEVEL, _BUDGET, _KILLER, _HISTORY = AT["by_level"], AT["budget"], AT["killer"], AT["history"]
_TABLE_FROM, _TABLE_LEFT, _FILTER, _DIVIDE = AT["table_from"], AT["table_left"], AT["filter"], AT["divide"]
_REACH = np.array([AT[name] for name in ("ones", "twos", "threats", "threes", "takes", "fours")], np.int64)
_INFINITE = np.inf


def make_room(
    genome: np.ndarray[Any, Any], filtering: np.ndarray[Any, Any], tables: tuple[np.ndarray[Any, Any], ...]
) -> Room:
    """The memory of a search."""
    plies = MOST_PLIES + 1
    return Room(
        stack=np.zeros(plies, RECORD),
        boards=np.zeros(1, COUNTS),
        frames=np.zeros((plies, FRAME_SIZE), np.int64),
        reals=np.zeros((plies, REALS_SIZE), np.float64),
        keys=np.zeros(plies, np.uint64),
        moves=np.zeros((plies, MOST), np.int64),
        kinds=np.zeros((plies, MOST), np.int64),
        worths=np.zeros(MOST, np.int64),
        values=np.zeros((plies, MOST), np.float64),
        lines=np.zeros((plies + 1, plies + 1), np.int64),
        lengths=np.zeros(plies + 1, np.int64),
        table_keys=tables[0],
        table_values=tables[1],
        table_data=tables[2],
        killers=np.zeros(plies, np.int64),
        history=np.zeros((2, POINTS), np.int64),
        genome=genome,
        filtering=filtering,
        luck=np.zeros(2, np.uint64),
        tally=np.zeros(TALLY_SIZE, np.int64),
        samples=np.zeros((SAMPLES, 2 + SAMPLED), np.float64),
    )


@inner
def _levels(genome, depth, ply):
    """The levels that are looked at, as bits."""
    if genome[_BUDGET] != 0:
        return ALL_LEVELS
    if genome[_BY_LEVEL] == 0:
        return ALL_LEVELS if ply < depth else 0
    bits = 0
    for level in range(LEVELS):
        if ply < depth + genome[_REACH[level]]:
            bits |= 1 << level
    return bits


@inner
def _width(room, ply):
    genome = room.genome
    width = genome[_WIDTH]
    if genome[_CLOSENESS] != 0:
        width = genome[_CLOSE_WIDTH] if room.frames[ply - 1, CLOSE] != 0 else genome[_FAR_WIDTH]
    return min(width, genome[_CHOKED]) if ply + 1 >= genome[_CHOKE] else width


@inner
def _left(room, control, ply):
    """How thoroughly a node is searched, as the table counts it: plies, or doublings of its share of leaves."""
    if room.genome[_BUDGET] == 0:
        return control[DEPTH] - ply
    doublings = 0
    share = room.frames[ply, BUDGET]
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
def _is_close(ours, theirs, genome):
    return max(ours, theirs) < genome[_CLOSE_RATIO] * max(min(ours, theirs), 1)


@inner
def _enter(room, control, ply):
    """Look at a node: (whether it has its value already, that value)."""
    counts, state = room.boards[0], room.stack[ply]
    frame, real = room.frames[ply], room.reals[ply]
    genome = room.genome
    viewer = control[VIEWER]
    sign = 1.0 if state.colour == viewer else -1.0
    room.lengths[ply] = 0
    frame[USED] = 1
    winner, number, sure = verdict(counts, state)
    if winner != NOT_YET and sure:
        return True, sign * forced_value(winner, number, viewer, genome)
    if winner != NOT_YET:
        static = sign * forced_value(winner, number, viewer, genome)
    else:
        ours, theirs = score_of(counts, state, viewer, genome), score_of(counts, state, 1 - viewer, genome)
        frame[CLOSE] = 1 if _is_close(ours, theirs, genome) else 0
        static = sign * misjudge(balance(ours, theirs, genome), state, genome, room.luck[1])
    levels = _levels(genome, control[DEPTH], ply)
    if levels == 0 or ply == MOST_PLIES or (genome[_BUDGET] != 0 and frame[BUDGET] <= 1):
        return True, static
    position = np.uint64(key(state))
    if genome[_DIVIDE] != 0:  # values are the viewer's, and no mere opposites of the other's
        position ^= mix(np.uint64(viewer + 1))
    room.keys[ply] = position
    first = np.int64(0)
    if ply >= genome[_TABLE_FROM]:
        slot, data = table.find(room.table_keys, room.table_data, position)
        if data != 0:
            first = table.move_of(data)
            if table.depth_of(data) >= _left(room, control, ply) and ply >= control[OPEN]:
                bound, known = table.bound_of(data), room.table_values[slot]
                if (
                    bound == table.EXACT
                    or (bound == table.LOWER and known >= real[BETA])
                    or (bound == table.UPPER and known <= real[ALPHA])
                ):
                    return True, known
    count, threatened = candidates(
        counts,
        state,
        genome,
        room.history,
        room.luck[0],
        levels,
        _width(room, ply),
        room.moves[ply],
        room.worths,
        room.kinds[ply],
    )
    if count == 0:
        return True, static
    frame[INDEX], frame[COUNT], frame[BEST_MOVE], frame[USED] = 0, count, 0, 0
    frame[THREATENED] = 1 if threatened else 0
    frame[KILLER] = room.killers[ply]
    frame[RIVAL] = _most_often(room.history[state.colour], room.moves[ply], count)
    if genome[_KILLER] != 0 and frame[KILLER] != 0:
        _bring_forward(room.moves[ply], room.kinds[ply], count, frame[KILLER])
    if first != 0:
        _bring_forward(room.moves[ply], room.kinds[ply], count, first)
    real[FLOOR] = real[ALPHA]
    real[BEST] = -_INFINITE
    if levels != ALL_LEVELS and not threatened:
        real[BEST] = static
        if static >= real[BETA]:
            return True, static
        real[ALPHA] = max(real[ALPHA], static)
    return False, 0.0


@inner
def _most_often(cuts, moves, count):
    """The move of a list that cut most often, or 0."""
    best, most = np.int64(0), np.int64(0)
    for i in range(count):
        if cuts[moves[i]] > most:
            best, most = moves[i], cuts[moves[i]]
    return best


@inner
def _descend(room, control, ply):
    """Play the next move of a node."""
    frame, real = room.frames[ply], room.reals[ply]
    child = room.reals[ply + 1]
    move = room.moves[ply, frame[INDEX]]
    room.stack[ply + 1] = room.stack[ply]
    play(room.stack[ply + 1], move)
    follow(room.boards[0], room.stack[ply + 1], move)
    if ply < control[OPEN]:
        child[ALPHA], child[BETA] = -_INFINITE, _INFINITE
    else:
        child[ALPHA], child[BETA] = -real[BETA], -real[ALPHA]
    left = frame[BUDGET] - frame[USED]
    room.frames[ply + 1, BUDGET] = max(1, left // (frame[COUNT] - frame[INDEX]))


@inner
def _ascend(room, control, ply, value):
    """Take back a node's move, which was worth `value`; returns whether the others need not be looked at."""
    frame, real = room.frames[ply], room.reals[ply]
    index = frame[INDEX]
    move = room.moves[ply, index]
    follow(room.boards[0], room.stack[ply], move)
    room.values[ply, index] = value
    frame[INDEX] += 1
    frame[USED] += room.frames[ply + 1, USED]
    if value > real[BEST] or (frame[BEST_MOVE] == 0 and value >= real[BEST]):
        real[BEST] = value
        frame[BEST_MOVE] = move
        room.lines[ply, 0] = move
        for i in range(room.lengths[ply + 1]):
            room.lines[ply, i + 1] = room.lines[ply + 1, i]
        room.lengths[ply] = room.lengths[ply + 1] + 1
        real[ALPHA] = max(real[ALPHA], value)
    elif ply >= control[OPEN] and frame[THREATENED] == 0 and _is_filtered(room, ply, index):
        return True
    if ply >= control[OPEN] and real[ALPHA] >= real[BETA]:
        room.killers[ply] = move
        room.history[room.stack[ply].colour, move] += 1
        return True
    return False


@inner
def _is_filtered(room, ply, index):
    """Whether a move was so much worse than the best that those after it are left out."""
    way = room.genome[_FILTER]
    if way == NO_FILTER:
        return False
    best, value = room.reals[ply, BEST], room.values[ply, index]
    if way == BEST_AND_WORST:
        worst = best
        for i in range(index):
            worst = min(worst, room.values[ply, i])
        return worst < best and (value - worst) / (best - worst) < room.filtering[0]
    return np.exp(np.log(room.filtering[1]) * (value - best)) < room.filtering[0]


@inner
def _keep(room, control, ply):
    """Put a finished node into the table, and what was chosen into the research."""
    frame, real = room.frames[ply], room.reals[ply]
    left = _left(room, control, ply)
    if ply >= max(room.genome[_TABLE_FROM], 1) and left >= room.genome[_TABLE_LEFT]:
        bound = table.EXACT
        if real[BEST] >= real[BETA]:
            bound = table.LOWER
        elif real[BEST] <= real[FLOOR]:
            bound = table.UPPER
        table.put(
            room.table_keys,
            room.table_values,
            room.table_data,
            room.keys[ply],
            real[BEST],
            frame[BEST_MOVE],
            left,
            bound,
        )
    if frame[THREATENED] != 0 or frame[COUNT] < 2 or frame[BEST_MOVE] == 0:
        return
    if ply < control[OPEN] and control[SAMPLED_SO_FAR] < SAMPLES:
        sample = room.samples[control[SAMPLED_SO_FAR]]
        control[SAMPLED_SO_FAR] += 1
        shown = min(frame[INDEX], SAMPLED)
        sample[0], sample[1] = ply, shown
        for i in range(shown):
            sample[2 + i] = room.values[ply, i]
    if ply > 0:
        _count_choice(room, ply)


@inner
def _count_choice(room, ply):
    frame, tally = room.frames[ply], room.tally
    best_level, level = np.int64(0), np.int64(0)
    for i in range(frame[COUNT]):
        here = room.kinds[ply, i] >> 1
        tally[AVAILABLE + here] += 1
        best_level = max(best_level, here)
        if room.moves[ply, i] == frame[BEST_MOVE]:
            level = here
    tally[CHOICES] += 1
    tally[DISTANCE] += best_level - level
    tally[CHOSEN + level] += 1
    tally[BY_KILLER] += frame[BEST_MOVE] == frame[KILLER]
    tally[BY_HISTORY] += frame[BEST_MOVE] == frame[RIVAL]


@kernel
def search(room, control, stop):
    """Go on until the root is searched (returns True), the node limit is reached or a stop is seen (False).

    The root's moves stand in moves[0], its window in reals[0]; boards[0] has counted stack[0].
    """
    ply = control[PLY]
    entering = control[ENTERING] != 0
    nodes = control[NODES]
    value = 0.0
    ended = False  # the node at ply has its value
    while True:
        if entering:
            if nodes >= control[NODE_LIMIT] or (nodes & 63 == 0 and atomics.load(stop, 0) != 0):
                control[PLY], control[ENTERING], control[NODES] = ply, 1, nodes
                return False
            nodes += 1
            ended = False
            if ply > 0:
                ended, value = _enter(room, control, ply)
            entering = False
        while ended:
            ply -= 1
            value = -value
            ended = _ascend(room, control, ply, value)
            if ended or room.frames[ply, INDEX] == room.frames[ply, COUNT]:
                _keep(room, control, ply)
                ended = True
                value = room.reals[ply, BEST]
                if ply == 0:
                    control[PLY], control[NODES] = 0, nodes
                    return True
        _descend(room, control, ply)
        ply += 1
        entering = True


@kernel
def one_ply(room, control, moves, values):
    """What the root's position is worth to its mover after each of these moves, by the utility alone."""
    counts = room.boards[0]
    for i in range(len(moves)):
        room.stack[1] = room.stack[0]
        play(room.stack[1], moves[i])
        follow(counts, room.stack[1], moves[i])
        values[i], _ = utility(counts, room.stack[1], control[VIEWER], room.genome, room.luck[1])
        follow(counts, room.stack[0], moves[i])
