"""Exact results of positions, by an engine's own solver (`Solver`) or by its search without limits."""

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
    """Prove the result of a position under best play.

    With `wld` only the winner is determined; with `every_move` all moves are solved. All values are exact unless
    the search was stopped. Raises `OptionError` if results depend on history under the rules of the game.
    """
    if isinstance(engine, Solver):  # it checks itself which positions it can solve
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
    """The same as `solve`, by the engine's search without limits."""
    if not position.game.proofs_hold:
        raise OptionError(f"results under {position.game.describe()} depend on history and cannot be proved")
    limits = Limits(lines=len(position.legal_moves) if every_move else 1)
    if not wld:
        return engine.search(position, limits, stop=stop, on_progress=on_progress)

    def watch(report: Report) -> None:
        result = in_wins(report)
        if is_solved(result, every_move=every_move, moves=len(position.legal_moves)):
            raise _Decided(result)  # a proved sign of the value is enough
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
    """Whether the result is proved, or with `every_move` the results of all `moves` moves."""
    if not every_move:
        return report.value.kind is Kind.EXACT
    return len([one for one in report.candidates if one.value.kind is Kind.EXACT]) == moves


def in_wins(report: Report) -> Report:
    """The report with values converted to wins, draws and losses."""
    candidates = tuple(replace(candidate, value=_result(candidate.value)) for candidate in report.candidates)
    # Proved wins first, proved losses last; otherwise keep the order of the search.
    ordered = tuple(sorted(candidates, key=_proved_amount, reverse=True))
    return replace(report, best=ordered[0].move, value=ordered[0].value, candidates=ordered)


def _proved_amount(candidate: Candidate) -> float:
    return candidate.value.amount if candidate.value.kind is Kind.EXACT else 0.0


def _result(value: Value) -> Value:
    """Exact +1, 0 or -1 if the proved bounds decide it; otherwise the unchanged value."""
    if value.low is not None and value.low > 0:
        return Value.exact(1.0, "wins")
    if value.high is not None and value.high < 0:
        return Value.exact(-1.0, "wins")
    if value.kind is Kind.EXACT:
        return Value.exact(0.0, "wins")
    return value
