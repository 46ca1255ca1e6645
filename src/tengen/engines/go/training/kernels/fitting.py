"""Learning the weights of looks: games made into looks, and how well weights foretell moves. Compiled."""

from __future__ import annotations

import math

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels.board import NOWHERE, TURN, open_board, open_geometry, play
from tengen.engines.go.mcts.kernels.features import looks_of, mark_tactics, measure
from tengen.engines.go.mcts.kernels.search import list_moves


@kernel
def extract(
    arrays,
    scrap,
    shape,
    keys,
    table,
    inside,
    classes,
    points,
    moves,
    choices,
    visits,
    scratch,
    found,
    looks,
    rows,
    ends,
):
    """Go through a game from an empty board; returns (positions, moves, looks) written.

    moves: int64[plies]; choices, visits: int64[plies, k]. Of each position in which a choice was made:
    `ends[position]` is the end of its rows; a row, (the end of its looks, its visits), stands for a legal move;
    looks: int16. points: int64[6, points]; found: int64[MOST_LOOKS].
    """
    board, reading = open_board(arrays), open_board(scrap)
    geometry = open_geometry(shape, keys, table, inside)
    near_last, near_own, near_enemy = pointer(points[0]), pointer(points[1]), pointer(points[2])
    marks, listed, classes_at = pointer(points[4]), pointer(points[5]), pointer(classes)
    positions, row, at = 0, 0, 0
    for ply in range(len(moves)):
        colour = board.facts[TURN]
        count = list_moves(board, geometry, listed)
        measure(board, geometry, colour, near_last, near_own, near_enemy, pointer(points[3]))
        mark_tactics(board, geometry, colour, marks, reading, True)
        begin, total = row, 0
        for i in range(count):
            if listed[i] == NOWHERE:
                continue
            number = looks_of(
                board,
                geometry,
                listed[i],
                colour,
                classes_at,
                near_last,
                near_own,
                near_enemy,
                marks,
                pointer(scratch),
                pointer(found),
            )
            for look in range(number):
                looks[at + look] = found[look]
            at += number
            rows[row, 0] = at
            rows[row, 1] = 0
            for choice in range(choices.shape[1]):
                if choices[ply, choice] == listed[i]:
                    rows[row, 1] += visits[ply, choice]
            total += rows[row, 1]
            row += 1
        if total > 0 and row - begin > 1:
            ends[positions] = row
            positions += 1
        else:
            row = begin
            at = rows[row - 1, 0] if row > 0 else 0
        play(board, geometry, moves[ply])
    return positions, row, at


@kernel
def add_gradient(ends, rows, looks, gammas, chances, gradient):
    """Add to `gradient` that of the log-likelihood of the visits, each position counting one.

    Returns (the sum of log-likelihoods, positions whose most visited move is the likeliest). chances: float64, as
    many as the most moves of a position.
    """
    likelihood = 0.0
    agreed = 0
    row = 0
    for position in range(len(ends)):
        begin, end = row, np.int64(ends[position])
        total, visits = 0.0, 0
        for row in range(begin, end):
            weight = 0.0
            first = np.int64(rows[row - 1, 0]) if row > 0 else 0
            for look in range(first, np.int64(rows[row, 0])):
                weight += gammas[looks[look]]
            chances[row - begin] = math.exp(weight)
            total += chances[row - begin]
            visits += rows[row, 1]
        best, most = begin, begin
        for row in range(begin, end):
            chance = chances[row - begin] / total
            share = rows[row, 1] / visits
            if share > 0.0:
                likelihood += share * math.log(chance)
            if chances[row - begin] > chances[best - begin]:
                best = row
            if rows[row, 1] > rows[most, 1]:
                most = row
            first = np.int64(rows[row - 1, 0]) if row > 0 else 0
            for look in range(first, np.int64(rows[row, 0])):
                gradient[looks[look]] += share - chance
        agreed += best == most
        row = end
    return likelihood, agreed
