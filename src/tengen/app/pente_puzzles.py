"""Puzzles of Pente that ship with the package: wins with two or three stones, of which every solution is known.

They are taken in no order; whoever has seen all of them is told that there is none left.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING

from tengen.app.puzzles import PuzzleKind, register_puzzles
from tengen.runtime.host import EngineHost
from tengen.search.report import Candidate, Report, Value
from tengen.store.puzzles import Puzzle

if TYPE_CHECKING:  # its module loads compiled code
    from tengen.engines.pente.puzzles import WinPuzzle

KIND = "pente-game"


def puzzle_of(found: WinPuzzle) -> Puzzle:
    """As the store keeps it: the right moves are won, and of other moves only that they do not win in time."""
    won = Value.exact(1, "wins")
    candidates = tuple(
        Candidate(move, won, found.line if move == found.line[0] else (move,), reason=f"{found.proof} solution")
        for move in found.solutions
    )
    report = Report("every move tried", found.solutions[0], won, candidates, 0, 0.0)
    return Puzzle(KIND, "pente", dict(found.options), found.moves, found.task, found.solutions, report)


async def compose(host: EngineHost, random: Random) -> Puzzle | None:
    """One of those that ship; nothing is searched."""
    return puzzle_of(random.choice(await asyncio.to_thread(_shipped)))


def _shipped() -> tuple[WinPuzzle, ...]:
    from tengen.engines.pente.puzzles import shipped_puzzles

    return shipped_puzzles()


register_puzzles(
    PuzzleKind(KIND, "Pente from games", "pente", "Wins with two or three stones, as they came about", compose)
)
