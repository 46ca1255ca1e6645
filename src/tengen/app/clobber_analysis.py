"""Analysis of a Clobber board: its independent parts, who wins each and the whole, and the winning moves.

`analyse_board` delegates to the solver given to `set_solver`: by default the generic alpha-beta search, which
proves small boards. Within `sum_solver()` it is the solver for sums of games, which handles large boards and knows
the simplest game equal to each part.
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
from tengen.players.config import EngineConfig
from tengen.runtime.host import EngineHost
from tengen.runtime.messages import Request
from tengen.search.limits import Limits
from tengen.search.report import Kind

if TYPE_CHECKING:  # compiled, so loaded by the process that solves
    from tengen.engines.clobber.solver import Solver as SumSolver

MAX_CELLS = 120
SEARCH_SECONDS = 4.0  # per search
SECONDS_PER_MOVE = 0.2  # per move of a sum
MAX_LINES = 60
MAX_NAME_LENGTH = 40  # longer values are shown as the simplest equal sum
_CLASSES = {"L": "X", "R": "O", "N": "first", "P": "second", None: ""}


@dataclass(frozen=True)
class Part:
    """An independent part. `simplest` is the simplest equal game, if known."""

    board: str
    outcome: str  # see `outcome_class`
    simplest: str = ""


@dataclass(frozen=True)
class BoardAnalysis:
    """`wins[player]`: whether that player wins moving first (None: unknown), and `moves[player]` how."""

    parts: tuple[Part, ...]
    wins: tuple[bool | None, bool | None]
    moves: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def outcome(self) -> str:
        return outcome_class(*self.wins)


Solver: TypeAlias = Callable[[EngineHost, str], Awaitable[BoardAnalysis]]


def outcome_class(x_first: bool | None, o_first: bool | None) -> str:
    """The winner: `X` or `O` regardless of who begins, the `first` or `second` to move, or empty if unknown."""
    if x_first is None or o_first is None:
        return ""
    if x_first:
        return "first" if o_first else "X"
    return "O" if o_first else "second"


def board_text(position: Position) -> str:
    """The board of a Clobber position as text."""
    symbols = {Stone.EMPTY: ".", Stone.FIRST: "X", Stone.SECOND: "O"}
    return "/".join("".join(symbols[stone] for stone in row) for row in position.diagram().stones)


async def analyse_by_search(host: EngineHost, text: str) -> BoardAnalysis:
    """Analyse with the generic alpha-beta search: proved results only, unknown if time runs out."""
    boards = subgames(text)
    whole = [_search_side(host, text, side, MAX_LINES) for side in "XO"]
    asked = [_search_side(host, board, side, 2) for board in boards for side in "XO"]
    found = await asyncio.gather(*whole, *asked)
    wins = [won for won, _ in found]
    parts = tuple(
        Part(board, outcome_class(wins[2 + 2 * index], wins[3 + 2 * index])) for index, board in enumerate(boards)
    )
    return BoardAnalysis(parts, (wins[0], wins[1]), (found[0][1], found[1][1]))


async def _search_side(
    host: EngineHost, board: str, side: str, lines: int, played: tuple[str, ...] = ()
) -> tuple[bool | None, tuple[str, ...]]:
    """Whether the side to move wins (None if unknown), and the winning moves."""
    request = Request("clobber", {"board": board, "first": side}, played)
    limits = Limits(seconds=SEARCH_SECONDS, lines=lines)
    try:
        report = await host.search(EngineConfig("alphabeta", book=False), request, limits, game_id="clobber")
    except GameOver:
        return False, ()
    if len(report.candidates) == 1 and report.value.kind is not Kind.EXACT:
        # Engines play an only move without a search, so search the position after it.
        lost, _ = await _search_side(host, board, side, 2, (*played, report.best))
        return (None, ()) if lost is None else (not lost, () if lost else (report.best,))
    moves = (one.move for one in report.candidates if one.value.kind is Kind.EXACT and one.value.amount > 0)
    return (report.value.amount > 0 if report.value.kind is Kind.EXACT else None), tuple(moves)


_solver: Solver = analyse_by_search


def set_solver(solver: Solver) -> None:
    """Use another solver from now on."""
    global _solver
    _solver = solver


def analyse_as_sum(board: str) -> BoardAnalysis:
    """Analyse with the solver for sums. Runs in a helper process, which caches results."""
    from tengen.engines.clobber.analysis import analyse, simplest_sum
    from tengen.engines.clobber.solver import SearchLimits

    solver = _process_solver()
    found = analyse(solver, board, SearchLimits(seconds=SECONDS_PER_MOVE))
    parts = []
    for part in found.parts:
        simplest = "" if part.value is None else part.value.name
        if len(simplest) > MAX_NAME_LENGTH:
            simplest = simplest_sum(solver, solver.value(part.board)) or ""
        parts.append(Part(part.board, _CLASSES[part.outcome], simplest))
    moves = tuple(found.winning_moves["X"]), tuple(found.winning_moves["O"])
    return BoardAnalysis(tuple(parts), (found.wins["X"], found.wins["O"]), moves)


@cache
def _process_solver() -> SumSolver:
    from tengen.engines.clobber.solver import Solver as Made

    return Made(megabytes=256)


@contextmanager
def sum_solver() -> Iterator[None]:
    """Solve boards as sums in a helper process within this block. The first call may compile kernels."""
    pool = HelperPool("clobber solver")  # one process, so that its cache is shared

    async def solve(host: EngineHost, board: str) -> BoardAnalysis:
        return await pool.run(analyse_as_sum, board)

    set_solver(solve)
    try:
        yield
    finally:
        set_solver(analyse_by_search)
        pool.close()


async def analyse_board(host: EngineHost, text: str) -> BoardAnalysis:
    """Analyse a board. Raises `OptionError` if the text is not a board or the board is too large."""
    board = read_board(text)
    games.game("clobber", board=board)
    if len(board) > MAX_CELLS:
        raise OptionError(f"the board has {len(board)} cells; at most {MAX_CELLS} can be solved here")
    return await _solver(host, board)
