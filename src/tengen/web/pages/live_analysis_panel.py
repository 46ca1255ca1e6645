"""Engine analysis beside a game in progress: value, graph, losses, and overlays on the board.

A player switches it on, like a hint; until then nothing is searched and the game stays rated. It is also available
after the game has ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import context, ui

from tengen.app.value_display import for_first, verdict
from tengen.app.value_graph import Loss, final_bar, final_share, graph, losses
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.web.elements import Board, Graph, Handler
from tengen.web.game_session import GameSession
from tengen.web.live_analysis import LiveAnalysis
from tengen.web.pages.layout import Visit
from tengen.web.pages.overlays import NONE, OverlaySelector
from tengen.web.pages.widgets import confirm, note, show_error
from tengen.web.panels import PanelContext, ShownPosition, ShowPosition, panels_for


class LiveAnalysisPanel:
    """`changed` is called when the board's overlays have changed, `go` with the ply clicked in the graph."""

    def __init__(
        self,
        visit: Visit,
        session: GameSession,
        board: Board,
        changed: Callable[[], None],
        go: Handler,
        play: Handler,
    ) -> None:
        self._visit = visit
        self._session = session
        self._board = board
        self._changed = changed
        self._go = go
        self._play = play
        self._client = context.client
        self._analysis: LiveAnalysis | None = None
        self._position = session.match.live
        self._shows: list[ShowPosition] = []
        self._overlays = OverlaySelector(changed, prefer=("ownership", NONE))

    @property
    def is_on(self) -> bool:
        return self._analysis is not None

    def build(self) -> None:
        with ui.element("div").classes("tg-card") as self._card:
            with ui.element("div").classes("tg-row tg-spread"):
                self._switch = ui.switch(_("Engine analysis"), on_change=self._turn).props("dense").mark("helper")
                self._overlays.build()
            with ui.element("div").classes("tg-helper") as self._content:
                self._overlays.build_legend()
                self._value = ui.label("").classes("tg-status").mark("helper-value")
                self._graph = Graph({"length": 1, "values": [], "at": 0}, _("Values over the game"), self._go)
                self._lost = note("").style("white-space: pre-line").mark("lost")
                self._panels = ui.element("div")
        self._content.set_visibility(False)
        self._overlays.set_visibility(False)

    def show(self, position: Position) -> None:
        """Follow the board to a position. Also call it when values of the game have changed."""
        self._position = position
        self._card.set_visibility(self.is_on or self._session.seating.may_use_engine(self._visit.browser))
        if self._analysis is not None:
            self._analysis.show_position(position)
            self._show_game()
            self._show_report()

    def overlays(self) -> dict[str, Any]:
        """The selected overlay and the value bar."""
        if self._analysis is None:
            return {}
        report, bar = None, 0.0
        if self._position.is_over:
            bar = final_bar(self._position, self._session.match)
        elif (report := self._analysis.report) is not None:
            bar = for_first(report, self._position.to_move)
        words = self._value.text
        return {"bar": round(bar, 3), "barText": words, **self._overlays.selected(self._position, report)}

    def losses(self) -> dict[int, Loss]:
        """The losses by the moves of the game, for the move list."""
        line = list(self._session.match.live.line())
        return losses(line, self._session.game_reports.index) if self.is_on else {}

    def close(self) -> None:
        if self._analysis is not None:
            self._analysis.close()
            self._analysis = None

    async def _turn(self, event: Any) -> None:
        if not event.value:
            self.close()
        elif self._analysis is None and not await self._open():
            self._switch.set_value(False)
            return
        self._content.set_visibility(self.is_on)
        self._overlays.set_visibility(self.is_on)
        self.show(self._position)
        self._changed()

    async def _open(self) -> bool:
        session, who = self._session, self._visit.browser
        helps = session.match.result is None and session.match.is_rated and bool(session.seating.sides(who))
        if helps and not await confirm(_("Engine help makes this game unrated. Continue?"), _("Continue")):
            return False
        try:
            self._analysis = await LiveAnalysis.open(
                self._visit.sessions, session, who, f"helper {self._client.id}", self._on_change
            )
        except TengenError as error:
            show_error(error)
            return False
        if not self._shows:
            with self._panels:
                self._build_panels()
        return True

    def _build_panels(self) -> None:
        panel_context = PanelContext(
            self._visit.sessions, self._play, self._session.match, self._board.preview, self._add_overlays
        )
        for panel in panels_for(self._session.match.game.name):
            if panel.playing:
                with ui.expansion(_(panel.title)).props("dense").style("width: 100%"):
                    self._shows.append(panel.build(panel_context))

    def _add_overlays(self, layers: dict[str, Any], choose: str = "") -> None:
        self._overlays.add(self._position, layers, choose)

    def _on_change(self) -> None:
        if not self._client.is_deleted:
            with self._client:
                self._show_report()
                self._changed()

    def _show_report(self) -> None:
        assert self._analysis is not None
        position, report = self._position, self._analysis.report
        if position.is_over:
            self._value.set_text(final_share(position, self._session.match)[2])
        elif report is None:
            self._value.set_text(self._analysis.note)
        else:
            self._value.set_text(verdict(position, report))
        for show in self._shows:
            show(ShownPosition(position, report))

    def _show_game(self) -> None:
        match = self._session.match
        line, reports = list(match.live.line()), self._session.game_reports.index
        self._graph.show(graph(line, reports, match, self._position.ply - line[0].ply))
        found = self.losses()
        lines = [
            f"{ply}. {match.game.write_move(after.move)} {found[ply].words}"
            for ply, after in sorted(
                ((after.ply, after) for after in line[1:]), key=lambda one: one[0], reverse=True
            )
            if ply in found and after.move is not None
        ]
        self._lost.set_text("\n".join(lines[:4]))
