"""Life and death in thousands of closed regions against exhaustive search: conclusive results must be right."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tests.helpers.go_life import answers, stones_of
from tests.helpers.go_positions import position_of
from tests.reference.go_life import closed_ground

from tengen.core.errors import TengenError

SHAPES = [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (5, 1), (6, 1), (7, 1), (8, 1), (3, 3)]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(20))
def test_closed_regions(seed: int) -> None:
    """With `-s`, prints the share of conclusive results and, of the rest, of correct ones."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    for _ in range(150):
        rows, ground = closed_ground(rng, *rng.choice(SHAPES), rng.random() < 0.6)
        try:
            position = position_of("\n".join(rows))
        except TengenError:
            continue
        targets = [point for point, stone in stones_of(position).items() if stone == 1]
        if not targets:
            continue
        for answer, expected in answers(position, rng.choice(targets), ground):
            right = answer.result == expected
            counts["asked"] += 1
            counts["proved" if answer.conclusive else "guessed right" if right else "guessed wrong"] += 1
            assert right or not answer.conclusive, rows
    print(dict(counts))
    assert counts["proved"] > 0.9 * counts["asked"]
