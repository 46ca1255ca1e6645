"""Generic rules that each game implements for its record: the interface of search, books and matches to games.

Conventions:

- A player is 0 (moves first: Black, Left, X) or 1. Turns need not alternate; call `to_move`.
- A move is an integer below the game's `move_codes`; `legal_moves` writes them into an int32 array.
- A score is an integer in thousandths of a point from player 0's point of view; positive means that player 0 wins.
  So any komi is exact, and a heuristic value can lie between two results.
- `play` does not check that the move is legal and the game is not over.
- A record contains the current state without history. Rules that depend on history (superko) use `may_repeat`,
  `repeat_key` and `forbids_repetition`; the caller stores the keys of the positions on its path.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.dispatch import generic, rule
from tengen.core.compiled.rng import mix

__all__ = [
    "UNKNOWN_MOVE_COUNT",
    "canonical_key",
    "decode_key",
    "evaluate",
    "forbids_repetition",
    "is_legal",
    "is_over",
    "key",
    "legal_moves",
    "may_repeat",
    "move_count",
    "must_pass",
    "off_board_key",
    "play",
    "playout_move",
    "playout_score",
    "random_move",
    "repeat_key",
    "resume_play",
    "rule",
    "score",
    "to_move",
    "write_stones",
]


@generic
def to_move(state):
    """The player to move: 0 or 1."""


@generic
def legal_moves(state, out):
    """Write the legal moves into `out` and return their number. The caller must exclude forbidden repetitions."""


@generic
def is_legal(state, move, out):
    """Whether a move is legal; `out` is scratch space. Games may implement it faster than by listing all moves."""
    for i in range(legal_moves(state, out)):
        if out[i] == move:
            return True
    return False


@generic
def play(state, move):
    """Play a legal move, changing the state."""


@generic
def is_over(state):
    """Whether the game has ended."""


@generic
def score(state):
    """The result of an ended game for player 0, in thousandths of a point."""


@generic
def key(state):
    """64-bit hash of everything that matters for the rest of the game, including the player to move."""


@generic
def random_move(state, rng):
    """A legal move, chosen uniformly at random."""


@generic
def playout_move(state, rng):
    """A random move for playouts; a game may exclude moves such as filling its own eyes."""
    return random_move(state, rng)


@generic
def playout_score(state):
    """The score at the end of a playout, which may have been cut off before the game ended."""
    return score(state)


@generic
def resume_play(state):
    """Resume an ended game whose score the players might dispute, so that a playout decides; return whether it
    did.

    In Go, dead stones may still be on the board after two passes. A search that trusted that score would pass in
    lost positions.
    """
    return False


@generic
def evaluate(state):
    """A heuristic estimate of the final score, strictly between the worst and the best result."""
    return np.int64(0)


@generic
def may_repeat(state):
    """Whether the current position may be a repetition that matters under the rules."""
    return False


@generic
def repeat_key(state):
    """64-bit hash that is equal for positions that count as the same under the repetition rule."""
    return np.uint64(0)


@generic
def forbids_repetition(state):
    """Whether a move that repeats a position is illegal."""
    return False


@generic
def write_stones(state, out):
    """Write the content of each point, a `Stone`, into `out`, a uint8 array of the board's rows and columns.

    Returns whether the game can.
    """
    return False


# ---- for books, which identify a position by its canonical key


@generic
def canonical_key(state, symmetries, out):
    """Write a 128-bit key that symmetric positions share into `out`; return the index of the symmetry used.

    `symmetries[index, move]` is the image of a move under a rotation or reflection of the board. The default
    assumes that the game has no symmetries.
    """
    out[0] = key(state)
    out[1] = mix(out[0] + np.uint64(1))
    return np.int64(0)


@generic
def decode_key(state, bits):
    """Set `state` to the position with this canonical key; return False if the key does not encode the
    position.
    """
    return False


UNKNOWN_MOVE_COUNT = -10_000


@generic
def move_count(state):
    """The number of moves played, without passes; UNKNOWN_MOVE_COUNT if the position does not determine it."""
    return np.int64(UNKNOWN_MOVE_COUNT)


@generic
def must_pass(state):
    """Whether the game is not over and a pass is the only legal move."""
    return False


@generic
def off_board_key(state):
    """64-bit hash of the state besides the stones, such as the player to move and captures. Symmetries keep it."""
    return mix(np.uint64(to_move(state) + 1))
