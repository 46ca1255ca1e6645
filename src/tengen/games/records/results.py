"""Conversion of results, dates and numbers between formats.

Results are stored in SGF notation, with B for player 0 and W for player 1.
"""

from __future__ import annotations

import re
from decimal import Decimal

from tengen.core.outcome import Outcome

_RESULT = re.compile(r"([BW])\+(.*)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,12}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})")
_DATE = re.compile(r"(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?P<time>[ _T]\d{1,2}:.*)?")
_AMERICAN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")


def winner(result: str) -> int | None:
    """The winner; None for a draw or an unknown result."""
    match = _RESULT.fullmatch(result.strip())
    return None if match is None else "BW".index(match[1].upper())


def is_draw(result: str) -> bool:
    return result.strip().lower() in ("0", "draw", "jigo")


def margin(result: str) -> float | None:
    """Margin of player 0 in points; None if unknown."""
    if is_draw(result):
        return 0.0
    match = _RESULT.fullmatch(result.strip())
    points = None if match is None else number(match[2])
    if match is None or points is None:
        return None
    return points if match[1].upper() == "B" else -points


def result_by_margin(points: float) -> str:
    """The result for a margin of player 0 in points."""
    if points == 0:
        return "0"
    return f"{'B' if points > 0 else 'W'}+{write_number(abs(points))}"


def result_of(outcome: Outcome, counted: bool) -> str:
    """The result of a finished game, with its margin if `counted`."""
    if outcome.winner is None:
        return "0"
    return result_by_margin(outcome.score) if counted else f"{'BW'[outcome.winner]}+"


def swap_result(result: str) -> str:
    """The result with the players swapped."""
    match = _RESULT.fullmatch(result)
    return result if match is None else f"{'WB'['BW'.index(match[1].upper())]}+{match[2]}"


def from_score(text: str) -> str:
    """Convert `1-0`, `0-1` and `1/2-1/2` to a result; other texts are returned unchanged."""
    return {"1-0": "B+", "0-1": "W+", "1/2-1/2": "0", "*": ""}.get(text.strip(), text)


def to_score(result: str) -> str:
    """The result as `1-0`, `0-1`, `1/2-1/2` or `*`."""
    who = winner(result)
    if who is None:
        return "1/2-1/2" if is_draw(result) else "*"
    return ("1-0", "0-1")[who]


def number(text: str) -> float | None:
    """A plain decimal number, or None."""
    match = _NUMBER.fullmatch(text.strip())
    return None if match is None else float(match[0])


def write_number(value: float) -> str:
    """Format without exponent or trailing zeros."""
    text = format(Decimal(repr(float(value))), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def iso_date(text: str) -> str:
    """A date as `2024-01-31`, without the time of day; unchanged if it is not a single day."""
    match = _DATE.fullmatch(text.strip())
    if match is not None:
        return f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}"
    match = _AMERICAN.fullmatch(text.strip())
    return text if match is None else f"{match[3]}-{int(match[1]):02}-{int(match[2]):02}"


def has_time(text: str) -> bool:
    """Whether a date includes a time of day, which `iso_date` drops."""
    match = _DATE.fullmatch(text.strip())
    return match is not None and match["time"] is not None


def american_date(text: str) -> str:
    """Convert `2024-01-31` to `01/31/2024`, as pente.org writes it."""
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text)
    return text if match is None else f"{match[2]}/{match[3]}/{match[1]}"
