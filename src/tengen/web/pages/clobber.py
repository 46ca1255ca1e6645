"""The Clobber solver: type or click a board to see its parts, who wins, and every winning move."""

from __future__ import annotations

import asyncio
from html import escape
from typing import Any

from fastapi import Request
from nicegui import context, ui

from tengen import games
from tengen.app.clobber_analysis import BoardAnalysis, analyse_board, board_text
from tengen.core.errors import TengenError
from tengen.games.clobber.board import read_board
from tengen.web.board_data import board_data
from tengen.web.elements import Board
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.board_input import parse_point
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    await_with_notice,
    button,
    card,
    page,
    show_error,
)
from tengen.web.panels import PanelContext, ShownPosition, ShowPosition, register_panel

_DEFAULT_BOARD = "XOXXO.OXO.XXOOX"
_CLASSES = {
    "first": ("N", "the first player to move wins"),
    "second": ("P", "the second player to move wins"),
    "X": ("L", "X wins, moving first or second"),
    "O": ("R", "O wins, moving first or second"),
    "": ("?", "not solved in time"),
}


def _analysis_html(found: BoardAnalysis) -> str:
    """An analysis as HTML; all text is escaped."""
    letter, words = _CLASSES[found.outcome]
    html = f'<p class="tg-outcome">{letter}: {words}</p>'
    for side, player in enumerate("XO"):
        won = found.wins[side]
        if won is None:
            text = "unknown"
        elif not won:
            text = "loses"
        else:
            text = f"wins by {escape(', '.join(found.moves[side])) or 'some move'}"
        html += f"<p><b>{player} to move</b> {text}</p>"
    if not found.parts:
        return html + '<p class="tg-quiet">No part has a legal move.</p>'
    rows = "".join(
        f"<tr><td><code>{escape(part.board)}</code></td><td><b>{_CLASSES[part.outcome][0]}</b></td>"
        f"<td>{_CLASSES[part.outcome][1]}</td><td>{escape(part.simplest)}</td></tr>"
        for part in found.parts
    )
    head = "<tr><th>Part</th><th>Class</th><th>Who wins</th><th>Simplest equal game</th></tr>"
    return f'{html}<table class="tg-why">{head}{rows}</table>'


def build_subgames(panel_context: PanelContext) -> ShowPosition:
    """The Subgames panel: the same for the position shown in an analysis."""
    client = context.client
    content = ui.html("", sanitize=False)
    board = ""
    task: asyncio.Task[None] | None = None

    def show(seen: ShownPosition) -> None:
        nonlocal board, task
        now = board_text(seen.position)
        if now != board:
            board = now
            if task is not None:
                task.cancel()
            task = asyncio.ensure_future(look(now))

    async def look(text: str) -> None:
        await asyncio.sleep(0.3)  # skip positions while the user steps through moves
        try:
            html = _analysis_html(await analyse_board(panel_context.sessions.host, text))
        except TengenError as error:
            html = escape(str(error))
        if not client.is_deleted and text == board:
            content.set_content(html)

    return show


register_panel("Subgames", build_subgames, games=("clobber",))


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
            with ui.element("div").classes("tg-row"):
                self._input = ui.input("Board", value=self._text, on_change=self._typed).props(
                    'outlined dense hint="X, O and . for a gap, rows separated by /; or click on the cells"'
                )
                self._input.style("flex: 1; min-width: 240px; font-family: monospace").mark("strip")
                button("Shorter", lambda: self._input.set_value(self._text[:-1] or "X"), "remove")
                button("Longer", lambda: self._input.set_value(self._text + "XO"[self._text[-1:] == "X"]), "add")
            config = {**self._visit.preferences.board_config(), "marking": True, "dots": False}
            self._board = Board(self._picture(), config, mark=self._clicked)
            with ui.element("div").classes("tg-row"):
                button("Analyse it as a game", self._analyse, "insights")
        with card("Who wins"):
            self._result = ui.html("", sanitize=False).style("width: 100%").mark("answer")
        self._ask()

    def _picture(self) -> dict[str, Any]:
        return board_data(games.game("clobber", board=self._text).start(), playable=False)

    def _typed(self, event: Any) -> None:
        try:
            text = read_board(str(event.value or ""))
            games.game("clobber", board=text)
        except TengenError as error:
            self._result.set_content(escape(str(error)))
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
        self._result.set_content('<span class="tg-quiet">Solving …</span>')
        asyncio.ensure_future(self._solve(self._asked, self._text))  # noqa: RUF006

    async def _solve(self, asked: int, text: str) -> None:
        await asyncio.sleep(0.25)
        if asked != self._asked or self._client.is_deleted:
            return
        try:
            html = _analysis_html(await analyse_board(self._sessions.host, text))
        except TengenError as error:
            html = escape(str(error))
        if asked == self._asked and not self._client.is_deleted:
            self._result.set_content(html)

    async def _analyse(self) -> None:
        try:
            session = await self._sessions.open_board(games.game("clobber", board=self._text), self._visit.browser)
        except TengenError as error:
            show_error(error)
            return
        ui.navigate.to(f"/analysis/{session.id}")


def register(sessions: GameSessions) -> None:
    @ui.page("/clobber", response_timeout=PAGE_TIMEOUT_S)
    async def clobber(request: Request, board: str = _DEFAULT_BOARD) -> None:
        visit = Visit.from_request(sessions, request)
        try:
            text = read_board(board)
            game = games.game("clobber", board=text)
        except TengenError:
            text = _DEFAULT_BOARD
            game = games.game("clobber", board=text)
        await await_with_notice(sessions.prepare(game))
        with page(visit, "Clobber solver", "/clobber"):
            SolverPage(visit, text).build()
