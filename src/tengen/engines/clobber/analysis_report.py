"""What is known of a position: its subgames, their values and outcomes, the sum, and the winning moves."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tengen.engines.clobber.value_report import OUTCOMES, ValueReport, value_words


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
