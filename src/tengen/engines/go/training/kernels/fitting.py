"""Fitting of feature weights: features of the moves of games, and likelihood and gradient of weights."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.references import reference
from tengen.engines.go.kernels.board import NOWHERE, geometry_of, open_board, play
from tengen.engines.go.mcts.kernels.features import extract_features, mark_tactics, measure_distances
from tengen.engines.go.mcts.kernels.search import list_moves


class TrainingData(NamedTuple):
    """Input and output of `extract`."""

    moves: Any  # int64[plies]
    choices: Any  # int64[plies, k]: searched moves
    visits: Any  # int64[plies, k]: their visits
    features: Any  # int16
    rows: Any  # int32[moves, 2]: the end of a legal move's features, and its visits
    ends: Any  # int32[plies]: the end of the rows of each position with visits


@kernel
def extract(arrays, ladder_arrays, tables, policy, listed, data):
    """Extract the features of all moves of a game; returns (positions, rows, features) written to `data`.

    `listed` is int64[points], scratch.
    """
    board, ladder_board = open_board(arrays), open_board(ladder_arrays)
    tables, policy, listed = reference(tables), reference(policy), pointer(listed)
    geometry = geometry_of(tables)
    moves, choices, visits = data.moves, data.choices, data.visits
    features, rows, ends = data.features, data.rows, data.ends
    positions, row, at = 0, 0, 0
    for ply in range(len(moves)):
        colour = board.state[0].turn
        count = list_moves(board, geometry, listed)
        measure_distances(board, geometry, colour, policy)
        mark_tactics(board, geometry, colour, policy, ladder_board, True)
        begin, total = row, 0
        for i in range(count):
            if listed[i] == NOWHERE:
                continue
            feature_count = extract_features(board, geometry, listed[i], colour, policy)
            for feature in range(feature_count):
                features[at + feature] = policy.features[feature]
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
