"""Proof search: depth-first search of an AND/OR tree for a strategy of the prover, run in slices.

The length of a line is limited by its effort rather than its plies. Moves are ordered by learned value
(`value_learning`). Each ply costs 1; a move of the prover that is worse than the best one costs more. So lines of
best moves are long and others short, and proofs, which need only one good move of the prover per position, are
found deep in the tree.

The prover must reach at least `goal` points against every reply. A proof remains valid whatever moves of the
prover are omitted; of the opponent all moves are searched except those that repeat a position of the line. (Under
the simple ko rule, which allows long cycles, such a move fails the line.)

A proof is stored in the table only if no move below was omitted as a repetition. Stored proofs are well-founded:
each rests on earlier ones, so following them never repeats a position with the same side to move, and they hold on
every path to the position. Other proofs hold only on the current line and are found again where needed.

Failures need not be final, because they may depend on the horizon and on the line. They only save work: they are
valid for one search (`round_number`), and not stored at all if the prover was prevented from repeating an earlier
position of the line; a thorough search ignores them. To show that the prover cannot do better, the opponent must
prove it.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.engines.go.solver.kernels.benson import controlled, safe_points, unconditionally_alive
from tengen.engines.go.solver.kernels.board import area, canonical, encode, place, update_sums
from tengen.engines.go.solver.kernels.state import (
    CHILD_POSITION,
    CURRENT,
    ENTER,
    FAILED,
    LEAVE,
    MAX_CHILDREN,
    MAX_PLIES,
    NEXT,
    NO_LOOP,
    NO_POINT,
    OPEN,
    PASS_POINT,
    POSITIONAL,
    PROVED,
    SIMPLE,
    UNLIMITED,
)
from tengen.engines.go.solver.kernels.table import entry_move, probe, reached_horizon, store, table_result

SETTLED_PENALTY = 4_000  # of a move into a safe area, in thousandths


@inner
def key_of(codes, ko, turn, passed, s):
    code, image = canonical(codes, ko, s.images)
    flags = np.uint64(4 * s.state[0].prover + 2 * turn + passed)
    return (code << np.uint64(3)) | flags, image


@inner
def learned_value(patterns, turn, s):
    total = np.int64(0)
    for window in range(len(patterns)):
        total += s.weights[turn, s.starts[window] + patterns[window]]
    return total


@inner
def find_repetition(ply, mine, theirs, s):
    """The last ply whose position a move to this board would repeat, or -1."""
    turn = 1 - s.frames[ply].turn
    for earlier in range(ply, -1, -1):
        if s.boards[earlier, 0] == mine and s.boards[earlier, 1] == theirs:
            if s.frames[earlier].turn == turn or s.state[0].superko == POSITIONAL:
                return earlier
    return -1


@inner
def repeats_history(turn, mine, theirs, s):
    """Whether a move to this board, with `turn` to move next, repeats a position of the game before the search."""
    if s.state[0].superko != SIMPLE:
        for index in range(len(s.history)):
            if s.history[index, 0] == mine and s.history[index, 1] == theirs:
                if s.state[0].superko == POSITIONAL or s.history[index, 2] == np.uint64(turn):
                    return True
    return False


@inner
def may_recur(alive, s):
    """Whether a position of the game before the search contains all of these stones of the prover.

    Only then could superko forbid a capture on which safety relies.
    """
    if s.state[0].superko != SIMPLE:
        for index in range(len(s.history)):
            here = s.history[index, 0] == s.boards[0, 0] and s.history[index, 1] == s.boards[0, 1]
            if alive & ~s.history[index, 0] == ZERO and not here:
                return True
    return False


@inner
def _set_child(child, mine, theirs, ko, point, move_value):
    child.mine = mine
    child.theirs = theirs
    child.ko = ko
    child.point = point
    child.move_value = move_value


@inner
def enter(ply, s):
    """Evaluate a position statically or by the table, or list its children by descending value."""
    frame, base = s.frames[ply], ply * MAX_CHILDREN
    mine, theirs, ko = s.boards[ply, 0], s.boards[ply, 1], s.boards[ply, 2]
    turn, passed, effort = frame.turn, frame.passed, frame.effort
    goal, shape = s.state[0].goal, s.shape
    frame.expanded = 0
    frame.horizon = 0
    frame.repeated = 0
    frame.loop = NO_LOOP
    score = area(mine, theirs, shape)
    if passed == 1 and (score >= goal) == (turn == 0):
        return PROVED if turn == 0 else FAILED  # by a second pass: dead stones count as alive
    everything = np.int64(popcount(shape[0]))
    alive = unconditionally_alive(mine, theirs, shape, s.scratch[0], s.scratch[1], s.scratch[2])
    mine_safe = controlled(alive, shape)
    if 2 * np.int64(popcount(mine_safe)) - everything >= goal:
        if mine_safe & theirs == ZERO or not may_recur(alive, s):
            return PROVED
    theirs_safe = safe_points(theirs, mine, shape, s.scratch)
    if everything - 2 * np.int64(popcount(theirs_safe)) < goal:
        return FAILED
    codes = s.codes[CURRENT]
    encode(mine, theirs, s.powers, codes)
    key, image = key_of(codes, ko, turn, passed, s)
    entry = probe(key, s)
    result = table_result(entry, goal, effort, s)
    if result != OPEN:
        if result == FAILED:
            frame.horizon = reached_horizon(entry)
        return result
    if effort == 0 or ply + 2 >= MAX_PLIES:
        frame.horizon = 1
        return FAILED
    s.boards[ply, 3] = key
    frame.image = image
    frame.best = NO_POINT
    frame.expanded = 1
    frame.started = s.state[0].nodes
    frame.hardest = -1
    table_move = NO_POINT
    if entry != 0:
        table_move = entry_move(entry)
        if table_move < PASS_POINT:
            table_move = s.back[image, table_move]
    patterns = s.patterns[CURRENT]
    encode(mine, theirs, s.windows, patterns)
    count = 0
    own, other = (mine, theirs) if turn == 0 else (theirs, mine)
    left = shape[0] & ~(mine | theirs | ko)
    if turn == 0:
        # The prover need not play in safe areas, except to capture: proofs may omit the prover's moves.
        left &= ~theirs_safe
        if mine_safe & theirs == ZERO:
            left &= ~mine_safe
    while left != ZERO:
        stone = left & (~left + ONE)
        left &= ~stone
        new_own, new_other, new_ko = place(own, other, stone, shape)
        if new_own == ZERO:
            continue
        new_mine, new_theirs = (new_own, new_other) if turn == 0 else (new_other, new_own)
        if repeats_history(1 - turn, new_mine, new_theirs, s):
            continue  # the same in the whole search and in all images, so proofs may still be stored
        point = np.int64(trailing_zeros(stone))
        taken = other & ~new_other
        update_sums(patterns, stone, taken, turn, s.windows, s.patterns[CHILD_POSITION])
        value = learned_value(s.patterns[CHILD_POSITION], 1 - turn, s)
        if turn == 0 and value < s.state[0].min_value:
            frame.horizon = 1
            continue
        move_value = value if turn == 0 else -value
        if (mine_safe | theirs_safe) & stone != ZERO:
            move_value -= SETTLED_PENALTY
        if turn == 1 and point == table_move:
            move_value = np.int64(1) << 50
        if effort >= 2:
            update_sums(codes, stone, taken, turn, s.powers, s.codes[CHILD_POSITION])
            next_key, _ = key_of(s.codes[CHILD_POSITION], new_ko, 1 - turn, 0, s)
            seen = probe(next_key, s)
            verdict = table_result(seen, goal, effort - 1, s)
            if verdict == PROVED and turn == 0:
                frame.best = point
                return PROVED
            if verdict == FAILED and turn == 1:
                frame.best = point
                frame.horizon = reached_horizon(seen)
                return FAILED
        index = count
        while index > 0 and s.children[base + index - 1].move_value < move_value:
            s.children[base + index] = s.children[base + index - 1]
            index -= 1
        _set_child(s.children[base + index], new_mine, new_theirs, new_ko, point, move_value)
        count += 1
    for index in range(count):
        child = s.children[base + index]
        child.cost = 1
        if turn == 0:
            child.cost += (s.children[base].move_value - child.move_value) * s.state[0].deficit_cost // 1000
            if child.cost > effort:
                count = index
                frame.horizon = 1  # more effort may find more
                break
    # Passes after which the opponent wins by passing are omitted; passes that end the game were evaluated above.
    if (turn == 0 and score >= goal) or (turn == 1 and passed == 0):
        _set_child(s.children[base + count], mine, theirs, ZERO, PASS_POINT, 0)
        s.children[base + count].cost = 1
        count += 1
    frame.child_count = count
    frame.child_index = 0
    return OPEN


@inner
def descend(ply, s):
    """Set up the next child's frame. Returns OPEN, FAILED if the child is a repetition, PROVED if none is left."""
    frame = s.frames[ply]
    index = frame.child_index
    turn = frame.turn
    if index == frame.child_count:
        return PROVED
    frame.child_index = index + 1
    child = s.children[ply * MAX_CHILDREN + index]
    mine, theirs, point = child.mine, child.theirs, child.point
    stones = popcount(s.boards[ply, 0] | s.boards[ply, 1])
    captured = frame.captured
    if point != PASS_POINT:
        if popcount(mine | theirs) <= stones:
            captured = 1
        if captured == 1:
            again = find_repetition(ply, mine, theirs, s)
            if again >= 0:
                if turn == 0 or s.state[0].superko == SIMPLE:
                    frame.loop = min(frame.loop, again)
                else:
                    frame.repeated = 1
                return FAILED
    below = s.frames[ply + 1]
    below.turn = 1 - turn
    below.passed = 1 if point == PASS_POINT else 0
    below.effort = frame.effort - child.cost
    below.captured = captured
    s.boards[ply + 1, 0] = mine
    s.boards[ply + 1, 1] = theirs
    s.boards[ply + 1, 2] = child.ko
    return OPEN


@inner
def leave(ply, result, s):
    """Store the result of an expanded position."""
    frame = s.frames[ply]
    if frame.loop >= ply:
        frame.loop = NO_LOOP  # the repeated position is part of every line from here
    if frame.expanded == 0:
        return
    best = frame.best
    if best != NO_POINT and best != PASS_POINT:
        best = s.images[frame.image, best]
    effort = frame.effort
    if result == FAILED and frame.horizon == 0 and frame.loop == NO_LOOP:
        effort = UNLIMITED
    work = s.state[0].nodes - frame.started + 1
    if (result == PROVED and frame.repeated == 1) or (result == FAILED and frame.loop != NO_LOOP):
        result = OPEN  # store only the move
    store(s.boards[ply, 3], result, effort, frame.horizon, best, work, s)


@kernel
def probe_position(mine, theirs, ko, turn, passed, s):
    """(table entry of a position, or 0; the image under which it is stored)."""
    codes = s.codes[CURRENT]
    encode(mine, theirs, s.powers, codes)
    key, image = key_of(codes, ko, turn, passed, s)
    return probe(key, s), image


@kernel
def run(s, nodes):
    """Continue the search for about `nodes` nodes. Returns PROVED, FAILED, or OPEN if it is not finished.

    To start a search, set the first frame and the goal, and the ply and the mode to 0.
    """
    ply, mode, result = s.state[0].ply, s.state[0].mode, s.state[0].result
    end = s.state[0].nodes + nodes
    while True:
        if mode == ENTER:
            if s.state[0].nodes >= end:
                break
            s.state[0].nodes += 1
            result = enter(ply, s)
            mode = NEXT if result == OPEN else LEAVE
        elif mode == NEXT:
            frame = s.frames[ply]
            found = descend(ply, s)
            if found == OPEN:
                ply += 1
                mode = ENTER
            elif found == PROVED:  # all children were searched
                result = FAILED if frame.turn == 0 else PROVED
                mode = LEAVE
            elif frame.turn == 1 and s.state[0].superko == SIMPLE:
                frame.horizon = 0
                frame.best = s.children[ply * MAX_CHILDREN + frame.child_index - 1].point
                result = FAILED
                mode = LEAVE
        else:
            leave(ply, result, s)
            if ply == 0:
                s.state[0].mode = ENTER
                s.state[0].result = result
                return result
            below = s.frames[ply]
            ply -= 1
            frame = s.frames[ply]
            point = s.children[ply * MAX_CHILDREN + frame.child_index - 1].point
            if (result == PROVED) == (frame.turn == 0):
                frame.best = point
                frame.horizon = below.horizon
                frame.repeated = below.repeated
                frame.loop = below.loop
            else:
                # Of moves that fail, the one that was hardest to refute is stored and tried first.
                work = s.state[0].nodes - below.started if below.expanded == 1 else 0
                if work > frame.hardest:
                    frame.hardest = work
                    frame.best = point
                frame.horizon |= below.horizon
                frame.repeated |= below.repeated
                frame.loop = min(frame.loop, below.loop)
                mode = NEXT
    s.state[0].ply, s.state[0].mode, s.state[0].result = ply, mode, result
    return OPEN
