"""How likely the prover seems to reach its goal, learned by playing against itself.

What stands in each window of the board is a number in base three (`count_in`). Each such pattern has a weight, one
for each side to move; their sum is the promise of a position, the logarithm of the odds. A goal that takes longer
promises less, so that following the promise comes to an end: without that, a side that is sure to win any time
fills its own eyes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.rng import below, uniform
from tengen.engines.go.solver.kernels.benson import safe_points
from tengen.engines.go.solver.kernels.board import area, moved_on, number, place

LONGEST_GAME = 80  # plies; what is not reached by then counts as missed
FADING = 0.97  # by how much a goal is worth less if it is reached a ply later
TRUST = 0.9  # how far a lesson comes from the end of the game, rather than from what the next position promised
WINDOWS, MOVE = 0, 1  # rows of `sums`


class Lessons(NamedTuple):
    """What a teacher works with; rows of a game are its positions after each move."""

    shape: np.ndarray
    powers: np.ndarray  # [bit, window]
    starts: np.ndarray  # the number of each window's first pattern
    shared: np.ndarray  # pattern -> which weight it has: patterns that are images of each other have the same
    weights: np.ndarray  # [who is to move, weight]
    sums: np.ndarray  # [2, window]
    seen: np.ndarray  # [ply, 3]: prover's stones, the other's, who is to move
    patterns: np.ndarray  # [ply, window]
    promised: np.ndarray  # [ply], from 0 to 1
    room: np.ndarray  # for safety
    rng: np.ndarray


@inner
def promise_of(sums, turn, lessons):
    total = np.float32(0.0)
    for window in range(len(sums)):
        total += lessons.weights[turn, lessons.shared[lessons.starts[window] + sums[window]]]
    return total


@inner
def outcome(mine, theirs, goal, lessons):
    """1 if the goal is reached for good, 0 if it is out of reach, -1 if that is not seen."""
    everything = np.int64(popcount(lessons.shape[0]))
    safe = safe_points(mine, theirs, lessons.shape, lessons.room)
    if 2 * np.int64(popcount(safe)) - everything >= goal:
        return 1
    safe = safe_points(theirs, mine, lessons.shape, lessons.room)
    if everything - 2 * np.int64(popcount(safe)) < goal:
        return 0
    return -1


@inner
def repeats(plies, mine, theirs, turn, seen):
    for ply in range(plies):
        if seen[ply, 0] == mine and seen[ply, 1] == theirs and seen[ply, 2] == np.uint64(turn):
            return True
    return False


@inner
def chosen(mine, theirs, ko, turn, goal, plies, randomly, lessons):
    """(stones, stones, ko, whether it is a pass) after the most promising move, or after any."""
    shape, rng = lessons.shape, lessons.rng
    sums, after = lessons.sums[WINDOWS], lessons.sums[MOVE]
    number(mine, theirs, lessons.powers, sums)
    sign = 1.0 if turn == 0 else -1.0
    own, other = (mine, theirs) if turn == 0 else (theirs, mine)
    best = (mine, theirs, ZERO, True)
    worth = -1e30
    if turn == 1 or area(mine, theirs, shape) >= goal:
        worth = uniform(rng) if randomly else sign * promise_of(sums, 1 - turn, lessons)
    left = shape[0] & ~(mine | theirs | ko)
    while left != ZERO:
        stone = left & (~left + ONE)
        left &= ~stone
        new_own, new_other, new_ko = place(own, other, stone, shape)
        if new_own == ZERO:
            continue
        new_mine, new_theirs = (new_own, new_other) if turn == 0 else (new_other, new_own)
        if repeats(plies, new_mine, new_theirs, 1 - turn, lessons.seen):
            continue
        this = uniform(rng)
        if not randomly:
            moved_on(sums, stone, other & ~new_other, turn, lessons.powers, after)
            this = 0.01 * this + sign * promise_of(after, 1 - turn, lessons)
        if this > worth:
            worth, best = this, (new_mine, new_theirs, new_ko, False)
    return best


@kernel
def teach(games, mine, theirs, turn, goal, rate, lessons):
    """Play so many games from a position, and learn from each by temporal differences.

    The other side often plays at random: a proof must know answers to bad moves, too.
    """
    rng, seen = lessons.rng, lessons.seen
    for _ in range(games):
        stones, others, ko, passed, player = mine, theirs, ZERO, False, turn
        at_random = below(rng, 5) if uniform(rng) < 0.7 else np.uint64(0)  # first plies
        wild = 0.4 if uniform(rng) < 0.5 else 0.1
        plies = 0
        result = 0
        while plies < LONGEST_GAME:
            randomly = np.uint64(plies) < at_random or uniform(rng) < (0.04 if player == 0 else wild)
            stones, others, ko, passes = chosen(stones, others, ko, player, goal, plies, randomly, lessons)
            if passes and passed:
                result = 1 if area(stones, others, lessons.shape) >= goal else 0
                break
            passed = passes
            player = 1 - player
            found = outcome(stones, others, goal, lessons)
            if found >= 0:
                result = found
                break
            seen[plies, 0], seen[plies, 1], seen[plies, 2] = stones, others, np.uint64(player)
            patterns = lessons.patterns[plies]
            number(stones, others, lessons.powers, patterns)
            lessons.promised[plies] = 1.0 / (1.0 + np.exp(-promise_of(patterns, player, lessons)))
            plies += 1
        lesson = np.float64(result)
        for ply in range(plies - 1, -1, -1):
            lesson *= FADING
            step = np.float32(rate * (lesson - lessons.promised[ply]))
            for window in range(len(lessons.starts)):
                pattern = lessons.starts[window] + lessons.patterns[ply, window]
                lessons.weights[seen[ply, 2], lessons.shared[pattern]] += step
            lesson = TRUST * lesson + (1.0 - TRUST) * lessons.promised[ply]
