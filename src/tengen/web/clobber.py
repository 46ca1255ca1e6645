"""What a Clobber board is worth: its independent parts, who wins each and their sum, and by which moves.

`answer` is the one function that pages call. It asks whatever `use` was given last: by default the generic
alpha-beta search, which proves small boards; an engine for sums of Clobber games answers large ones, and knows the
simplest game that each part equals.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from tengen import games
from tengen.core.diagram import Stone
from tengen.core.errors import GameOver, OptionError
from tengen.core.position import Position
from tengen.games.clobber.board import read_board, subgames
from tengen.play.host import EngineHost
from tengen.play.request import EngineSpec, Request
from tengen.search.limits import Limits
from tengen.search.report import Kind

MOST_CELLS = 120
SECONDS = 4.0  # for each question that a board raises
MOST_LINES = 60


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


async def answer(host: EngineHost, text: str) -> Answer:
    """What a board is worth. Raises an `OptionError` for text that is no board, or one that is too large."""
    board = read_board(text)
    games.game("clobber", board=board)
    if len(board) > MOST_CELLS:
        raise OptionError(f"a board to be solved here has at most {MOST_CELLS} cells, not {len(board)}")
    return await _solver(host, board)
