"""The Othello evaluation against a plain implementation of its patterns, and the weights file."""

from __future__ import annotations

import lzma
import os
import random
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tengen.core.compiled.bits import popcount
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.pointers import pointer
from tengen.engines.othello.midgame import weights as files
from tengen.engines.othello.midgame.kernels.evaluation import MAX_ESTIMATE, evaluate_all, evaluate_features
from tengen.engines.othello.midgame.kernels.features import pass_features, play_features, set_features
from tengen.engines.othello.midgame.patterns import (
    BIAS,
    FOLDED_INDEX,
    FOLDED_WEIGHTS,
    INSTANCES,
    LANES,
    PATTERNS,
    WEIGHTS_PER_SET,
)
from tengen.games.othello.rules import PASS
from tests.helpers.othello_weights import random_weights
from tests.helpers.paths import ROOT
from tests.reference import othello as reference


def discs(position: reference.Othello, player: str) -> np.uint64:
    return np.uint64(sum(1 << square for square, disc in enumerate(position.squares()) if disc == player))


def plain_value(position: reference.Othello, weights: np.ndarray) -> int:
    """Evaluate square by square: 2 for the mover, 0 for the enemy, 1 for neither, in base 3."""
    squares = position.squares()
    digits = {position.mover: 2, "-": 1}
    empties = squares.count("-")
    total = int(weights[empties, BIAS])
    for pattern, instance in INSTANCES:
        code = sum(digits.get(squares[square], 0) * 3**place for place, square in enumerate(instance))
        total += int(weights[empties, pattern.offset + code])
    return max(-MAX_ESTIMATE, min(MAX_ESTIMATE, total))


@kernel
def follow(movers, enemies, squares, flips, features, weights, values):
    """Value at each ply of a game, from incremental configurations."""
    features, weights = pointer(features), pointer(weights)
    set_features(features, 0, movers[0], enemies[0])
    for ply in range(len(movers)):
        empties = np.uint64(64) - popcount(movers[ply] | enemies[ply])
        values[ply] = evaluate_features(features, ply, empties, weights)
        if squares[ply] == PASS:
            pass_features(features, ply)
        else:
            play_features(features, ply, squares[ply], flips[ply])


def evaluated_games(seeds: range) -> list[tuple[int, int, int]]:
    """Random games: value at each ply by incremental configurations, from the discs, and by plain evaluation."""
    weights = random_weights()
    found: list[tuple[int, int, int]] = []
    for seed in seeds:
        rng = random.Random(seed)
        position = reference.Othello()
        rows, plain = [], []
        while moves := position.moves():
            mover, enemy = (
                discs(position, player) for player in (position.mover, reference.other(position.mover))
            )
            plain.append(plain_value(position, weights))
            move = rng.choice(moves)
            position.play(move)
            square = PASS if move == "pass" else 8 * (int(move[1]) - 1) + "abcdefgh".index(move[0])
            rows.append((mover, enemy, square, enemy & ~discs(position, position.mover)))
        movers, enemies, squares, flips = (np.array(column, np.uint64) for column in zip(*rows, strict=True))
        incremental, fresh = np.zeros((2, len(rows)), np.int64)
        follow(movers, enemies, squares, flips, np.zeros((len(rows) + 1, LANES), np.int16), weights, incremental)
        evaluate_all(movers, enemies, weights, fresh)
        found += zip(incremental.tolist(), fresh.tolist(), plain, strict=True)
    return found


def test_incremental_and_fresh_values_match_a_plain_evaluation():
    games = evaluated_games(range(8))
    assert len(games) > 400
    assert all(incremental == plain and fresh == plain for incremental, fresh, plain in games)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="there is no compiled form to compare with")
def test_kernels_match_without_jit():
    code = f"from {__name__} import evaluated_games; print(evaluated_games(range(2)))"
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout.strip() == str(evaluated_games(range(2)))


def test_number_of_patterns_and_weights():
    assert len(PATTERNS) == 12
    assert len(INSTANCES) == 46
    assert FOLDED_WEIGHTS == 114_364
    assert WEIGHTS_PER_SET == 226_315
    sizes = [len(set(FOLDED_INDEX[pattern.offset : pattern.offset + pattern.size])) for pattern in PATTERNS]
    assert sizes == [10206, 29889, 29646, 29646, 3321, 3321, 3321, 3321, 1134, 378, 135, 45]


def images(board: int) -> list[int]:
    rows = [[board >> (8 * row + column) & 1 for column in range(8)] for row in range(8)]
    found = []
    for _ in range(2):
        for _ in range(4):
            rows = [list(row) for row in zip(*rows[::-1], strict=True)]
            found.append(sum(bit << (8 * r + c) for r, row in enumerate(rows) for c, bit in enumerate(row)))
        rows = rows[::-1]
    return found


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_symmetric_positions_have_equal_values(some: int, others: int):
    movers, enemies = np.array(images(some & others), np.uint64), np.array(images(some & ~others), np.uint64)
    values = np.zeros(8, np.int64)
    evaluate_all(movers, enemies, random_weights(), values)
    assert len(set(values.tolist())) == 1
    assert abs(values[0]) <= MAX_ESTIMATE


def test_weights_file_round_trip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "_FILTERS", [{"id": lzma.FILTER_LZMA2, "preset": 0}])  # fast compression
    folded = np.zeros((files.WEIGHT_SETS, FOLDED_WEIGHTS), np.int64)
    folded[:, ::997] = np.random.default_rng(2).integers(-900, 900, folded[:, ::997].shape) * files.STEP_CENTIDISCS
    path = tmp_path / "some.weights"
    files.write_weights(path, folded, {"made": "by a test"})
    read, provenance = files.read_weights(path)
    assert (read == folded).all()
    assert provenance == files.provenance(path) == {"made": "by a test"}
    loaded = files.load_weights(path)
    assert loaded.shape == (65, WEIGHTS_PER_SET)
    assert (loaded[20] == folded[20 - files.MIN_EMPTIES][FOLDED_INDEX]).all()
    assert (loaded[64] == loaded[files.MAX_EMPTIES]).all()
    assert not loaded.flags.writeable
    assert [entry.name for entry in tmp_path.iterdir()] == ["some.weights"]


def test_invalid_weights_files_are_rejected(tmp_path: Path):
    with pytest.raises(files.WeightsError, match="no Othello weights"):
        files.read_weights(tmp_path / "none")
    path = tmp_path / "some.weights"
    for content, message in (
        (b"", "is not a file"),
        (b"PK", "is not a file"),
        (b"tengen othello weights 1\n{}\nxyz", "is damaged"),
        (b"tengen othello weights 1\n{", "is damaged"),
    ):
        path.write_bytes(content)
        with pytest.raises(files.WeightsError, match=message):
            files.read_weights(path)
