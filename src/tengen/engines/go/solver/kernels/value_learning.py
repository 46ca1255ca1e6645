"""Learned values: the log odds that the prover reaches its goal, trained by self-play with temporal differences.

The pattern in each window of the board is a base-three number (`add_powers`) with a weight for each side to move;
the value of a position is the sum of its weights. Values are discounted by the time to reach the goal, so that
playing by value makes progress; otherwise a side that can win at any time fills its own eyes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tengen.core.compiled.bits import ONE, ZERO, popcount
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.rng import below, uniform
from tengen.engines.go.solver.kernels.benson import safe_points
from tengen.engines.go.solver.kernels.board import area, encode, place, update_sums

MAX_GAME_PLIES = 80  # a goal not reached by then counts as missed
DISCOUNT = 0.97  # per ply
TD_LAMBDA = 0.9  # weight of the game's result against the prediction for the next position
WINDOWS, MOVE = 0, 1  # rows of `sums`


class TrainingData(NamedTuple):
    """The arrays of the training."""

    shape: np.ndarray
    powers: np.ndarray  # [bit, window]
    starts: np.ndarray  # [window]: number of its first pattern
    weight_index: np.ndarray  # [pattern]: index of its weight; symmetric patterns share one
    weights: np.ndarray  # [side to move, weight]
    sums: np.ndarray  # [2, window]
    seen: np.ndarray  # [ply, 3]: prover's stones, the other's, side to move
    patterns: np.ndarray  # [ply, window]
    predictions: np.ndarray  # [ply]: probability of reaching the goal
    scratch: np.ndarray  # for Benson's algorithm
    rng: np.ndarray


@inner
def predict(sums, turn, data):
    total = np.float32(0.0)
    for window in range(len(sums)):
        total += data.weights[turn, data.weight_index[data.starts[window] + sums[window]]]
    return total


@inner
def goal_status(mine, theirs, goal, data):
    """1 if the goal is certainly reached, 0 if it is out of reach, -1 if undecided."""
    everything = np.int64(popcount(data.shape[0]))
    safe = safe_points(mine, theirs, data.shape, data.scratch)
    if 2 * np.int64(popcount(safe)) - everything >= goal:
        return 1
    safe = safe_points(theirs, mine, data.shape, data.scratch)
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
def choose_move(mine, theirs, ko, turn, goal, plies, randomly, data):
    """(prover's stones, other's stones, ko, is pass) after the move with the best value, or after a random one."""
    shape, rng = data.shape, data.rng
    sums, after = data.sums[WINDOWS], data.sums[MOVE]
    encode(mine, theirs, data.powers, sums)
    sign = 1.0 if turn == 0 else -1.0
    own, other = (mine, theirs) if turn == 0 else (theirs, mine)
    best = (mine, theirs, ZERO, True)
    best_value = -1e30
    if turn == 1 or area(mine, theirs, shape) >= goal:
        best_value = uniform(rng) if randomly else sign * predict(sums, 1 - turn, data)
    left = shape[0] & ~(mine | theirs | ko)
    while left != ZERO:
        stone = left & (~left + ONE)
        left &= ~stone
        new_own, new_other, new_ko = place(own, other, stone, shape)
        if new_own == ZERO:
            continue
        new_mine, new_theirs = (new_own, new_other) if turn == 0 else (new_other, new_own)
        if repeats(plies, new_mine, new_theirs, 1 - turn, data.seen):
            continue
        value = uniform(rng)
        if not randomly:
            update_sums(sums, stone, other & ~new_other, turn, data.powers, after)
            value = 0.01 * value + sign * predict(after, 1 - turn, data)
        if value > best_value:
            best_value, best = value, (new_mine, new_theirs, new_ko, False)
    return best


@kernel
def train(games, mine, theirs, turn, goal, rate, data):
    """Play `games` from a position and update the weights after each by temporal differences.

    The opponent often plays randomly, because a proof needs replies to bad moves, too.
    """
    rng, seen = data.rng, data.seen
    for _ in range(games):
        stones, others, ko, passed, player = mine, theirs, ZERO, False, turn
        at_random = below(rng, 5) if uniform(rng) < 0.7 else np.uint64(0)  # first plies
        random_rate = 0.4 if uniform(rng) < 0.5 else 0.1
        plies = 0
        result = 0
        while plies < MAX_GAME_PLIES:
            randomly = np.uint64(plies) < at_random or uniform(rng) < (0.04 if player == 0 else random_rate)
            stones, others, ko, passes = choose_move(stones, others, ko, player, goal, plies, randomly, data)
            if passes and passed:
                result = 1 if area(stones, others, data.shape) >= goal else 0
                break
            passed = passes
            player = 1 - player
            found = goal_status(stones, others, goal, data)
            if found >= 0:
                result = found
                break
            seen[plies, 0], seen[plies, 1], seen[plies, 2] = stones, others, np.uint64(player)
            patterns = data.patterns[plies]
            encode(stones, others, data.powers, patterns)
            data.predictions[plies] = 1.0 / (1.0 + np.exp(-predict(patterns, player, data)))
            plies += 1
        target = np.float64(result)
        for ply in range(plies - 1, -1, -1):
            target *= DISCOUNT
            step = np.float32(rate * (target - data.predictions[ply]))
            for window in range(len(data.starts)):
                pattern = data.starts[window] + data.patterns[ply, window]
                data.weights[seen[ply, 2], data.weight_index[pattern]] += step
            target = TD_LAMBDA * target + (1.0 - TD_LAMBDA) * data.predictions[ply]
