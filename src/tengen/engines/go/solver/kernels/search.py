"""Can one side, the prover, reach a score? Depth-first search of an and/or tree, in slices.

How far a line is followed is a matter of effort, not of plies alone. Moves are tried by promise (promise.py).
Each ply costs 1 of the effort; a move of the prover that promises less than his best one costs more. So lines of
best moves are long and others short: a proof, which needs just one good move of the prover in each position, is
found deep down.

The prover is to show a way to at least `goal` points against every reply. Whatever moves the prover leaves out, a
proof holds; of the other side all moves are looked at, but those that would repeat a position of the line. (Under
the simple ko rule, with nothing that forbids long cycles, such a move fails the line.)

A proof is kept in the table only if no move was left out below because it would repeat. Such proofs are
well-founded: each rests on proofs that were found before, so by following them no position with the same side
to move ever comes again, and they hold on every way to the position. Other proofs hold on the line at hand and
are found again where they are needed.

What *failed* need not be false, because that may depend on the horizon and on the line. It only saves work: it
is kept for one search (`ROUND`), and not at all if the prover was kept from repeating something earlier on the
line; a THOROUGH search does without. To show that the prover can not reach more, the other side must prove it.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount, trailing_zeros
from tengen.core.compiled.kernel import inner, kernel
from tengen.engines.go.solver.kernels.benson import controlled, living, safe_points
from tengen.engines.go.solver.kernels.board import area, canonical, moved_on, number, place
from tengen.engines.go.solver.kernels.state import (
    AT,
    BEST,
    CAPTURED,
    COUNT,
    EFFORT,
    ENTER,
    FAILED,
    FOR_EVER,
    GOAL,
    HARDEST,
    HERE,
    HORIZON,
    IMAGE,
    LEAST,
    LEAVE,
    LOOP,
    MODE,
    MOST_PLIES,
    NEXT,
    NO_LOOP,
    NO_POINT,
    NODES,
    OPEN,
    OPENED,
    PASS_POINT,
    PASSED,
    PLY,
    POSITIONAL,
    PROVED,
    PROVER,
    REPEATED,
    RESULT,
    SECOND_BEST,
    SIMPLE,
    STARTED,
    SUPERKO,
    THERE,
    TURN,
)
from tengen.engines.go.solver.kernels.table import judged, probe, store

SETTLED = 4_000  # how much less a move into somebody's safe area promises, in thousandths


@inner
def key_of(codes, ko, turn, passed, s):
    code, image = canonical(codes, ko, s.images)
    flags = np.uint64(4 * s.facts[PROVER] + 2 * turn + passed)
    return (code << np.uint64(3)) | flags, image


@inner
def promised(patterns, turn, s):
    total = np.int64(0)
    for window in range(len(patterns)):
        total += s.weights[turn, s.starts[window] + patterns[window]]
    return total


@inner
def comes_again(ply, mine, theirs, s):
    """The last ply at which a move from here to this board would repeat, or -1."""
    turn = 1 - s.frames[ply, TURN]
    for earlier in range(ply, -1, -1):
        if s.boards[earlier, 0] == mine and s.boards[earlier, 1] == theirs:
            if s.frames[earlier, TURN] == turn or s.facts[SUPERKO] == POSITIONAL:
                return earlier
    return -1


@inner
def is_past(turn, mine, theirs, s):
    """Whether a move to this board, `turn` being next, would repeat a position of the game before the search."""
    if s.facts[SUPERKO] != SIMPLE:
        for index in range(len(s.past)):
            if s.past[index, 0] == mine and s.past[index, 1] == theirs:
                if s.facts[SUPERKO] == POSITIONAL or s.past[index, 2] == np.uint64(turn):
                    return True
    return False


@inner
def may_come_back(alive, s):
    """Whether a board of the game before the search has all of these stones of the prover.

    Only then could superko forbid a capture that makes points safe: else the board never comes back to that.
    """
    if s.facts[SUPERKO] != SIMPLE:
        for index in range(len(s.past)):
            here = s.past[index, 0] == s.boards[0, 0] and s.past[index, 1] == s.boards[0, 1]
            if alive & ~s.past[index, 0] == ZERO and not here:
                return True
    return False


@inner
def enter(ply, s):
    """Judge a position without moves, or list its children, the most promising first."""
    frame = s.frames[ply]
    mine, theirs, ko = s.boards[ply, 0], s.boards[ply, 1], s.boards[ply, 2]
    turn, passed, effort = frame[TURN], frame[PASSED], frame[EFFORT]
    goal, shape = s.facts[GOAL], s.shape
    frame[OPENED] = 0
    frame[HORIZON] = 0
    frame[REPEATED] = 0
    frame[LOOP] = NO_LOOP
    score = area(mine, theirs, shape)
    if passed == 1 and (score >= goal) == (turn == 0):
        return PROVED if turn == 0 else FAILED  # by a second pass, whatever is safe: dead stones count, too
    everything = np.int64(popcount(shape[0]))
    alive = living(mine, theirs, shape, s.room[0], s.room[1], s.room[2])
    mine_safe = controlled(alive, shape)
    if 2 * np.int64(popcount(mine_safe)) - everything >= goal:
        if mine_safe & theirs == ZERO or not may_come_back(alive, s):
            return PROVED
    theirs_safe = safe_points(theirs, mine, shape, s.room)
    if everything - 2 * np.int64(popcount(theirs_safe)) < goal:
        return FAILED
    codes = s.codes[HERE]
    number(mine, theirs, s.powers, codes)
    key, image = key_of(codes, ko, turn, passed, s)
    entry = probe(key, s)
    result = judged(entry, goal, effort, s)
    if result != OPEN:
        if result == FAILED:
            frame[HORIZON] = (entry >> 14) & 1
        return result
    if effort == 0 or ply + 2 >= MOST_PLIES:
        frame[HORIZON] = 1
        return FAILED
    s.boards[ply, 3] = key
    frame[IMAGE] = image
    frame[BEST] = NO_POINT
    frame[OPENED] = 1
    frame[STARTED] = s.facts[NODES]
    frame[HARDEST] = -1
    known = NO_POINT
    if entry != 0:
        known = (entry >> 24) & 63
        if known < PASS_POINT:
            known = s.back[image, known]
    patterns = s.patterns[HERE]
    number(mine, theirs, s.windows, patterns)
    count = 0
    own, other = (mine, theirs) if turn == 0 else (theirs, mine)
    left = shape[0] & ~(mine | theirs | ko)
    if turn == 0:
        # The prover need not play where all is settled, except to capture: proofs may leave out his own moves.
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
        if is_past(1 - turn, new_mine, new_theirs, s):
            continue  # the same for all of the search and all images: what is proved so may be kept
        point = np.int64(trailing_zeros(stone))
        taken = other & ~new_other
        moved_on(patterns, stone, taken, turn, s.windows, s.patterns[THERE])
        promise = promised(s.patterns[THERE], 1 - turn, s)
        if turn == 0 and promise < s.facts[LEAST]:
            frame[HORIZON] = 1
            continue
        worth = promise if turn == 0 else -promise
        if (mine_safe | theirs_safe) & stone != ZERO:
            worth -= SETTLED
        if turn == 1 and point == known:
            worth = np.int64(1) << 50
        if effort >= 2:
            moved_on(codes, stone, taken, turn, s.powers, s.codes[THERE])
            next_key, _ = key_of(s.codes[THERE], new_ko, 1 - turn, 0, s)
            seen = probe(next_key, s)
            verdict = judged(seen, goal, effort - 1, s)
            if verdict == PROVED and turn == 0:
                frame[BEST] = point
                return PROVED
            if verdict == FAILED and turn == 1:
                frame[BEST] = point
                frame[HORIZON] = (seen >> 14) & 1
                return FAILED
        index = count
        while index > 0 and s.worth[ply, index - 1] < worth:
            s.worth[ply, index] = s.worth[ply, index - 1]
            s.points[ply, index] = s.points[ply, index - 1]
            s.children[ply, index, 0] = s.children[ply, index - 1, 0]
            s.children[ply, index, 1] = s.children[ply, index - 1, 1]
            s.children[ply, index, 2] = s.children[ply, index - 1, 2]
            index -= 1
        s.worth[ply, index] = worth
        s.points[ply, index] = point
        s.children[ply, index, 0] = new_mine
        s.children[ply, index, 1] = new_theirs
        s.children[ply, index, 2] = new_ko
        count += 1
    for index in range(count):
        s.costs[ply, index] = 1
        if turn == 0:
            s.costs[ply, index] += (s.worth[ply, 0] - s.worth[ply, index]) * s.facts[SECOND_BEST] // 1000
            if s.costs[ply, index] > effort:
                count = index
                frame[HORIZON] = 1  # a greater effort may find more
                break
    # A pass after which the other side ends the game to its liking is no move; one that ends it was judged above.
    if (turn == 0 and score >= goal) or (turn == 1 and passed == 0):
        s.points[ply, count] = PASS_POINT
        s.costs[ply, count] = 1
        s.children[ply, count, 0] = mine
        s.children[ply, count, 1] = theirs
        s.children[ply, count, 2] = ZERO
        count += 1
    frame[COUNT] = count
    frame[AT] = 0
    return OPEN


@inner
def descend(ply, s):
    """Set up the next child's frame. Returns OPEN, FAILED if that repeats, or PROVED if there is no child left."""
    frame = s.frames[ply]
    index = frame[AT]
    turn = frame[TURN]
    if index == frame[COUNT]:
        return PROVED
    frame[AT] = index + 1
    mine, theirs = s.children[ply, index, 0], s.children[ply, index, 1]
    point = s.points[ply, index]
    stones = popcount(s.boards[ply, 0] | s.boards[ply, 1])
    captured = frame[CAPTURED]
    if point != PASS_POINT:
        if popcount(mine | theirs) <= stones:
            captured = 1
        if captured == 1:
            again = comes_again(ply, mine, theirs, s)
            if again >= 0:
                if turn == 0 or s.facts[SUPERKO] == SIMPLE:
                    frame[LOOP] = min(frame[LOOP], again)
                else:
                    frame[REPEATED] = 1
                return FAILED
    below = s.frames[ply + 1]
    below[TURN] = 1 - turn
    below[PASSED] = 1 if point == PASS_POINT else 0
    below[EFFORT] = frame[EFFORT] - s.costs[ply, index]
    below[CAPTURED] = captured
    s.boards[ply + 1, 0] = mine
    s.boards[ply + 1, 1] = theirs
    s.boards[ply + 1, 2] = s.children[ply, index, 2]
    return OPEN


@inner
def leave(ply, result, s):
    """Keep what was found out about a position whose children were looked at."""
    frame = s.frames[ply]
    if frame[LOOP] >= ply:
        frame[LOOP] = NO_LOOP  # what is kept from being repeated is part of every line from here
    if frame[OPENED] == 0:
        return
    best = frame[BEST]
    if best != NO_POINT and best != PASS_POINT:
        best = s.images[frame[IMAGE], best]
    effort = frame[EFFORT]
    if result == FAILED and frame[HORIZON] == 0 and frame[LOOP] == NO_LOOP:
        effort = FOR_EVER
    work = s.facts[NODES] - frame[STARTED] + 1
    if (result == PROVED and frame[REPEATED] == 1) or (result == FAILED and frame[LOOP] != NO_LOOP):
        result = OPEN  # only the move is worth keeping
    store(s.boards[ply, 3], result, s.facts[GOAL], effort, frame[HORIZON], best, work, s)


@kernel
def known(mine, theirs, ko, turn, passed, s):
    """(what the table has about a position, the image by which it has it)."""
    codes = s.codes[HERE]
    number(mine, theirs, s.powers, codes)
    key, image = key_of(codes, ko, turn, passed, s)
    return probe(key, s), image


@kernel
def run(s, nodes):
    """Go on for about so many nodes. Returns PROVED, FAILED, or OPEN if there is more to do.

    The state is in `facts`; whoever starts a search sets the first frame, PLY and MODE to 0 and GOAL.
    """
    ply, mode, result = s.facts[PLY], s.facts[MODE], s.facts[RESULT]
    end = s.facts[NODES] + nodes
    while True:
        if mode == ENTER:
            if s.facts[NODES] >= end:
                break
            s.facts[NODES] += 1
            result = enter(ply, s)
            mode = NEXT if result == OPEN else LEAVE
        elif mode == NEXT:
            frame = s.frames[ply]
            found = descend(ply, s)
            if found == OPEN:
                ply += 1
                mode = ENTER
            elif found == PROVED:  # all children were looked at
                result = FAILED if frame[TURN] == 0 else PROVED
                mode = LEAVE
            elif frame[TURN] == 1 and s.facts[SUPERKO] == SIMPLE:
                frame[HORIZON] = 0
                frame[BEST] = s.points[ply, frame[AT] - 1]
                result = FAILED
                mode = LEAVE
        else:
            leave(ply, result, s)
            if ply == 0:
                s.facts[MODE] = ENTER
                s.facts[RESULT] = result
                return result
            below = s.frames[ply]
            ply -= 1
            frame = s.frames[ply]
            point = s.points[ply, frame[AT] - 1]
            if (result == PROVED) == (frame[TURN] == 0):
                frame[BEST] = point
                frame[HORIZON] = below[HORIZON]
                frame[REPEATED] = below[REPEATED]
                frame[LOOP] = below[LOOP]
            else:
                # Of moves that do not help, the one that was hardest to answer is shown and tried first.
                work = s.facts[NODES] - below[STARTED] if below[OPENED] == 1 else 0
                if work > frame[HARDEST]:
                    frame[HARDEST] = work
                    frame[BEST] = point
                frame[HORIZON] |= below[HORIZON]
                frame[REPEATED] |= below[REPEATED]
                frame[LOOP] = min(frame[LOOP], below[LOOP])
                mode = NEXT
    s.facts[PLY], s.facts[MODE], s.facts[RESULT] = ply, mode, result
    return OPEN
