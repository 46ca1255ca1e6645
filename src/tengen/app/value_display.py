"""Display of values: as text that always shows their kind, and as the height of a bar."""

from __future__ import annotations

from tengen.search.report import Candidate, Kind, Report, Value


def write_value(value: Value) -> str:
    """A value with its kind: exact, proved bound, or estimate."""
    return f"{value} (estimate)" if value.kind is Kind.HEURISTIC else str(value)


def write_candidate(candidate: Candidate) -> str:
    """The value of a candidate, and the expected margin if the engine estimates one."""
    value = write_value(candidate.value)
    return value if candidate.points is None else f"{value}, about {candidate.points:+.1f} points"


def for_first(report: Report, to_move: int) -> float:
    """A report's value for the first player, from -1 (lost) to 1 (won)."""
    share = share_of(report.value)
    return share if to_move == 0 else -share


def share_of(value: Value) -> float:
    """A value scaled to -1 (lost) to 1 (won); points and discs are compressed."""
    if value.unit == "win rate":
        share = 2 * value.amount - 1
    elif value.unit == "wins":
        share = value.amount
    else:
        share = value.amount / (abs(value.amount) + 10)  # ten points or discs are halfway
    return max(-1.0, min(1.0, share))
