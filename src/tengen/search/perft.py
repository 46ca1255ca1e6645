"""Perft: count lines of play from a position."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.game import Move
from tengen.core.interrupt import run_interruptible
from tengen.core.position import Position
from tengen.search.kernels.perft import count_lines

MAX_DEPTH = 200


def check_depth(depth: int) -> None:
    """Raise an `OptionError` for a depth out of range."""
    if not 0 <= depth <= MAX_DEPTH:
        raise OptionError(f"the depth should be from 0 to {MAX_DEPTH}, not {depth}")


def perft(position: Position, depth: int) -> int:
    """The number of lines of `depth` moves; a game that ends earlier counts as one line. Ctrl-C stops it."""
    check_depth(depth)
    game = position.game
    stack = np.zeros(depth + 1, game.record)
    stack[0] = position.state
    moves = np.zeros((depth + 1, game.max_legal_moves), np.int32)
    keys = np.concatenate([position.repeat_keys, np.zeros(depth + 1, np.uint64)])
    past = len(position.repeat_keys)
    return int(run_interruptible(lambda stop: count_lines(stack, moves, keys, past, depth, stop)))


def divide(position: Position, depth: int) -> Iterator[tuple[Move, int]]:
    """The count after each move, to locate a difference between two programs."""
    check_depth(depth - 1)
    for move in position.legal_moves:
        yield move, perft(position.play(move), depth - 1)
