"""Pente puzzles that ship with the package: wins with two or three stones, with every solution known.

They are handed out in random order, until a solver has seen all of them.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING

from tengen.app.puzzles import PuzzleKind, register_puzzles
from tengen.core.translation import mark
from tengen.runtime.host import EngineHost
from tengen.search.report import Candidate, Report, Value
from tengen.store.puzzles import Puzzle

if TYPE_CHECKING:  # its module loads compiled code
    from tengen.engines.pente.puzzles import WinPuzzle

KIND = "pente-game"


def to_puzzle(found: WinPuzzle) -> Puzzle:
    """Convert to a stored puzzle: solutions are proved wins; other moves are only known not to win in time."""
    won = Value.exact(1, "wins")
    candidates = tuple(
        Candidate(
            move,
            won,
            found.line if move == found.line[0] else (move,),
            reason=mark("{kind} solution").format(kind=found.proof),
        )
        for move in found.solutions
    )
    report = Report("every move tried", found.solutions[0], won, candidates, 0, 0.0)
    return Puzzle(KIND, "pente", dict(found.options), found.moves, found.task, found.solutions, report)


async def compose(host: EngineHost, random: Random) -> Puzzle | None:
    """Return one of the shipped puzzles; nothing is searched."""
    return to_puzzle(random.choice(await asyncio.to_thread(_shipped)))


def _shipped() -> tuple[WinPuzzle, ...]:
    from tengen.engines.pente.puzzles import shipped_puzzles

    return shipped_puzzles()


register_puzzles(
    PuzzleKind(
        KIND, mark("Pente from games"), "pente", mark("Wins with two or three stones, from real games"), compose
    )
)
