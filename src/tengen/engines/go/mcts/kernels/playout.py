"""Playouts: games to the end from a position, with winner and owner counts."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled import atomics
from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels.board import (
    BLACK,
    EMPTY,
    KO,
    PASSES,
    TURN,
    WHITE,
    copy_board,
    count_area,
    open_board,
    open_geometry,
    owner_of_empty,
    play,
)
from tengen.engines.go.mcts.kernels.playout_policy import heavy_move, light_move

MOVER_SHIFT = 12  # a move of a playout is its point, with the colour above this bit


@inner
def play_out(board, ladder_board, geometry, rates, replies, scratch, heavy, limit, played, length, rng):
    """Play until two passes or until `limit` moves are in `played`; returns the new length.

    Moves are written from played[length] on, each with its colour: see `MOVER_SHIFT`.
    """
    while length < limit and board.facts[PASSES] < 2:
        point = (
            heavy_move(board, ladder_board, geometry, rates, replies, scratch, rng)
            if heavy
            else light_move(board, geometry, rng)
        )
        played[length] = np.int32(point | board.facts[TURN] << MOVER_SHIFT)
        play(board, geometry, point)
        length += 1
    return length


@inner
def count_owners(board, geometry, winner, owner_counts):
    """Add the final owner of each point to `owner_counts`.

    owner_counts: int64[3 * points]: owned by Black, by White, by the winner.
    """
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        content = np.int64(board.colour[point])
        owner = owner_of_empty(board, point) if content == EMPTY else content
        if owner != EMPTY:
            owner_counts[(owner - 1) * geometry.points + point] += 1
            owner_counts[2 * geometry.points + point] += owner == winner


@kernel
def run_playouts(
    root,
    work,
    ladder,
    shape,
    keys,
    table,
    inside,
    rates,
    replies,
    scratch,
    heavy,
    swap,
    games,
    max_length,
    played,
    owner_counts,
    rng,
    stop,
):
    """Play `games` playouts from `root`; returns (games played, moves, half wins of Black before komi).

    With `swap`, the side to move alternates between games. `owner_counts`: see `count_owners`, or empty. Scratch:
    the boards `work` and `ladder`, `scratch`, and `played`, int32[max_length].
    """
    board, root_board, ladder_board = open_board(work), open_board(root), open_board(ladder)
    geometry = open_geometry(shape, keys, table, inside)
    moves = np.int64(0)
    halves = np.int64(0)
    for game in range(games):
        if atomics.load(stop, 0) != 0:
            return np.int64(game), moves, halves
        copy_board(root_board, board, geometry)
        board.facts[PASSES] = 0
        if swap and game & 1:
            board.facts[TURN] = BLACK + WHITE - board.facts[TURN]
            board.facts[KO] = 0
        moves += play_out(
            board,
            ladder_board,
            geometry,
            pointer(rates),
            pointer(replies),
            pointer(scratch),
            heavy,
            max_length,
            pointer(played),
            0,
            rng,
        )
        area = count_area(board, geometry)
        halves += 2 if area > 0 else 1 if area == 0 else 0
        if len(owner_counts) > 0:
            count_owners(board, geometry, EMPTY, pointer(owner_counts))
    return np.int64(games), moves, halves
