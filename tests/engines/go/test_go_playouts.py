"""Playouts: each rule alone, rejected moves, and ownership."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tengen
from tengen.core.position import Position
from tengen.engines.go.mcts.playouts import PLAYOUT_TUNABLES, Playouts

OFF = {rule.name: 0.0 for rule in PLAYOUT_TUNABLES}


def _after(rows: str, *moves: str) -> Position:
    position = tengen.game("go", board=rows, komi=0).start()
    for move in moves:
        position = position.play(move)
    return position


def _first_moves(position: Position, count: int = 40, **rates: float) -> Counter[str]:
    playouts = Playouts(position, seed=1, **{**OFF, **rates})
    return Counter(position.game.write_move(playouts.first_move()) for _ in range(count))


def test_light_playouts_have_the_published_mean_length() -> None:
    """110.9 moves on 9x9 without filling own eyes, to two passes."""
    playouts = Playouts(tengen.game("go", size=9).start(), heavy=False, owners=False)
    playouts.run(4000)
    assert 110 < playouts.moves / playouts.games < 112


@pytest.mark.parametrize(
    ("rule", "rows", "last", "expected"),
    [
        ("captures", ".X..../....../....../....../....../...... O", "A6", {"A5"}),
        ("escapes", "....../..X.../..OX../....../....../...... X", "B4", {"C3"}),
        ("two_liberties", "....../....../....../....../.X..../...... O", "A1", {"A2", "B1"}),  # either captures it
        ("nakade", "...XO./.XXXO./XOOO../OO..../....../...... X", "A5", {"B6"}),
    ],
)
def test_each_rule_responds_to_the_last_move(rule: str, rows: str, last: str, expected: set[str]) -> None:
    position = _after(rows, last)
    assert set(_first_moves(position, **{rule: 1.0})) == expected
    assert set(_first_moves(position)) - expected  # disabled, it plays anywhere


def test_patterns_are_played_near_the_last_move() -> None:
    """Responses to a contact move are next to it, such as hane."""
    found = _first_moves(_after("......./......./......./...O.../......./......./....... X", "D3"), patterns=1.0)
    assert found
    assert all(move[0] in "CDE" and move[1] in "2345" for move in found)


def test_bad_self_ataris_are_rejected_but_nakade_is_not() -> None:
    # White to move: the only liberty at A1 is B1, so stones there are lost for nothing.
    rows = "....../....../....../....../XX..../..X... O"
    position = tengen.game("go", board=rows).start()
    assert not {"A1", "B1"} & set(_first_moves(position, 400, self_atari=1.0))
    assert {"A1", "B1"} & set(_first_moves(position, 400))
    # Two white stones in a space of three: the third point is self-atari, but makes a dead shape.
    rows = "XXXX../X..X../XOXX../XXX.../....../...... O"
    position = tengen.game("go", board=rows).start()
    assert {"B5", "C5"} & set(_first_moves(position, 400, self_atari=1.0))


def test_ownership_of_a_settled_board() -> None:
    position = tengen.game("go", board="..XO./XXXO./..XOO/XXXO./..XO. X").start()
    playouts = Playouts(position, swap=True)
    playouts.run(200)
    owners = playouts.ownership().reshape(5, 5)
    assert (owners[:, :3] > 0.9).all()
    assert (owners[:, 3:] < -0.9).all()
    assert np.abs(owners).max() <= 1.0
