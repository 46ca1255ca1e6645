"""The rules that every game answers for its record: all that search, books and matches know of a game.

Conventions:

- A player is 0 (moves first: Black, Left, X) or 1. Turns need not alternate: ask `to_move`.
- A move is a small integer, below the game's `move_codes`; `legal_moves` writes them into an int32 array.
- A score is an integer in thousandths of a point, from player 0's view: positive is a win for player 0. So
  any komi is exact, and a heuristic value can lie between two results.
- `play` trusts its caller: the move is legal and the game is not over.
- A record holds what the rules need to go on from here, and no history. The rules that look back (superko)
  are answered by `may_repeat`, `repeat_key` and `bans_repeats`; whoever walks a path keeps the keys.
"""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.dispatch import generic, rule
from tengen.core.compiled.rng import mix

__all__ = [
    "UNTOLD",
    "allows",
    "bans_repeats",
    "canonical",
    "evaluate",
    "is_over",
    "key",
    "legal_moves",
    "may_repeat",
    "must_pass",
    "play",
    "playout_move",
    "playout_score",
    "random_move",
    "reopen",
    "repeat_key",
    "rest_key",
    "restore",
    "rule",
    "score",
    "stage",
    "to_move",
]


@generic
def to_move(state):
    """The player to move: 0 or 1."""


@generic
def legal_moves(state, out):
    """Write the legal moves into `out` and return how many. Bans on repetition are left to the caller."""


@generic
def allows(state, move, out):
    """Whether a move is among the legal ones; `out` is room for them. Games answer faster than by listing."""
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
    """64 bits that tell positions apart, the side to move among them: the same key, the same future."""


@generic
def random_move(state, rng):
    """One legal move, each with the same chance."""


@generic
def playout_move(state, rng):
    """A move of a random game that is to be scored at its end: where needed, without moves that undo it."""
    return random_move(state, rng)


@generic
def playout_score(state):
    """The score of a game played out by `playout_move`, ended or cut off."""
    return score(state)


@generic
def reopen(state):
    """Take back the end of a game whose score the players might dispute, so that a playout decides.

    Returns whether there was such an end. Where dead stones stay on the board, a search that took an early end at
    its word would pass in lost positions.
    """
    return False


@generic
def evaluate(state):
    """A guess at the score of a game that goes on, strictly between the worst and the best result."""
    return np.int64(0)


@generic
def may_repeat(state):
    """Whether the position just reached may have stood before: false where that cannot be, or is no matter."""
    return False


@generic
def repeat_key(state):
    """64 bits that are equal for positions which the rules on repetition take to be the same."""
    return np.uint64(0)


@generic
def bans_repeats(state):
    """Whether a move that repeats a position is illegal."""
    return False


# ---- for books, which know a position by its least image


@generic
def canonical(state, images, out):
    """Write 128 bits into `out` that all images of a position share, and return the number of the image.

    `images[number, move]` is what a move becomes when the board is turned or mirrored. Of a game without an answer
    of its own, every position is its own only image.
    """
    out[0] = key(state)
    out[1] = mix(out[0] + np.uint64(1))
    return np.int64(0)


@generic
def restore(state, bits):
    """Make a state that of which `canonical` wrote these bits; returns False where they do not tell."""
    return False


UNTOLD = -10_000


@generic
def stage(state):
    """How many moves have been made, passes not counted; UNTOLD where the stones do not tell."""
    return np.int64(UNTOLD)


@generic
def must_pass(state):
    """Whether the game goes on and a pass is the only move."""
    return False


@generic
def rest_key(state):
    """64 bits for what matters besides the stones, and is the same on all images: the side to move, captures."""
    return mix(np.uint64(to_move(state) + 1))
