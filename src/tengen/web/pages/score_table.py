"""How a score adds up, as a small table: one column for each player."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from tengen.core.locale_format import short_number
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.play.match import Match
from tengen.web.seating import player_name


def build_score_table(match: Match, position: Position, dead: Sequence[str] = ()) -> None:
    """Build the table, unless the game has no score."""
    rows = match.game.score_sheet(position, dead)
    if not rows:
        return
    with ui.element("table").classes("tg-score").mark("score"):
        with ui.element("tr"):
            ui.element("td")
            for side in (0, 1):
                with ui.element("th").props('scope="col"'), ui.element("span").classes("tg-row"):
                    ui.element("span").classes(f"tg-chip tg-chip-{side}")
                    ui.label(player_name(match, side))
        for number, row in enumerate(rows, 1):
            with ui.element("tr").classes("tg-total" if number == len(rows) > 1 else ""):
                with ui.element("th").props('scope="row"'):
                    ui.label(_(row.name))
                for count in row.counts:
                    with ui.element("td"):
                        ui.label(short_number(count))
