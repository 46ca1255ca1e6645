"""Exact results of positions: by an engine's own means (`Solver`), or by its search without limits."""

from __future__ import annotations

from dataclasses import replace

from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.search.engine import Engine, OnProgress, Solver
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Candidate, Kind, Report, Value


def solve(
    engine: Engine,
    position: Position,
    *,
    wld: bool = False,
    every_move: bool = False,
    stop: StopFlag | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """Prove the result of a position under best play; with `wld` only who wins, with `every_move` of each move.

    All values are exact, unless a stop came first. Raises `OptionError` where rules allow no proofs.
    """
    if isinstance(engine, Solver):  # it knows itself what it can prove
        return engine.solve(position, wld=wld, every_move=every_move, stop=stop, on_progress=on_progress)
    return solve_by_search(engine, position, wld=wld, every_move=every_move, stop=stop, on_progress=on_progress)


def solve_by_search(
    engine: Engine,
    position: Position,
    *,
    wld: bool = False,
    every_move: bool = False,
    stop: StopFlag | None = None,
    on_progress: OnProgress | None = None,
) -> Report:
    """The same by the engine's search without limits, whatever else it has."""
    if not position.game.proofs_hold:
        raise OptionError(f"by the rules of {position.game.describe()} no search can prove a result")
    limits = Limits(lines=len(position.legal_moves) if every_move else 1)
    if not wld:
        return engine.search(position, limits, stop=stop, on_progress=on_progress)

    def watch(report: Report) -> None:
        result = in_wins(report)
        if is_solved(result, every_move=every_move, moves=len(position.legal_moves)):
            raise _Decided(result)  # a proof that the value is above 0 will do, whatever it is
        if on_progress is not None:
            on_progress(result)

    try:
        return in_wins(engine.search(position, limits, stop=stop, on_progress=watch))
    except _Decided as decided:
        return decided.report


class _Decided(Exception):
    def __init__(self, report: Report) -> None:
        self.report = report


def is_solved(report: Report, *, every_move: bool, moves: int) -> bool:
    """Whether what was asked for is proved: the result, or that of each of so many moves."""
    if not every_move:
        return report.value.kind is Kind.EXACT
    return len([one for one in report.candidates if one.value.kind is Kind.EXACT]) == moves


def in_wins(report: Report) -> Report:
    """The same report in wins, draws and losses."""
    candidates = tuple(replace(candidate, value=_result(candidate.value)) for candidate in report.candidates)
    # By what is proved, a sure win before what only looks good; the search's own order among equals.
    ordered = tuple(sorted(candidates, key=_worth, reverse=True))
    return replace(report, best=ordered[0].move, value=ordered[0].value, candidates=ordered)


def _worth(candidate: Candidate) -> float:
    return candidate.value.amount if candidate.value.kind is Kind.EXACT else 0.0


def _result(value: Value) -> Value:
    """+1, 0 or -1, exact if what is proved of the value decides it; else the value as it was."""
    if value.low is not None and value.low > 0:
        return Value.exact(1.0, "wins")
    if value.high is not None and value.high < 0:
        return Value.exact(-1.0, "wins")
    if value.kind is Kind.EXACT:
        return Value.exact(0.0, "wins")
    return value
