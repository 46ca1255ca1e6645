"""Groups in thousands of half-open corners, and capturing races, against exhaustive search."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tests.helpers.go_groups import closed_race, exhaustive_results, groups_of, half_open_corner, point_of

from tengen.engines.go.groups.semeai import read_semeai


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(20))
def test_half_open_corners(seed: int) -> None:
    """Of 100 corners per seed. With `-s`, prints the numbers of right and wrong results."""
    rng = random.Random(1000 + seed)
    counts: Counter[str] = Counter()
    while counts["corners"] < 100:
        corner = half_open_corner(rng, (2, 3, 3, 3, 4))
        if corner is None:
            continue
        position, stone, ground = corner
        counts["corners"] += 1
        groups, target = groups_of(position), point_of(position, stone)
        expected = exhaustive_results(position, stone, ground)
        for answer, result in zip((groups.attack(target), groups.defend(target)), expected, strict=True):
            assert answer.result == result or not answer.conclusive
            counts["right" if answer.result == result else f"{result} read as {int(answer.result)}"] += 1
    print(dict(counts))
    assert counts["right"] >= 0.93 * 2 * counts["corners"]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(10))
def test_closed_races(seed: int) -> None:
    """Of 50 races per seed. With `-s`, prints the numbers of right and wrong results."""
    rng = random.Random(2000 + seed)
    counts: Counter[str] = Counter()
    while counts["races"] < 50:
        found = closed_race(rng, 3)
        if found is None:
            continue
        position, one, other, ground = found
        counts["races"] += 1
        attack = exhaustive_results(position, other, ground)[0]
        defence = attack or exhaustive_results(position, one, ground)[1]
        race = read_semeai(groups_of(position), point_of(position, one), point_of(position, other))
        answer = int(race.defence), int(race.attack)
        counts["right" if answer == (defence, attack) else f"{defence, attack} read as {answer}"] += 1
    print(dict(counts))
    assert counts["right"] >= 0.98 * counts["races"]
