"""The Counts panel for Pente: evaluates the board without search as stones are placed, with overlays."""

from __future__ import annotations

from html import escape

from nicegui import ui

from tengen.core.locale_format import number, percent
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.runtime.messages import Request
from tengen.web.pages.page_updates import PositionLoader
from tengen.web.panels import PanelContext, ShowPosition, register_panel
from tengen.web.pente_evaluation import PenteEvaluation, pente_evaluation

_ROWS = (mark("open ones"), mark("open twos"), mark("open threes"), mark("open fours"), mark("open fives"))


def evaluation_html(view: PenteEvaluation, position: Position) -> str:
    """The counts of both sides and the evaluation, as HTML."""
    players = [escape(_(player)) for player in position.game.players]
    if not view.sides:
        return f'<p class="tg-quiet">{escape(translate(view.verdict))}</p>'
    share = 50 * (1 + view.chances)
    utility = _("utility {value}, estimated without search").format(value=_short(view.utility))
    html = (
        f'<p><b>{players[position.to_move]}</b> <span class="tg-value tg-kind-heuristic" '
        f'title="{_("estimate by counts alone, without search")}">{percent(share / 100)}</span> '
        f'<span class="tg-quiet">{utility}</span></p>'
    )
    if view.verdict:
        html += f'<p class="tg-outcome">{escape(translate(view.verdict))}</p>'
    counts: list[tuple[str, list[int]]] = [
        (_(name), [side.windows[index] for side in view.sides]) for index, name in enumerate(_ROWS)
    ]
    counts += [
        (_("captured stones"), [side.captured for side in view.sides]),
        (_("takes"), [side.takes for side in view.sides]),
        (_("threats to take"), [side.threats for side in view.sides]),
        (_("score"), [side.score for side in view.sides]),
    ]
    rows = "".join(
        f"<tr><td>{name}</td><td>{number(one)}</td><td>{number(two)}</td></tr>" for name, (one, two) in counts
    )
    return (
        f'{html}<table class="tg-why"><tr><th></th><th>{players[0]}</th><th>{players[1]}</th></tr>{rows}</table>'
    )


def _short(utility: float) -> str:
    """The utility in a readable form: decided positions have values up to 1e33."""
    return f"{utility:+,.0f}" if abs(utility) < 1e9 else f"{utility:+.1e}"


def build_counts(panel_context: PanelContext) -> ShowPosition:
    """The counts of the classic utility for the position shown."""
    content = ui.html("", sanitize=False).style("width: 100%").mark("counts")

    async def evaluate(position: Position) -> tuple[PenteEvaluation, Position]:
        pool = panel_context.sessions.helper_pool
        return await pool.run(pente_evaluation, Request.from_position(position)), position

    def show(found: tuple[PenteEvaluation, Position]) -> None:
        content.set_content(evaluation_html(*found))
        panel_context.add_overlays(found[0].layers, "")

    return PositionLoader(
        evaluate, show, lambda text: content.set_content(f'<p class="tg-quiet">{escape(text)}</p>')
    )


register_panel(mark("Counts"), build_counts, games=("pente",), playing=True)
