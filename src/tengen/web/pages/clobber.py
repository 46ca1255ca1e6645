"""The Clobber solver: type or click a board to see its parts, who wins, and every winning move."""

from __future__ import annotations

import asyncio
from html import escape
from typing import Any

from nicegui import context, ui

from tengen import games
from tengen.app.clobber_analysis import BoardAnalysis, analyse_board, board_text
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.games.clobber.board import read_board
from tengen.web.board_data import board_data
from tengen.web.elements import Board
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.board_input import parse_point
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.page_updates import PositionLoader
from tengen.web.pages.widgets import button, card, errors_shown
from tengen.web.panels import PanelContext, ShowPosition, register_panel

_DEFAULT_BOARD = "XOXXO.OXO.XXOOX"
_CLASSES = {
    "first": ("N", mark("the first player to move wins")),
    "second": ("P", mark("the second player to move wins")),
    "X": ("L", mark("Black wins, moving first or second")),
    "O": ("R", mark("White wins, moving first or second")),
    "": ("?", mark("not solved in time")),
}


def _analysis_html(found: BoardAnalysis) -> str:
    """An analysis as HTML; all text is escaped."""
    letter, words = _CLASSES[found.outcome]
    html = f'<p class="tg-outcome">{letter}: {_(words)}</p>'
    for side, player in enumerate(games.game_class("clobber").players):
        won = found.wins[side]
        if won is None:
            text = _("unknown")
        elif not won:
            text = _("loses")
        else:
            text = _("wins by {moves}").format(moves=escape(", ".join(found.moves[side])) or _("some move"))
        who = _("{player} to move").format(player=_(player))
        html += f"<p><b>{who}</b> {text}</p>"
    if not found.parts:
        return html + f'<p class="tg-quiet">{_("No part has a legal move.")}</p>'
    rows = "".join(
        f"<tr><td><code>{escape(part.board)}</code></td><td><b>{_CLASSES[part.outcome][0]}</b></td>"
        f"<td>{_(_CLASSES[part.outcome][1])}</td><td>{escape(part.simplest)}</td></tr>"
        for part in found.parts
    )
    names = (_("Part"), _("Class"), _("Who wins"), _("Simplest equal game"))
    head = f"<tr>{''.join(f'<th>{name}</th>' for name in names)}</tr>"
    return f'{html}<table class="tg-why">{head}{rows}</table>'


def build_subgames(panel_context: PanelContext) -> ShowPosition:
    """The Subgames panel: the same for the position shown in an analysis."""
    content = ui.html("", sanitize=False)

    async def solve(position: Position) -> BoardAnalysis:
        return await analyse_board(panel_context.sessions.host, board_text(position))

    def show(found: BoardAnalysis) -> None:
        content.set_content(_analysis_html(found))

    return PositionLoader(solve, show, lambda text: content.set_content(escape(text)), delay_s=0.3)


register_panel(mark("Subgames"), build_subgames, games=("clobber",))


class SolverPage:
    """The page of the Clobber solver."""

    def __init__(self, visit: Visit, text: str) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._text = text
        self._client = context.client
        self._asked = 0

    def build(self) -> None:
        with card():
            hint = _("X for Black, O for White, . for a gap, rows separated by /; or click on the cells")
            with ui.element("div").classes("tg-row"):
                self._input = ui.input(_("Board"), value=self._text, on_change=self._typed).props(
                    f'outlined dense hint="{hint}"'
                )
                self._input.style("flex: 1; min-width: 240px; font-family: monospace").mark("strip")
                button(_("Shorter"), lambda: self._input.set_value(self._text[:-1] or "X"), "remove")
                button(
                    _("Longer"), lambda: self._input.set_value(self._text + "XO"[self._text[-1:] == "X"]), "add"
                )
            config = {**self._visit.preferences.board_config(), "marking": True, "dots": False}
            self._board = Board(self._picture(), config, mark=self._clicked)
            with ui.element("div").classes("tg-row"):
                button(_("Analyse it as a game"), self._analyse, "insights")
        with card(_("Who wins")):
            self._result = ui.html("", sanitize=False).style("width: 100%").mark("answer")
        self._ask()

    def _picture(self) -> dict[str, Any]:
        return board_data(games.game("clobber", board=self._text).start(), playable=False)

    def _typed(self, event: Any) -> None:
        try:
            text = read_board(str(event.value or ""))
            games.game("clobber", board=text)
        except TengenError as error:
            self._result.set_content(escape(translate(str(error))))
            return
        self._text = text
        self._board.show(self._picture())
        self._ask()

    def _clicked(self, given: dict[str, Any]) -> None:
        point = parse_point(given.get("point"))
        rows = [list(row) for row in self._text.split("/")]
        if point is not None and point[1] < len(rows) and point[0] < len(rows[point[1]]):
            cell = rows[point[1]][point[0]]
            rows[point[1]][point[0]] = {"X": "O", "O": ".", ".": "X"}[cell]
            self._input.set_value("/".join("".join(row) for row in rows))

    def _ask(self) -> None:
        self._asked += 1
        self._result.set_content(f'<span class="tg-quiet">{_("Solving …")}</span>')
        asyncio.ensure_future(self._solve(self._asked, self._text))  # noqa: RUF006

    async def _solve(self, asked: int, text: str) -> None:
        await asyncio.sleep(0.25)
        if asked != self._asked or self._client.is_deleted:
            return
        found: BoardAnalysis | TengenError
        try:
            found = await analyse_board(self._sessions.host, text)
        except TengenError as error:
            found = error
        if asked == self._asked and not self._client.is_deleted:
            with self._client:
                html = escape(translate(str(found))) if isinstance(found, TengenError) else _analysis_html(found)
                self._result.set_content(html)

    async def _analyse(self) -> None:
        with errors_shown():
            session = await self._sessions.open_board(games.game("clobber", board=self._text), self._visit.browser)
            ui.navigate.to(f"/analysis/{session.id}")


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/clobber")
    async def clobber(visit: Visit, board: str = _DEFAULT_BOARD) -> None:
        try:
            text = read_board(board)
            game = games.game("clobber", board=text)
        except TengenError:
            text = _DEFAULT_BOARD
            game = games.game("clobber", board=text)
        sessions.prefer_kernels(game)
        with page(visit, _("Clobber solver"), "/clobber"):
            SolverPage(visit, text).build()
