"""The Counts panel for Pente: evaluates the board without search as stones are placed, with overlays."""

from __future__ import annotations

import asyncio
from html import escape

from nicegui import context, ui

from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.runtime.messages import Request
from tengen.web.pages.layout import NOTICE_DELAY_S, PREPARING
from tengen.web.panels import PanelContext, ShownPosition, ShowPosition, register_panel
from tengen.web.pente_evaluation import PenteEvaluation, pente_evaluation

_ROWS = ("ones", "twos", "threes", "fours", "fives")


def evaluation_html(view: PenteEvaluation, position: Position) -> str:
    """The counts of both sides and the evaluation, as HTML."""
    players = [escape(player) for player in position.game.players]
    if not view.sides:
        return f'<p class="tg-quiet">{escape(view.verdict)}</p>'
    share = 50 * (1 + view.chances)
    html = (
        f'<p><b>{players[position.to_move]}</b> <span class="tg-value tg-kind-heuristic" '
        f'title="estimate by counts alone, without search">{share:.0f} %</span> '
        f'<span class="tg-quiet">utility {_short(view.utility)}, estimated without search</span></p>'
    )
    if view.verdict:
        html += f'<p class="tg-outcome">{escape(view.verdict)}</p>'
    counts: list[tuple[str, list[int]]] = [
        (f"open {name}", [side.windows[index] for side in view.sides]) for index, name in enumerate(_ROWS)
    ]
    counts += [
        ("captured stones", [side.captured for side in view.sides]),
        ("takes", [side.takes for side in view.sides]),
        ("threats to take", [side.threats for side in view.sides]),
        ("score", [side.score for side in view.sides]),
    ]
    rows = "".join(f"<tr><td>{name}</td><td>{one:,}</td><td>{two:,}</td></tr>" for name, (one, two) in counts)
    return (
        f'{html}<table class="tg-why"><tr><th></th><th>{players[0]}</th><th>{players[1]}</th></tr>{rows}</table>'
    )


def _short(utility: float) -> str:
    """The utility in a readable form: decided positions have values up to 1e33."""
    return f"{utility:+,.0f}" if abs(utility) < 1e9 else f"{utility:+.1e}"


def build_counts(panel_context: PanelContext) -> ShowPosition:
    """The counts of the classic utility for the position shown."""
    client = context.client
    content = ui.html("", sanitize=False).style("width: 100%").mark("counts")
    shown: Position | None = None

    def show(seen: ShownPosition) -> None:
        nonlocal shown
        if seen.position is not shown:
            shown = seen.position
            asyncio.ensure_future(look(seen.position))  # noqa: RUF006

    async def look(position: Position) -> None:
        work = asyncio.ensure_future(
            panel_context.sessions.helper_pool.run(pente_evaluation, Request.from_position(position))
        )
        done, _ = await asyncio.wait({work}, timeout=NOTICE_DELAY_S)
        if not done and position is shown and not client.is_deleted:
            content.set_content(f'<p class="tg-quiet">{PREPARING}</p>')
        try:
            view = await work
        except TengenError as error:
            view = PenteEvaluation(0.0, 0.0, str(error), (), {})
        if position is shown and not client.is_deleted:
            with client:
                content.set_content(evaluation_html(view, position))
                panel_context.add_overlays(view.layers, "")

    return show


register_panel("Counts", build_counts, games=("pente",), playing=True)
