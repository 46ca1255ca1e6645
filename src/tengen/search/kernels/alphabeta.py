"""Principal variation search for any game, with an explicit stack so that a search can pause and resume.

Values are in thousandths of a point for the side to move, from -top to top. Two flags state what is proved about a
value: `low`, the true value is at least that; `high`, it is at most that. A leaf at the horizon proves neither, an
ended game proves both, and a node inherits the flags of its children. So one search distinguishes exact results
from heuristic estimates.

Repetition (Go): if the rules forbid it, a move that repeats a position is illegal. On another path to the same
node it may be legal, so the value of the node is then not proved from above; a side without any other move is
assumed to lose, unproved. If the rules allow it, a repetition counts as a loss for the *prover*, the side to move
at the root, and proves nothing. Hence proofs are never circular: a proof uses only proofs completed before it, and
playing it out repeats no position. This makes table entries valid on every path, under any rule that forbids or
penalises repeating a position with the same side to move. (Positional superko forbids more; the driver then claims
no proofs.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.position_kernels import is_repetition
from tengen.core.compiled.records import record_type
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
from tengen.search.kernels import transposition_table as table

# One record for each ply of the search.
FRAME = record_type(
    ("alpha", np.int64),
    ("beta", np.int64),
    ("floor", np.int64),  # alpha when the node was entered
    ("best", np.int64),  # the best value found so far
    ("best_move", np.int32),
    ("killers", np.int32, 2),
    ("depth", np.int32),  # plies left to the horizon
    ("count", np.int32),  # number of moves to search
    ("index", np.int32),  # of the move being searched
    ("sign", np.int32),  # 1 if the same side moves again after that move, else -1
    ("line_length", np.int32),
    ("best_low", np.bool_),  # whether the best value is proved from below
    ("all_high", np.bool_),  # whether every move searched is proved from above
    ("narrow", np.bool_),  # whether the move is searched with a null window
)

# The state of a search: what it was asked, where it paused, what it found.
CONTROL = record_type(
    ("node_limit", np.int64),  # pause at this number of nodes
    ("top", np.int64),  # the largest possible value
    ("prover", np.int64),
    ("past", np.int64),  # number of repeat keys of the game so far, including the root
    ("root_moves", np.int64),  # number of legal moves; if fewer are searched, the result is not the position's
    ("nodes", np.int64),  # nodes entered so far
    ("ply", np.int64),  # the current node
    ("value", np.int64),  # the result, once finished
    ("entering", np.bool_),  # whether the current node is new; if not, its child has just returned
    ("low", np.bool_),
    ("high", np.bool_),
)


class Workspace(NamedTuple):
    """The arrays of a search.

    control: CONTROL[1]; frames: FRAME[ply]; moves, order: int32 and int64 [ply, max_legal_moves]; path: uint64,
    repeat keys of the game, then of the search by ply; lines: int32 [ply, ply], the principal variation from each
    ply; history: int64 [2, move_codes]; table: see `transposition_table`.
    """

    control: Any
    frames: Any
    moves: Any
    order: Any
    path: Any
    lines: Any
    history: Any
    table: Any


PROVED = 255  # depth of a table entry whose bound is a proof, independent of any horizon and of the path
_NONE = -(1 << 60)
_BANNED = -(1 << 61)  # value of an illegal repetition: worse than any move


@helper
def _table_key(state):
    """The key without its lowest bit, which keeps the buckets and so the bench signatures of earlier versions."""
    return np.uint64(key(state)) >> np.uint64(1)


@kernel
def search(stack, workspace, stop):
    """Start or resume a search; return True when finished, False at the node limit or a stop.

    stack: records by ply. The caller sets the root's moves, best first, in `moves[0]`, and its window in
    `frames[0]`.
    """
    control = workspace.control[0]
    frames, moves, order = workspace.frames, workspace.moves, workspace.order
    path, lines, history = workspace.path, workspace.lines, workspace.history
    ply = control.ply
    entering = control.entering
    nodes = control.nodes
    past = control.past
    top = control.top
    value = np.int64(0)
    low = False
    high = False
    deepest = len(stack) - 1
    while True:
        frame = frames[ply]
        if entering:
            if nodes >= control.node_limit or (nodes & 255 == 0 and atomics.load(stop, 0) != 0):
                control.ply = ply
                control.entering = True
                control.nodes = nodes
                return False
            nodes += 1
            state = stack[ply]
            frame.line_length = 0
            mover = to_move(state)
            done = False
            best_first = np.int64(-1)
            if ply > 0:
                if is_over(state):
                    value = np.int64(score(state)) if mover == 0 else -np.int64(score(state))
                    low, high, done = True, True, True
                elif is_repetition(state, path, past + ply - 1):
                    if forbids_repetition(state):
                        value = frames[ply - 1].sign * _BANNED
                        low, high, done = False, False, True
                    else:
                        lost = mover == control.prover
                        value = -top if lost else top
                        low, high, done = lost, not lost, True
                elif frame.depth <= 0 or ply == deepest:
                    value = np.int64(evaluate(state)) if mover == 0 else -np.int64(evaluate(state))
                    low, high, done = False, False, True
                else:
                    path[past + ply - 1] = repeat_key(state)
            if not done:
                entry = table.probe(workspace.table, _table_key(state))
                if entry != np.uint64(0):
                    best_first = table.move_of(entry)
                    if ply > 0 and table.depth_of(entry) >= frame.depth:
                        bound = table.bound_of(entry)
                        known = table.value_of(entry)
                        sure = table.depth_of(entry) == PROVED
                        if (
                            bound == table.EXACT
                            or (bound == table.LOWER and known >= frame.beta)
                            or (bound == table.UPPER and known <= frame.alpha)
                        ):
                            value = known
                            low = sure and bound != table.UPPER
                            high = sure and bound != table.LOWER
                            done = True
            if not done:
                if ply > 0:
                    frame.count = legal_moves(state, moves[ply])
                    for i in range(frame.count):
                        move = moves[ply, i]
                        rank = history[mover, move]
                        if move == best_first:
                            rank = np.int64(1) << 60
                        elif move == frame.killers[0]:
                            rank = np.int64(1) << 59
                        elif move == frame.killers[1]:
                            rank = np.int64(1) << 58
                        order[ply, i] = rank
                frame.floor = frame.alpha
                frame.best = _NONE
                frame.best_move = -1
                frame.best_low = False
                frame.all_high = True
                frame.index = 0
        else:
            # The child has returned `value`, `low`, `high` from the point of view of its own side.
            sign = frame.sign
            if sign < 0:
                value = -value
                low, high = high, low
            low = low or value <= -top
            high = high or value >= top
            move = moves[ply, frame.index]
            if frame.narrow and value > frame.alpha and value < frame.beta:
                # Fail high on the null window: search again with the full window.
                frame.narrow = False
                child = frames[ply + 1]
                child.alpha = -frame.beta if sign < 0 else frame.alpha
                child.beta = -frame.alpha if sign < 0 else frame.beta
                child.depth = frame.depth - 1
                ply += 1
                entering = True
                continue
            if not high:
                frame.all_high = False
            if value > frame.best or (value == frame.best and low and not frame.best_low):
                # Prefer a proved move over an equal one that is not.
                lines[ply, 0] = move
                for i in range(frames[ply + 1].line_length):
                    lines[ply, i + 1] = lines[ply + 1, i]
                frame.line_length = frames[ply + 1].line_length + 1
                frame.best_move = move
                frame.best = value
                frame.best_low = low
                frame.alpha = max(frame.alpha, value)
            frame.index += 1
            done = False
            if frame.alpha >= frame.beta or frame.index == frame.count:
                # This node is finished.
                cut = frame.alpha >= frame.beta
                value = frame.best
                low = frame.best_low
                high = (frame.all_high and frame.index == frame.count) or value >= top
                stuck = frame.best_move < 0
                if stuck:  # every move is a forbidden repetition, but perhaps not on other paths
                    value, low, high = -top, True, False
                mover = to_move(stack[ply])
                if cut and ply > 0:
                    if frame.killers[0] != frame.best_move:
                        frame.killers[1] = frame.killers[0]
                        frame.killers[0] = frame.best_move
                    history[mover, frame.best_move] += frame.depth * frame.depth
                if not stuck and (ply > 0 or frame.count == control.root_moves):
                    if value >= frame.beta:
                        bound, sure = table.LOWER, low
                    elif value <= frame.floor:
                        bound, sure = table.UPPER, high
                    else:
                        bound, sure = table.EXACT, low and high
                    entry = table.pack(
                        frame.best_move, PROVED if sure else min(frame.depth, PROVED - 1), 0, bound, value
                    )
                    table.store_latest(workspace.table, _table_key(stack[ply]), entry)
                done = True
        if done:
            if ply == 0:
                control.value = value
                control.low = low
                control.high = high
                control.nodes = nodes
                return True
            ply -= 1
            entering = False
            continue
        # Search the next move: below the root, the remaining one with the highest `order`.
        index = frame.index
        if ply > 0:
            choice = index
            for i in range(index + 1, frame.count):
                if order[ply, i] > order[ply, choice]:
                    choice = i
            moves[ply, index], moves[ply, choice] = moves[ply, choice], moves[ply, index]
            order[ply, index], order[ply, choice] = order[ply, choice], order[ply, index]
        stack[ply + 1] = stack[ply]
        play(stack[ply + 1], moves[ply, index])
        same = to_move(stack[ply + 1]) == to_move(stack[ply])
        frame.sign = 1 if same else -1
        frame.narrow = index > 0
        child = frames[ply + 1]
        upper = frame.alpha + 1 if index > 0 else frame.beta
        child.alpha = frame.alpha if same else -upper
        child.beta = upper if same else -frame.alpha
        child.depth = frame.depth - 1
        ply += 1
        entering = True
