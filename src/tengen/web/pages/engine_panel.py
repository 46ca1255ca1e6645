"""The engine of an analysis: selection, on/off, the verdict on the position, and candidate lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from tengen.app.proofs.certify import certify_request, has_proof
from tengen.app.value_display import verdict
from tengen.app.value_graph import final_share
from tengen.core.locale_format import number
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext, translate
from tengen.players.opponents import analysis_player
from tengen.players.player import EnginePlayer
from tengen.runtime.messages import Request
from tengen.search.report import Report
from tengen.web.analysis_session import AnalysisSession
from tengen.web.board_data import candidate_rows, line_preview
from tengen.web.elements import Board, Lines
from tengen.web.pages.board_input import parse_line
from tengen.web.pages.layout import Visit
from tengen.web.pages.widgets import button, errors_shown

_LINE_COUNTS = (1, 2, 3, 5, 8)


class EnginePanel:
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
        analysis, game = self._analysis, self._analysis.match.game.name
        default = analysis_player(game)
        analysis.config = default.config
        self._engines = {engine.id: engine for engine in (default, *engines)}
        labels = {identity: engine.name for identity, engine in self._engines.items()}
        labels[default.id] = _("Full strength")
        with ui.element("div").classes("tg-card"):
            with ui.element("div").classes("tg-row tg-spread").style("flex-wrap: nowrap"):
                ui.switch(value=True, on_change=self._switch).props(f'dense aria-label="{_("Engine")}"').mark(
                    "engine"
                )
                ui.select(labels, value=default.id, on_change=self._choose_engine).props(
                    f'dense borderless options-dense aria-label="{_("Engine player")}"'
                ).style("flex: 1; min-width: 0")
                ui.select(
                    {
                        count: ngettext("{count} line", "{count} lines", count).format(count=count)
                        for count in _LINE_COUNTS
                    },
                    value=analysis.lines if analysis.lines in _LINE_COUNTS else 3,
                    on_change=self._choose_lines,
                ).props(f'dense borderless options-dense aria-label="{_("Lines")}"')
            self._verdict = ui.label("").classes("tg-status tg-verdict").mark("value")
            self._lines = Lines(
                "", hover=self._preview_line, leave=lambda _: self._board.preview(None), follow=self._follow
            )
            with ui.element("div").classes("tg-row tg-spread tg-small-row"):
                self._effort = ui.label("").classes("tg-thought")
                self._build_legend()
            self._proof = button(_("Download the proof"), self._download_proof, "verified").props("dense")

    def _build_legend(self) -> None:
        """What the labels of values mean."""
        with ui.element("div").classes("tg-row tg-value-legend") as self._legend:
            for kind, sample, text in (
                ("exact", "✓", _("proved")),
                ("bound", "≥ ✓", _("proved bound")),
                ("heuristic", "~", _("estimate")),
            ):
                with ui.element("span").classes("tg-row tg-small-row"):
                    ui.label(sample).classes(f"tg-value tg-kind-{kind}")
                    ui.label(text)

    def show(self) -> str:
        """Show the report on the position; returns the value in words."""
        analysis, report = self._analysis, self._analysis.report
        position = analysis.position
        words, effort, quiet = "", "", ""
        rows: list[dict[str, Any]] = []
        if position.is_over:
            words = final_share(position, analysis.match)[2]
        elif report is None:
            words = translate(analysis.searcher.note) or _("Searching…") if analysis.is_on else _("Not searched")
            quiet = "" if analysis.is_on else _("The engine is off.")
        else:
            words = verdict(position, report)
            rows = candidate_rows(report)[: analysis.lines]
            player = _(position.game.players[position.to_move])
            effort = _("Values for {player} to move").format(player=player) + f" · {_describe_effort(report)}"
        note = analysis.searcher.note
        if report is not None and note and not analysis.searcher.is_searching:  # such as a program that crashed
            effort = f"{translate(note)} · {effort}"
        self._verdict.set_text(words)
        self._legend.set_visibility(bool(rows))
        self._lines.show(rows, quiet)
        self._proof.set_visibility(report is not None and has_proof(position, report))
        self._effort.set_text(effort)
        return words

    # ---- user actions

    def _preview_line(self, given: dict[str, Any]) -> None:
        moves = parse_line(given)
        if moves:
            self._board.preview(line_preview(self._analysis.position, moves))

    async def _follow(self, given: dict[str, Any]) -> None:
        with errors_shown():
            await self._analysis.play(*parse_line(given))
        self._on_line_played()

    async def _download_proof(self) -> None:
        """Make and check a proof of the value of the position shown, for `tengen verify`."""
        position, report = self._analysis.position, self._analysis.report
        if report is None:
            return
        self._proof.disable()
        with errors_shown():
            request = Request.from_position(position)
            text = await self._sessions.helper_pool.run(certify_request, request, report)
            ui.download.content(text, f"tengen-{position.game.name}-{position.ply}.proof")
        self._proof.enable()

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


def _describe_effort(report: Report) -> str:
    depth = _("depth {depth}").format(depth=report.depth) if report.depth else ""
    nodes = (
        ngettext("{count} node", "{count} nodes", report.nodes).format(count=number(report.nodes))
        if report.nodes
        else ""
    )
    seconds = _("{seconds} s").format(seconds=number(report.seconds, 1))
    return ", ".join(part for part in (report.engine, depth, nodes, seconds) if part)
