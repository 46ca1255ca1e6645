"""The panel *Candidates*: the moves that the engine considered, with what speaks for and against them."""

from __future__ import annotations

from html import escape

from nicegui import ui

from tengen.app.move_reasons import Reason, move_reasons
from tengen.app.value_display import short_value, write_candidate
from tengen.core.locale_format import number
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.search.report import Candidate, Kind, Report
from tengen.web.board_data import is_proved_loss, is_unsearched
from tengen.web.panels import PanelContext, ShownPosition, ShowPosition, register_panel

MAX_CANDIDATES = 12
MIN_VISIT_SHARE = 0.1  # of the best move's visits; values of less visited moves mean little


class CandidatesTable:
    """The table, updated during a search. The reasons of a position are found once."""

    def __init__(self) -> None:
        self._content = ui.html("", sanitize=False).style("width: 100%")
        self._position: Position | None = None
        self._reasons: dict[str, tuple[Reason, ...]] = {}

    def show(self, seen: ShownPosition) -> None:
        if seen.position is not self._position:
            self._position, self._reasons = seen.position, {}
        if seen.report is None:
            self._content.set_content(f'<div class="tg-quiet">{escape(_("Not searched"))}</div>')
        else:
            self._content.set_content(self._table(seen.position, seen.report))

    def _table(self, position: Position, report: Report) -> str:
        """The table as HTML; all text is escaped. Visits have a column only if the engine counts them."""
        counts_visits = any(one.visits for one in report.candidates)
        names = [_("Move"), _("Value"), *([_("Visits")] if counts_visits else []), _("What it does")]
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            self._row(position, report, one, report.candidates[0].visits if counts_visits else None)
            for one in report.candidates[:MAX_CANDIDATES]
        )
        legend = escape(_("✓ follows from the rules, ~ is a rule of thumb"))
        return f'<table class="tg-why"><tr>{head}</tr>{body}</table><div class="tg-quiet">{legend}</div>'

    def _row(self, position: Position, report: Report, one: Candidate, best_visits: int | None) -> str:
        classes = f"tg-value tg-kind-{one.value.kind}{' tg-lost-value' if is_proved_loss(one.value) else ''}"
        tick = "" if one.value.kind is Kind.HEURISTIC else " ✓"
        unsearched = is_unsearched(one, report)
        words = escape(_("Not searched") if unsearched else write_candidate(one))
        short = words if unsearched else escape(short_value(one.value))
        value = f'<span class="{classes}" title="{words}">{short}{tick}</span>'
        visits = "" if best_visits is None else f"<td>{number(one.visits)}</td>"
        reasons = [_reason_html(reason) for reason in self._reasons_for(position, one.move)]
        if one.reason:
            reasons.append(_reason_html(Reason(translate(one.reason), is_fact=False)))
        if best_visits is not None and one.visits < MIN_VISIT_SHARE * best_visits:
            reasons.append(f'<span class="tg-quiet">{escape(_("little searched: the value is uncertain"))}</span>')
        line = f'<span class="tg-quiet">{escape(" ".join(one.line[:8]))}</span>' if len(one.line) > 1 else ""
        return (
            f"<tr><td><b>{escape(one.move)}</b></td><td>{value}</td>{visits}"
            f"<td>{'<br>'.join([*reasons, *([line] if line else [])])}</td></tr>"
        )

    def _reasons_for(self, position: Position, move: str) -> tuple[Reason, ...]:
        if move not in self._reasons:
            self._reasons[move] = move_reasons(position, move)
        return self._reasons[move]


def _reason_html(reason: Reason) -> str:
    return f'<span class="tg-because">{"✓" if reason.is_fact else "~"} {escape(reason.text)}</span>'


def build_candidates(panel_context: PanelContext) -> ShowPosition:
    return CandidatesTable().show


register_panel(mark("Candidates"), build_candidates)
