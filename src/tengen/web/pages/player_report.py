"""The report on a player's reviewed games, and reviewing more of them in the background."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

from nicegui import ui

from tengen import games
from tengen.app.player_report import (
    PlayerReport,
    departure_rows,
    player_report,
    sides_of_player,
    tables,
    theme_name,
)
from tengen.core.locale_format import number
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext
from tengen.store.listing import Filter
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.bulk_review_panel import BulkReviewPanel
from tengen.web.pages.layout import Visit, add_page, await_with_notice, page
from tengen.web.pages.widgets import button, card, note, table_row


class ReportSelector:
    """Whose games, and which."""

    def __init__(self, name: str, game: str) -> None:
        titles = {"": _("All games"), **{one: _(games.game_class(one).title) for one in games.names()}}
        with ui.element("div").classes("tg-row"):
            self._name = ui.input(_("Player"), value=name).props("outlined dense")
            self._name.on("keydown.enter", self._show)
            self._game = ui.select(titles, label=_("Game"), value=game).props("outlined dense options-dense")
            self._game.style("min-width: 140px")
            button(_("Show"), self._show, "summarize", main=True)

    def _show(self) -> None:
        ui.navigate.to(f"/report?{urlencode({'name': self._name.value or '', 'game': self._game.value or ''})}")


@contextmanager
def _table() -> Iterator[None]:
    """A table that scrolls in its card if the window is too narrow for it."""
    with ui.element("div").classes("tg-wide"), ui.element("table").classes("tg-why tg-report"):
        yield


def _build_tables(found: PlayerReport) -> None:
    for title, rows in tables(found):
        with card(title), _table():
            names = (_("Games"), _("Moves"), _("Accuracy"), _("Mistakes per 100 moves"), _("Given away (proved)"))
            table_row("", *names, tag="th")
            for name, one in rows:
                accuracy = "–" if one.accuracy is None else f"{number(one.accuracy)} %"
                share = "–" if one.mistakes_per_100 is None else number(one.mistakes_per_100, 1)
                table_row(name, str(one.games or ""), str(one.moves), accuracy, share, str(one.proved))
    departures = departure_rows(found)
    if departures:
        with card(_("Where you leave your repertoire")):
            note(_("The first move of a game that is not the one usually made there, with points scored."))
            with _table():
                table_row(_("Opening"), _("Usual move"), _("Played"), _("Games"), tag="th")
                for row in departures:
                    table_row(*row)
    if found.themes:
        with card(_("Kinds of mistakes")):
            note(
                _(
                    "Allowed: what your move let the opponent do, or a fault of the move itself. "
                    "Missed: what the better move does."
                )
            )
            with _table():
                for (what, theme), count in found.themes.most_common():
                    table_row(theme_name(what, theme), str(count))


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/report")
    async def report(visit: Visit, name: str = "", game: str = "") -> None:
        wanted = (name or visit.name)[:100]
        game = game if game in games.names() else ""
        which = Filter(game=game or None, name=wanted)
        found = await await_with_notice(
            sessions.run_in_thread(player_report, sessions.store, which, sides_of_player("", wanted)),
            _("Reading games…"),
        )
        with page(visit, _("Player report"), "/learn"):
            ReportSelector(wanted, game)
            if not found.total.games:
                note(_("There is no reviewed game of {name} yet.").format(name=wanted))
            if found.unreviewed:
                count = found.unreviewed
                text = ngettext("{count} game is not reviewed yet", "{count} games are not reviewed yet", count)
                note(text.format(count=count))
            BulkReviewPanel(visit, which).build()
            _build_tables(found)
