"""The engine of an analysis: which one, on or off, what it thinks in lines, and its review of the whole game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from tengen.app.game_reports import with_review_level
from tengen.app.value_display import write_value
from tengen.core.errors import TengenError
from tengen.players.opponents import opponents
from tengen.players.player import EnginePlayer
from tengen.web.analysis_session import AnalysisSession
from tengen.web.board_data import ahead, line_rows
from tengen.web.elements import Board, Lines
from tengen.web.pages.layout import Visit, button, show_error
from tengen.web.tree import ended

_COUNTS = (1, 2, 3, 5, 8)


class EngineCard:
    """`looked` is called when another engine, or none, is to look; `followed` when a line was played."""

    def __init__(
        self,
        visit: Visit,
        study: AnalysisSession,
        board: Board,
        looked: Callable[[], None],
        followed: Callable[[], None],
    ) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._study = study
        self._board = board
        self._looked = looked
        self._followed = followed

    def build(self, engines: list[EnginePlayer]) -> None:
        study, usual = self._study, opponents(self._study.match.game.name)[-1]
        study.config = usual.config
        self._engines = {engine.id: engine for engine in engines}
        labels = {identity: engine.name for identity, engine in self._engines.items()}
        with ui.element("div").classes("tg-card"):
            with ui.element("div").classes("tg-row tg-spread").style("flex-wrap: nowrap"):
                ui.switch(value=True, on_change=self._switch).props('dense aria-label="Engine"').mark("engine")
                ui.select(labels, value=usual.id, on_change=self._choose_engine).props(
                    'dense borderless options-dense aria-label="Engine player"'
                ).style("flex: 1; min-width: 0")
                ui.select(
                    {count: f"{count} line{'s' if count > 1 else ''}" for count in _COUNTS},
                    value=study.lines if study.lines in _COUNTS else 3,
                    on_change=self._choose_lines,
                ).props('dense borderless options-dense aria-label="Lines"')
            self._value = ui.label("").classes("tg-status").mark("value")
            self._lines = Lines("", peek=self._peek, unpeek=lambda _: self._board.look(None), follow=self._follow)
            self._effort = ui.label("").classes("tg-thought")
            with ui.element("div").classes("tg-row"):
                self._review = button("Review the whole game", self._begin_review, "auto_graph").props("dense")
                self._progress = ui.linear_progress(0, show_value=False).style("flex: 1; min-width: 80px")
                self._progress.set_visibility(False)

    def show(self) -> str:
        """What it thinks of the position looked at; returns the value in words."""
        study, report = self._study, self._study.report
        position = study.position
        words, effort, quiet = "", "", ""
        rows: list[dict[str, Any]] = []
        if position.is_over:
            words = ended(position, study.match)[2]
        elif report is None:
            words = "" if not study.is_on else study.searcher.note or "thinking …"
            quiet = "" if study.is_on else "The engine is off."
        else:
            words = f"{position.game.players[position.to_move]}: {write_value(report.value)}"
            rows = line_rows(report)[: study.lines]
            depth = f"depth {report.depth}, " if report.depth else ""
            busy = "" if study.searcher.is_searching else " · done" if study.is_on else " · from before"
            effort = f"{report.engine}, {depth}{report.nodes:,} nodes, {report.seconds:.1f} s{busy}"
        self._value.set_text(words)
        self._lines.show(rows, quiet)
        self._effort.set_text(effort)
        return words

    def show_review(self) -> None:
        """How far the review is, and whether one can begin."""
        study, findings = self._study, self._study.session.game_reports
        review, running = findings.review, findings.is_reviewing
        self._progress.set_visibility(running)
        if review is not None and running:
            self._progress.set_value(review.done / max(1, review.total))
        self._review.set_text("Stop the review" if running else "Review the whole game")
        over = study.session.match.result is not None  # then nobody is helped by it
        self._review.set_visibility((study.is_own or over) and study.match.live.ply > 0)
        if review is not None and review.error is not None and not running:
            self._effort.set_text(str(review.error))

    # ---- what somebody does

    def _peek(self, given: dict[str, Any]) -> None:
        moves = self._line(given)
        if moves:
            self._board.look(ahead(self._study.position, moves))

    async def _follow(self, given: dict[str, Any]) -> None:
        try:
            await self._study.play(*self._line(given))
        except TengenError as error:
            show_error(error)
        self._followed()

    def _line(self, given: dict[str, Any]) -> list[str]:
        report, row, step = self._study.report, given.get("row"), given.get("step")
        if report is None or not isinstance(row, int) or not isinstance(step, int):
            return []
        if not (0 <= row < len(report.candidates) and 0 <= step < 100):
            return []
        candidate = report.candidates[row]
        return list(candidate.line or (candidate.move,))[: step + 1]

    def _switch(self, event: Any) -> None:
        self._study.is_on = bool(event.value)
        self._looked()

    def _choose_engine(self, event: Any) -> None:
        self._study.config = self._engines[event.value].config
        self._looked()

    def _choose_lines(self, event: Any) -> None:
        self._study.lines = int(event.value)
        self._sessions.visitors.set_options(self._visit.browser, lines=self._study.lines)
        self._looked()

    async def _begin_review(self) -> None:
        findings, config = self._study.session.game_reports, self._study.config
        if findings.is_reviewing:
            await self._sessions.run_in_thread(findings.stop_review)
        elif config is not None:
            await self._sessions.run_in_thread(findings.start_review, with_review_level(config))
