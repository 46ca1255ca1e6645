"""Positions that are set up: the game that begins with some stones."""

from __future__ import annotations

import random
from typing import Any

import pytest

import tengen
from tengen.app.position_setup import position_formats, read_position, rows_of, write_position
from tengen.core.errors import TengenError

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("go", {"size": 7, "komi": 5.5, "rules": "japanese"}),
    ("othello", {"size": 6}),
    ("pente", {"size": 9, "variant": "keryo"}),
    ("clobber", {"size": "4x5"}),
    ("nogo", {"size": "5x6"}),
    ("amazons", {}),
    ("toppling_dominoes", {}),
    ("kayles", {}),
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


def test_captured_stones_and_a_ko_are_part_of_a_position() -> None:
    rows = [".......", "..XO...", ".XO.O..", "..XO...", ".......", ".......", "......."]
    go = tengen.game("go", size=7, rules="japanese")
    game = go.with_setup(rows, 0, "captured=3-1")
    start = game.start()
    assert game.describe_setup(start) == "captured=3-1"
    taken = start.play("D5")  # Black takes in the ko
    details = game.describe_setup(taken)
    assert details == "captured=4-1 ko=C5"
    again = go.with_setup(rows_of(taken), 1, details).start()
    assert "C5" not in again.write_moves(again.legal_moves)
    assert again.key == taken.key
    assert tengen.game("go", **again.game.options()) == again.game
    for wrong in ("ko=A1", "ko=Z9", "captured=x", "captured=5000-0", "number=3"):
        with pytest.raises(TengenError):
            go.with_setup(rows_of(taken), 1, wrong)
    with pytest.raises(TengenError):
        go.with_setup(rows_of(taken), 0, "ko=C5")  # Black has nothing to retake
    pente = tengen.game("pente", size=9).with_setup(["XX......."] + ["........."] * 8, 1, "captured=8-2")
    assert pente.start().state.captured.tolist() == [8, 2]
    assert tengen.game("pente", **pente.options()) == pente
    with pytest.raises(TengenError):
        tengen.game("pente", size=9).with_setup(["........."] * 9, 0, "captured=10-0")
    with pytest.raises(TengenError):
        tengen.game("pente", variant="gomoku", size=9).with_setup(["........."] * 9, 0, "captured=2-0")


def test_a_pente_position_with_captures_that_is_set_up_again_has_the_same_key() -> None:
    game, rng = tengen.game("pente", size=9), random.Random(8)
    for _ in range(6):
        position = game.start()
        while not position.is_over and position.ply < 50:
            position = position.play(rng.choice(list(position.legal_moves)))
            if not position.is_over and any(position.state.captured.tolist()):
                again = game.with_setup(rows_of(position), position.to_move, game.describe_setup(position)).start()
                assert again.key == position.key


@pytest.mark.parametrize(("name", "options"), [*GAMES, ("clobber", {"size": "12"})])
def test_positions_are_written_and_read_as_text_in_every_format(name: str, options: dict[str, Any]) -> None:
    game, rng = tengen.game(name, **options), random.Random(5)
    position = game.start()
    for _ in range(4):
        position = position.play(rng.choice([move for move in position.legal_moves if game.points(move)]))
    assert ("obf" in position_formats(game)) == (name == "othello")
    for form in position_formats(game):
        again = read_position(tengen.game(name), write_position(position, form)).start()
        assert (rows_of(again), again.to_move) == (rows_of(position), position.to_move), form
    with pytest.raises(TengenError):
        read_position(game, "(;GM[2]SZ[8];B[f5])" if name != "othello" else "(;GM[1]SZ[9];B[ee])")
    with pytest.raises(TengenError):
        read_position(game, "no position")


def test_the_text_of_a_position_has_captures_and_ko() -> None:
    text = "......./..XO.../.X.XO../..XO.../......./......./....... O captured=4-1 ko=C5"
    game = read_position(tengen.game("go", rules="japanese"), text)
    assert write_position(game.start()) == text
    assert game.scoring == "territory"  # type: ignore[attr-defined]
