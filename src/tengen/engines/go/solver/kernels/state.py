"""The arrays of a proof search and their fields."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

OPEN, PROVED, FAILED = 0, 1, 2
MAX_PLIES = 200
MAX_CHILDREN = 32
NO_POINT = 63
PASS_POINT = 62
UNLIMITED = 255  # the effort stored for failures that depend on no horizon and no repetition
NO_LOOP = 1 << 20
CURRENT, CHILD = 0, 1  # rows of `codes` and `patterns`: the current position, and after a move

# Fields of a frame. REPEATED: an opponent's move below was omitted as a repetition, so a proof holds only on this
# line. LOOP: the first ply of the line that the prover could not repeat below, or NO_LOOP. HORIZON: the horizon
# was reached below.
TURN, PASSED, EFFORT, COUNT, AT, IMAGE, BEST, HORIZON, REPEATED, LOOP, CAPTURED, STARTED, HARDEST, EXPANDED = (
    range(14)
)
FIELDS = 14
# Fields of `facts`, the state of the search between two slices. MIN_VALUE: the smallest learned value of the
# prover's moves that are searched. DEFICIT_COST: extra cost of the prover's moves per unit below the best one.
GOAL, PLY, MODE, RESULT, NODES, PROVER, SUPERKO, ROUND, THOROUGH, MIN_VALUE, DEFICIT_COST, FACT_COUNT = range(12)
SIMPLE, SITUATIONAL, POSITIONAL = 0, 1, 2
ENTER, NEXT, LEAVE = 0, 1, 2


class Search(NamedTuple):
    """All arrays of a search, with a frame per ply. `turn` is 0 if the prover is to move."""

    shape: np.ndarray
    powers: np.ndarray  # [bit, image]: power of three of a point in an image's code
    codes: np.ndarray  # [2, image]
    images: np.ndarray  # [image, bit] -> bit
    back: np.ndarray  # the inverse of each
    keys: np.ndarray  # the transposition table
    data: np.ndarray
    history: np.ndarray  # [n, 3]: positions of the game so far: prover's stones, the other's, turn
    facts: np.ndarray
    frames: np.ndarray  # [ply, FIELDS]
    boards: np.ndarray  # [ply, 4]: prover's stones, the other's, ko, key
    children: np.ndarray  # [ply, child, 3]: prover's stones, the other's, ko
    points: np.ndarray  # [ply, child]
    move_values: np.ndarray  # [ply, child]
    costs: np.ndarray  # [ply, child]
    windows: np.ndarray  # [bit, window]: power of three of a point in a window's pattern
    starts: np.ndarray  # [window]: number of its first pattern
    patterns: np.ndarray  # [2, window]
    weights: np.ndarray  # [turn, pattern]: thousandths of log odds
    scratch: np.ndarray  # for Benson's algorithm
