"""Principal variation search for any game, on a stack of its own, so that it can pause and go on.

Values are in thousandths of a point for the side to move, from -top to top. With each value goes what is proved:
`low` that the true value is at least that, `high` that it is at most that. A leaf at the horizon proves nothing;
an ended game proves both; a node inherits what its children prove. So one search tells exact results from guesses.

Repetition (Go): where the rules ban it, a move that repeats a position is no move; but on another way to the same
node it may be one, so the node's value is then not proved from above. Where they do not, a repetition is counted
as lost for the *prover*, the side to move at the root, and proves nothing. Hence a proof in favour of either side
never goes round in a circle: it uses only proofs that were complete before it, and following it repeats nothing.
That is what makes table entries safe to use on every path, under any rule that bans or punishes the repetition of
a position with the same side to move. (Positional superko forbids more: the driver then claims no proof.)
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.generic import (
    bans_repeats,
    evaluate,
    is_over,
    key,
    legal_moves,
    play,
    repeat_key,
    score,
    to_move,
)
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.walk import stood_before
from tengen.search.kernels import table

(
    ALPHA,  # the best value the side to move is sure of
    BETA,  # the value from which the other side will avoid this node
    FLOOR,  # alpha as it was at the beginning
    DEPTH,  # plies left to the horizon
    BEST,  # the best value found so far
    BEST_MOVE,
    BEST_LOW,  # whether the best value is proved from below
    ALL_HIGH,  # whether every move searched is proved from above
    COUNT,  # moves to search
    INDEX,  # the one being searched
    NARROW,  # whether it is being searched with a null window
    SIGN,  # 1 if the same side moves again after it, else -1
    FRAME_SIZE,
) = range(13)

(
    PLY,  # where the search stands
    ENTERING,  # whether the node there is new, or its child has just returned
    NODES,  # entered so far
    NODE_LIMIT,  # pause there
    PROVER,
    TOP,  # the largest possible value
    PAST,  # repeat keys of the game before the root, the root's among them
    ROOT_MOVES,  # how many moves the root has: a search of fewer says nothing about the position
    VALUE,  # the result, once finished
    LOW,
    HIGH,
    CONTROL_SIZE,
) = range(12)

_NONE = -(1 << 60)
_BANNED = -(1 << 61)  # the value of what is no move: below that of none


@kernel
def search(
    stack, frames, moves, order, path, lines, lengths, table_keys, table_data, killers, history, control, stop
):
    """Go on until the root is searched (returns True), the node limit is reached or a stop is seen (False).

    stack: records by ply; moves, order: int32 and int64 [ply, most_moves]; path: repeat keys, the game's and
    then by ply; lines: int32 [ply, ply], the principal variation from each ply, of `lengths`; killers: int32
    [ply, 2]; history: int64 [2, move_codes]. The root's moves stand in moves[0], best first; frames[0] has its
    window.
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
                elif stood_before(state, path, past + ply - 1):
                    if bans_repeats(state):
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
            # The child has returned `value`, `low`, `high` from its own side's view.
            sign = frame[SIGN]
            if sign < 0:
                value = -value
                low, high = high, low
            low = low or value <= -top
            high = high or value >= top
            move = moves[ply, frame[INDEX]]
            if frame[NARROW] != 0 and value > frame[ALPHA] and value < frame[BETA]:
                # Better than thought: search it again with the whole window.
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
                # What is proved is proved of this move: of two that look equal it is the better one.
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
        # Search the next move: below the root the best of those left, by their order.
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
