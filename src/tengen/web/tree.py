"""Values of the moves of a game as the pages show them: mistakes, losses, and the graph of values."""

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
from tengen.web.move_tree import Annotation

Shares = dict[int, tuple[float, bool, str]]  # by ply: for the first player from -1 to 1, whether proved, in words

# How much of the way from a lost to a won game a move gave away, and what that is called.
_FAULTS = ((0.5, "blunder", "??"), (0.3, "mistake", "?"), (0.18, "inaccuracy", "?!"))
ENOUGH_VISITS = 0.1  # of the best move's, for the value of another: what was hardly looked at looks lost
LEAST_LOSS = 0.5  # points that are worth a word: less is the noise of guesses
LEAST_SHARE = 0.03  # of a win, likewise


class Loss(NamedTuple):
    """What a move gave away, in a few characters and in words."""

    short: str
    words: str


def ended(position: Position, match: Match) -> tuple[float, bool, str]:
    """How an ended position is counted: a share for the first player from -1 to 1, whether that is sure, in words.

    Where players agree on dead stones, their result counts; before they have, there is only a guess.
    """
    outcome, game = position.outcome, position.game
    assert outcome is not None
    score, words, sure = outcome.score, game.write_outcome(outcome), True
    if game.counts_dead_stones:
        result = match.result
        if result is not None and position.line_key == match.live.line_key:
            score, words = _score(result), f"{result.describe(game)} ({result.code})"
        else:
            sure = False
            words = f"Not counted yet; with every stone alive, {words[0].lower() + words[1:]}"
    share = score if game.unit == "wins" else score / (abs(score) + 10)
    return max(-1.0, min(1.0, share)), sure, words


def end_bar(position: Position, match: Match) -> int:
    """The bar of an ended position: all of it is the winner's, once that is sure."""
    share, sure, _ = ended(position, match)
    return (share > 0) - (share < 0) if sure else 0


def _score(result: MatchResult) -> float:
    """The first player's margin, as far as a result tells: a win of which nothing more is told is a large one."""
    if result.winner is None:
        return 0.0
    sign = 1 if result.winner == 0 else -1
    try:
        return sign * float(result.code.partition("+")[2])
    except ValueError:
        return sign * 1000.0


def shares(line: Sequence[Position], reports: ReportIndex, match: Match) -> Shares:
    """What is known of the positions of a line."""
    return _shares(line, reports.for_line(line), match)


def _shares(line: Sequence[Position], by_ply: Mapping[int, Report], match: Match) -> Shares:
    found: Shares = {}
    for position in line:
        report = by_ply.get(position.ply)
        if position.is_over:
            found[position.ply] = ended(position, match)
        elif report is not None:
            player = position.game.players[position.to_move]
            found[position.ply] = (
                for_first(report, position.to_move),
                report.value.kind is Kind.EXACT,
                f"{player}: {write_candidate(report.candidates[0])}",
            )
    return found


def faults(line: Sequence[Position], reports: ReportIndex, match: Match) -> dict[int, str]:
    """The moves that gave something away, by ply.

    A move is reviewed by the search that looked at its alternatives, if that looked at it well enough: two
    searches of different depth differ by more than moves do. The best move of a search is no fault, whatever
    came of it.
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
        if played is not None and played.visits >= ENOUGH_VISITS * report.candidates[0].visits:
            given = share_of(report.value) - share_of(played.value)
        elif after.ply in known:
            given = (known[before.ply][0] - known[after.ply][0]) * (1 if before.to_move == 0 else -1)
        else:
            continue
        fault = next((name for least, name, _ in _FAULTS if given >= least), None)
        if fault is not None:
            found[after.ply] = fault
    return found


def losses(line: Sequence[Position], reports: ReportIndex) -> dict[int, Loss]:
    """What moves cost by ply, where it is worth a word: points, where an engine guesses at them or counts them.

    Else shares of a win. All of it is as far as the engine can tell, unless both values are exact.
    """
    return _losses(line, reports.for_line(line))


def _losses(line: Sequence[Position], by_ply: Mapping[int, Report]) -> dict[int, Loss]:
    if not by_ply:
        return {}
    review = review_moves(line, by_ply)
    found = {}
    for reviewed in review.moves:
        if reviewed.points is not None:
            amount, unit = reviewed.points, "points"
        elif reviewed.loss is not None:
            amount, unit = reviewed.loss, review.unit
        else:
            continue
        exact = reviewed.is_exact and reviewed.best_value is not None and reviewed.best_value.kind is Kind.EXACT
        about = "" if exact and reviewed.points is None else "about "
        if unit == WIN_RATE and amount >= LEAST_SHARE:
            found[reviewed.number] = Loss(f"−{100 * amount:.0f} %", f"lost {about}{100 * amount:.0f} % wins")
        elif unit != WIN_RATE and amount >= LEAST_LOSS:
            found[reviewed.number] = Loss(f"−{amount:.1f}", f"lost {about}{amount:.1f} {unit}")
    return found


def graph(line: Sequence[Position], reports: ReportIndex, match: Match, at: int) -> dict[str, Any]:
    """The graph of a line's values, with the moves that gave something away."""
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


def move_annotations(line: Sequence[Position], reports: ReportIndex, match: Match) -> dict[int, Annotation]:
    """The mistakes and losses of a line, by ply, for the move list."""
    by_ply = reports.for_line(line)
    if not by_ply:
        return {}
    bad, lost = _faults(line, by_ply, _shares(line, by_ply, match)), _losses(line, by_ply)
    signs = {name: sign for _, name, sign in _FAULTS}
    return {
        ply: Annotation(
            bad.get(ply, ""), signs[bad[ply]] if ply in bad else "", lost[ply].short if ply in lost else ""
        )
        for ply in bad.keys() | lost.keys()
    }


def loss_annotations(found: Mapping[int, Loss]) -> dict[int, Annotation]:
    return {ply: Annotation(value=loss.short) for ply, loss in found.items()}
