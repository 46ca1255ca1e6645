"""The arrays of a proof search and their fields."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tengen.core.compiled.records import record_type

OPEN, PROVED, FAILED = 0, 1, 2
MAX_PLIES = 200
MAX_CHILDREN = 32
NO_POINT = 63
PASS_POINT = 62
UNLIMITED = 255  # the effort stored for failures that depend on no horizon and no repetition
NO_LOOP = 1 << 20
CURRENT, CHILD_POSITION = 0, 1  # rows of `codes` and `patterns`: the current position, and after a move

FRAME = record_type(
    ("turn", np.int64),  # 0 if the prover is to move
    ("passed", np.int64),  # whether the last move was a pass
    ("effort", np.int64),
    ("child_count", np.int64),
    ("child_index", np.int64),  # the next child
    ("image", np.int64),
    ("best", np.int64),
    ("horizon", np.int64),  # whether the horizon was reached below
    (
        "repeated",
        np.int64,
    ),  # whether an opponent's move below was omitted: a proof holds only on this line
    ("loop", np.int64),  # the first ply of the line that the prover could not repeat below, or NO_LOOP
    ("captured", np.int64),
    ("started", np.int64),
    ("hardest", np.int64),
    ("expanded", np.int64),
)
CHILD = record_type(
    ("mine", np.uint64),  # the prover's stones
    ("theirs", np.uint64),
    ("ko", np.uint64),
    ("point", np.int64),
    ("move_value", np.int64),
    ("cost", np.int64),
)
# The state of the search between two slices.
SEARCH_STATE = record_type(
    ("goal", np.int64),
    ("ply", np.int64),
    ("mode", np.int64),
    ("result", np.int64),
    ("nodes", np.int64),
    ("prover", np.int64),
    ("superko", np.int64),
    ("round_number", np.int64),  # of this search, modulo 256
    ("thorough", np.int64),
    ("min_value", np.int64),  # the smallest learned value of the prover's moves that are searched
    ("deficit_cost", np.int64),  # extra cost of the prover's moves per unit below the best one
)
SIMPLE, SITUATIONAL, POSITIONAL = 0, 1, 2
ENTER, NEXT, LEAVE = 0, 1, 2


class Search(NamedTuple):
    """All arrays of a search, with a frame per ply. `turn` is 0 if the prover is to move."""

    shape: np.ndarray
    powers: np.ndarray  # [bit, image]: power of three of a point in an image's code
    codes: np.ndarray  # [2, image]
    images: np.ndarray  # [image, bit] -> bit
    back: np.ndarray  # the inverse of each
    table: np.ndarray  # the transposition table
    history: np.ndarray  # [n, 3]: positions of the game so far: prover's stones, the other's, turn
    state: np.ndarray  # one SEARCH_STATE
    frames: np.ndarray  # [ply]: FRAME
    boards: np.ndarray  # [ply, 4]: prover's stones, the other's, ko, key
    children: np.ndarray  # [ply * MAX_CHILDREN + child]: CHILD
    windows: np.ndarray  # [bit, window]: power of three of a point in a window's pattern
    starts: np.ndarray  # [window]: number of its first pattern
    patterns: np.ndarray  # [2, window]
    weights: np.ndarray  # [turn, pattern]: thousandths of log odds
    scratch: np.ndarray  # for Benson's algorithm
