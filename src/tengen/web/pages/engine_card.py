"""The engine of an analysis: selection, on/off, candidate lines, and the review of the whole game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from tengen.app.game_reports import with_review_level
from tengen.app.value_display import write_value
from tengen.app.value_graph import final_share
from tengen.core.errors import TengenError
from tengen.players.opponents import opponents
from tengen.players.player import EnginePlayer
from tengen.web.analysis_session import AnalysisSession
from tengen.web.board_data import candidate_rows, line_preview
from tengen.web.elements import Board, Lines
from tengen.web.pages.layout import Visit, button, show_error

_LINE_COUNTS = (1, 2, 3, 5, 8)


class EngineCard:
    """`on_engine_change` is called when the engine is changed or switched, `on_line_played` after a line."""

    def __init__(
        self,
        visit: Visit,
        analysis: AnalysisSession,
        board: Board,
        on_engine_change: Callable[[], None],
        on_line_played: Callable[[], None],
    ) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._analysis = analysis
        self._board = board
        self._on_engine_change = on_engine_change
        self._on_line_played = on_line_played

    def build(self, engines: list[EnginePlayer]) -> None:
        analysis, default = self._analysis, opponents(self._analysis.match.game.name)[-1]
        analysis.config = default.config
        self._engines = {engine.id: engine for engine in engines}
        labels = {identity: engine.name for identity, engine in self._engines.items()}
        with ui.element("div").classes("tg-card"):
            with ui.element("div").classes("tg-row tg-spread").style("flex-wrap: nowrap"):
                ui.switch(value=True, on_change=self._switch).props('dense aria-label="Engine"').mark("engine")
                ui.select(labels, value=default.id, on_change=self._choose_engine).props(
                    'dense borderless options-dense aria-label="Engine player"'
                ).style("flex: 1; min-width: 0")
                ui.select(
                    {count: f"{count} line{'s' if count > 1 else ''}" for count in _LINE_COUNTS},
                    value=analysis.lines if analysis.lines in _LINE_COUNTS else 3,
                    on_change=self._choose_lines,
                ).props('dense borderless options-dense aria-label="Lines"')
            self._value = ui.label("").classes("tg-status").mark("value")
            self._lines = Lines(
                "", peek=self._peek, unpeek=lambda _: self._board.preview(None), follow=self._follow
            )
            self._effort = ui.label("").classes("tg-thought")
            with ui.element("div").classes("tg-row"):
                self._review = button("Review the whole game", self._toggle_review, "auto_graph").props("dense")
                self._progress = ui.linear_progress(0, show_value=False).style("flex: 1; min-width: 80px")
                self._progress.set_visibility(False)

    def show(self) -> str:
        """Show the report on the position; returns the value in words."""
        analysis, report = self._analysis, self._analysis.report
        position = analysis.position
        words, effort, quiet = "", "", ""
        rows: list[dict[str, Any]] = []
        if position.is_over:
            words = final_share(position, analysis.match)[2]
        elif report is None:
            words = "" if not analysis.is_on else analysis.searcher.note or "Searching …"
            quiet = "" if analysis.is_on else "The engine is off."
        else:
            words = f"{position.game.players[position.to_move]}: {write_value(report.value)}"
            rows = candidate_rows(report)[: analysis.lines]
            depth = f"depth {report.depth}, " if report.depth else ""
            busy = "" if analysis.searcher.is_searching else " · done" if analysis.is_on else " · earlier search"
            effort = f"{report.engine}, {depth}{report.nodes:,} nodes, {report.seconds:.1f} s{busy}"
        self._value.set_text(words)
        self._lines.show(rows, quiet)
        self._effort.set_text(effort)
        return words

    def show_review(self) -> None:
        """Update the review button and progress."""
        analysis, reports = self._analysis, self._analysis.session.game_reports
        review, running = reports.review, reports.is_reviewing
        self._progress.set_visibility(running)
        if review is not None and running:
            self._progress.set_value(review.done / max(1, review.total))
        self._review.set_text("Stop the review" if running else "Review the whole game")
        over = analysis.session.match.result is not None  # otherwise a review would help a player
        self._review.set_visibility((analysis.is_own or over) and analysis.match.live.ply > 0)
        if review is not None and review.error is not None and not running:
            self._effort.set_text(str(review.error))

    # ---- user actions

    def _peek(self, given: dict[str, Any]) -> None:
        moves = self._line(given)
        if moves:
            self._board.preview(line_preview(self._analysis.position, moves))

    async def _follow(self, given: dict[str, Any]) -> None:
        try:
            await self._analysis.play(*self._line(given))
        except TengenError as error:
            show_error(error)
        self._on_line_played()

    def _line(self, given: dict[str, Any]) -> list[str]:
        report, row, step = self._analysis.report, given.get("row"), given.get("step")
        if report is None or not isinstance(row, int) or not isinstance(step, int):
            return []
        if not (0 <= row < len(report.candidates) and 0 <= step < 100):
            return []
        candidate = report.candidates[row]
        return list(candidate.line or (candidate.move,))[: step + 1]

    def _switch(self, event: Any) -> None:
        self._analysis.is_on = bool(event.value)
        self._on_engine_change()

    def _choose_engine(self, event: Any) -> None:
        self._analysis.config = self._engines[event.value].config
        self._on_engine_change()

    def _choose_lines(self, event: Any) -> None:
        self._analysis.lines = int(event.value)
        self._sessions.visitors.set_options(self._visit.browser, lines=self._analysis.lines)
        self._on_engine_change()

    async def _toggle_review(self) -> None:
        reports, config = self._analysis.session.game_reports, self._analysis.config
        if reports.is_reviewing:
            await self._sessions.run_in_thread(reports.stop_review)
        elif config is not None:
            await self._sessions.run_in_thread(reports.start_review, with_review_level(config))
