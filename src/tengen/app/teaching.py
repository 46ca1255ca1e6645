"""Teaching mode: warnings before a move that loses much, hints in steps, and reasons for the opponent's moves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from tengen.app.explanations import describe, explain_move
from tengen.app.move_reasons import move_reasons, supporting
from tengen.app.review import JudgedMove, Judgement, summarise
from tengen.app.value_display import write_value
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.search.report import Report

OPTION = "teaching"  # name of the visitor's option
HINT_STEPS = 3

_SEVERITY = (Judgement.GOOD, Judgement.INACCURACY, Judgement.MISTAKE, Judgement.BLUNDER)


class WarningLimit(StrEnum):
    """The smallest loss that is warned of; the sizes are those of reviews."""

    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


LIMIT_NAMES = {
    WarningLimit.INACCURACY: mark("small losses, too"),
    WarningLimit.MISTAKE: mark("mistakes"),
    WarningLimit.BLUNDER: mark("blunders only"),
}


@dataclass(frozen=True)
class MoveWarning:
    """A move that would lose much: how much, and what the opponent would answer. The better move is not named."""

    judged: JudgedMove
    text: str
    is_proved: bool


def check_move(
    position: Position, move: str, best: Report, after: Report, limit: WarningLimit
) -> MoveWarning | None:
    """A warning if a move loses at least `limit`, given reports on the position and on that after the move.

    Losses that are just noise of the searches are not warned of.
    """
    if move == best.best:
        return None
    played = position.play(move)
    reports = {position.ply: best, played.ply: after}
    summary = summarise([position, played], reports)
    judged = next((one for one in summary.moves if one.number == played.ply), None)
    if judged is None:
        return None
    gave_away = judged.turned and judged.is_exact
    if not gave_away and _SEVERITY.index(judged.judgement) < _SEVERITY.index(Judgement(limit.value)):
        return None
    explanation = replace(explain_move(judged, played, summary.unit, reports, move_reasons), line=())
    return MoveWarning(judged, " ".join(describe(explanation, position)), judged.is_exact)


def hint(position: Position, report: Report, step: int) -> str:
    """A hint, from the area of the best move (step 1) and what it does (2) to the move and its value (3)."""
    move = report.best
    if step <= 1:
        return _("Look at: {area}").format(area=area_of(position, move))
    if step == 2:
        reasons = supporting(move_reasons(position, move))
        if not reasons:
            return _("The best move is a quiet one: no capture and no threat.")
        return _("What it does: {reason}.").format(reason=translate(reasons[0].text))
    return _("Hint: {move}, {value}").format(move=move, value=write_value(report.value))


_AREAS = (
    (mark("the upper left"), mark("the upper side"), mark("the upper right")),
    (mark("the left side"), mark("the centre"), mark("the right side")),
    (mark("the lower left"), mark("the lower side"), mark("the lower right")),
)


def area_of(position: Position, move: str) -> str:
    """The part of the board of a move, in words."""
    game = position.game
    try:
        points = game.points(game.read_move(move, position))
    except TengenError:
        points = ()
    if not points:
        return _("a move that is not on the board")
    diagram = position.diagram()
    column, row = points[-1]
    across = min(2, 3 * column // len(diagram.columns))
    if len(diagram.rows) == 1:
        return _(_AREAS[1][across])
    return _(_AREAS[min(2, 3 * row // len(diagram.rows))][across])


def why(position: Position) -> str:
    """What speaks for the last move, in one sentence; empty if there is nothing to say."""
    if position.parent is None or position.move is None:
        return ""
    move = position.game.write_move(position.move)
    reasons = supporting(move_reasons(position.parent, move))
    if not reasons:
        return ""
    player = _(position.game.players[position.parent.to_move])
    words = "; ".join(translate(reason.text) for reason in reasons)
    return _("{player} {move}: {reasons}.").format(player=player, move=move, reasons=words)
