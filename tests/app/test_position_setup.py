"""Positions that are set up: the game that begins with some stones."""

from __future__ import annotations

import random
from typing import Any

import pytest

import tengen
from tengen.app.position_setup import rows_of
from tengen.core.errors import TengenError

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("go", {"size": 7, "komi": 5.5, "rules": "japanese"}),
    ("othello", {"size": 6}),
    ("pente", {"size": 9, "variant": "keryo"}),
    ("clobber", {"size": "4x5"}),
]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_a_position_that_is_set_up_again_has_the_same_stones_and_side_to_move(
    name: str, options: dict[str, Any]
) -> None:
    game, rng = tengen.game(name, **options), random.Random(3)
    position = game.start()
    assert game.can_set_up
    assert not game.has_setup
    for _ in range(5):
        position = position.play(rng.choice([move for move in position.legal_moves if game.points(move)]))
        made = game.with_setup(rows_of(position), position.to_move)
        assert rows_of(made.start()) == rows_of(position)
        assert made.start().to_move == position.to_move
        assert made.has_setup
        assert made.without_setup() == game


def test_impossible_positions_are_refused() -> None:
    with pytest.raises(TengenError):
        tengen.game("go", size=3).with_setup(["XXX", "XXX", "XXX"], 0)


def test_a_game_with_a_handicap_keeps_its_rules_and_loses_the_handicap() -> None:
    game = tengen.game("go", size=9, handicap=2)
    made = game.with_setup(rows_of(game.start()), 1)
    assert rows_of(made.start()) == rows_of(game.start())
    assert made.options()["handicap"] == 0
