"""Clobber: a strip that one types or clicks, its parts, who wins their sum, and every winning move."""

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
from tengen.web.board_data import picture
from tengen.web.elements import Board
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    await_with_notice,
    button,
    card,
    page,
    parse_point,
    show_error,
)
from tengen.web.panels import Desk, Seen, Show, register_panel

_USUAL = "XOXXO.OXO.XXOOX"
_CLASSES = {
    "first": ("N", "whoever moves first wins"),
    "second": ("P", "whoever moves second wins"),
    "X": ("L", "X wins, whoever begins"),
    "O": ("R", "O wins, whoever begins"),
    "": ("?", "not solved in the time given"),
}


def _written(found: BoardAnalysis) -> str:
    """An answer as HTML; all text in it is escaped."""
    letter, words = _CLASSES[found.outcome]
    html = f'<p class="tg-outcome">{letter}: {words}</p>'
    for side, player in enumerate("XO"):
        won = found.wins[side]
        if won is None:
            text = "not known"
        elif not won:
            text = "loses"
        else:
            text = f"wins by {escape(', '.join(found.moves[side])) or 'some move'}"
        html += f"<p><b>{player} to move</b> {text}</p>"
    if not found.parts:
        return html + '<p class="tg-quiet">There is no part in which anybody can move.</p>'
    rows = "".join(
        f"<tr><td><code>{escape(part.board)}</code></td><td><b>{_CLASSES[part.outcome][0]}</b></td>"
        f"<td>{_CLASSES[part.outcome][1]}</td><td>{escape(part.simplest)}</td></tr>"
        for part in found.parts
    )
    head = "<tr><th>Part</th><th>Class</th><th>Who wins</th><th>Simplest equal game</th></tr>"
    return f'{html}<table class="tg-why">{head}{rows}</table>'


def build_subgames(desk: Desk) -> Show:
    """The same for the position that is looked at in an analysis."""
    client = context.client
    content = ui.html("", sanitize=False)
    board = ""
    task: asyncio.Task[None] | None = None

    def show(seen: Seen) -> None:
        nonlocal board, task
        now = board_text(seen.position)
        if now != board:
            board = now
            if task is not None:
                task.cancel()
            task = asyncio.ensure_future(look(now))

    async def look(text: str) -> None:
        await asyncio.sleep(0.3)  # somebody who goes through the moves wants no answer to each
        try:
            html = _written(await analyse_board(desk.sessions.host, text))
        except TengenError as error:
            html = escape(str(error))
        if not client.is_deleted and text == board:
            content.set_content(html)

    return show


register_panel("Subgames", build_subgames, games=("clobber",))


class Solver:
    """The page."""

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
        return picture(games.game("clobber", board=self._text).start(), playable=False)

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
            html = _written(await analyse_board(self._sessions.host, text))
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
    async def clobber(request: Request, board: str = _USUAL) -> None:
        visit = Visit.of(sessions, request)
        try:
            text = read_board(board)
            game = games.game("clobber", board=text)
        except TengenError:
            text = _USUAL
            game = games.game("clobber", board=text)
        await await_with_notice(sessions.prepare(game))
        with page(visit, "Clobber solver", "/clobber"):
            Solver(visit, text).build()
