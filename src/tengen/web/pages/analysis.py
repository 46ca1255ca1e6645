"""The analysis page: any position of any game, with an engine, a move tree and panels."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any

from fastapi import Request
from nicegui import context, ui

from tengen.app.move_preview import moves_off_board
from tengen.app.value_display import for_first
from tengen.app.value_graph import final_bar, graph
from tengen.core.errors import TengenError
from tengen.play import events
from tengen.play.player_lookup import candidates
from tengen.players.player import EnginePlayer
from tengen.web.analysis_session import AnalysisSession
from tengen.web.board_data import board_data, describe_game
from tengen.web.elements import Board, Graph, MoveList
from tengen.web.game_session import GameSession, Reviewed, SessionEvent, player_name
from tengen.web.game_sessions import GameSessions
from tengen.web.move_list import MoveListRows, annotate_moves
from tengen.web.pages import common_panels as _why
from tengen.web.pages import go_strings_panel as _go_strings
from tengen.web.pages import pente_evaluation_panel as _pente_counts
from tengen.web.pages.board_input import build_step_buttons, show_aim, step_with_arrow_keys
from tengen.web.pages.engine_card import EngineCard
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    await_with_notice,
    button,
    chip,
    download_formats,
    frame,
    show_error,
    show_message,
    show_unavailable,
)
from tengen.web.pages.overlays import OverlaySelector
from tengen.web.panels import PanelContext, ShownPosition, ShowPosition, panels_for
from tengen.web.permissions import add_imported_games, check_quota

MIN_UPDATE_INTERVAL_S = 0.2  # between two updates of a running search

_PANELS = (_why, _go_strings, _pente_counts)  # registered by importing them


class AnalysisPage:
    """One browser's analysis of a game."""

    def __init__(self, visit: Visit, session: GameSession, engines: list[EnginePlayer], tab: str) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._session = session
        self._engines = engines
        self._tab = tab
        self._client = context.client
        self._overlays = OverlaySelector(self._show_report)
        self._shows: list[ShowPosition] = []
        self._seen: ShownPosition | None = None
        self._rows: MoveListRows | None = None
        self._update_timer: asyncio.TimerHandle | None = None
        self._updated_at = 0.0
        self._redraw_all = False  # the list and the graph have to be updated, too

    async def open(self) -> None:
        """Open the analysis. Raises `TengenError` if it is not allowed."""
        self.analysis = await AnalysisSession.open(
            self._sessions,
            self._session,
            self._visit.browser,
            f"analysis {self._client.id}",
            self._schedule_update,
        )

    def build(self) -> None:
        options = self._visit.preferences
        analysis = self.analysis
        analysis.lines, analysis.seconds = options.lines, float(options.seconds)
        with ui.element("div").classes("tg-table"):
            with ui.element("section").classes("tg-stage").props('aria-label="Board"'):
                self.board = Board(
                    self._board_data(),
                    {**options.board_config(), "confirm": "never"},
                    move=self._move,
                    aim=self._show_aim,
                    tap=lambda _: None,
                )
                self.board.set_overlays({"bar": 0})
                self._graph = Graph({"length": 1, "values": [], "at": 0}, "Values over the game", self._go_to_ply)
                self._build_steps()
                self._overlays.build_legend()
            with ui.element("section").classes("tg-side").props('aria-label="Analysis"'):
                self._engine = EngineCard(
                    self._visit, analysis, self.board, self._on_position_change, self._show_all
                )
                self._engine.build(self._engines)
                with ui.element("div").classes("tg-card tg-fill"):
                    self._names = ui.label(self._heading()).classes("tg-quiet")
                    self._list = MoveList([], -1, self._go)
                with ui.element("div").classes("tg-card tg-fill"):
                    self._build_panels()
        step_with_arrow_keys(self._step)
        self._show_all()
        analysis.restart_search()

    def _heading(self) -> str:
        match = self.analysis.match
        names = [player_name(match, side) for side in (0, 1)]
        code = "" if match.result is None else match.result.code
        result = f", {code}" if code else ""
        return f"{names[0]} – {names[1]}{result} · {describe_game(match.game)}"

    def _build_steps(self) -> None:
        with ui.element("div").classes("tg-row tg-spread"):
            build_step_buttons(self._step, "End")
            self._off_board = ui.element("div").classes("tg-row")
            with ui.element("div").classes("tg-row"):
                self._overlays.build()
                button("Remove", self._remove, "backspace", title="Remove this variation").props("dense")
                with button("", lambda: None, "more_horiz", aria_label="More").props("dense"), ui.menu():
                    for form in download_formats(self.analysis.match.game.name):
                        ui.menu_item(
                            f"Download as {form}",
                            partial(ui.download.from_url, f"/record/{self._session.id}.{form}"),
                        )
                    if not self._session.is_in_library:
                        ui.menu_item("Save to the library", self._save_to_library)

    def _build_panels(self) -> None:
        keeps = self._visit.may_edit_books and self._session.may_change(self._visit.browser)
        panel_context = PanelContext(
            self._sessions, self._try, self.analysis.match, self.board.preview, self._add_overlays, keeps
        )
        found = panels_for(self.analysis.match.game.name)
        with ui.tabs().props("dense align=left no-caps") as tabs:
            for panel in found:
                ui.tab(panel.title)
            ui.tab("Comment")
        first = next((panel.title for panel in found if panel.title == self._tab), found[0].title)
        with ui.tab_panels(tabs, value=first).props("animated=false"):
            for panel in found:
                with ui.tab_panel(panel.title):
                    self._shows.append(panel.build(panel_context))
            with ui.tab_panel("Comment"):
                self._comment = ui.textarea("Add a comment").props("outlined autogrow")
                self._comment.on("blur", self._save_comment)
                if not self.analysis.is_own:
                    ui.label("Copy: changes aren't saved").classes("tg-quiet")

    # ---- display

    def _board_data(self) -> dict[str, Any]:
        here = self.analysis.view.node
        return board_data(here.position, playable=not here.position.is_over, node=here.node)

    def _show_all(self) -> None:
        """Update everything, after a change of the tree or of values."""
        self._show_tree()
        self._show_position()

    def _show_tree(self) -> None:
        match, reports = self.analysis.match, self._session.game_reports.index
        line = list(match.live.line())
        annotations = annotate_moves(line, reports, match)
        if self._rows is None:
            self._rows = MoveListRows(match.tree, match.game, annotations)
        else:
            self._rows.update(match.tree, annotations)
        self._list.show(self._rows.rows, self._rows.number(self.analysis.view.node.node))

    def _show_position(self) -> None:
        """Update everything that depends on the position shown."""
        analysis = self.analysis
        assert self._rows is not None
        self.board.show(self._board_data())
        self._list.show(None, self._rows.number(analysis.view.node.node))
        self._comment.set_value(analysis.view.node.node.comment)
        self._off_board.clear()
        if not analysis.position.is_over:
            with self._off_board:
                for word in moves_off_board(analysis.position):
                    chip(word.capitalize(), partial(self._move, {"move": word}))
        self._show_graph()
        self._show_report()

    def _show_graph(self) -> None:
        line, game_reports = self.analysis.view.line, self._session.game_reports
        self._graph.show(graph(line, game_reports.index, self.analysis.match, self.analysis.position.ply))
        self._engine.show_review()

    def _show_report(self) -> None:
        position, report = self.analysis.position, self.analysis.report
        overlays: dict[str, Any] = {"bar": 0, "barText": self._engine.show()}
        if position.is_over:
            report = None
            overlays["bar"] = final_bar(position, self.analysis.match)
        elif report is not None:
            overlays["bar"] = round(for_first(report, position.to_move), 3)
        overlays |= self._overlays.selected(position, report)
        self.board.set_overlays(overlays)
        if self._seen is None or self._seen.position is not position or self._seen.report is not report:
            self._seen = ShownPosition(position, report)
            for show in self._shows:
                show(self._seen)

    def _add_overlays(self, layers: dict[str, Any], choose: str = "") -> None:
        with self._client:
            self._overlays.add(self.analysis.position, layers, choose)

    # ---- events

    def on_event(self, event: SessionEvent) -> None:
        with self._client:
            if isinstance(event, Reviewed):
                self._schedule_update(redraw_all=True)
            elif isinstance(event, events.Moved | events.TakenBack | events.TreeEdited | events.Ended):
                if self.analysis.is_own:
                    self._names.set_text(self._heading())
                    self._show_all()

    def _schedule_update(self, redraw_all: bool = False) -> None:
        self._redraw_all = self._redraw_all or redraw_all
        if self._update_timer is None:
            pause = max(0.0, self._updated_at + MIN_UPDATE_INTERVAL_S - time.monotonic())
            self._update_timer = asyncio.get_running_loop().call_later(pause, self._update)

    def _update(self) -> None:
        self._update_timer = None
        self._updated_at = time.monotonic()
        if self._client.is_deleted:
            return
        with self._client:
            if self._redraw_all:
                self._redraw_all = False
                self._show_tree()
                self._show_graph()
            self._show_report()

    # ---- user actions

    async def _try(self, move: str) -> None:
        await self._move({"move": move})

    async def _move(self, given: dict[str, Any]) -> None:
        try:
            await self.analysis.play(str(given.get("move", ""))[:100])
        except TengenError as error:
            self.board.show(self._board_data())
            self.board.reject(str(error))
            return
        self._show_all()

    def _show_aim(self, given: dict[str, Any]) -> None:
        show_aim(self.board, self.analysis.position, given)

    def _on_position_change(self) -> None:
        self.analysis.restart_search()
        self._show_position()

    def _go(self, given: dict[str, Any]) -> None:
        number = given.get("id")
        if self._rows is not None and isinstance(number, int):
            try:
                self.analysis.view.show(self._rows.find(number))
            except TengenError as error:
                show_error(error)
                return
            self._on_position_change()

    def _go_to_ply(self, given: dict[str, Any]) -> None:
        ply = given.get("ply")
        if isinstance(ply, int):
            self.analysis.view.go_to(max(0, min(len(self.analysis.view.line) - 1, ply)))
            self._on_position_change()

    def _step(self, step: int) -> None:
        ply = self.analysis.position.ply
        start = self.analysis.view.line[0].ply
        self._go_to_ply({"ply": ply - start + step})

    async def _remove(self) -> None:
        try:
            await self.analysis.remove()
        except TengenError as error:
            show_error(error)
        self._show_all()

    async def _save_comment(self) -> None:
        try:
            await self.analysis.comment(str(self._comment.value or "")[:20_000])
        except TengenError as error:
            show_error(error)

    async def _save_to_library(self) -> None:
        store = self._sessions.store
        try:
            await self._sessions.run_in_thread(check_quota, store, self._visit.visitor)
            done = await self._sessions.run_in_thread(store.import_records, [self.analysis.match.record])
            await self._sessions.run_in_thread(add_imported_games, store, self._visit.visitor, done.added)
        except TengenError as error:
            show_error(error)
            return
        show_message(str(done))


def register(sessions: GameSessions) -> None:
    @ui.page("/analysis/{game_id}", response_timeout=PAGE_TIMEOUT_S)
    async def analysis(request: Request, game_id: str, tab: str = "") -> None:
        visit = Visit.from_request(sessions, request)
        try:
            session = await await_with_notice(sessions.get(game_id))
            found = await sessions.run_in_thread(candidates, sessions.store, session.match.game.name)
            engines = [player for player in found if isinstance(player, EnginePlayer)]
            shown = AnalysisPage(visit, session, engines, tab)
            await shown.open()
            context.client.on_delete(shown.analysis.close)
            context.client.on_delete(session.watch(shown.on_event))
        except TengenError as error:
            show_unavailable(visit, error)
            return
        with frame(visit, "Analysis", "/analysis"):
            shown.build()
