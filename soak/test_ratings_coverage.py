"""Error bars of ratings hold the truth as often as they say, in simulated tournaments of many kinds."""

from __future__ import annotations

import pytest
from tests.helpers.tournament_simulation import coverage

TOURNAMENTS = 1000


@pytest.mark.parametrize(
    ("players", "games", "spread", "draws", "gauntlet"),
    [
        (4, 10, 100, 0.0, False),
        (4, 10, 100, 0.5, False),
        (8, 2, 150, 0.3, False),
        (8, 20, 150, 0.3, False),
        (8, 100, 150, 0.3, False),
        (8, 20, 400, 0.0, False),
        (8, 20, 400, 0.3, False),
        (16, 2, 200, 0.3, False),
        (11, 20, 150, 0.3, True),
        (11, 100, 300, 0.3, True),
    ],
)
def test_error_bars_cover_the_truth(players: int, games: int, spread: float, draws: float, gauntlet: bool) -> None:
    share = coverage(TOURNAMENTS, players, games, spread=spread, draws=draws, gauntlet=gauntlet, seed=11)
    print(f"{players} players, {games} games, spread {spread:g}, draws {draws:g}: {100 * share:.1f} %")
    assert 0.93 < share < 0.97
