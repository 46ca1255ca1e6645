"""Analysis: any position of any game, with an engine beside it."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any

from fastapi import Request
from nicegui import context, ui

from tengen.app.move_preview import aim, moves_off_board
from tengen.app.value_display import for_first
from tengen.core.errors import TengenError
from tengen.play import events
from tengen.play.player_lookup import candidates
from tengen.players.player import EnginePlayer
from tengen.web.analysis_session import AnalysisSession
from tengen.web.board_data import answer, describe, picture
from tengen.web.elements import Board, Graph, MoveList
from tengen.web.game_session import GameSession, Reviewed, SessionEvent
from tengen.web.game_sessions import GameSessions
from tengen.web.move_tree import MoveTree
from tengen.web.pages import common_panels as _why
from tengen.web.pages import go_strings_panel as _go_strings
from tengen.web.pages import pente_evaluation_panel as _pente_counts
from tengen.web.pages.engine_card import EngineCard
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    await_with_notice,
    button,
    chip,
    download_formats,
    frame,
    parse_point,
    show_error,
    show_message,
    show_unavailable,
)
from tengen.web.pages.overlays import OverlaySelector
from tengen.web.panels import Desk, Seen, Show, panels_for
from tengen.web.permissions import add_imported_games, check_quota
from tengen.web.tree import end_bar, graph, move_annotations

LEAST_PAUSE = 0.2  # seconds between two pictures of a search

_PANELS = (_why, _go_strings, _pente_counts)  # registered by importing them


class AnalysisPage:
    """One browser's study of a game."""

    def __init__(self, visit: Visit, session: GameSession, engines: list[EnginePlayer], tab: str) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._session = session
        self._engines = engines
        self._tab = tab
        self._client = context.client
        self._layers = OverlaySelector(self._show_thought)
        self._shows: list[Show] = []
        self._seen: Seen | None = None
        self._tree: MoveTree | None = None
        self._later: asyncio.TimerHandle | None = None
        self._told_at = 0.0
        self._whole = False  # whether the list and the graph are to be drawn again, too

    async def open(self) -> None:
        """Begin the study. Raises a `TengenError` if there is a reason against it."""
        self.study = await AnalysisSession.open(
            self._sessions, self._session, self._visit.browser, f"study {self._client.id}", self._think_soon
        )

    def build(self) -> None:
        options = self._visit.preferences
        study = self.study
        study.lines, study.seconds = options.lines, float(options.seconds)
        with ui.element("div").classes("tg-table"):
            with ui.element("section").classes("tg-stage").props('aria-label="Board"'):
                self.board = Board(
                    self._picture(),
                    {**options.board_config(), "confirm": "never"},
                    move=self._move,
                    ask=self._ask,
                    tap=lambda _: None,
                )
                self.board.dress({"bar": 0})
                self._graph = Graph({"length": 1, "values": [], "at": 0}, "Values over the game", self._go_to_ply)
                self._build_steps()
                self._layers.build_legend()
            with ui.element("section").classes("tg-side").props('aria-label="Analysis"'):
                self._engine = EngineCard(self._visit, study, self.board, self._looked, self._show_all)
                self._engine.build(self._engines)
                with ui.element("div").classes("tg-card tg-fill"):
                    self._names = ui.label(self._heading()).classes("tg-quiet")
                    self._list = MoveList([], -1, self._go)
                with ui.element("div").classes("tg-card tg-fill"):
                    self._build_panels()
        ui.keyboard(on_key=self._key, ignore=["input", "select", "textarea"])
        self._show_all()
        study.looked()

    def _heading(self) -> str:
        match = self.study.match
        names = [
            player.name if player is not None else name or colour
            for player, name, colour in zip(match.players, match.record.names, match.game.players, strict=True)
        ]
        code = "" if match.result is None else match.result.code
        result = f", {code}" if code else ""
        return f"{names[0]} – {names[1]}{result} · {describe(match.game)}"

    def _build_steps(self) -> None:
        with ui.element("div").classes("tg-row tg-spread"):
            with ui.element("div").classes("tg-steps"):
                for icon, name, step in (
                    ("first_page", "Start", -9999),
                    ("chevron_left", "Back", -1),
                    ("chevron_right", "Forward", 1),
                    ("last_page", "End", 9999),
                ):
                    button("", partial(self._step, step), icon, aria_label=name).props("dense")
            self._off_board = ui.element("div").classes("tg-row")
            with ui.element("div").classes("tg-row"):
                self._layers.build()
                button("Remove", self._remove, "backspace", title="Remove this variation").props("dense")
                with button("", lambda: None, "more_horiz", aria_label="More").props("dense"), ui.menu():
                    for form in download_formats(self.study.match.game.name):
                        ui.menu_item(
                            f"Download as {form}",
                            partial(ui.download.from_url, f"/record/{self._session.id}.{form}"),
                        )
                    if not self._session.is_kept:
                        ui.menu_item("Keep in the library", self._keep)

    def _build_panels(self) -> None:
        keeps = self._visit.keeps_books and self._session.may_change(self._visit.browser)
        desk = Desk(self._sessions, self._try, self.study.match, self.board.look, self._draw, keeps)
        found = panels_for(self.study.match.game.name)
        with ui.tabs().props("dense align=left no-caps") as tabs:
            for panel in found:
                ui.tab(panel.title)
            ui.tab("Comment")
        first = next((panel.title for panel in found if panel.title == self._tab), found[0].title)
        with ui.tab_panels(tabs, value=first).props("animated=false"):
            for panel in found:
                with ui.tab_panel(panel.title):
                    self._shows.append(panel.build(desk))
            with ui.tab_panel("Comment"):
                self._comment = ui.textarea("What to say of this move").props("outlined autogrow")
                self._comment.on("blur", self._say)
                if not self.study.is_own:
                    ui.label("This is a copy: what you add is not kept.").classes("tg-quiet")

    # ---- what is shown

    def _picture(self) -> dict[str, Any]:
        here = self.study.view.node
        return picture(here.position, playable=not here.position.is_over, node=here.node)

    def _show_all(self) -> None:
        """The tree has changed, or values that the list and the graph show."""
        self._show_tree()
        self._show_position()

    def _show_tree(self) -> None:
        match, reports = self.study.match, self._session.game_reports.index
        line = list(match.live.line())
        marks = move_annotations(line, reports, match)
        if self._tree is None:
            self._tree = MoveTree(match.tree, match.game, marks)
        else:
            self._tree.update(match.tree, marks)
        self._list.show(self._tree.rows, self._tree.number(self.study.view.node.node))

    def _show_position(self) -> None:
        """Another move is looked at."""
        study = self.study
        assert self._tree is not None
        self.board.show(self._picture())
        self._list.show(None, self._tree.number(study.view.node.node))
        self._comment.set_value(study.view.node.node.comment)
        self._off_board.clear()
        if not study.position.is_over:
            with self._off_board:
                for word in moves_off_board(study.position):
                    chip(word.capitalize(), partial(self._move, {"move": word}))
        self._show_graph()
        self._show_thought()

    def _show_graph(self) -> None:
        line, findings = self.study.view.line, self._session.game_reports
        self._graph.show(graph(line, findings.index, self.study.match, self.study.position.ply))
        self._engine.show_review()

    def _show_thought(self) -> None:
        position, report = self.study.position, self.study.report
        dressing: dict[str, Any] = {"bar": 0, "barText": self._engine.show()}
        if position.is_over:
            report = None
            dressing["bar"] = end_bar(position, self.study.match)
        elif report is not None:
            dressing["bar"] = round(for_first(report, position.to_move), 3)
        dressing |= self._layers.dressing(position, report)
        self.board.dress(dressing)
        if self._seen is None or self._seen.position is not position or self._seen.report is not report:
            self._seen = Seen(position, report)
            for show in self._shows:
                show(self._seen)

    def _draw(self, layers: dict[str, Any], choose: str = "") -> None:
        with self._client:
            self._layers.draw(self.study.position, layers, choose)

    # ---- what happens

    def hear(self, news: SessionEvent) -> None:
        with self._client:
            if isinstance(news, Reviewed):
                self._think_soon(whole=True)
            elif isinstance(news, events.Moved | events.TakenBack | events.TreeEdited | events.Ended):
                if self.study.is_own:
                    self._names.set_text(self._heading())
                    self._show_all()

    def _think_soon(self, whole: bool = False) -> None:
        self._whole = self._whole or whole
        if self._later is None:
            pause = max(0.0, self._told_at + LEAST_PAUSE - time.monotonic())
            self._later = asyncio.get_running_loop().call_later(pause, self._think_now)

    def _think_now(self) -> None:
        self._later = None
        self._told_at = time.monotonic()
        if self._client.is_deleted:
            return
        with self._client:
            if self._whole:
                self._whole = False
                self._show_tree()
                self._show_graph()
            self._show_thought()

    # ---- what somebody does

    async def _try(self, move: str) -> None:
        await self._move({"move": move})

    async def _move(self, given: dict[str, Any]) -> None:
        try:
            await self.study.play(str(given.get("move", ""))[:100])
        except TengenError as error:
            self.board.show(self._picture())
            self.board.refuse(str(error))
            return
        self._show_all()

    def _ask(self, given: dict[str, Any]) -> None:
        point, position = parse_point(given.get("point")), self.study.position
        diagram = position.diagram()
        if point is not None and point[0] < len(diagram.columns) and point[1] < len(diagram.rows):
            self.board.answer(answer(aim(position, point, parse_point(given.get("from"))), point))

    def _looked(self) -> None:
        self.study.looked()
        self._show_position()

    def _go(self, given: dict[str, Any]) -> None:
        number = given.get("id")
        if self._tree is not None and isinstance(number, int):
            try:
                self.study.view.show(self._tree.find(number))
            except TengenError as error:
                show_error(error)
                return
            self._looked()

    def _go_to_ply(self, given: dict[str, Any]) -> None:
        ply = given.get("ply")
        if isinstance(ply, int):
            self.study.view.go_to(max(0, min(len(self.study.view.line) - 1, ply)))
            self._looked()

    def _step(self, step: int) -> None:
        ply = self.study.position.ply
        start = self.study.view.line[0].ply
        self._go_to_ply({"ply": ply - start + step})

    def _key(self, event: Any) -> None:
        if event.action.keydown and not event.modifiers.alt:
            if event.key.arrow_left:
                self._step(-1)
            elif event.key.arrow_right:
                self._step(1)

    async def _remove(self) -> None:
        try:
            await self.study.remove()
        except TengenError as error:
            show_error(error)
        self._show_all()

    async def _say(self) -> None:
        try:
            await self.study.comment(str(self._comment.value or "")[:20_000])
        except TengenError as error:
            show_error(error)

    async def _keep(self) -> None:
        store = self._sessions.store
        try:
            await self._sessions.run_in_thread(check_quota, store, self._visit.visitor)
            done = await self._sessions.run_in_thread(store.import_records, [self.study.match.record])
            await self._sessions.run_in_thread(add_imported_games, store, self._visit.visitor, done.added)
        except TengenError as error:
            show_error(error)
            return
        show_message(str(done))


def register(sessions: GameSessions) -> None:
    @ui.page("/analysis/{game_id}", response_timeout=PAGE_TIMEOUT_S)
    async def analysis(request: Request, game_id: str, tab: str = "") -> None:
        visit = Visit.of(sessions, request)
        try:
            session = await await_with_notice(sessions.get(game_id))
            found = await sessions.run_in_thread(candidates, sessions.store, session.match.game.name)
            engines = [player for player in found if isinstance(player, EnginePlayer)]
            shown = AnalysisPage(visit, session, engines, tab)
            await shown.open()
            context.client.on_delete(shown.study.close)
            context.client.on_delete(session.watch(shown.hear))
        except TengenError as error:
            show_unavailable(visit, error)
            return
        with frame(visit, "Analysis", "/analysis"):
            shown.build()
