"""Features of moves: symmetry, tactics, corners; and training of their weights."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.kernels.board import PATTERN
from tengen.engines.go.mcts.candidates import sensible_moves
from tengen.engines.go.mcts.feature_weights import (
    SHIPPED,
    FeatureWeightsError,
    count_features,
    load_feature_weights,
    read_feature_weights,
    write_feature_weights,
)
from tengen.engines.go.mcts.kernels import features
from tengen.engines.go.patterns import PATTERNS, neighbourhood_table, pattern_classes
from tengen.engines.go.training import job
from tengen.engines.go.training.fitting import TrainingGame, evaluate, extract_positions, fit
from tengen.engines.go.training.kernels.fitting import add_gradient
from tengen.engines.go.training.selfplay import MAX_CHOICES, SelfPlayGame, SelfPlaySettings
from tengen.games.go import Go

Features = dict[str, tuple[int, ...]]


def _features(position: Position) -> Features:
    """Features of every move, extracted from a game with one more move in which each move was a choice."""
    game = position.game
    assert isinstance(game, Go)
    moves = np.array([int(move) for move in position.moves] + [0], np.int16)
    visits = np.zeros((len(moves), MAX_CHOICES), np.int32)
    choices = np.zeros((len(moves), MAX_CHOICES), np.int16)
    legal = [move for move in position.legal_moves if move != 0]
    choices[-1, 0], visits[-1, 0] = legal[0], 1
    training_game = extract_positions(SelfPlayGame(game.width, moves, choices, visits))
    assert len(training_game.ends) == 1
    starts = [0, *training_game.rows[:-1, 0]]
    found = [
        tuple(sorted(int(feature) for feature in training_game.features[start:end]))
        for start, end in zip(starts, training_game.rows[:, 0], strict=True)
    ]
    geometry = geometry_for(game)
    inside = {int(geometry.to_rules[point]): rank for rank, point in enumerate(geometry.inside)}
    listed = sorted((move for move in legal if _is_sensible(position, move)), key=lambda move: inside[int(move)])
    assert len(listed) == len(found)
    return {game.write_move(move): feature for move, feature in zip(listed, found, strict=True)}


def _is_sensible(position: Position, move: Any) -> bool:
    return move in sensible_moves(position, position.legal_moves)


def _tactics(moves: str, point: str, size: int = 9) -> set[int]:
    position = tengen.game("go", size=size).start().play_all(moves.split())
    first = features.TACTICS_AT
    return {
        feature - first
        for feature in _features(position)[point]
        if first <= feature < first + features.TACTIC_COUNT
    }


def test_features_are_invariant_under_symmetry_and_colours() -> None:
    """A rotated game, and one with colours swapped by a pass, have the same features."""
    moves = ["C3", "D4", "C4", "C5", "D5", "E4", "B5", "C6", "G7", "F3"]
    columns = "ABCDEFGHJ"

    def turned(move: str) -> str:
        return columns[int(move[1:]) - 1] + str(9 - columns.index(move[0]))

    game = tengen.game("go", size=9)
    plain = _features(game.start().play_all(moves))
    image = _features(game.start().play_all([turned(move) for move in moves]))
    assert {turned(move): feature for move, feature in plain.items()} == image
    exchanged = _features(game.start().play_all(["pass", *moves]))
    assert exchanged == plain


def test_the_pattern_table_matches_the_drawn_patterns() -> None:
    """Compare with a matcher in plain Python: all symmetries and colours of every pattern, on sample squares."""
    fits = {"X": "X", "O": "O", "x": ".O", "o": ".X", ".": ".", "?": ".XO#", "#": "#"}

    def turned(square: str) -> str:
        return "".join(square[6 - 3 * (i % 3) + i // 3] for i in range(9))

    drawings = set()
    for square in ("".join(shape.split()) for shape in PATTERNS):
        for _ in range(4):
            square = turned(square)
            drawings |= {square, square[2::-1] + square[5:2:-1] + square[:5:-1]}

    def is_drawn(square: str) -> bool:
        other = square.translate(str.maketrans("XO", "OX"))
        return any(
            all(stone in fits[sign] for stone, sign in zip(seen, drawing, strict=True))
            for drawing in drawings
            for seen in (square, other)
        )

    places = (5, 3, 7, 1, 8, 6, 2, 0)  # east, west, south, north, and the corners between
    found = 0
    for code in np.random.default_rng(1).integers(0, 1 << 16, 400):
        square = ["."] * 9
        for i, place in enumerate(places):
            square[place] = ".XO#"[int(code) >> 2 * i & 3]
        worth = bool(neighbourhood_table()[code] & PATTERN)
        assert worth == is_drawn("".join(square)), square
        found += worth
    assert 0 < found < 400


@pytest.mark.parametrize(
    ("moves", "point", "tactics"),
    [
        ("D4 E4 A9 D3 A8 D5 A7", "C4", {features.CAPTURES}),
        ("D4 E4 A9 D3 A8 D5", "C4", {features.EXTENSIONS + 3}),
        ("A1 B2 J9 A2", "B1", {features.EXTENSIONS, features.BAD_SELF_ATARI + 1}),  # futile
        ("E6 E5 D5 A9", "F5", {features.OTHER_ATARIS}),
        ("D5 E5 E6 J9 D4 A9", "F5", {features.LADDER_ATARIS}),  # in a ladder
        ("D5 E5 E6 G3 D4 A9", "F5", {features.OTHER_ATARIS}),  # a stone breaks the ladder
        ("E5 D5 J9 E6 J8 D4", "F5", {features.LADDER_ESCAPES + 1}),  # from a ladder
        ("J9 A2", "A1", {features.BAD_SELF_ATARI}),
        ("J9 A2", "E5", set()),
    ],
)
def test_tactical_features(moves: str, point: str, tactics: set[int]) -> None:
    assert _tactics(moves, point) == tactics


@pytest.mark.parametrize(("stones", "owner"), [("", 0), ("D4", 1), ("pass D4", 2), ("D4 F3", 3), ("D4 K10", 1)])
def test_corner_features_depend_on_the_stones_there(stones: str, owner: int) -> None:
    """They are symmetric in the diagonal; points beyond six lines are in no corner."""
    moves = stones.split() + ["pass"] * (len(stones.split()) % 2)  # Black is to move
    seen = _features(tengen.game("go", size=13).start().play_all(moves))
    first = features.CORNERS_AT

    def corner(point: str) -> int:
        (feature,) = (feature - first for feature in seen[point] if first <= feature < features.PATTERNS_AT)
        return feature

    spots = {"C3": 5, "C4": 8, "D3": 8, "F1": 15, "A6": 15, "F6": 20}
    assert {point: corner(point) for point in spots if point not in stones} == {
        point: 1 + owner * features.CORNER_POINTS + spot for point, spot in spots.items()
    }
    assert corner("G3") == corner("C7") == 0


def test_small_boards_have_no_corner_features() -> None:
    seen = _features(tengen.game("go", size=11).start())
    assert all(features.CORNERS_AT in those for those in seen.values())


def test_weights_are_learned_from_games() -> None:
    """If searches always choose one feature, it gets the largest weight."""
    rng = np.random.default_rng(1)
    rows = np.zeros((300, 2), np.int32)
    picks = rng.integers(0, 3, (100, 3))
    picks[:, 0] = 2
    order = rng.permuted(np.tile(np.arange(3), (100, 1)), axis=1)
    features = np.take_along_axis(picks, order, axis=1).ravel().astype(np.int16)
    rows[:, 0] = np.arange(1, 301)
    rows[:, 1] = (features == 2).astype(np.int32)
    ends = np.arange(3, 301, 3).astype(np.int32)
    feature_weights = np.zeros(count_features())
    gradient, moved = np.zeros_like(feature_weights), np.zeros_like(feature_weights)
    likelihood, _ = add_gradient(ends, rows, features, feature_weights, np.zeros(400), gradient)
    step = 1e-4
    feature_weights[2] += step
    more, _ = add_gradient(ends, rows, features, feature_weights, np.zeros(400), moved)
    assert (more - likelihood) / step == pytest.approx(gradient[2], rel=1e-2)  # it is the gradient
    training_game = TrainingGame(ends, rows, features)
    learned = fit([training_game])
    assert learned[2] > learned[0] + 2
    assert learned[2] > learned[1] + 2
    assert (
        evaluate([training_game], learned).likelihood
        > evaluate([training_game], np.zeros_like(learned)).likelihood
    )


def test_games_in_existing_checkpoints_can_be_read() -> None:
    """The class that stores them was called SelfPlayed."""
    arrays = [np.zeros(1, np.int16), np.zeros((1, MAX_CHOICES), np.int16), np.zeros((1, MAX_CHOICES), np.int32)]
    stored = pickle.dumps(SelfPlayGame(9, *arrays), protocol=5)
    former = stored.replace(b"\x8c\x0cSelfPlayGame", b"\x8c\x0aSelfPlayed")
    assert former != stored
    frame = len(former) - 11  # the frame is two bytes shorter
    former = former[:3] + frame.to_bytes(8, "little") + former[11:]
    loaded = pickle.loads(former)
    assert isinstance(loaded, SelfPlayGame)
    assert loaded.size == 9


def test_training_can_be_resumed_and_is_deterministic(tmp_path: Path) -> None:
    plan = (job.Generation((SelfPlaySettings(5, 4, 20),)), job.Generation((SelfPlaySettings(5, 4, 20),)))
    told: list[str] = []
    with ThreadPoolExecutor(1) as here:  # in this process, where kernels are compiled
        for name in ("one.looks", "two.looks"):
            job.train(tmp_path / "games", tmp_path / name, plan=plan, executor=here, on_message=told.append)
    assert (tmp_path / "one.looks").read_text() == (tmp_path / "two.looks").read_text()
    feature_weights, made = read_feature_weights(tmp_path / "one.looks")
    assert np.any(feature_weights)
    assert made["generations"][1]["games"][0]["size"] == 5
    assert "generation 1" in told[1]


def test_the_shipped_weights_are_complete_with_provenance(tmp_path: Path) -> None:
    feature_weights, made = read_feature_weights(SHIPPED)
    assert feature_weights.shape == (count_features(),)
    assert made["command"].startswith("tengen train go")
    assert not load_feature_weights().flags.writeable
    broken = tmp_path / "x.looks"
    broken.write_text("tengen go looks 1\n{}\n[1, 2]\n")
    with pytest.raises(FeatureWeightsError, match="another version"):
        read_feature_weights(broken)
    with pytest.raises(FeatureWeightsError, match="tengen train go"):
        read_feature_weights(tmp_path / "missing")
    write_feature_weights(broken, feature_weights, made)
    assert np.array_equal(read_feature_weights(broken)[0], feature_weights)


def test_pattern_classes_cover_every_board() -> None:
    classes = pattern_classes()
    assert classes.shape == (2, 1 << 16)
    assert classes[0, 0] == classes[1, 0]
    geometry = geometry_for(Go(width=5, height=5))
    around = geometry.empty_board().neighbours[geometry.inside].astype(int)
    assert len(set(classes[0, around].tolist())) == 3  # corner, side, middle
