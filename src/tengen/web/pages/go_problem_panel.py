"""The Problem panel for Go: is a string alive, dead or a ko, what does each move do, and the tree of answers.

Playing one of the listed moves on the board asks the same question again after it, so the tree can be walked.
"""

from __future__ import annotations

from typing import Any

from nicegui import ui

from tengen.app.problems import (
    VERDICTS,
    Examination,
    MoveResult,
    Outcome,
    Verdict,
    read_problem,
    strings_of,
)
from tengen.app.proofs.certify import go_answer_request
from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext
from tengen.runtime.messages import Request
from tengen.web.elements import Lines
from tengen.web.pages.page_updates import PositionLoader
from tengen.web.pages.widgets import button, errors_shown, note
from tengen.web.panels import PanelContext, ShownPosition, ShowPosition, register_panel

_OUTCOMES = {Outcome.WORKS: mark("works"), Outcome.KO: mark("ko"), Outcome.FAILS: mark("fails")}
MAX_MOVES = 40


class ProblemPanel:
    """Nothing is read until a string is chosen; the choice is kept while moves are played."""

    def __init__(self, panel_context: PanelContext) -> None:
        self._panel = panel_context
        self._position: Position | None = None
        self._target: Point | None = None
        self._stones: dict[str, Point] = {}
        self._results: list[MoveResult] = []

    def build(self) -> ShowPosition:
        self._choice = ui.select({}, label=_("Choose a string"), on_change=self._choose, clearable=True).props(
            "outlined dense options-dense"
        )
        self._choice.style("width: 100%").mark("string")
        self._verdict = ui.label("").classes("tg-status").props('role="status"').mark("verdict")
        self._kind = note("")
        self._lines = Lines(
            "", hover=self._preview, leave=lambda _event: self._panel.preview(None), follow=self._play
        )
        self._lines.classes("tg-brief")
        self._proof = button(_("Download the proof"), self._download_proof, "verified").props("dense")
        self._proof.set_visibility(False)
        self._loader = PositionLoader(self._read, self._fill, self._verdict.set_text)
        return self._show

    def _show(self, seen: ShownPosition) -> None:
        if seen.position is self._position:
            return
        self._position = seen.position
        found = strings_of(seen.position)
        players = seen.position.game.players
        options = {}
        self._stones = {}
        for string in found:
            options[string.name] = ngettext(
                "{player} {point} ({count} stone)", "{player} {point} ({count} stones)", len(string.points)
            ).format(player=_(players[string.player]), point=string.name, count=len(string.points))
            self._stones[string.name] = string.points[0]
        chosen = next((one.name for one in found if self._target in one.points), None)
        if self._target is not None and chosen is None:
            self._verdict.set_text(_("The stones were captured."))
            self._kind.set_text("")
            self._lines.show([], "")
        self._choice.set_options(options, value=chosen)
        self._begin()

    def _choose(self, event: Any) -> None:
        if event.value in self._stones:
            point = self._stones[event.value]
            if point != self._target:
                self._target = point
                self._begin()
        elif event.value is None and self._position is not None and self._target is not None:
            contents = self._position.diagram().contents()
            if contents[self._target]:  # cleared by the user, not captured
                self._target = None
                self._verdict.set_text("")
                self._kind.set_text("")
                self._lines.show([], "")

    def _begin(self) -> None:
        self._results = []
        self._proof.set_visibility(False)
        position = self._position
        self._loader.position = None
        if position is not None and self._target is not None and not position.is_over:
            if position.diagram().contents()[self._target]:
                self._loader.position = position
        if self._loader.position is not None:
            self._verdict.set_text(_("Reading …"))
            self._kind.set_text("")
            self._lines.show([], "")
        self._loader.reload()

    async def _read(self, position: Position) -> tuple[Position, Examination, list[MoveResult]]:
        assert self._target is not None
        pool = self._panel.sessions.helper_pool
        found, results = await pool.run(read_problem, Request.from_position(position), self._target)
        return position, found, results

    def _fill(self, found: tuple[Position, Examination, list[MoveResult]]) -> None:
        position, examination, results = found
        players = [_(name) for name in position.game.players]
        owner, attacker = players[examination.owner], players[1 - examination.owner]
        self._verdict.set_text(_(VERDICTS[examination.verdict]).format(owner=owner, attacker=attacker))
        proved = _("Proved: every move in the region of {count} points was tried.")
        read = _("Read, not proved: the string is not shut in by living stones.")
        self._kind.set_text((proved if examination.is_proved else read).format(count=examination.points))
        self._proof.set_visibility(examination.is_proved and examination.verdict is not Verdict.KO)
        self._results = results[:MAX_MOVES]
        mover = players[position.to_move]
        rows = [
            {
                "value": _(_OUTCOMES[one.outcome]),
                "kind": "exact" if one.is_proved else "heuristic",
                "words": _("{player} {move}: {outcome}").format(
                    player=mover, move=one.move, outcome=_(_OUTCOMES[one.outcome])
                ),
                "line": [one.move],
                "lost": one.outcome is Outcome.FAILS,
            }
            for one in self._results
        ]
        self._lines.show(rows, _("No move in the region is legal."))

    async def _download_proof(self) -> None:
        """Make and check a proof of the answer, for `tengen verify`."""
        position, target = self._position, self._target
        if position is None or target is None:
            return
        self._proof.disable()
        with errors_shown():
            request = Request.from_position(position)
            text = await self._panel.sessions.helper_pool.run(go_answer_request, request, target)
            ui.download.content(text, f"tengen-go-{position.ply}.proof")
        self._proof.enable()

    def _preview(self, _given: Any) -> None:
        """Nothing is drawn: a single stone says no more than its name."""

    async def _play(self, given: dict[str, Any]) -> None:
        row = given.get("row")
        if isinstance(row, int) and 0 <= row < len(self._results):
            await self._panel.play(self._results[row].move)


register_panel(mark("Problem"), lambda panel: ProblemPanel(panel).build(), games=("go",))
