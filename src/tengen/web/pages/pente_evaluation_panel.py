"""A panel for Pente: the live evaluator, which values the board as stones are placed, and its layers."""

from __future__ import annotations

import asyncio
from html import escape

from nicegui import context, ui

from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.runtime.messages import Request
from tengen.web.pages.layout import NOTICE_DELAY_S, PREPARING
from tengen.web.panels import PanelContext, ShownPosition, ShowPosition, register_panel
from tengen.web.pente_evaluation import View, view_position

_ROWS = ("ones", "twos", "threes", "fours", "fives")


def written(view: View, position: Position) -> str:
    """The counts of both sides as HTML, and what they come to."""
    players = [escape(player) for player in position.game.players]
    if not view.sides:
        return f'<p class="tg-quiet">{escape(view.verdict)}</p>'
    share = 50 * (1 + view.chances)
    html = (
        f'<p><b>{players[position.to_move]}</b> <span class="tg-value tg-kind-heuristic" '
        f'title="a guess by counts alone, without any search">{share:.0f} %</span> '
        f'<span class="tg-quiet">utility {_short(view.utility)}, a guess without search</span></p>'
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
    """A verdict is worth 10 to the 33rd and less: nobody reads all its figures."""
    return f"{utility:+,.0f}" if abs(utility) < 1e9 else f"{utility:+.1e}"


def build_counts(panel_context: PanelContext) -> ShowPosition:
    """What the classic utility counts on the board that is shown."""
    client = context.client
    content = ui.html("", sanitize=False).style("width: 100%").mark("counts")
    shown: Position | None = None

    def show(seen: ShownPosition) -> None:
        nonlocal shown
        if seen.position is not shown:
            shown = seen.position
            asyncio.ensure_future(look(seen.position))  # noqa: RUF006

    async def look(position: Position) -> None:
        work = asyncio.ensure_future(panel_context.sessions.helper_pool.run(view_position, Request.of(position)))
        done, _ = await asyncio.wait({work}, timeout=NOTICE_DELAY_S)
        if not done and position is shown and not client.is_deleted:
            content.set_content(f'<p class="tg-quiet">{PREPARING}</p>')
        try:
            view = await work
        except TengenError as error:
            view = View(0.0, 0.0, str(error), (), {})
        if position is shown and not client.is_deleted:
            with client:
                content.set_content(written(view, position))
                panel_context.add_overlays(view.layers, "")

    return show


register_panel("Counts", build_counts, games=("pente",), playing=True)
