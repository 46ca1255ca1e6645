"""Analysis of a position: its subgames, their values and outcomes, the sum, and the winning moves."""

from __future__ import annotations

from contextlib import suppress

from tengen.core.values import GameValue, Stopped
from tengen.engines.clobber.analysis_report import Analysis, SubgameReport
from tengen.engines.clobber.simplest_sums import simplest_known_sum
from tengen.engines.clobber.solver import (
    SearchLimits,
    Solver,
    after_moves,
    make_simplest_sums,
    write_move,
)
from tengen.engines.clobber.value_report import ValueReport
from tengen.games.clobber.board import read_board, subgames

VALUED_CELLS = 28  # strips up to this length are valued
VALUED_BOARD_CELLS = 12  # and rectangles up to this size
COMPARED_CELLS = 24  # dominated moves are determined on boards up to this size


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


def simplest_sum(solver: Solver, value: GameValue, limits: SearchLimits | None = None) -> str | None:
    """The simplest sum of strips with this value, among those of the database, otherwise of up to 9 cells; `0` for
    the empty sum.

    Returns None if there is none. Raises `Stopped`.
    """
    space = solver.workspace
    if space.stored_simplest_sums is None:
        return simplest_known_sum(value)
    with solver.limited(limits):
        width = space.stored_simplest_sums[0]
        tables = make_simplest_sums(space, Solver(workspace=space).control, width)
    sum_id = int(tables.sum_id[value.form]) if value.form < len(tables.sum_id) else -1
    if sum_id < 0:
        return None
    parts = []
    while sum_id:
        parts.append(space.board_of(int(space.sums.last[sum_id]) >> 1))
        sum_id = int(space.sums.rest[sum_id])
    return " + ".join(sorted(parts)) or "0"
