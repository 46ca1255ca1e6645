"""Status of strings in random games with passes: an update must equal reading everything anew."""

from __future__ import annotations

import random

import pytest

import tengen
from tengen.engines.go.reading.status import StatusTracker

PLIES = {5: 40, 7: 60, 9: 60, 13: 60, 19: 50}


@pytest.mark.parametrize("size", PLIES)
@pytest.mark.parametrize("block", range(10))
def test_updates_equal_reading_anew(size: int, block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        rng, game = random.Random(f"{size} {seed}"), tengen.game("go", size=size)
        position, board = game.start(), StatusTracker(game)
        for _ in range(PLIES[size]):
            moves = [move for move in position.legal_moves if game.points(move)]
            position = position.play(rng.choice(moves) if moves and rng.random() < 0.95 else "pass")
            if position.is_over:
                break
            strings = board.update(position)
            assert set(strings) == set(StatusTracker(game).update(position)), (seed, position.ply)
