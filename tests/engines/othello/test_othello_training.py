"""Training of the Othello evaluation: solver, search and regression against plain implementations; a whole run."""

from __future__ import annotations

import lzma
import shutil
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen.cli import run as tengen_command
from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.pointers import pointer
from tengen.core.compiled.references import reference
from tengen.engines.othello.midgame import weights
from tengen.engines.othello.midgame.kernels.evaluation import evaluate_all
from tengen.engines.othello.midgame.patterns import FOLDED_INDEX, FOLDED_WEIGHTS
from tengen.engines.othello.midgame.probcut_model import load_coefficients, standard_deviation
from tengen.engines.othello.midgame.weights import WEIGHT_SETS, WeightsError, read_weights, write_weights
from tengen.engines.othello.training import accuracy, job, probcut_fit, selfplay
from tengen.engines.othello.training.accuracy import SolvedPositions, search_values
from tengen.engines.othello.training.job import Generation
from tengen.engines.othello.training.kernels.design_matrix import COLUMNS, make_rows
from tengen.engines.othello.training.kernels.endgame_solver import exact_score
from tengen.engines.othello.training.kernels.lookahead import TrainingMemory
from tengen.engines.othello.training.kernels.selfplay import UNKNOWN
from tengen.engines.othello.training.regression import Sample, fit
from tengen.engines.othello.training.selfplay import (
    Games,
    PlaySettings,
    play_batch,
    positions,
    targets,
    training_memory,
)
from tengen.engines.pente.training import Examples
from tengen.games.othello.rules import find_flips, find_moves
from tengen.jobs import Checkpoint
from tests.helpers.othello_weights import random_weights
from tests.helpers.paths import GOLDEN

ALL = np.uint64(2**64 - 1)
QUICK = PlaySettings(depth=1, exact_empties=8, noise=50)
BITS = [np.uint64(1 << square) for square in range(64)]


def children(mover: np.uint64, enemy: np.uint64) -> list[tuple[np.uint64, np.uint64]]:
    moves = int(find_moves(mover, enemy, ALL))
    found = []
    for square in range(64):
        if moves >> square & 1:
            flips = find_flips(np.uint64(square), mover, enemy)
            found.append((enemy ^ flips, mover | flips | BITS[square]))
    return found


def plain_search(
    mover: np.uint64, enemy: np.uint64, depth: int, static: Callable[[np.uint64, np.uint64], int]
) -> int:
    """Minimax without pruning; in centi-discs."""
    if depth == 0:
        return static(mover, enemy)
    after = children(mover, enemy)
    if after:
        return max(-plain_search(*child, depth - 1, static) for child in after)
    if children(enemy, mover):
        return -plain_search(enemy, mover, depth, static)
    own, others = int(mover).bit_count(), int(enemy).bit_count()
    empties = 64 - own - others
    return 100 * (own - others + (empties if own > others else -empties if own < others else 0))


def labelled(games: Games, empties: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Movers, enemies and scores of the positions with `empties` empty squares."""
    return positions(games, targets(games, td_lambda=1.0), empties)


@pytest.fixture(scope="module")
def games() -> Games:
    return play_batch(1, 200, QUICK, b"")


@kernel
def solve_all(movers, enemies, scores, arrays):
    pointers = TrainingMemory(
        arrays.work[0], pointer(arrays.endgame_table), pointer(arrays.weights), pointer(arrays.edges)
    )
    for index in range(len(movers)):
        scores[index] = exact_score(movers[index], enemies[index], np.int64(0), reference(pointers))


def exact_scores(movers: np.ndarray, enemies: np.ndarray) -> list[int]:
    scores = np.zeros(len(movers), np.int64)
    solve_all(movers, enemies, scores, training_memory(random_weights(), use_weights=True))
    return scores.tolist()


def test_exact_scores_match_plain_minimax(games: Games):
    for empties in (5, 8):
        movers, enemies, _ = (array[:12] for array in labelled(games, empties))
        plain = [
            plain_search(mover, enemy, 99, lambda *_: 0) // 100
            for mover, enemy in zip(movers, enemies, strict=True)
        ]
        assert exact_scores(movers, enemies) == plain


def test_solved_positions_match_the_endgame_solver(games: Games):
    movers, enemies, _ = (array[:8] for array in labelled(games, 13))
    some = np.zeros((WEIGHT_SETS, FOLDED_WEIGHTS))
    solved = accuracy.solve_positions(movers, enemies, selfplay.pack_weights(some))
    assert solved.scores.tolist() == exact_scores(movers, enemies)


def test_lookahead_matches_plain_minimax(games: Games):
    some = random_weights()

    def static(mover: np.uint64, enemy: np.uint64) -> int:
        value = np.zeros(1, np.int64)
        evaluate_all(np.array([mover]), np.array([enemy]), some, value)
        return int(value[0])

    for empties, depth in ((30, 0), (30, 1), (30, 2), (9, 3)):
        movers, enemies, _ = (array[:10] for array in labelled(games, empties))
        plain = [plain_search(*boards, depth, static) for boards in zip(movers, enemies, strict=True)]
        assert search_values(some, movers, enemies, depth).tolist() == plain


def test_games_are_legal_and_their_scores_exact(games: Games):
    movers, enemies, targets = labelled(games, 8)
    assert len(movers) > 150
    assert targets.tolist() == exact_scores(movers, enemies)
    for squares, scores in zip(games.squares[:20], games.scores[:20], strict=True):
        mover, enemy = np.uint64(0x0000000810000000), np.uint64(0x0000001008000000)
        previous = None
        for square, score in zip(squares, scores, strict=True):
            passed = not children(mover, enemy)
            if passed:
                mover, enemy = enemy, mover
            if square < 0:
                assert not children(mover, enemy)
                break
            if previous not in (None, UNKNOWN):
                assert score == (previous if passed else -previous)
            previous = int(score)
            flips = find_flips(np.uint64(square), mover, enemy)
            assert flips != 0
            mover, enemy = enemy ^ flips, mover | flips | BITS[square]


def test_the_regression_solves_the_normal_equations(games: Games):
    movers, enemies, targets = (array[:60] for array in labelled(games, 20))
    rows = np.zeros((len(movers), COLUMNS), np.uint32)
    make_rows(movers, enemies, FOLDED_INDEX.astype(np.uint32), rows)
    prior = np.random.default_rng(3).normal(0, 1, FOLDED_WEIGHTS)
    ridge = 5.0
    with ThreadPoolExecutor(2) as threads:
        samples = [Sample(rows[:30], targets[:30], 1.0), Sample(rows[30:], targets[30:], 0.5)]
        found = fit(samples, prior, ridge=ridge, iterations=60, threads=threads)
    used = np.unique(rows)
    matrix = np.zeros((len(rows), len(used)))
    for index, row in enumerate(rows):
        np.add.at(matrix[index], np.searchsorted(used, row), 1)
    importance = np.where(np.arange(len(rows)) < 30, 1.0, 0.5)
    residual = targets - matrix @ prior[used]
    normal = matrix.T @ (importance[:, None] * matrix) + ridge * np.eye(len(used))
    exact = prior[used] + np.linalg.solve(normal, matrix.T @ (importance * residual))
    assert np.abs(found[used] - exact).max() < 1e-3
    unused = np.setdiff1d(np.arange(FOLDED_WEIGHTS), used)
    assert (found[unused] == prior[unused]).all()


class Interrupted(ThreadPoolExecutor):
    """Executor that raises KeyboardInterrupt after `calls` calls."""

    def __init__(self, calls: int) -> None:
        super().__init__(2)
        self.calls = calls

    def submit(self, fn: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        if self.calls == 0:
            raise KeyboardInterrupt
        self.calls -= 1
        return super().submit(fn, *args, **options)


def test_an_interrupted_run_resumes_with_the_same_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(selfplay, "BATCH", 20)
    monkeypatch.setattr(accuracy, "EMPTIES", 14)
    monkeypatch.setattr(probcut_fit, "MAX_DEPTH", 1)
    monkeypatch.setattr(weights, "_FILTERS", [{"id": lzma.FILTER_LZMA2, "preset": 0}])  # compression takes longest
    plan = (Generation(60, QUICK, iterations=1), Generation(80, QUICK, iterations=1, games_from_generations=2))
    messages: list[str] = []
    with ThreadPoolExecutor(2) as executor:
        job.train(
            tmp_path / "whole",
            tmp_path / "whole.weights",
            plan=plan,
            test_positions=4,
            executor=executor,
            log=messages.append,
        )
    assert [line.split(":")[0] for line in messages] == ["generation 0", "generation 1", "written"]
    for calls in (1, 2):
        with Interrupted(calls) as executor, pytest.raises(KeyboardInterrupt):
            job.train(
                tmp_path / "parts", tmp_path / "parts.weights", plan=plan, test_positions=4, executor=executor
            )
    with ThreadPoolExecutor(2) as executor:
        job.train(tmp_path / "parts", tmp_path / "parts.weights", plan=plan, test_positions=4, executor=executor)
    whole, provenance = read_weights(tmp_path / "whole.weights")
    assert (tmp_path / "parts.weights").read_bytes() == (tmp_path / "whole.weights").read_bytes()
    assert np.abs(whole).max() > 0
    assert provenance["games"] == 140
    assert [sorted(one["errors"]) for one in provenance["generations"]] == [["depth4", "static"]] * 2


def test_refining_changes_only_the_weights_of_configurations_that_occurred(games: Games):
    previous = np.random.default_rng(3).integers(-200, 200, (WEIGHT_SETS, FOLDED_WEIGHTS)).astype(np.int16)
    learned = job.learn(games, Generation(len(games), QUICK, iterations=1, refines=True), "", previous)
    empties = 20
    occurred = np.zeros(FOLDED_WEIGHTS, bool)
    for neighbour in (empties - 2, empties, empties + 2):
        movers, enemies, _ = labelled(games, neighbour)
        rows = np.zeros((len(movers), COLUMNS), np.uint32)
        make_rows(movers, enemies, FOLDED_INDEX.astype(np.uint32), rows)
        occurred[np.unique(rows)] = True
    difference = np.abs(learned - previous)[empties - weights.MIN_EMPTIES]
    assert difference[~occurred].max() < 1e-6
    assert (difference[occurred] > 1e-6).mean() > 0.9


def test_solved_positions_file_round_trip(tmp_path: Path, games: Games):
    movers, enemies, targets = labelled(games, 20)
    path = tmp_path / "solved.txt"
    accuracy.write_solved_positions(path, SolvedPositions(movers, enemies, targets.astype(np.int64)))
    read = accuracy.read_solved_positions(path)
    assert (read.movers == movers).all()
    assert (read.enemies == enemies).all()
    assert (read.scores == targets).all()
    path.write_text("not a position\n")
    with pytest.raises(accuracy.TengenError, match="64 squares and a score"):
        accuracy.read_solved_positions(path)


def test_bundled_weights_have_the_recorded_errors():
    claimed = weights.provenance()["generations"][-1]["errors"]
    errors = accuracy.measure_errors(weights.load_weights(), accuracy.read_solved_positions())
    assert errors.static == pytest.approx(claimed["static"])
    assert errors.depth4 == pytest.approx(claimed["depth4"])
    assert errors.static <= 6.6
    assert errors.depth4 <= 4.8


def test_checkpoints_of_earlier_versions_open(tmp_path: Path):
    """`training-0.1.checkpoint` has results pickled under the former names of their classes."""
    path = shutil.copy(GOLDEN / "training-0.1.checkpoint", tmp_path)
    with Checkpoint(path, "x").open() as checkpoint:
        assert isinstance(checkpoint.load("games"), Games)
        assert isinstance(checkpoint.load("judged"), SolvedPositions)
        assert isinstance(checkpoint.load("lesson"), Examples)
    assert list(Generation(60, QUICK).to_data().items()) == [
        ("games", 60),
        ("manner", {"depth": 1, "solved": 8, "noise": 50}),
        ("ridge", 60.0),
        ("iterations", 6),
        ("patience", 0.7),
        ("memory", 1),
    ]


def test_the_command_rejects_a_missing_folder(capsys: pytest.CaptureFixture[str]):
    assert tengen_command(["train", "othello", "--output", "/none/such.weights"]) == 2
    assert "folder not found" in capsys.readouterr().err


def test_probcut_coefficients_are_recovered_from_samples(tmp_path: Path):
    coefficients = [6.4, -0.04, 0.0002, -0.2, 0.4]
    rng = np.random.default_rng(4)
    values = {}
    for empties in (14, 22, 30, 38):
        # A value at depth 0 plus independent differences of deeper searches.
        low = rng.normal(0, 500, 40_000)
        by_depth = [
            low,
            low,
            *(low + rng.normal(0, standard_deviation(coefficients, empties, 0, deep), 40_000) for deep in (2, 3)),
        ]
        values[empties] = np.array(by_depth)
    pairs = [one for one in probcut_fit.depth_pairs(values) if one.shallow == 0]
    assert [(one.empties, one.deep) for one in pairs] == [(empties, 2) for empties in values]
    for one in pairs:
        assert abs(one.slope - 1) < 0.05
        assert one.standard_deviation == pytest.approx(
            standard_deviation(coefficients, one.empties, 0, 2), rel=0.05
        )
    exact = [
        probcut_fit.DepthPair(
            empties, shallow, deep, 0.0, 1.0, standard_deviation(coefficients, empties, shallow, deep)
        )
        for empties in (14, 20, 30)
        for shallow in (0, 1, 4)
        for deep in (shallow + 2, shallow + 6)
    ]
    assert probcut_fit.fit_coefficients(exact) == pytest.approx(coefficients)
    path = tmp_path / "some.weights"
    write_weights(path, np.zeros((WEIGHT_SETS, FOLDED_WEIGHTS)), {"cuts": {"numbers": coefficients}})
    assert load_coefficients(path) == pytest.approx(coefficients)
    write_weights(path, np.zeros((WEIGHT_SETS, FOLDED_WEIGHTS)), {"cuts": {"numbers": None}})
    with pytest.raises(WeightsError, match="ProbCut"):
        load_coefficients(path.rename(tmp_path / "other.weights"))
