"""Weak levels that err as people do.

A person sees about what the others see, but misjudges each move by a few discs, and a beginner likes to turn over
many discs at once. The values in the report stay those of the search: only the choice is a person's.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tengen.core.position import Position
from tengen.search.report import Report


def choose_like_a_person(
    report: Report, position: Position, error: float, greed: float, random: np.random.Generator
) -> Report:
    """The same report with the move in front that a person with such errors would choose."""
    seems = []
    for candidate in report.candidates:
        turned = _turned(position, candidate.move)
        seems.append(candidate.value.amount + error * float(random.standard_normal()) + greed * turned)
    chosen = report.candidates[int(np.argmax(seems))]
    others = tuple(candidate for candidate in report.candidates if candidate is not chosen)
    return replace(report, best=chosen.move, value=chosen.value, candidates=(chosen, *others))


def _turned(position: Position, move: str) -> int:
    before, after = position.state, position.play(move).state
    return int(before.enemy).bit_count() - int(after.othello_mover).bit_count()
