"""Playouts: games to the end from a position, with winner and owner counts."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.references import reference
from tengen.engines.go.kernels.board import (
    BLACK,
    EMPTY,
    WHITE,
    copy_board,
    count_area,
    geometry_of,
    open_board,
    owner_of_empty,
    play,
)
from tengen.engines.go.mcts.kernels.playout_policy import heavy_move, light_move


@inner
def _play(board, geometry, playout, point, length):
    """Play a move and write it to `playout.played`."""
    playout.played[length] = np.int32(2 * playout.to_rules[point] + board.state[0].turn - 1)
    play(board, geometry, point)
    return length + 1


@inner
def play_heavy(board, ladder_board, geometry, playout, length, limit):
    """Play until two passes or until `limit` moves are in `playout.played`, from index `length` on; returns their
    number.
    """
    while length < limit and board.state[0].passes < 2:
        length = _play(board, geometry, playout, heavy_move(board, ladder_board, geometry, playout), length)
    return length


@inner
def _play_light(board, geometry, playout, limit):
    """The same as `play_heavy`, with light playouts from the start."""
    length = np.int64(0)
    while length < limit and board.state[0].passes < 2:
        length = _play(board, geometry, playout, light_move(board, geometry, pointer(playout.rng)), length)
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
def run_playouts(boards, tables, playout, owner_counts, games, max_length, heavy, swap):
    """Play `games` playouts; returns (moves, half wins of Black before komi).

    `boards` are the root and two boards for scratch. With `swap`, the side to move alternates between games.
    `owner_counts`: see `count_owners`, or empty.
    """
    root, board, ladder_board = open_board(boards[0]), open_board(boards[1]), open_board(boards[2])
    tables, playout = reference(tables), reference(playout)
    geometry = geometry_of(tables)
    moves = np.int64(0)
    halves = np.int64(0)
    for game in range(games):
        copy_board(root, board, geometry)
        board.state[0].passes = 0
        if swap and game & 1:
            board.state[0].turn = BLACK + WHITE - board.state[0].turn
            board.state[0].ko = 0
        if heavy:
            moves += play_heavy(board, ladder_board, geometry, playout, np.int64(0), max_length)
        else:
            moves += _play_light(board, geometry, playout, max_length)
        area = count_area(board, geometry)
        halves += 2 if area > 0 else 1 if area == 0 else 0
        if len(owner_counts) > 0:
            count_owners(board, geometry, EMPTY, owner_counts)
    return moves, halves
