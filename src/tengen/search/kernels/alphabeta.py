"""Principal variation search for any game, with an explicit stack so that a search can pause and resume.

Values are in thousandths of a point for the side to move, from -top to top. Two flags state what is proved about a
value: `low`, the true value is at least that; `high`, it is at most that. A leaf at the horizon proves neither, an
ended game proves both, and a node inherits the flags of its children. So one search distinguishes exact results
from heuristic estimates.

Repetition (Go): if the rules forbid it, a move that repeats a position is illegal. On another path to the same
node it may be legal, so the value of the node is then not proved from above. If the rules allow it, a repetition
counts as a loss for the *prover*, the side to move at the root, and proves nothing. Hence proofs are never
circular: a proof uses only proofs completed before it, and playing it out repeats no position. This makes table
entries valid on every path, under any rule that forbids or penalises repeating a position with the same side to
move. (Positional superko forbids more; the driver then claims no proofs.)
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.position_kernels import is_repetition
from tengen.core.compiled.rules import (
    evaluate,
    forbids_repetition,
    is_over,
    key,
    legal_moves,
    play,
    repeat_key,
    score,
    to_move,
)
from tengen.search.kernels import table

(
    ALPHA,
    BETA,
    FLOOR,  # alpha when the node was entered
    DEPTH,  # plies left to the horizon
    BEST,  # the best value found so far
    BEST_MOVE,
    BEST_LOW,  # whether the best value is proved from below
    ALL_HIGH,  # whether every move searched is proved from above
    COUNT,  # number of moves to search
    INDEX,  # of the move being searched
    NARROW,  # whether that move is searched with a null window
    SIGN,  # 1 if the same side moves again after that move, else -1
    FRAME_SIZE,
) = range(13)

(
    PLY,  # the current node
    ENTERING,  # 1 if the current node is new, 0 if its child has just returned
    NODES,  # nodes entered so far
    NODE_LIMIT,  # pause at this number of nodes
    PROVER,
    TOP,  # the largest possible value
    PAST,  # number of repeat keys of the game so far, including the root
    ROOT_MOVES,  # number of legal moves; if fewer are searched, the result does not apply to the position
    VALUE,  # the result, once finished
    LOW,
    HIGH,
    CONTROL_SIZE,
) = range(12)

_NONE = -(1 << 60)
_BANNED = -(1 << 61)  # value of an illegal repetition: worse than any move


@kernel
def search(
    stack, frames, moves, order, path, lines, lengths, table_keys, table_data, killers, history, control, stop
):
    """Start or resume a search; return True when finished, False at the node limit or a stop.

    stack: records by ply; moves, order: int32 and int64 [ply, max_legal_moves]; path: repeat keys of the game,
    then of the search by ply; lines: int32 [ply, ply], principal variation from each ply, with `lengths`; killers:
    int32 [ply, 2]; history: int64 [2, move_codes]. The caller sets the root's moves, best first, in moves[0], and
    its window in frames[0].
    """
    ply = control[PLY]
    entering = control[ENTERING] != 0
    nodes = control[NODES]
    past = control[PAST]
    top = control[TOP]
    value = np.int64(0)
    low = False
    high = False
    deepest = len(stack) - 1
    while True:
        frame = frames[ply]
        if entering:
            if nodes >= control[NODE_LIMIT] or (nodes & 255 == 0 and atomics.load(stop, 0) != 0):
                control[PLY] = ply
                control[ENTERING] = 1
                control[NODES] = nodes
                return False
            nodes += 1
            state = stack[ply]
            lengths[ply] = 0
            mover = to_move(state)
            done = False
            best_first = np.int64(-1)
            position_key = np.uint64(0)
            if ply > 0:
                if is_over(state):
                    value = np.int64(score(state)) if mover == 0 else -np.int64(score(state))
                    low, high, done = True, True, True
                elif is_repetition(state, path, past + ply - 1):
                    if forbids_repetition(state):
                        value = frames[ply - 1, SIGN] * _BANNED
                        low, high, done = False, False, True
                    else:
                        lost = mover == control[PROVER]
                        value = -top if lost else top
                        low, high, done = lost, not lost, True
                elif frame[DEPTH] <= 0 or ply == deepest:
                    value = np.int64(evaluate(state)) if mover == 0 else -np.int64(evaluate(state))
                    low, high, done = False, False, True
                else:
                    path[past + ply - 1] = repeat_key(state)
            if not done:
                position_key = np.uint64(key(state))
                entry = table.probe(table_keys, table_data, position_key)
                if entry != np.uint64(0):
                    best_first = table.move_of(entry)
                    if ply > 0 and table.depth_of(entry) >= frame[DEPTH]:
                        bound = table.bound_of(entry)
                        known = table.value_of(entry)
                        sure = table.depth_of(entry) == table.PROVED
                        if (
                            bound == table.EXACT
                            or (bound == table.LOWER and known >= frame[BETA])
                            or (bound == table.UPPER and known <= frame[ALPHA])
                        ):
                            value = known
                            low = sure and bound != table.UPPER
                            high = sure and bound != table.LOWER
                            done = True
            if not done:
                if ply > 0:
                    frame[COUNT] = legal_moves(state, moves[ply])
                    for i in range(frame[COUNT]):
                        move = moves[ply, i]
                        rank = history[mover, move]
                        if move == best_first:
                            rank = np.int64(1) << 60
                        elif move == killers[ply, 0]:
                            rank = np.int64(1) << 59
                        elif move == killers[ply, 1]:
                            rank = np.int64(1) << 58
                        order[ply, i] = rank
                frame[FLOOR] = frame[ALPHA]
                frame[BEST] = _NONE
                frame[BEST_MOVE] = -1
                frame[BEST_LOW] = 0
                frame[ALL_HIGH] = 1
                frame[INDEX] = 0
        else:
            # The child has returned `value`, `low`, `high` from the point of view of its own side.
            sign = frame[SIGN]
            if sign < 0:
                value = -value
                low, high = high, low
            low = low or value <= -top
            high = high or value >= top
            move = moves[ply, frame[INDEX]]
            if frame[NARROW] != 0 and value > frame[ALPHA] and value < frame[BETA]:
                # Fail high on the null window: search again with the full window.
                frame[NARROW] = 0
                child = frames[ply + 1]
                child[ALPHA] = -frame[BETA] if sign < 0 else frame[ALPHA]
                child[BETA] = -frame[ALPHA] if sign < 0 else frame[BETA]
                child[DEPTH] = frame[DEPTH] - 1
                ply += 1
                entering = True
                continue
            if not high:
                frame[ALL_HIGH] = 0
            if value > frame[BEST] or (value == frame[BEST] and low and frame[BEST_LOW] == 0):
                # Prefer a proved move over an equal one that is not.
                lines[ply, 0] = move
                for i in range(lengths[ply + 1]):
                    lines[ply, i + 1] = lines[ply + 1, i]
                lengths[ply] = lengths[ply + 1] + 1
                frame[BEST_MOVE] = move
                frame[BEST] = value
                frame[BEST_LOW] = low
                frame[ALPHA] = max(frame[ALPHA], value)
            frame[INDEX] += 1
            done = False
            if frame[ALPHA] >= frame[BETA] or frame[INDEX] == frame[COUNT]:
                # This node is finished.
                cut = frame[ALPHA] >= frame[BETA]
                value = frame[BEST]
                low = frame[BEST_LOW] != 0
                high = (frame[ALL_HIGH] != 0 and frame[INDEX] == frame[COUNT]) or value >= top
                mover = to_move(stack[ply])
                if cut and ply > 0:
                    if killers[ply, 0] != frame[BEST_MOVE]:
                        killers[ply, 1] = killers[ply, 0]
                        killers[ply, 0] = frame[BEST_MOVE]
                    history[mover, frame[BEST_MOVE]] += frame[DEPTH] * frame[DEPTH]
                if ply > 0 or frame[COUNT] == control[ROOT_MOVES]:
                    if value >= frame[BETA]:
                        bound, sure = table.LOWER, low
                    elif value <= frame[FLOOR]:
                        bound, sure = table.UPPER, high
                    else:
                        bound, sure = table.EXACT, low and high
                    entry = table.pack(
                        value,
                        frame[BEST_MOVE],
                        table.PROVED if sure else min(frame[DEPTH], table.PROVED - 1),
                        bound,
                    )
                    table.store(table_keys, table_data, np.uint64(key(stack[ply])), entry)
                done = True
        if done:
            if ply == 0:
                control[VALUE] = value
                control[LOW] = low
                control[HIGH] = high
                control[NODES] = nodes
                return True
            ply -= 1
            entering = False
            continue
        # Search the next move: below the root, the remaining one with the highest `order`.
        index = frame[INDEX]
        if ply > 0:
            choice = index
            for i in range(index + 1, frame[COUNT]):
                if order[ply, i] > order[ply, choice]:
                    choice = i
            moves[ply, index], moves[ply, choice] = moves[ply, choice], moves[ply, index]
            order[ply, index], order[ply, choice] = order[ply, choice], order[ply, index]
        stack[ply + 1] = stack[ply]
        play(stack[ply + 1], moves[ply, index])
        same = to_move(stack[ply + 1]) == to_move(stack[ply])
        frame[SIGN] = 1 if same else -1
        frame[NARROW] = index > 0
        child = frames[ply + 1]
        upper = frame[ALPHA] + 1 if index > 0 else frame[BETA]
        child[ALPHA] = frame[ALPHA] if same else -upper
        child[BETA] = upper if same else -frame[ALPHA]
        child[DEPTH] = frame[DEPTH] - 1
        ply += 1
        entering = True
