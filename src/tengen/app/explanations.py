"""Why a move was a mistake: what it cost, the better move with its line, and reasons from knowledge of the game.

Reasons come from the rules (`move_reasons`), and from functions that engines register for their game:

    register_reasons("go", group_reasons)       # (position, move) -> reasons, for example groups that live or die

These may load compiled code. A server passes `find=move_reasons`, which uses the rules only, or calls `explain` in
a helper process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tengen.app.move_reasons import Reason, move_reasons, supporting
from tengen.app.review import JudgedMove, Judgement, ReviewSummary
from tengen.app.value_graph import write_loss
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.play.review import WIN_RATE
from tengen.search.report import Candidate, Report

MAX_LINE = 8  # moves of a line that are shown
FindReasons = Callable[[Position, str], Sequence[Reason]]

_more_reasons: dict[str, list[FindReasons]] = {}


def register_reasons(game: str, find: FindReasons) -> None:
    """Add a function that finds reasons for a move in a position of a game."""
    _more_reasons.setdefault(game, []).append(find)


@dataclass(frozen=True)
class Explanation:
    """A mistake explained. `cost` and reasons are in the current language.

    `line` begins with the better move, `reply` with the opponent's best answer to the move that was played.
    `against` has what speaks against the move played, but not against the better one. `is_proved` says whether the
    cost is proved; reasons that are facts follow from the rules.
    """

    judged: JudgedMove
    cost: str
    is_proved: bool
    line: tuple[str, ...]
    reply: tuple[str, ...]
    for_better: tuple[Reason, ...]
    for_reply: tuple[Reason, ...]
    against: tuple[Reason, ...] = ()

    @property
    def better(self) -> str | None:
        return self.line[0] if self.line else None


def explained_moves(summary: ReviewSummary) -> list[JudgedMove]:
    """The moves worth explaining, in the order of the game: mistakes, and moves that gave a result away."""
    return [one for one in summary.moves if one.judgement is not Judgement.GOOD or (one.turned and one.is_exact)]


def explain(
    line: Sequence[Position],
    summary: ReviewSummary,
    reports: Mapping[int, Report],
    find: FindReasons | None = None,
) -> dict[int, Explanation]:
    """Explanations of the mistakes of a reviewed game, by the number of the move."""
    by_ply = {position.ply: position for position in line}
    return {
        one.number: explain_move(one, by_ply[one.number], summary.unit, reports, find)
        for one in explained_moves(summary)
        if one.number - 1 in by_ply
    }


def explain_move(
    one: JudgedMove,
    after: Position,
    unit: str,
    reports: Mapping[int, Report],
    find: FindReasons | None = None,
) -> Explanation:
    """The explanation of one mistake, which led to the position `after`."""
    find = find or reasons_for
    before = after.parent
    assert before is not None
    ahead, behind = reports.get(one.number - 1), reports.get(one.number)
    best = None if ahead is None else _best(ahead)
    answer = None if behind is None or after.is_over else _best(behind)
    line = () if best is None or best.move == one.move else _line(best)
    reply = () if answer is None else _line(answer)
    better = tuple(find(before, line[0])) if line else ()
    return Explanation(
        one,
        _cost(one, unit, ahead, behind),
        one.is_exact,
        line,
        reply,
        supporting(better),
        supporting(find(after, reply[0])) if reply else (),
        tuple(reason for reason in move_reasons(before, one.move) if reason.is_against and reason not in better),
    )


def reasons_for(position: Position, move: str) -> tuple[Reason, ...]:
    """What the rules and the registered functions say about a move."""
    found = list(move_reasons(position, move))
    for find in _more_reasons.get(position.game.name, ()):
        try:
            found += [reason for reason in find(position, move) if reason not in found]
        except TengenError:
            continue  # a reason less
    return tuple(found)


def _best(report: Report) -> Candidate:
    return report.candidates[0]


def _line(candidate: Candidate) -> tuple[str, ...]:
    return (candidate.line or (candidate.move,))[:MAX_LINE]


def _cost(one: JudgedMove, unit: str, ahead: Report | None, behind: Report | None) -> str:
    """What a move cost, with what it gave away if that is proved."""
    if one.turned and one.is_exact and ahead is not None:
        was = ahead.value.amount - 0.5 if ahead.value.unit == WIN_RATE else ahead.value.amount
        now = None if behind is None else behind.value.amount  # for the opponent
        if was > 0:
            return _("gave away a won game: it is drawn now") if now == 0 else _("gave away a won game")
        return _("gave away a draw")
    if not one.loss:
        return _("made the position worse")
    return write_loss(one, unit).words


# ---- in words


def describe(found: Explanation, before: Position) -> list[str]:
    """Sentences about a mistake: cost, better move, reasons, and the answer to what was played."""
    players = [_(name) for name in before.game.players]
    one = found.judged
    proof = _("proved") if found.is_proved else _("estimate")
    cost = _("{number}. {player} {move} {cost} ({proof}).").format(
        number=one.number,
        player=players[one.player],
        move=f"{one.move}{one.judgement.sign}",
        cost=found.cost,
        proof=proof,
    )
    lines = [_with_reasons(cost.removesuffix("."), [one.move], found.against)]
    if found.line:
        better = _("Better: {moves}").format(moves=" ".join(found.line))
        lines.append(_with_reasons(better, found.line, found.for_better))
    if found.reply:
        answer = _("The answer is {moves}").format(moves=" ".join(found.reply))
        lines.append(_with_reasons(answer, found.reply, found.for_reply))
    return lines


def _with_reasons(text: str, moves: Sequence[str], reasons: Sequence[Reason]) -> str:
    """A sentence, and the reasons for or against the first of the moves."""
    if not reasons:
        return f"{text}."
    first = moves[0]
    words = "; ".join(
        translate(reason.text) if reason.is_fact else _unproved(reason).format(reason=reason.text)
        for reason in reasons
    )
    return _("{text}. {move} {reasons}.").format(text=text, move=first, reasons=words)


def _unproved(reason: Reason) -> str:
    return _("{reason} (by reading, not proved)") if reason.is_read else _("{reason} (rule of thumb)")
