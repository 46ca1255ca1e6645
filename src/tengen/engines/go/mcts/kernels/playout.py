"""Games to the end, from a position: how fast they are, who wins, and who owns what. Compiled."""

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

MOVER_SHIFT = 12  # a move of a playout is its point, and above that the colour


@inner
def play_out(board, reading, geometry, rates, answers, scratch, heavy, limit, played, length, rng):
    """Play until both pass or `limit` moves are played; returns how many there are.

    Writes them from played[length] on, each with who made it: see `MOVER_SHIFT`.
    """
    while length < limit and board.facts[PASSES] < 2:
        point = (
            heavy_move(board, reading, geometry, rates, answers, scratch, rng)
            if heavy
            else light_move(board, geometry, rng)
        )
        played[length] = np.int32(point | board.facts[TURN] << MOVER_SHIFT)
        play(board, geometry, point)
        length += 1
    return length


@inner
def add_owners(board, geometry, winner, owners):
    """Count one more for the owner of each point.

    owners: int64[3 * points], for Black, for White, and once more if that is the winner.
    """
    for i in range(geometry.area):
        point = np.int64(geometry.inside[i])
        content = np.int64(board.colour[point])
        owner = owner_of_empty(board, point) if content == EMPTY else content
        if owner != EMPTY:
            owners[(owner - 1) * geometry.points + point] += 1
            owners[2 * geometry.points + point] += owner == winner


@kernel
def playouts(
    start,
    work,
    reading,
    shape,
    keys,
    table,
    inside,
    rates,
    answers,
    scratch,
    heavy,
    swap,
    games,
    longest,
    played,
    owners,
    rng,
    stop,
):
    """Play games from a position; returns (how many, moves, half wins of Black before komi).

    Either side begins every other game if `swap`. owners: see `add_owners`, or empty. Scratch: work, reading,
    scratch, played: int32[longest].
    """
    board, origin, scrap = open_board(work), open_board(start), open_board(reading)
    geometry = open_geometry(shape, keys, table, inside)
    moves = np.int64(0)
    halves = np.int64(0)
    for game in range(games):
        if atomics.load(stop, 0) != 0:
            return np.int64(game), moves, halves
        copy_board(origin, board, geometry)
        board.facts[PASSES] = 0
        if swap and game & 1:
            board.facts[TURN] = BLACK + WHITE - board.facts[TURN]
            board.facts[KO] = 0
        moves += play_out(
            board,
            scrap,
            geometry,
            pointer(rates),
            pointer(answers),
            pointer(scratch),
            heavy,
            longest,
            pointer(played),
            0,
            rng,
        )
        area = count_area(board, geometry)
        halves += 2 if area > 0 else 1 if area == 0 else 0
        if len(owners) > 0:
            add_owners(board, geometry, EMPTY, pointer(owners))
    return np.int64(games), moves, halves
