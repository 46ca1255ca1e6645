"""More games for tests/engines/pente/test_pente_classic.py: counts, utility and candidates against the formula."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.pente_classic_checks import PLAYED, check_candidates, check_utility

import tengen

SECONDS = 120


def test_thousands_of_positions_are_counted_as_the_formula_says() -> None:
    end = time.monotonic() + SECONDS
    games = [tengen.game("pente", **options) for options in PLAYED]
    positions, seed = 0, 1000
    while time.monotonic() < end:
        for game in games:
            positions += check_utility(game, seed)
            check_candidates(game, seed)
        seed += 1
    print(f"{positions} positions, {(seed - 1000) * len(games)} games")
    assert positions > 1000
