"""Go puzzles that ship with the package, with the proved result of every move.

Captures, life and death, capturing races, and connections.
"""

from __future__ import annotations

import asyncio
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from tengen.app.puzzle_files import shipped_puzzles
from tengen.app.puzzles import PuzzleKind, register_puzzles
from tengen.core.translation import mark
from tengen.runtime.host import EngineHost
from tengen.search.report import Candidate, Report, Value
from tengen.store.puzzles import Puzzle

if TYPE_CHECKING:  # its module loads compiled code
    from tengen.engines.go.puzzles.problem import Problem

CAPTURE, LIFE, RACE, CONNECTION = "go-capture", "go-life", "go-race", "go-connection"
KINDS = (CAPTURE, LIFE, RACE, CONNECTION)
_TASKS = {
    "capture": mark("Black to play and capture the marked stones in {count} moves"),
    "kill": mark("Black to play and kill the marked stones"),
    "live": mark("Black to play and live with the marked stones"),
    "connect": mark("Black to play and connect the marked stones"),
    "cut": mark("Black to play and cut the marked stones apart"),
}
_REASONS = {
    "capture": (mark("captures"), "", mark("too slow, or White escapes")),
    "kill": (mark("kills"), mark("only by winning a ko"), mark("White lives")),
    "live": (mark("lives"), mark("only by winning a ko"), mark("Black dies")),
    "connect": (mark("connects"), mark("only by winning a ko"), mark("White cuts")),
    "cut": (mark("cuts"), mark("only by winning a ko"), mark("White connects")),
}


def to_puzzle(problem: Problem, kind: str) -> Puzzle:
    """Convert to a stored puzzle. A ko counts as a failure, because the goal can be reached without one."""
    works, by_ko, fails = _REASONS[problem.goal]
    won, lost = Value.exact(1, "wins"), Value.exact(-1, "wins")
    results = ((problem.right, won, works), (problem.ko, lost, by_ko), (problem.wrong, lost, fails))
    candidates = tuple(
        Candidate(move, value, (move,), reason=reason) for moves, value, reason in results for move in moves
    )
    report = Report("every move tried", problem.right[0], won, candidates, 0, 0.0)
    return Puzzle(
        kind,
        "go",
        {"komi": 0.0, "board": f"{problem.rows} X"},
        (),
        _TASKS[problem.goal].format(count=problem.moves),
        problem.right,
        report,
        marked=problem.stones,
    )


async def _compose(kind: str, host: EngineHost, random: Random) -> Puzzle | None:
    """Return one of the shipped puzzles; nothing is searched."""
    return random.choice(await asyncio.to_thread(shipped_puzzles, kind))


register_puzzles(
    PuzzleKind(
        CAPTURE,
        mark("Go captures"),
        "go",
        mark("Catch stones in two or three moves, from games"),
        partial(_compose, CAPTURE),
    )
)
register_puzzles(
    PuzzleKind(
        LIFE,
        mark("Go life and death"),
        "go",
        mark("Make two eyes in the corner, or prevent them"),
        partial(_compose, LIFE),
    )
)
register_puzzles(
    PuzzleKind(
        RACE,
        mark("Go capturing races"),
        "go",
        mark("Two strings, one is captured: be faster"),
        partial(_compose, RACE),
    )
)
register_puzzles(
    PuzzleKind(
        CONNECTION,
        mark("Go connections"),
        "go",
        mark("Join two strings, or cut them apart"),
        partial(_compose, CONNECTION),
    )
)
