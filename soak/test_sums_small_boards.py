"""All small boards of every ruleset, and the impartial versions, against plain minimax on the checker's rules."""

from __future__ import annotations

import pytest
from tests.reference.rulesets import boards, minimax, outcome_by_minimax

from tengen.engines.sums.checker import GAMES
from tengen.engines.sums.plain import PlainEvaluator
from tengen.games.rulesets import ruleset

SHAPES = ((1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 2), (2, 3), (3, 2))
NAMES = [*GAMES, *(f"impartial {name}" for name in GAMES if not ruleset(name).impartial)]


@pytest.mark.parametrize("name", NAMES)
def test_all_small_boards(name: str) -> None:
    rules, plain = ruleset(name), PlainEvaluator()
    for shape in SHAPES:
        for text in boards(name, *shape):
            assert plain.value(rules, rules.read(text)).outcome == outcome_by_minimax(f"{name}:{text}"), text
    minimax.cache_clear()
