"""What a Clobber board is worth: its independent parts, who wins each and their sum, and by which moves.

`answer` is the one function that pages call. It asks whatever `use` was given last: by default the generic
alpha-beta search, which proves small boards. A server puts the solver of sums in its place (`solving`), which
answers large ones, and knows the simplest game that each part equals.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from tengen import games
from tengen.core.diagram import Stone
from tengen.core.errors import GameOver, OptionError
from tengen.core.position import Position
from tengen.games.clobber.board import read_board, subgames
from tengen.jobs.helper_pool import HelperPool
from tengen.runtime.host import EngineHost
from tengen.runtime.messages import EngineSpec, Request
from tengen.search.limits import Limits
from tengen.search.report import Kind

if TYPE_CHECKING:  # compiled, so loaded by the process that solves
    from tengen.engines.clobber.solver import Solver as SumSolver

MOST_CELLS = 120
SECONDS = 4.0  # for each question that a board raises
SECONDS_A_MOVE = 0.2  # for each move of a sum
MOST_LINES = 60
LONGEST_NAME = 40  # of a value: a longer one says less than the simplest equal sum
_CLASSES = {"L": "X", "R": "O", "N": "first", "P": "second", None: ""}


@dataclass(frozen=True)
class Part:
    """An independent part. `simplest` is the simplest equal game, where that is known."""

    board: str
    outcome: str  # see `outcome_class`
    simplest: str = ""


@dataclass(frozen=True)
class Answer:
    """`wins[player]` says whether that player wins by moving first, None if it is not known; `moves` how."""

    parts: tuple[Part, ...]
    wins: tuple[bool | None, bool | None]
    moves: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def outcome(self) -> str:
        return outcome_class(*self.wins)


Solver: TypeAlias = Callable[[EngineHost, str], Awaitable[Answer]]


def outcome_class(x_first: bool | None, o_first: bool | None) -> str:
    """Who wins: X or O whoever begins, or the `first` or `second` to move; empty if it is not known."""
    if x_first is None or o_first is None:
        return ""
    if x_first:
        return "first" if o_first else "X"
    return "O" if o_first else "second"


def board_of(position: Position) -> str:
    """The board of a position of Clobber, as text."""
    symbols = {Stone.EMPTY: ".", Stone.FIRST: "X", Stone.SECOND: "O"}
    return "/".join("".join(symbols[stone] for stone in row) for row in position.diagram().stones)


async def search(host: EngineHost, text: str) -> Answer:
    """The answer by generic alpha-beta: proved where the time suffices, else unknown."""
    boards = subgames(text)
    whole = [_ask(host, text, side, MOST_LINES) for side in "XO"]
    asked = [_ask(host, board, side, 2) for board in boards for side in "XO"]
    found = await asyncio.gather(*whole, *asked)
    wins = [won for won, _ in found]
    parts = tuple(
        Part(board, outcome_class(wins[2 + 2 * index], wins[3 + 2 * index])) for index, board in enumerate(boards)
    )
    return Answer(parts, (wins[0], wins[1]), (found[0][1], found[1][1]))


async def _ask(
    host: EngineHost, board: str, side: str, lines: int, played: tuple[str, ...] = ()
) -> tuple[bool | None, tuple[str, ...]]:
    """Whether whoever is to move wins, None if it is not known; and by which moves."""
    request = Request("clobber", {"board": board, "first": side}, played)
    limits = Limits(seconds=SECONDS, lines=lines)
    try:
        report = await host.search(EngineSpec("alphabeta"), request, limits, game_id="clobber")
    except GameOver:
        return False, ()
    if len(report.candidates) == 1 and report.value.kind is not Kind.EXACT:
        # The only move is not searched, so that no time is lost in a game: ask what follows it.
        lost, _ = await _ask(host, board, side, 2, (*played, report.best))
        return (None, ()) if lost is None else (not lost, () if lost else (report.best,))
    moves = (one.move for one in report.candidates if one.value.kind is Kind.EXACT and one.value.amount > 0)
    return (report.value.amount > 0 if report.value.kind is Kind.EXACT else None), tuple(moves)


_solver: Solver = search


def use(solver: Solver) -> None:
    """Let another function answer from now on."""
    global _solver
    _solver = solver


def describe(board: str) -> Answer:
    """The answer by the solver of sums; in a process of its own, which keeps what it found."""
    from tengen.engines.clobber.analysis import analyse, simplest_sum
    from tengen.engines.clobber.solver import SearchLimits

    solver = _worker_solver()
    found = analyse(solver, board, SearchLimits(seconds=SECONDS_A_MOVE))
    parts = []
    for part in found.parts:
        simplest = "" if part.value is None else part.value.name
        if len(simplest) > LONGEST_NAME:
            simplest = simplest_sum(solver, solver.value(part.board)) or ""
        parts.append(Part(part.board, _CLASSES[part.outcome], simplest))
    moves = tuple(found.winning_moves["X"]), tuple(found.winning_moves["O"])
    return Answer(tuple(parts), (found.wins["X"], found.wins["O"]), moves)


@cache
def _worker_solver() -> SumSolver:
    from tengen.engines.clobber.solver import Solver as Made

    return Made(megabytes=256)


@contextmanager
def solving() -> Iterator[None]:
    """Within this block, boards are solved as sums, in another process: it may have to compile first."""
    pool = HelperPool("clobber solver")  # one process, which keeps what it has solved

    async def solve(host: EngineHost, board: str) -> Answer:
        return await pool.run(describe, board)

    use(solve)
    try:
        yield
    finally:
        use(search)
        pool.close()


async def answer(host: EngineHost, text: str) -> Answer:
    """What a board is worth. Raises an `OptionError` for text that is no board, or one that is too large."""
    board = read_board(text)
    games.game("clobber", board=board)
    if len(board) > MOST_CELLS:
        raise OptionError(f"a board to be solved here has at most {MOST_CELLS} cells, not {len(board)}")
    return await _solver(host, board)
