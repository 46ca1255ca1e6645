"""Weak levels with human-like errors.

Each move's value gets a random error, and beginners also prefer moves that flip many discs. Values in the report
stay those of the search; only the chosen move changes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tengen.core.position import Position
from tengen.search.report import Report


def choose_with_human_errors(
    report: Report, position: Position, error: float, greed: float, random: np.random.Generator
) -> Report:
    """Return the report with the move first that a player with these errors would choose."""
    perceived = []
    for candidate in report.candidates:
        flipped = _discs_flipped(position, candidate.move)
        perceived.append(candidate.value.amount + error * float(random.standard_normal()) + greed * flipped)
    chosen = report.candidates[int(np.argmax(perceived))]
    others = tuple(candidate for candidate in report.candidates if candidate is not chosen)
    return replace(report, best=chosen.move, value=chosen.value, candidates=(chosen, *others))


def _discs_flipped(position: Position, move: str) -> int:
    before, after = position.state, position.play(move).state
    return int(before.enemy).bit_count() - int(after.othello_mover).bit_count()
