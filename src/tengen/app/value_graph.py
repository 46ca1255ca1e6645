"""Values of a game's positions for display: the graph, the losses of moves, and blunders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tengen.app.game_reports import ReportIndex
from tengen.app.value_display import for_first, share_of, write_candidate
from tengen.core.position import Position
from tengen.play.match import Match
from tengen.play.match_result import MatchResult
from tengen.play.review import WIN_RATE, review_moves
from tengen.search.report import Kind, Report

# By ply: the share for the first player from -1 to 1, whether it is proved, and a description.
Shares = dict[int, tuple[float, bool, str]]

# Minimum share of the way from a won to a lost game that a move gives away, its name and sign.
FAULTS = ((0.5, "blunder", "??"), (0.3, "mistake", "?"), (0.18, "inaccuracy", "?!"))
MIN_VISIT_SHARE = 0.1  # of the best move's visits; values of less visited moves are unreliable
MIN_LOSS_POINTS = 0.5  # smaller losses are noise
MIN_LOSS_SHARE = 0.03


class Loss(NamedTuple):
    """The loss by a move, as a short label and as a description."""

    short: str
    words: str


def final_share(position: Position, match: Match) -> tuple[float, bool, str]:
    """The result of an ended position: the first player's share (-1 to 1), whether it is certain, and words.

    Where players agree on dead stones, the agreed result counts; before, it is only an estimate.
    """
    outcome, game = position.outcome, position.game
    assert outcome is not None
    score, words, certain = outcome.score, game.write_outcome(outcome), True
    if game.counts_dead_stones:
        result = match.result
        if result is not None and position.line_key == match.live.line_key:
            score, words = _score(result), f"{result.describe(game)} ({result.code})"
        else:
            certain = False
            words = f"Not counted yet; if all stones are alive, {words[0].lower() + words[1:]}"
    share = score if game.unit == "wins" else score / (abs(score) + 10)
    return max(-1.0, min(1.0, share)), certain, words


def final_bar(position: Position, match: Match) -> int:
    """The value bar of an ended position: full for the winner, once the result is certain."""
    share, certain, _ = final_share(position, match)
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


def shares(line: Sequence[Position], reports: ReportIndex, match: Match) -> Shares:
    """The known values of the positions of a line."""
    return _shares(line, reports.for_line(line), match)


def _shares(line: Sequence[Position], by_ply: Mapping[int, Report], match: Match) -> Shares:
    found: Shares = {}
    for position in line:
        report = by_ply.get(position.ply)
        if position.is_over:
            found[position.ply] = final_share(position, match)
        elif report is not None:
            player = position.game.players[position.to_move]
            found[position.ply] = (
                for_first(report, position.to_move),
                report.value.kind is Kind.EXACT,
                f"{player}: {write_candidate(report.candidates[0])}",
            )
    return found


def faults(line: Sequence[Position], reports: ReportIndex, match: Match) -> dict[int, str]:
    """Blunders, mistakes and inaccuracies, by ply.

    A move is compared with its alternatives in the same search if it has enough visits there, because two searches
    of different depth differ by more than moves do. The best move of a search is never a fault.
    """
    by_ply = reports.for_line(line)
    return _faults(line, by_ply, _shares(line, by_ply, match)) if by_ply else {}


def _faults(line: Sequence[Position], by_ply: Mapping[int, Report], known: Shares) -> dict[int, str]:
    found = {}
    for index, before in enumerate(line[:-1]):
        report = by_ply.get(before.ply)
        if report is None:
            continue
        after = line[index + 1]
        assert after.move is not None
        text = after.game.write_move(after.move)
        if report.best == text:
            continue
        played = next((one for one in report.candidates if one.move == text), None)
        if played is not None and played.visits >= MIN_VISIT_SHARE * report.candidates[0].visits:
            given = share_of(report.value) - share_of(played.value)
        elif after.ply in known:
            given = (known[before.ply][0] - known[after.ply][0]) * (1 if before.to_move == 0 else -1)
        else:
            continue
        fault = next((name for least, name, _ in FAULTS if given >= least), None)
        if fault is not None:
            found[after.ply] = fault
    return found


def losses(line: Sequence[Position], reports: ReportIndex) -> dict[int, Loss]:
    """Noticeable losses of moves by ply: in points where an engine estimates or counts them, else in win rate.

    They are estimates unless both values are exact.
    """
    return _losses(line, reports.for_line(line))


def _losses(line: Sequence[Position], by_ply: Mapping[int, Report]) -> dict[int, Loss]:
    if not by_ply:
        return {}
    review = review_moves(line, by_ply)
    found = {}
    for move in review.moves:
        if move.points is not None:
            amount, unit = move.points, "points"
        elif move.loss is not None:
            amount, unit = move.loss, review.unit
        else:
            continue
        exact = move.is_exact and move.best_value is not None and move.best_value.kind is Kind.EXACT
        about = "" if exact and move.points is None else "about "
        if unit == WIN_RATE and amount >= MIN_LOSS_SHARE:
            found[move.number] = Loss(f"−{100 * amount:.0f} %", f"lost {about}{100 * amount:.0f} % wins")
        elif unit != WIN_RATE and amount >= MIN_LOSS_POINTS:
            found[move.number] = Loss(f"−{amount:.1f}", f"lost {about}{amount:.1f} {unit}")
    return found


def graph(line: Sequence[Position], reports: ReportIndex, match: Match, at: int) -> dict[str, Any]:
    """Data of the value graph of a line, with blunders and losses."""
    by_ply = reports.for_line(line)
    known = _shares(line, by_ply, match)
    bad, lost = _faults(line, by_ply, known), _losses(line, by_ply)
    values = []
    for position in line:
        if position.ply in known:
            share, _, text = known[position.ply]
            move = "start" if position.move is None else position.game.write_move(position.move)
            more = f"; {lost[position.ply].words}" if position.ply in lost else ""
            values.append(
                {
                    "ply": position.ply,
                    "share": round(share, 3),
                    "mark": bad.get(position.ply, ""),
                    "text": f"{position.ply}. {move}: {text}{more}",
                }
            )
    return {"length": len(line), "values": values, "at": at}
