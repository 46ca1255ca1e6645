"""Values of a game's positions for display: the graph of values, and the losses of moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from tengen.app.game_reports import ReportIndex
from tengen.app.review import JudgedMove, ReviewSummary, summarise
from tengen.app.value_display import for_first, verdict, win_rate
from tengen.core.locale_format import number
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.play.match import Match
from tengen.play.match_result import MatchResult
from tengen.play.review import WIN_RATE
from tengen.search.report import Kind, Report

MIN_LOSS_POINTS = 0.5  # smaller losses are noise
MIN_LOSS_SHARE = 0.03
_MARGINS = (8, 10, 16, 20, 32, 40, 64, 100, 200, 400)  # possible ends of an axis of points or discs


class Loss(NamedTuple):
    """The loss by a move, as a short label and as a description."""

    short: str
    words: str


def final_share(position: Position, match: Match) -> tuple[float, bool, str]:
    """The result of an ended position: the first player's share (-1 to 1), whether it is certain, and words.

    Where players agree on dead stones, the agreed result counts; before, it is only an estimate.
    """
    margin, certain, words = _final_margin(position, match)
    share = margin if position.game.unit == "wins" else margin / (abs(margin) + 10)
    return max(-1.0, min(1.0, share)), certain, words


def _final_margin(position: Position, match: Match) -> tuple[float, bool, str]:
    outcome, game = position.outcome, position.game
    assert outcome is not None
    score, words, certain = outcome.score, translate(game.write_outcome(outcome)), True
    if match.agrees_on_dead_stones:
        result = match.result
        if result is not None and position.line_key == match.live.line_key:
            score, words = _score(result), f"{translate(result.describe(game))} ({result.code})"
        else:
            certain = False
            words = _("Not counted yet; if all stones are alive: {result}").format(result=words)
    return score, certain, words


def final_bar(position: Position, match: Match) -> int:
    """The value bar of an ended position: full for the winner, once the result is certain."""
    share, certain, _words = final_share(position, match)
    return (share > 0) - (share < 0) if certain else 0


def _score(result: MatchResult) -> float:
    """The first player's margin; a win without a score counts as a large one."""
    if result.winner is None:
        return 0.0
    sign = 1 if result.winner == 0 else -1
    try:
        return sign * float(result.code.partition("+")[2])
    except ValueError:
        return sign * 1000.0


# ---- losses


def losses(line: Sequence[Position], reports: ReportIndex) -> dict[int, Loss]:
    """Noticeable losses of moves by ply: in points where an engine estimates or counts them, else in win rate.

    They are estimates unless both values are exact.
    """
    return written_losses(summarise(line, reports.for_line(line)))


def written_losses(summary: ReviewSummary) -> dict[int, Loss]:
    """Noticeable losses of a review, by ply."""
    least = MIN_LOSS_SHARE if summary.unit == WIN_RATE else MIN_LOSS_POINTS
    return {
        one.number: write_loss(one, summary.unit)
        for one in summary.moves
        if one.loss is not None and one.loss >= least and one.is_significant
    }


def write_loss(move: JudgedMove, unit: str) -> Loss:
    """A loss as `−3.5` and as `lost about 3.5 points`."""
    amount = move.loss or 0.0
    if unit == WIN_RATE and move.is_exact and amount == 1:
        return Loss("", _("gave the win away: proved"))
    if unit == WIN_RATE:
        percent = number(100 * amount)
        exact, about = _("lost {amount} % wins"), _("lost about {amount} % wins")
        return Loss(f"−{percent} %", (exact if move.is_exact else about).format(amount=percent))
    if unit == "discs":
        exact, about = _("lost {amount} discs"), _("lost about {amount} discs")
    else:
        exact, about = _("lost {amount} points"), _("lost about {amount} points")
    return Loss(f"−{number(amount, 1)}", (exact if move.is_exact else about).format(amount=number(amount, 1)))


# ---- the graph


def graph(
    line: Sequence[Position],
    reports: ReportIndex,
    match: Match,
    at: int,
    summary: ReviewSummary | None = None,
) -> dict[str, Any]:
    """Data of the value graph of a line: heights from -1 to 1, axis labels, mistakes, and proved values.

    `summary` is the review of the line, if it is known already.
    """
    by_ply = reports.for_line(line)
    summary = summary or summarise(line, by_ply)
    marks = {one.number: str(one.judgement) for one in summary.mistakes}
    lost = written_losses(summary)
    most = _axis_end(by_ply.values())
    values = []
    for position in line:
        found = _height(position, by_ply.get(position.ply), match, most)
        if found is None:
            continue
        share, proved, text = found
        move = _("Start") if position.move is None else position.game.write_move(position.move)
        more = f"; {lost[position.ply].words}" if position.ply in lost else ""
        values.append(
            {
                "ply": position.ply - line[0].ply,
                "share": round(share, 3),
                "mark": marks.get(position.ply, ""),
                "proved": proved,
                "text": f"{position.ply}. {move}: {text}{more}",
            }
        )
    return {
        "length": len(line),
        "first": line[0].ply,
        "values": values,
        "at": at,
        "axis": _axis(most, by_ply.values()),
        "sides": [_(name) for name in line[0].game.players],
        "proved": _("proved"),
        "exactFrom": _proved_from(values) if values and values[-1]["ply"] == len(line) - 1 else None,
    }


def _proved_from(values: Sequence[Mapping[str, Any]]) -> int | None:
    """The first position from which on all values are proved; None if the last one is not."""
    first = None
    for value in reversed(values):
        if not value["proved"]:
            break
        first = value["ply"]
    return first


def _height(
    position: Position, report: Report | None, match: Match, most: float | None
) -> tuple[float, bool, str] | None:
    """The height of a position for the first player, whether it is proved, and words; None if unknown."""
    if position.is_over:
        margin, certain, words = _final_margin(position, match)
        if most is not None:
            return max(-1.0, min(1.0, margin / most)), certain, words
        sign = (margin > 0) - (margin < 0)
        return (float(sign) if certain else final_share(position, match)[0]), certain, words
    if report is None:
        return None
    lead = _margin(report)
    if most is not None and lead is not None:
        share = max(-1.0, min(1.0, lead / most))
        share = share if position.to_move == 0 else -share
    else:
        share = for_first(report, position.to_move)
    return share, report.value.kind is Kind.EXACT, verdict(position, report)


def _margin(report: Report) -> float | None:
    """The margin of the side to move in points or discs, if the engine counts or estimates one."""
    if win_rate(report.value) is None:
        return report.value.amount
    return report.candidates[0].points if report.candidates else None


def _axis_end(reports: Collection[Report]) -> float | None:
    """The end of an axis of points or discs; None if most values are only win rates."""
    margins = [abs(margin) for one in reports if (margin := _margin(one)) is not None]
    if 2 * len(margins) <= len(reports):
        return None
    largest = max(margins)
    return float(next((end for end in _MARGINS if end >= largest), _MARGINS[-1]))


def _axis(most: float | None, reports: Collection[Report]) -> list[dict[str, Any]]:
    """Labels of the vertical axis, whose upper half is the first player's."""
    if most is not None:
        labels = (f"+{most:g}", f"+{most / 2:g}", "0")
    elif all(one.value.unit == "wins" and one.value.kind is Kind.EXACT for one in reports):
        labels = ("", "", "")
    else:
        labels = ("100 %", "75 %", "50 %")
    heights = zip((1.0, 0.5, 0.0, -0.5, -1.0), (*labels, labels[1], labels[0]), strict=True)
    return [{"share": share, "label": label} for share, label in heights]
