"""Fitting of feature weights: features of the moves of games, and likelihood and gradient of weights."""

from __future__ import annotations

import math

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.go.kernels.board import NOWHERE, TURN, open_board, open_geometry, play
from tengen.engines.go.mcts.kernels.features import extract_features, mark_tactics, measure_distances
from tengen.engines.go.mcts.kernels.search import list_moves


@kernel
def extract(
    arrays,
    ladder_arrays,
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
    move_features,
    features,
    rows,
    ends,
):
    """Extract the features of all moves of a game; returns (positions, rows, features) written.

    Input: moves, int64[plies]; choices and visits, int64[plies, k]. Output for each position with visits:
    `ends[position]` is the end of its rows; a row (end of its features, visits) stands for a legal move;
    `features` is int16. Scratch: points, int64[6, points], and move_features, int64[MAX_FEATURES].
    """
    board, ladder_board = open_board(arrays), open_board(ladder_arrays)
    geometry = open_geometry(shape, keys, table, inside)
    last_distance, own_distance, enemy_distance = pointer(points[0]), pointer(points[1]), pointer(points[2])
    marks, listed, classes_at = pointer(points[4]), pointer(points[5]), pointer(classes)
    positions, row, at = 0, 0, 0
    for ply in range(len(moves)):
        colour = board.facts[TURN]
        count = list_moves(board, geometry, listed)
        measure_distances(board, geometry, colour, last_distance, own_distance, enemy_distance, pointer(points[3]))
        mark_tactics(board, geometry, colour, marks, ladder_board, True)
        begin, total = row, 0
        for i in range(count):
            if listed[i] == NOWHERE:
                continue
            feature_count = extract_features(
                board,
                geometry,
                listed[i],
                colour,
                classes_at,
                last_distance,
                own_distance,
                enemy_distance,
                marks,
                pointer(scratch),
                pointer(move_features),
            )
            for feature in range(feature_count):
                features[at + feature] = move_features[feature]
            at += feature_count
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
def add_gradient(ends, rows, features, feature_weights, probabilities, gradient):
    """Add the gradient of the log-likelihood of the visit distributions, one per position, to `gradient`.

    Returns (sum of log-likelihoods, positions whose most visited move is the most probable). `probabilities` is
    float64 scratch for the moves of a position.
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
            for feature in range(first, np.int64(rows[row, 0])):
                weight += feature_weights[features[feature]]
            probabilities[row - begin] = math.exp(weight)
            total += probabilities[row - begin]
            visits += rows[row, 1]
        best, most = begin, begin
        for row in range(begin, end):
            probability = probabilities[row - begin] / total
            share = rows[row, 1] / visits
            if share > 0.0:
                likelihood += share * math.log(probability)
            if probabilities[row - begin] > probabilities[best - begin]:
                best = row
            if rows[row, 1] > rows[most, 1]:
                most = row
            first = np.int64(rows[row - 1, 0]) if row > 0 else 0
            for feature in range(first, np.int64(rows[row, 0])):
                gradient[features[feature]] += share - probability
        agreed += best == most
        row = end
    return likelihood, agreed
