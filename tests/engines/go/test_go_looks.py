"""What moves of Go look like: the same from every side, tactics told apart, and learned from games."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.go.board import geometry_for
from tengen.engines.go.kernels.board import SHAPE
from tengen.engines.go.mcts.candidates import sensible_moves
from tengen.engines.go.mcts.feature_weights import (
    SHIPPED,
    GammasError,
    count_looks,
    load_gammas,
    read_gammas,
    write_gammas,
)
from tengen.engines.go.mcts.kernels import features as looks
from tengen.engines.go.patterns import SHAPES, neighbourhood_table, shape_classes
from tengen.engines.go.training import job
from tengen.engines.go.training.fitting import Lesson, fit, judge, lesson_of
from tengen.engines.go.training.kernels.fitting import add_gradient
from tengen.engines.go.training.selfplay import CHOICES, Manner, SelfPlayed
from tengen.games.go import Go

Looks = dict[str, tuple[int, ...]]


def _looks(position: Position) -> Looks:
    """The looks of every move, by way of a game of one more move, in which each was a choice."""
    game = position.game
    assert isinstance(game, Go)
    moves = np.array([int(move) for move in position.moves] + [0], np.int16)
    visits = np.zeros((len(moves), CHOICES), np.int32)
    choices = np.zeros((len(moves), CHOICES), np.int16)
    legal = [move for move in position.legal_moves if move != 0]
    choices[-1, 0], visits[-1, 0] = legal[0], 1
    lesson = lesson_of(SelfPlayed(game.width, moves, choices, visits))
    assert len(lesson.ends) == 1
    starts = [0, *lesson.rows[:-1, 0]]
    found = [
        tuple(sorted(int(look) for look in lesson.looks[start:end]))
        for start, end in zip(starts, lesson.rows[:, 0], strict=True)
    ]
    geometry = geometry_for(game)
    inside = {int(geometry.outward[point]): rank for rank, point in enumerate(geometry.inside)}
    listed = sorted((move for move in legal if _is_sensible(position, move)), key=lambda move: inside[int(move)])
    assert len(listed) == len(found)
    return {game.write_move(move): look for move, look in zip(listed, found, strict=True)}


def _is_sensible(position: Position, move: Any) -> bool:
    return move in sensible_moves(position, position.legal_moves)


def _tactics(moves: str, point: str, size: int = 9) -> set[int]:
    position = tengen.game("go", size=size).start().play_all(moves.split())
    first = looks.TACTICS_AT
    return {look - first for look in _looks(position)[point] if first <= look < first + looks.TACTICS}


def test_shapes_are_the_same_from_every_side_and_for_both_colours() -> None:
    """A game, turned and with colours exchanged by a pass, looks the same move by move."""
    moves = ["C3", "D4", "C4", "C5", "D5", "E4", "B5", "C6", "G7", "F3"]
    columns = "ABCDEFGHJ"

    def turned(move: str) -> str:
        return columns[int(move[1:]) - 1] + str(9 - columns.index(move[0]))

    game = tengen.game("go", size=9)
    plain = _looks(game.start().play_all(moves))
    image = _looks(game.start().play_all([turned(move) for move in moves]))
    assert {turned(move): look for move, look in plain.items()} == image
    exchanged = _looks(game.start().play_all(["pass", *moves]))
    assert exchanged == plain


def test_shapes_worth_a_move_are_those_that_are_drawn() -> None:
    """A second way, without NumPy: every drawing, turned, mirrored and with colours exchanged, on some squares."""
    fits = {"X": "X", "O": "O", "x": ".O", "o": ".X", ".": ".", "?": ".XO#", "#": "#"}

    def turned(square: str) -> str:
        return "".join(square[6 - 3 * (i % 3) + i // 3] for i in range(9))

    drawings = set()
    for square in ("".join(shape.split()) for shape in SHAPES):
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
        worth = bool(neighbourhood_table()[code] & SHAPE)
        assert worth == is_drawn("".join(square)), square
        found += worth
    assert 0 < found < 400


@pytest.mark.parametrize(
    ("moves", "point", "tactics"),
    [
        ("D4 E4 A9 D3 A8 D5 A7", "C4", {looks.TAKES}),
        ("D4 E4 A9 D3 A8 D5", "C4", {looks.RUNS + 3}),
        ("A1 B2 J9 A2", "B1", {looks.RUNS, looks.BAD_ATARI + 1}),  # and dies
        ("E6 E5 D5 A9", "F5", {looks.ATARIS}),
        ("D5 E5 E6 J9 D4 A9", "F5", {looks.CATCHES}),  # in a ladder
        ("D5 E5 E6 G3 D4 A9", "F5", {looks.ATARIS}),  # which a stone in its way breaks
        ("E5 D5 J9 E6 J8 D4", "F5", {looks.SAVES + 1}),  # from one
        ("J9 A2", "A1", {looks.BAD_ATARI}),
        ("J9 A2", "E5", set()),
    ],
)
def test_tactics_are_told_apart(moves: str, point: str, tactics: set[int]) -> None:
    assert _tactics(moves, point) == tactics


@pytest.mark.parametrize(("stones", "owner"), [("", 0), ("D4", 1), ("pass D4", 2), ("D4 F3", 3), ("D4 K10", 1)])
def test_a_corner_is_known_by_whose_stones_are_in_it(stones: str, owner: int) -> None:
    """From both sides of its diagonal alike; what is beyond six lines is in no corner."""
    moves = stones.split() + ["pass"] * (len(stones.split()) % 2)  # Black is to move
    seen = _looks(tengen.game("go", size=13).start().play_all(moves))
    first = looks.CORNERS_AT

    def corner(point: str) -> int:
        (look,) = (look - first for look in seen[point] if first <= look < looks.SHAPES_AT)
        return look

    spots = {"C3": 5, "C4": 8, "D3": 8, "F1": 15, "A6": 15, "F6": 20}
    assert {point: corner(point) for point in spots if point not in stones} == {
        point: 1 + owner * looks.SPOTS + spot for point, spot in spots.items()
    }
    assert corner("G3") == corner("C7") == 0


def test_small_boards_have_no_corners_of_their_own() -> None:
    seen = _looks(tengen.game("go", size=11).start())
    assert all(looks.CORNERS_AT in those for those in seen.values())


def test_likelihoods_are_learned_from_games() -> None:
    """Where searches always take the last move's stone in atari, that look gets the largest weight."""
    rng = np.random.default_rng(1)
    rows = np.zeros((300, 2), np.int32)
    picks = rng.integers(0, 3, (100, 3))
    picks[:, 0] = 2
    order = rng.permuted(np.tile(np.arange(3), (100, 1)), axis=1)
    features = np.take_along_axis(picks, order, axis=1).ravel().astype(np.int16)
    rows[:, 0] = np.arange(1, 301)
    rows[:, 1] = (features == 2).astype(np.int32)
    ends = np.arange(3, 301, 3).astype(np.int32)
    gammas = np.zeros(count_looks())
    gradient, moved = np.zeros_like(gammas), np.zeros_like(gammas)
    likelihood, _ = add_gradient(ends, rows, features, gammas, np.zeros(400), gradient)
    step = 1e-4
    gammas[2] += step
    more, _ = add_gradient(ends, rows, features, gammas, np.zeros(400), moved)
    assert (more - likelihood) / step == pytest.approx(gradient[2], rel=1e-2)  # it is the gradient
    lesson = Lesson(ends, rows, features)
    learned = fit([lesson])
    assert learned[2] > learned[0] + 2
    assert learned[2] > learned[1] + 2
    assert judge([lesson], learned).likelihood > judge([lesson], np.zeros_like(learned)).likelihood


def test_training_goes_on_where_it_was_and_gives_the_same_again(tmp_path: Path) -> None:
    plan = (job.Generation((Manner(5, 4, 20),)), job.Generation((Manner(5, 4, 20),)))
    told: list[str] = []
    with ThreadPoolExecutor(1) as here:  # this process: another would compile anew
        for name in ("one.looks", "two.looks"):
            job.train(tmp_path / "games", tmp_path / name, plan=plan, executor=here, say=told.append)
    assert (tmp_path / "one.looks").read_text() == (tmp_path / "two.looks").read_text()
    gammas, made = read_gammas(tmp_path / "one.looks")
    assert np.any(gammas)
    assert made["generations"][1]["games"][0]["size"] == 5
    assert "generation 1" in told[1]


def test_what_ships_is_whole_and_says_how_it_was_made(tmp_path: Path) -> None:
    gammas, made = read_gammas(SHIPPED)
    assert gammas.shape == (count_looks(),)
    assert made["command"].startswith("tengen train go")
    assert not load_gammas().flags.writeable
    broken = tmp_path / "x.looks"
    broken.write_text("tengen go looks 1\n{}\n[1, 2]\n")
    with pytest.raises(GammasError, match="another version"):
        read_gammas(broken)
    with pytest.raises(GammasError, match="tengen train go"):
        read_gammas(tmp_path / "missing")
    write_gammas(broken, gammas, made)
    assert np.array_equal(read_gammas(broken)[0], gammas)


def test_shape_classes_cover_every_board() -> None:
    classes = shape_classes()
    assert classes.shape == (2, 1 << 16)
    assert classes[0, 0] == classes[1, 0]
    geometry = geometry_for(Go(width=5, height=5))
    around = geometry.empty_board().around[geometry.inside].astype(int)
    assert len(set(classes[0, around].tolist())) == 3  # corner, side, middle
