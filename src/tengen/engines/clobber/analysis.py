"""Analysis of a position: its subgames, their values and outcomes, the sum, and the winning moves."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from tengen.core.values import GameValue, Stopped
from tengen.engines.clobber.solver import (
    SearchLimits,
    Solver,
    after_moves,
    make_simplest_sums,
    write_move,
)
from tengen.engines.clobber.solver_options import SolverOptions
from tengen.engines.clobber.value_report import OUTCOMES, ValueReport, value_words
from tengen.engines.clobber.workspace import Workspace
from tengen.games.clobber.board import read_board, subgames

VALUED_CELLS = 28  # strips up to this length are valued
VALUED_BOARD_CELLS = 12  # and rectangles up to this size
COMPARED_CELLS = 24  # dominated moves are determined on boards up to this size
LINK_WIDTH = 9  # without a database, the simplest equal sum is searched among sums of this width


@dataclass(frozen=True)
class SubgameReport:
    """One subgame of the board."""

    board: str
    outcome: str | None
    value: ValueReport | None


@dataclass(frozen=True)
class Analysis:
    """A board and its subgames. None means not found within the limits."""

    board: str
    parts: tuple[SubgameReport, ...]
    outcome: str | None
    value: ValueReport | None
    simplest: str | None  # the simplest equal sum
    simplest_searched: bool  # whether that search was completed
    wins: dict[str, bool | None]  # whether each player wins moving first
    winning_moves: dict[str, list[str]]
    unknown_moves: dict[str, list[str]]
    dominated_moves: dict[str, list[str]]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def analyse(solver: Solver, board: str, limits: SearchLimits | None = None) -> Analysis:
    """Analyse a board. `limits` apply to each question separately; a stop returns the results so far."""
    limits = limits or SearchLimits()
    board = read_board(board)
    reports = []
    total: GameValue | None = solver.workspace.values.zero
    for part in subgames(board):
        value = _subgame_value(solver, part, limits)
        total = None if total is None or value is None else _sum(solver, total, value, limits)
        outcome = value.outcome if value is not None else solver.outcome(part, limits)
        reports.append(SubgameReport(part, outcome, None if value is None else ValueReport.of(value)))
    winning: dict[str, list[str]] = {}
    unknown: dict[str, list[str]] = {}
    wins: dict[str, bool | None] = {}
    for mover in "XO":
        verdicts = solver.move_verdicts(board, mover, limits)
        winning[mover] = [move for move, verdict in verdicts.items() if verdict]
        unknown[mover] = [move for move, verdict in verdicts.items() if verdict is None]
        wins[mover] = True if winning[mover] else None if unknown[mover] else False
    classes = {(True, True): "N", (True, False): "L", (False, True): "R", (False, False): "P"}
    sure = wins["X"], wins["O"]
    simplest, searched = None, False
    if total is not None:
        with suppress(Stopped):
            simplest, searched = simplest_sum(solver, total, limits), True
    return Analysis(
        board=board,
        parts=tuple(reports),
        outcome=classes[bool(sure[0]), bool(sure[1])] if None not in sure else None,
        value=None if total is None else ValueReport.of(total),
        simplest=simplest,
        simplest_searched=searched,
        wins=wins,
        winning_moves=winning,
        unknown_moves=unknown,
        dominated_moves={mover: _dominated(solver, board, mover, limits) for mover in "XO"},
    )


def _subgame_value(solver: Solver, part: str, limits: SearchLimits) -> GameValue | None:
    cells = len(part.replace("/", ""))
    if cells > (VALUED_BOARD_CELLS if "/" in part else VALUED_CELLS):
        return None
    try:
        return solver.value(part, limits)
    except Stopped:
        return None


def _sum(solver: Solver, a: GameValue, b: GameValue, limits: SearchLimits) -> GameValue | None:
    try:
        with solver.limited(limits):
            return a + b
    except Stopped:
        return None


def _dominated(solver: Solver, board: str, mover: str, limits: SearchLimits) -> list[str]:
    """The dominated moves."""
    cells = sum(len(part.replace("/", "")) for part in subgames(board))
    if cells > COMPARED_CELLS or ("/" in board and cells > VALUED_BOARD_CELLS):
        return []
    try:
        with solver.limited(limits):
            after = {move: solver.workspace.value(text) for move, text in after_moves(board, mover).items()}
    except Stopped:
        return []
    return [
        write_move(board, move)
        for move, mine in after.items()
        if any(its > mine if mover == "X" else its < mine for its in after.values())
    ]


def compile_kernels() -> None:
    """Compile the kernels that only an analysis needs, before a clock starts."""
    space = Workspace()
    make_simplest_sums(space, SolverOptions().control(), 3)
    ValueReport.of(space.value("XXO") + space.value("XO"))


def simplest_sum(solver: Solver, value: GameValue, limits: SearchLimits | None = None) -> str | None:
    """The simplest sum of strips with this value, among sums of small width; `0` for the empty sum.

    Returns None if there is none. Raises `Stopped`.
    """
    space = solver.workspace
    with solver.limited(limits):
        width = space.stored_simplest_sums[0] if space.stored_simplest_sums is not None else LINK_WIDTH
        tables = make_simplest_sums(space, Solver(workspace=space).control, width)
    sum_id = int(tables.sum_id[value.form]) if value.form < len(tables.sum_id) else -1
    if sum_id < 0:
        return None
    parts = []
    while sum_id:
        parts.append(space.board_of(int(space.sums.last[sum_id]) >> 1))
        sum_id = int(space.sums.rest[sum_id])
    return " + ".join(sorted(parts)) or "0"


def position_lines(analysis: Analysis) -> list[str]:
    """An analysis as lines of text."""
    lines = [f"board     {analysis.board}"]
    for part in analysis.parts:
        lines.append(f"part      {part.board}: {_words(part.outcome)}{_value_words(part.value)}")
    lines.append(f"sum       {_words(analysis.outcome)}{_value_words(analysis.value)}")
    if analysis.simplest is not None:
        lines.append(f"equals    {analysis.simplest}")
    elif analysis.value is not None and not analysis.simplest_searched:
        lines.append("equals    not found within the time limit")
    for mover in "XO":
        wins = analysis.wins[mover]
        verdict = "is not solved" if wins is None else "wins" if wins else "loses"
        by = f" by {' '.join(analysis.winning_moves[mover])}" if analysis.winning_moves[mover] else ""
        lines.append(f"{mover} first   {verdict}{by}")
        if analysis.unknown_moves[mover]:
            lines.append(f"          not solved: {' '.join(analysis.unknown_moves[mover])}")
        if analysis.dominated_moves[mover]:
            lines.append(f"          dominated: {' '.join(analysis.dominated_moves[mover])}")
    return lines


def _words(outcome: str | None) -> str:
    return "not solved" if outcome is None else OUTCOMES[outcome]


def _value_words(value: ValueReport | None) -> str:
    return "" if value is None else f"; {value_words(value)}"
