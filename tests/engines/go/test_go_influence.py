"""Influence against a plain implementation of its definition; the score estimate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.core.position import Position
from tengen.engines.go.influence import AREA, MOYO, TERRITORY, estimate, influence, overlays, safety
from tengen.engines.go.positions import list_strings

STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
Field = dict[tuple[int, int], int]


def _position(size: int, moves: list[int]) -> Position:
    position = tengen.game("go", size=size).start()
    for number in moves:
        legal = [move for move in position.legal_moves if move != 0]
        if not legal:
            break
        position = position.play(legal[number % len(legal)])
    return position


def _plain(position: Position, kind: tuple[int, int]) -> Field:
    """Bouzy's operators by their definition."""
    game = position.game
    field = {(c, r): 0 for c in range(game.width) for r in range(game.height)}  # type: ignore[attr-defined]
    for player, points in list_strings(position):
        field |= dict.fromkeys(points, 128 if player == 0 else -128)
    for step in range(sum(kind)):
        after: Field = {}
        for (c, r), here in field.items():
            near = [field[c + x, r + y] for x, y in STEPS if (c + x, r + y) in field]
            friends, enemies = sum(one > 0 for one in near), sum(one < 0 for one in near)
            if step < kind[0]:
                if here >= 0 and not enemies:
                    here += friends
                elif here <= 0 and not friends:
                    here -= enemies
            elif here > 0:
                here = max(0, here - sum(one <= 0 for one in near))
            elif here < 0:
                here = min(0, here + sum(one >= 0 for one in near))
            after[c, r] = here
        field = after
    return field


@settings(max_examples=30, deadline=None)
@given(st.integers(5, 9), st.lists(st.integers(0, 80), max_size=30), st.sampled_from([TERRITORY, MOYO, AREA]))
def test_influence_equals_its_definition(size: int, moves: list[int], kind: tuple[int, int]) -> None:
    position = _position(size, moves)
    found = influence(position, kind)
    assert {(c, r): int(found[r, c]) for c in range(size) for r in range(size)} == _plain(position, kind)


def test_four_dilations_reach_four_points_and_erosion_leaves_territory() -> None:
    position = tengen.game("go", size=9).start().play("E5")
    assert (influence(position, AREA) > 0).sum() == 41  # a diamond
    assert (influence(position, TERRITORY) > 0).sum() == 1  # a lone stone has none
    corner = tengen.game("go", board=".X.../XX.../...../...../.....").start()
    assert influence(corner, TERRITORY)[0, 0] > 0


def test_dead_stones_are_removed() -> None:
    rows = "..X../.OX../..X../XXX../....."
    position = tengen.game("go", board=rows, komi=0).start()
    dead = [(1, 1)]
    assert influence(position, TERRITORY, dead)[1, 1] > 0
    assert estimate(position, dead).score > estimate(position).score


@pytest.mark.parametrize(("rules", "score"), [("chinese", 5.0), ("japanese", 2.0)])
def test_the_score_of_a_settled_board_is_its_count(rules: str, score: float) -> None:
    position = tengen.game("go", board="..XO./XXXO./..XOO/XXXO./..XO. X", rules=rules, komi=0).start()
    found = estimate(position)
    assert found.score == score
    assert (found.low, found.high) == (score, score)
    assert str(found) == f"B+{score:.1f}"


def test_prisoners_count_under_territory_rules() -> None:
    # The dead white stone in Black's corner counts two points: territory and prisoner.
    position = tengen.game("go", board="O.XO./XXXO./..XOO/XXXO./..XO. X", rules="japanese", komi=0).start()
    assert estimate(position, [(0, 0)]).score == 3.0


def test_safety_of_strings_in_friendly_and_hostile_surroundings() -> None:
    rows = ".......\n.......\n..OOO..\n..OX...\n..OOO..\n.......\n......."
    position = tengen.game("go", board=rows.replace("\n", "/")).start()
    found = safety(position)
    assert found[3, 3] < 0  # the black stone
    white = next(points[0] for player, points in list_strings(position) if player == 1)
    assert found[white] > 0


def test_overlays() -> None:
    position = tengen.game("go", size=5).start().play("C3")
    drawn = {overlay.name: overlay.points for overlay in overlays(position)}
    assert set(drawn) == {"territory", "moyo", "area"}
    assert all(-1 <= float(number) <= 1 for points in drawn.values() for _, _, number in points)
    assert np.isclose(max(float(number) for _, _, number in drawn["territory"]), 1.0)
