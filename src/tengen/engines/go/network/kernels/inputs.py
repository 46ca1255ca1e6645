"""Input features of the network: what it sees of a position, from the point of view of the side to move."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tengen.core.compiled.kernel import inner, kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.references import reference
from tengen.engines.go.kernels.board import (
    BLACK,
    EMPTY,
    NOWHERE,
    geometry_of,
    head_of,
    is_eye,
    is_legal,
    open_board,
    play,
)
from tengen.engines.go.mcts.kernels import features as policy_features
from tengen.engines.go.mcts.kernels.features import mark_tactics, move_probabilities
from tengen.engines.go.mcts.kernels.search import count_points, list_moves
from tengen.engines.go.mcts.kernels.tactics import liberties_after

MAX_LIBERTIES = 4  # more count as this
OWN_LIBERTIES = 0  # own stones of a string with 1, 2, 3, more liberties
ENEMY_LIBERTIES = OWN_LIBERTIES + MAX_LIBERTIES
ON_BOARD = ENEMY_LIBERTIES + MAX_LIBERTIES
LAST_MOVE = ON_BOARD + 1
PREVIOUS_MOVE = LAST_MOVE + 1
KO = PREVIOUS_MOVE + 1
CAPTURE = KO + 1  # moves, as all features up to OWN_EYE
ESCAPE = CAPTURE + 1  # extends a string in atari to two liberties, with no ladder, or more
FUTILE_ESCAPE = ESCAPE + 1
LADDER_ATARI = FUTILE_ESCAPE + 1  # starts a ladder that works
OTHER_ATARI = LADDER_ATARI + 1
LADDER_ESCAPE = OTHER_ATARI + 1
SELF_ATARI = LADDER_ESCAPE + 1
TWO_LIBERTIES = SELF_ATARI + 1  # leaves the new stone's string two liberties
OWN_EYE = TWO_LIBERTIES + 1
ENEMY_EYE = OWN_EYE + 1
LINES = ENEMY_EYE + 1  # on the first, second, third line from the edge
LINE_COUNT = 3
FEATURES = LINES + LINE_COUNT

LEAST_PROBABILITY = 1e-4  # so that the network can change its mind
UNLIKELY = np.float32(-12.0)  # logit of moves that the search does not consider
PASS_LOGIT = np.float32(-5.0)

KOMI, AFTER_PASS = 0, 1  # global inputs
INPUTS = 2
KOMI_SCALE = 10.0  # points per unit of the input

_CAPTURES = (1 << policy_features.EXTENSIONS) - (1 << policy_features.CAPTURES)
_FUTILE = 0b0011_0011 << policy_features.EXTENSIONS
_ESCAPES = 0b1100_1100 << policy_features.EXTENSIONS
_LADDER_ATARIS = (1 << policy_features.OTHER_ATARIS) - (1 << policy_features.LADDER_ATARIS)
_OTHER_ATARIS = (1 << policy_features.LADDER_ESCAPES) - (1 << policy_features.OTHER_ATARIS)
_LADDER_ESCAPES = (1 << policy_features.BAD_SELF_ATARI) - (1 << policy_features.LADDER_ESCAPES)


class ExtractedSamples(NamedTuple):
    """What is written for each position of a game."""

    features: Any  # int8[positions, area, FEATURES]
    inputs: Any  # float32[positions, INPUTS]
    known_logits: Any  # float32[positions, area + 1]
    moves: Any  # int64[points], scratch


@inner
def point_index(point, geometry):
    """The number of a point of the board in the network's order, row by row."""
    return (point // geometry.stride - 1) * (geometry.stride - 1) + point % geometry.stride - 1


@inner
def _write_stone(board, out, start, point, colour):
    liberties = min(np.int64(board.liberty_count[head_of(board, point)]), np.int64(MAX_LIBERTIES))
    owner = OWN_LIBERTIES if board.colour[point] == colour else ENEMY_LIBERTIES
    out[start + owner + liberties - 1] = np.float32(1.0)


@inner
def _write_move(board, geometry, out, start, point, colour, marks):
    bits, one = marks[point], np.float32(1.0)
    if bits != 0:
        if bits & _CAPTURES:
            out[start + CAPTURE] = one
        if bits & _ESCAPES:
            out[start + ESCAPE] = one
        if bits & _FUTILE:
            out[start + FUTILE_ESCAPE] = one
        if bits & _LADDER_ATARIS:
            out[start + LADDER_ATARI] = one
        if bits & _OTHER_ATARIS:
            out[start + OTHER_ATARI] = one
        if bits & _LADDER_ESCAPES:
            out[start + LADDER_ESCAPE] = one
    if is_legal(board, geometry, point, colour):
        after = liberties_after(board, geometry, point, colour, 3)
        if after < 2:
            out[start + SELF_ATARI] = one
        elif after == 2:
            out[start + TWO_LIBERTIES] = one
    if is_eye(board, geometry, point, colour):
        out[start + OWN_EYE] = one
    if is_eye(board, geometry, point, 3 - colour):
        out[start + ENEMY_EYE] = one


@inner
def write_inputs(board, ladder_board, geometry, policy, komi, network):
    """Write `features` and `inputs` of the network. `komi` is White's bonus in points."""
    out, marks, colour = pointer(network.features), pointer(policy.marks), board.state[0].turn
    mark_tactics(board, geometry, colour, policy, ladder_board, True)
    width = geometry.stride - 1
    height = geometry.area // width
    for i in range(geometry.area * FEATURES):
        out[i] = np.float32(0.0)
    for i in range(geometry.area):
        point, start, row, column = np.int64(geometry.inside[i]), i * FEATURES, i // width, i % width
        line = min(min(row, height - 1 - row), min(column, width - 1 - column))
        out[start + ON_BOARD] = np.float32(1.0)
        if line < LINE_COUNT:
            out[start + LINES + line] = np.float32(1.0)
        if board.colour[point] == EMPTY:
            _write_move(board, geometry, out, start, point, colour, marks)
        else:
            _write_stone(board, out, start, point, colour)
    _write_point(out, board.state[0].last_move, LAST_MOVE, geometry)
    _write_point(out, board.state[0].previous_move, PREVIOUS_MOVE, geometry)
    _write_point(out, board.state[0].ko, KO, geometry)
    network.inputs[KOMI] = np.float32((-komi if colour == BLACK else komi) / KOMI_SCALE)
    network.inputs[AFTER_PASS] = np.float32(board.state[0].passes > 0)


@inner
def _write_point(out, point, feature, geometry):
    if point != NOWHERE:
        out[point_index(np.int64(point), geometry) * FEATURES + feature] = np.float32(1.0)


@kernel
def write_position(boards, tables, policy, komi, network):
    """`write_inputs` from Python. `boards` are the position and one for scratch."""
    board, ladder_board, tables = open_board(boards[0]), open_board(boards[1]), reference(tables)
    write_inputs(board, ladder_board, geometry_of(tables), reference(policy), komi, reference(network))


@inner
def _write_known_logits(board, ladder_board, geometry, policy, moves, out):
    """Write the logarithm of the probability of each move by its features, UNLIKELY for others.

    moves: int64, scratch; out: float32[area + 1], the pass last
    """
    for i in range(geometry.area):
        out[i] = UNLIKELY
    out[geometry.area] = PASS_LOGIT
    count = count_points(moves, list_moves(board, geometry, moves))
    move_probabilities(board, ladder_board, geometry, moves, count, policy, True)
    for i in range(count):
        logit = np.float32(math.log(policy.probabilities[i] + LEAST_PROBABILITY))
        out[point_index(np.int64(moves[i]), geometry)] = logit


@kernel
def extract_game(boards, tables, policy, komi, network, moves, plies, samples):
    """Replay a game from an empty board and write `samples` before each of these plies, in ascending order."""
    board, ladder_board = open_board(boards[0]), open_board(boards[1])
    tables, policy, network, samples = (
        reference(tables),
        reference(policy),
        reference(network),
        reference(samples),
    )
    geometry = geometry_of(tables)
    found, seen = pointer(network.features), pointer(samples.features)
    at = 0
    for ply in range(len(moves) + 1):
        if at < len(plies) and plies[at] == ply:
            write_inputs(board, ladder_board, geometry, policy, komi, network)
            start = at * geometry.area * FEATURES
            for i in range(geometry.area * FEATURES):
                seen[start + i] = np.int8(found[i])
            for i in range(INPUTS):
                samples.inputs[at, i] = network.inputs[i]
            known = samples.known_logits[at]
            _write_known_logits(board, ladder_board, geometry, policy, pointer(samples.moves), known)
            at += 1
        if ply < len(moves):
            play(board, geometry, np.int64(moves[ply]))
