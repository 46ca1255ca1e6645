"""Display of values: a sentence, a short label that always shows its kind, and the height of a bar.

Each game has one unit everywhere: win rates and points in Go, discs in Othello, win rates in Pente, and who wins
in games that engines solve. Proved values are marked as such; everything else is an estimate.
"""

from __future__ import annotations

from tengen.core.locale_format import number, short_number
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.play.review import WIN_RATE
from tengen.search.report import Candidate, Kind, Report, Value

EVEN_RATE = 0.02  # win rates this close to one half count as even
EVEN_MARGIN = 0.25  # points or discs


def write_value(value: Value) -> str:
    """A value with its kind: exact, proved bound, or estimate."""
    if value.kind is Kind.HEURISTIC:
        return _("{value} (estimate)").format(value=translate(str(value)))
    return translate(str(value))


def write_candidate(candidate: Candidate) -> str:
    """The value of a candidate, and the expected margin if the engine estimates one."""
    value = write_value(candidate.value)
    if candidate.points is None:
        return value
    return _("{value}, about {points} points").format(value=value, points=number(candidate.points, 1, sign=True))


def short_value(value: Value) -> str:
    """A value in a few characters; `write_value` writes it out."""
    if value.unit == "wins" and value.low is not None and value.low == value.high:
        return _("win") if value.amount > 0 else _("loss") if value.amount < 0 else _("draw")
    if (rate := win_rate(value)) is not None and value.kind is Kind.HEURISTIC:
        return f"{100 * rate:.0f} %"
    mark = "" if value.low is None or value.high is not None else "≥"
    mark = "≤" if value.low is None and value.high is not None else mark
    is_estimate = value.kind is Kind.HEURISTIC  # whose hundredths mean nothing
    return number(value.amount, 1, sign=True) if is_estimate else mark + short_number(value.amount, sign=True)


def win_rate(value: Value) -> float | None:
    """A value as a win rate from 0 to 1; None if it is a margin."""
    if value.unit == WIN_RATE:
        return value.amount
    return (1 + value.amount) / 2 if value.unit == "wins" else None


# ---- a sentence


def verdict(position: Position, report: Report) -> str:
    """Who is ahead and by how much, in one sentence that says whether it is proved."""
    value, players = report.value, [_(name) for name in position.game.players]
    mover, other = players[position.to_move], players[1 - position.to_move]
    if value.kind is Kind.EXACT:
        return _proved(value, mover, other)
    if value.kind is Kind.BOUND:
        return _bound(value, mover, other)
    rate = win_rate(value)
    points = report.candidates[0].points if report.candidates else None
    if rate is None:
        return _margin(value.amount, value.unit, mover, other)
    leader, share = (mover, rate) if rate >= 0.5 else (other, 1 - rate)
    if share - 0.5 < EVEN_RATE:
        return _("The game is even (estimate)")
    percent = number(100 * share)
    if points is not None and points * (rate - 0.5) > 0:
        return _("{player} is ahead by {amount} points, {percent} % to win (estimate)").format(
            player=leader, amount=number(abs(points), 1), percent=percent
        )
    return _("{player} is ahead: {percent} % to win (estimate)").format(player=leader, percent=percent)


def _margin(amount: float, unit: str, mover: str, other: str) -> str:
    if abs(amount) < EVEN_MARGIN:
        return _("The game is even (estimate)")
    text = (
        _("{player} is ahead by {amount} discs (estimate)")
        if unit == "discs"
        else _("{player} is ahead by {amount} points (estimate)")
    )
    return text.format(player=mover if amount > 0 else other, amount=number(abs(amount), 1))


def _proved(value: Value, mover: str, other: str) -> str:
    if not value.amount:
        return _("Draw: proved")
    winner = mover if value.amount > 0 else other
    if value.unit == "discs":
        return _("{player} wins by {amount} discs: proved").format(
            player=winner, amount=short_number(abs(value.amount))
        )
    if value.unit == "points":
        return _("{player} wins by {amount} points: proved").format(
            player=winner, amount=short_number(abs(value.amount))
        )
    return _("{player} wins: proved").format(player=winner)


def _bound(value: Value, mover: str, other: str) -> str:
    """A proved bound, as what it says about the winner."""
    least, sure = (value.low, mover) if value.low is not None else (-(value.high or 0.0), other)
    if least == 0:
        return _("{player} does not lose: proved").format(player=sure)
    if least < 0:
        amount, loser = short_number(-least), sure
        return (
            _("{player} loses by at most {amount} discs: proved")
            if value.unit == "discs"
            else _("{player} loses by at most {amount} points: proved")
        ).format(player=loser, amount=amount)
    if value.unit == "wins":
        return _("{player} wins: proved").format(player=sure)
    return (
        _("{player} wins by at least {amount} discs: proved")
        if value.unit == "discs"
        else _("{player} wins by at least {amount} points: proved")
    ).format(player=sure, amount=short_number(least))


# ---- a bar


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
