"""Start pages of an analysis: a pasted game, drafts, recent games, an empty board, or the opening explorer."""

from __future__ import annotations

from functools import partial

from fastapi import Response
from fastapi.responses import RedirectResponse
from nicegui import context, ui

from tengen import games
from tengen.app.game_options import options_of, read_options
from tengen.core.errors import TengenError
from tengen.core.locale_format import day_and_time
from tengen.core.resource_limits import resource_limits
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext
from tengen.store.listing import Filter
from tengen.store.rows import ListedGame
from tengen.web.elements import PasteField
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing
from tengen.web.pages.game_tiles import build_tiles, list_item
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.widgets import button, card, errors_shown, note, paste_texts
from tengen.web.permissions import NotAllowed, may_delete

MAX_RECENT_GAMES = 6


class StartPage:
    """The start page, with the visitor's drafts and the latest games of the library."""

    def __init__(self, visit: Visit, drafts: list[ListedGame], recent: tuple[ListedGame, ...]) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._drafts = drafts
        self._recent = recent

    def build(self) -> None:
        with ui.element("div").classes("tg-columns"):
            with card(_("Paste a game")):
                self._build_paste()
            with card(_("Your drafts")) as self._draft_card, ui.element("div").classes("tg-list") as self._list:
                for one in self._drafts:
                    self._build_draft(one)
            self._show_empty_note()
            if self._recent:
                with card(_("Recent games")), ui.element("div").classes("tg-list"):
                    for one in self._recent:
                        list_item(one.game, f"/analysis/{one.id}", _names(one), _about(one))
        with card(_("Or start from a board")), ui.element("div").classes("tg-games"):
            for name in games.names():
                self._build_board_links(name)

    def _build_board_links(self, name: str) -> None:
        """Links to an empty board of a game and to its position editor."""
        with ui.element("div").classes("tg-tile tg-board-links"):
            ui.html(drawing(name), sanitize=False)
            with ui.element("b"):
                ui.label(_(games.game_class(name).title))
            targets = [("/board/{}", _("Empty board"))]
            if games.game_class(name).can_set_up:
                targets.append(("/editor/{}", _("Set up a position")))
            for target, text in targets:
                with ui.element("a").classes("tg-board-link").props(f'href="{target.format(name)}"'):
                    ui.label(text)

    def _build_paste(self) -> None:
        PasteField(
            {
                **paste_texts(),
                "label": _("SGF, GGF, a transcript or a list of moves"),
                "open": _("Open"),
                "busy": _("Opening…"),
            },
            resource_limits().upload_bytes,
            "/api/drafts",
        ).mark("paste")

    def _build_draft(self, one: ListedGame) -> None:
        with ui.element("div").classes("tg-row tg-draft").style("flex-wrap: nowrap") as row:
            list_item(one.game, f"/analysis/{one.id}", _names(one), _about(one))
            label = _("Delete the draft {names}").format(names=_names(one)).replace('"', "'")
            button("", partial(self._delete, one, row), "delete", aria_label=label).props("dense round")

    async def _delete(self, one: ListedGame, row: ui.element) -> None:
        with errors_shown():
            seats = await self._sessions.seats(one.id)
            if not may_delete(self._visit.visitor, seats):
                raise NotAllowed(mark("only its owner can delete a draft"))
            await self._sessions.close_session(one.id)
            await self._sessions.run_in_thread(self._sessions.store.delete, one.id)
            row.delete()
            self._drafts.remove(one)
            self._show_empty_note()

    def _show_empty_note(self) -> None:
        if not self._drafts:
            with self._draft_card:
                note(_("A game that you paste, or a board on which you try moves, is kept here for 30 days."))


def _names(one: ListedGame) -> str:
    if any(one.names):
        return f"{one.names[0] or '?'} – {one.names[1] or '?'}"
    return f"{_(games.game_class(one.game).title)} {one.board}"


def _about(one: ListedGame) -> str:
    title = f"{_(games.game_class(one.game).title)} {one.board}" if any(one.names) else ""
    length = ngettext("{count} move", "{count} moves", one.moves).format(count=one.moves)
    when = day_and_time((one.deleted or one.changed).astimezone())
    return " · ".join(part for part in (title, length, one.result, when) if part)


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/analysis")
    async def board(visit: Visit) -> None:
        drafts = await sessions.drafts(visit.browser)
        recent = await sessions.run_in_thread(
            sessions.store.list_games, Filter(finished=True), order="changed", limit=MAX_RECENT_GAMES
        )
        with page(visit, _("Analyse"), "/analysis"):
            StartPage(visit, drafts, recent.games).build()

    @add_page(sessions, "/explorer")
    async def explorer(visit: Visit) -> None:
        with page(visit, _("Explorer"), "/explorer"):
            ui.label(_("Moves played in a position by all games of the library, and how those games ended."))
            build_tiles("/board/{}?tab=Explorer")

    @add_page(sessions, "/board/{game}")
    async def fresh(visit: Visit, game: str, tab: str = "") -> Response:
        given = {option.name: option.default for option in options_of(game)}
        given |= {name: value for name, value in context.client.request.query_params.items() if name in given}
        made, problems = read_options(game, given)
        if made is None:
            raise TengenError("; ".join(problems.values()))
        session = await sessions.open_board(made, visit.browser)
        return RedirectResponse(f"/analysis/{session.id}" + (f"?tab={tab}" if tab.isalpha() else ""), 303)
