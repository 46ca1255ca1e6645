"""The analysis page: any position of any game, with an engine, a move tree and panels."""

from __future__ import annotations

from typing import Any

from nicegui import context, ui

from tengen.app.game_options import describe_game
from tengen.app.pictures import png
from tengen.app.value_display import for_first
from tengen.app.value_graph import final_bar
from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.play import events
from tengen.play.player_lookup import candidates
from tengen.players.player import EnginePlayer
from tengen.web.analysis_session import AnalysisSession
from tengen.web.board_data import board_data
from tengen.web.elements import Board, MoveList
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions
from tengen.web.move_list import MoveListRows, annotate_moves
from tengen.web.pages import candidates_panel as _candidates
from tengen.web.pages import common_panels as _explorer
from tengen.web.pages import go_problem_panel as _go_problem
from tengen.web.pages import go_strings_panel as _go_strings
from tengen.web.pages import pente_evaluation_panel as _pente_counts
from tengen.web.pages.board_input import OffBoardMoves, build_step_buttons, show_aim, step_with_arrow_keys
from tengen.web.pages.engine_panel import EnginePanel
from tengen.web.pages.layout import Visit, add_page, await_with_notice, frame
from tengen.web.pages.overlays import OverlaySelector
from tengen.web.pages.page_updates import ThrottledUpdate
from tengen.web.pages.play_on import ask_and_play_on
from tengen.web.pages.position_editor import editor_url
from tengen.web.pages.review_panel import ReviewPanel
from tengen.web.pages.shortcuts import BOARD, STEPPING, add_shortcuts
from tengen.web.pages.widgets import button, download_items, errors_shown, note, show_message
from tengen.web.panels import PanelContext, ShownPosition, ShowPosition, panels_for
from tengen.web.permissions import add_imported_games, check_quota
from tengen.web.seating import player_name
from tengen.web.session_events import Reviewed, SessionEvent

MIN_UPDATE_INTERVAL_S = 0.2  # between two updates of a running search

_KEYS = {"n": mark("Next mistake"), "p": mark("Previous mistake")}
_REVIEW, _COMMENT = mark("Review"), mark("Comment")
_PANELS = (_candidates, _explorer, _go_strings, _go_problem, _pente_counts)  # registered by importing them


class AnalysisPage:
    """One browser's analysis of a game."""

    def __init__(
        self, visit: Visit, session: GameSession, engines: list[EnginePlayer], tab: str, ply: int | None
    ) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._session = session
        self._engines = engines
        self._tab = tab
        self._ply = ply
        self._goes_to_mistake = False  # when the quick review has ended, unless the user has moved on
        self._client = context.client
        self._overlays = OverlaySelector(self._show_report)
        self._shows: list[ShowPosition] = []
        self._seen: ShownPosition | None = None
        self._rows: MoveListRows | None = None
        self._throttle = ThrottledUpdate(self._update, MIN_UPDATE_INTERVAL_S)
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
        with ui.element("div").classes("tg-table tg-analysis"):
            with ui.element("section").classes("tg-stage").props(f'aria-label="{_("Board")}"'):
                self.board = Board(
                    self._board_data(),
                    {**options.board_config(), "confirm": "never"},
                    move=self._move,
                    aim=self._show_aim,
                    tap=lambda _: None,
                )
                self.board.set_overlays({"bar": 0})
                self._build_steps()
                self._overlays.build_legend()
            with ui.element("section").classes("tg-side").props(f'aria-label="{_("Analysis")}"'):
                with (
                    ui.element("div").classes("tg-analysis-moves"),
                    ui.element("div").classes("tg-card tg-fill tg-moves-card"),
                ):
                    self._names = ui.label(self._heading()).classes("tg-quiet")
                    self._list = MoveList([], -1, self._go)
                with ui.element("div").classes("tg-analysis-engine"):
                    self._engine = EnginePanel(
                        self._visit, analysis, self.board, self._on_position_change, self._on_line_played
                    )
                    self._engine.build(self._engines)
                    self._review = ReviewPanel(self._visit, analysis, self._go_to_move, self._on_graph)
                    self._review.build()
                    with ui.element("div").classes("tg-card tg-fill tg-panels-card"):
                        self._build_panels()
        step_with_arrow_keys(self._step)
        ui.keyboard(on_key=self._on_key, ignore=["input", "select", "textarea"])
        add_shortcuts(mark("Analysis"), {**STEPPING, **_KEYS, **BOARD})
        self._go_to_first()
        self._show_all()
        analysis.restart_search()

    def _go_to_first(self) -> None:
        """Go to the move in the address, or to the first mistake; a game without values is reviewed first."""
        first = self._review.summary.first_mistake
        if self._ply is not None:
            self._show_move(self._ply)
        elif self._review.should_start:
            self._goes_to_mistake = True
            ui.timer(0, self._review.start, once=True)
        elif first is not None and self._session.match.result is not None:
            self._show_move(first.number)

    def _show_move(self, number: int) -> None:
        """Show the position after a move of the game."""
        path = self.analysis.match.tree.current.path()
        index = number - path[0].position.ply
        self.analysis.view.show(path[max(0, min(len(path) - 1, index))])

    def _heading(self) -> str:
        match = self.analysis.match
        names = [player_name(match, side) for side in (0, 1)]
        code = "" if match.result is None else match.result.code
        result = f", {code}" if code else ""
        return f"{names[0]} – {names[1]}{result} · {describe_game(match.game)}"

    def _build_steps(self) -> None:
        with ui.element("div").classes("tg-row tg-spread"):
            build_step_buttons(self._step, _("End"), self.board)
            self._off_board = OffBoardMoves(self._move)
            with ui.element("div").classes("tg-row"):
                self._overlays.build()
                button(_("Remove"), self._remove, "backspace", title=_("Remove this variation")).props("dense")
                with button("", lambda: None, "more_horiz", aria_label=_("More")).props("dense"), ui.menu():
                    download_items(self.analysis.match.game.name, self._session.id)
                    ui.menu_item(_("Picture of this position (PNG)"), self._save_picture)
                    ui.menu_item(_("Play on from here"), self._play_on)
                    if self.analysis.match.game.can_set_up:
                        ui.menu_item(_("Edit this position"), self._edit)
                    if not self._session.is_in_library:
                        ui.menu_item(_("Save to the library"), self._save_to_library)

    async def _save_picture(self) -> None:
        """Download the position that is shown, also one of a variation."""
        position = self.analysis.position
        ui.download.content(
            await self._sessions.run_in_thread(png, position.diagram()), f"tengen-move-{position.ply}.png"
        )

    def _build_panels(self) -> None:
        may_edit = self._visit.may_edit_books and self._session.seating.may_change(self._visit.browser)
        panel_context = PanelContext(
            self._sessions, self._try, self.analysis.match, self.board.preview, self._add_overlays, may_edit
        )
        found = panels_for(self.analysis.match.game.name)
        titles = [*([_REVIEW] if self._review.is_offered else []), *(panel.title for panel in found), _COMMENT]
        wanted = next((title for title in titles if title == self._tab), titles[0])
        with ui.tabs().props("dense align=left no-caps inline-label outside-arrows mobile-arrows") as tabs:
            for title in titles:
                ui.tab(title, label=_(title))
        with ui.tab_panels(tabs, value=wanted).props("animated=false"):
            if _REVIEW in titles:
                with ui.tab_panel(_REVIEW):
                    self._review.build_summary()
            for panel in found:
                with ui.tab_panel(panel.title):
                    self._shows.append(panel.build(panel_context))
            with ui.tab_panel(_COMMENT):
                self._comment = ui.textarea(_("Add a comment")).props("outlined autogrow").classes("tg-wide-field")
                self._comment.on("blur", self._save_comment)
                if not self.analysis.is_own:
                    note(_("Copy: changes aren't saved"))

    # ---- display

    def _board_data(self) -> dict[str, Any]:
        here = self.analysis.view.node
        return board_data(here.position, playable=not here.position.is_over, node=here.node)

    def _show_all(self) -> None:
        """Update everything, after a change of the tree or of values."""
        self._show_tree()
        self._show_position()

    def _show_tree(self) -> None:
        match = self.analysis.match
        self._review.show()
        annotations = annotate_moves(self._review.summary)
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
        self._off_board.show(analysis.position)
        self._review.show(tree_changed=False)
        self._show_report()

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
                if not event.moves:
                    self._on_pass_end()
            elif isinstance(event, events.Moved | events.TakenBack | events.TreeEdited | events.Ended):
                if self.analysis.is_own:
                    self._names.set_text(self._heading())
                    self._show_all()

    def _schedule_update(self, redraw_all: bool = False) -> None:
        self._redraw_all = self._redraw_all or redraw_all
        self._throttle.schedule()

    def _update(self) -> None:
        if self._redraw_all:
            self._redraw_all = False
            self._show_tree()
        self._show_report()

    def _on_pass_end(self) -> None:
        """A pass of a review has begun or ended: after the quick one, go to the first mistake."""
        review = self._session.game_reports.review
        if review is None or (review.pass_number == 1 and not review.finished.is_set()):
            return
        if self._goes_to_mistake:
            self._goes_to_mistake = False
            self._show_tree()
            first = self._review.summary.first_mistake
            if first is not None:
                self._go_to_move(first.number)
                return
        self.analysis.resume_search()

    # ---- user actions

    async def _try(self, move: str) -> None:
        await self._move({"move": move})

    async def _move(self, given: dict[str, Any]) -> None:
        self._goes_to_mistake = False
        if given.get("ply", self.analysis.position.ply) != self.analysis.position.ply:
            self.board.show(self._board_data())  # chosen for another position, such as the second of two clicks
            return
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
        self._goes_to_mistake = False
        self.analysis.restart_search()
        self._show_position()

    def _on_line_played(self) -> None:
        self._goes_to_mistake = False
        self._show_all()

    def _go(self, given: dict[str, Any]) -> None:
        number = given.get("id")
        if self._rows is not None and isinstance(number, int):
            with errors_shown():
                self.analysis.view.show(self._rows.find(number))
                self._on_position_change()

    def _go_to_move(self, number: int) -> None:
        self._show_move(number)
        self._on_position_change()

    def _on_graph(self, given: dict[str, Any]) -> None:
        index = given.get("ply")
        if isinstance(index, int):
            self._go_along(index)

    def _go_along(self, index: int) -> None:
        """Go to a position of the line shown."""
        self.analysis.view.go_to(max(0, min(len(self.analysis.view.line) - 1, index)))
        self._on_position_change()

    def _step(self, step: int) -> None:
        self._go_along(self.analysis.position.ply - self.analysis.view.line[0].ply + step)

    def _on_key(self, event: Any) -> None:
        modifiers = event.modifiers
        if event.action.keydown and not (modifiers.alt or modifiers.ctrl or modifiers.meta):
            way = {"n": 1, "p": -1}.get(str(event.key.name))
            if way is not None:
                self._review.step(way)

    async def _remove(self) -> None:
        with errors_shown():
            await self.analysis.remove()
        self._show_all()

    async def _save_comment(self) -> None:
        with errors_shown():
            await self.analysis.comment(str(self._comment.value or "")[:20_000])

    async def _play_on(self) -> None:
        if self.analysis.position.is_over:
            show_message(_("The game is over in this position."))
            return
        await ask_and_play_on(self._visit, self.analysis.position)

    def _edit(self) -> None:
        ui.navigate.to(editor_url(self.analysis.position))

    async def _save_to_library(self) -> None:
        store = self._sessions.store
        with errors_shown():
            await self._sessions.run_in_thread(check_quota, store, self._visit.visitor)
            done = await self._sessions.run_in_thread(store.import_records, [self.analysis.match.record])
            await self._sessions.run_in_thread(add_imported_games, store, self._visit.visitor, done.added)
            show_message(translate(str(done)))


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/analysis/{game_id}")
    async def analysis(visit: Visit, game_id: str, tab: str = "", ply: int | None = None) -> None:
        session = await await_with_notice(sessions.get(game_id))
        found = await sessions.run_in_thread(candidates, sessions.store, session.match.game.name)
        engines = [player for player in found if isinstance(player, EnginePlayer)]
        shown = AnalysisPage(visit, session, engines, tab, ply)
        await shown.open()
        context.client.on_delete(shown.analysis.close)
        context.client.on_delete(session.watchers.add(shown.on_event))
        with frame(visit, _("Analysis"), "/analysis"):
            shown.build()
