"""What a search works with: its arrays, and the names of their fields."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

OPEN, PROVED, FAILED = 0, 1, 2
MOST_PLIES = 200
MOST_CHILDREN = 32
NO_POINT = 63
PASS_POINT = 62
FOR_EVER = 255  # the effort of what failed for no horizon and no repetition
NO_LOOP = 1 << 20
HERE, THERE = 0, 1  # rows of `codes` and `patterns`: of the position at hand, and after a move

# Fields of a frame. REPEATED: a move of the other side was left out below, so a proof holds on this line only.
# LOOP: the first ply of the line that the prover was kept from repeating below, or NO_LOOP. HORIZON: that was
# met below.
TURN, PASSED, EFFORT, COUNT, AT, IMAGE, BEST, HORIZON, REPEATED, LOOP, CAPTURED, STARTED, HARDEST, OPENED = range(
    14
)
FIELDS = 14
# Fields of `facts`, the state of the search between two slices. LEAST: what the prover's moves must promise.
# SECOND_BEST: what they cost more for each unit of promise that they fall behind his best one.
GOAL, PLY, MODE, RESULT, NODES, PROVER, SUPERKO, ROUND, THOROUGH, LEAST, SECOND_BEST, FACTS = range(12)
SIMPLE, SITUATIONAL, POSITIONAL = 0, 1, 2
ENTER, NEXT, LEAVE = 0, 1, 2


class Search(NamedTuple):
    """All arrays of a search. A frame for each ply; `turn` is 0 where the prover is to move."""

    shape: np.ndarray
    powers: np.ndarray  # [bit, image]: by which an image numbers a position
    codes: np.ndarray  # [2, image]
    images: np.ndarray  # [image, bit] -> bit
    back: np.ndarray  # the inverse of each
    keys: np.ndarray  # the table
    data: np.ndarray
    past: np.ndarray  # [n, 3]: positions of the game so far: prover's stones, the other's, turn
    facts: np.ndarray
    frames: np.ndarray  # [ply, FIELDS]
    boards: np.ndarray  # [ply, 4]: prover's stones, the other's, ko, key
    children: np.ndarray  # [ply, child, 3]: prover's stones, the other's, ko
    points: np.ndarray  # [ply, child]
    worth: np.ndarray  # [ply, child]
    costs: np.ndarray  # [ply, child]
    windows: np.ndarray  # [bit, window]: by which a window numbers its pattern
    starts: np.ndarray  # [window]: the number of its first pattern
    patterns: np.ndarray  # [2, window]
    weights: np.ndarray  # [turn, pattern]: thousandths of the logarithm of the odds
    room: np.ndarray  # for safety
