"""A timed run: puzzles against the clock."""

from __future__ import annotations

import time
from random import Random
from typing import Any

from nicegui import ui

from tengen import games
from tengen.app.timed_run import MINUTES, OPTION, PENALTY_S, RunRecord, TimedRun
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext, translate
from tengen.store.puzzles import Puzzle
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import Visit, add_page, frame
from tengen.web.pages.question_page import QuestionPage
from tengen.web.pages.widgets import button, heading, note, show_figures, text_link

TICK_S = 0.25


def load_record(visit: Visit) -> RunRecord:
    return RunRecord.from_option(visit.sessions.visitors.options(visit.browser).get(OPTION))


def build_position(puzzle: Puzzle) -> Position:
    return games.game(puzzle.game, **dict(puzzle.options)).start().play_all(puzzle.moves)


class TimedRunPage(QuestionPage):
    """One run. The clock begins when the page is shown."""

    def __init__(self, visit: Visit) -> None:
        super().__init__(visit)
        self._run = TimedRun(Random(), time.monotonic())
        self._busy = False
        self._is_over = False
        self._shown: dict[str, str] = {}

    async def open(self) -> None:
        self._question = self._run.puzzle
        self._position = await self._sessions.run_in_thread(build_position, self._question)

    def build(self) -> None:
        with ui.element("div").classes("tg-table"):
            self._build_board()
            with ui.element("section").classes("tg-side").props(f'aria-label="{_("Puzzle")}"'):
                with ui.element("div").classes("tg-card"):
                    self._title = note("")
                    self._build_task()
                    self._figures = ui.element("div").mark("run-figures")
                    self._bar = ui.linear_progress(1, show_value=False).props(f'aria-label="{_("Time left")}"')
                    text = _("A wrong move costs {seconds} seconds. Answers do not change your deck or rating.")
                    note(text.format(seconds=round(PENALTY_S)))
                self._end = ui.element("div").classes("tg-card").mark("run-end")
                self._end.set_visibility(False)
        self._timer = ui.timer(TICK_S, self._tick)

    def show(self) -> None:
        self._title.set_text(_(self._position.game.title))
        self._task.set_text(translate(self._question.task))
        self._show_board()
        self._tick()

    def _tick(self) -> None:
        now = time.monotonic()
        left = self._run.remaining_s(now)
        minutes, seconds = divmod(int(left + 0.999), 60)
        figures = {_("time left"): f"{minutes}:{seconds:02}", _("solved"): str(self._run.solved)}
        figures[_("missed")] = str(self._run.missed)
        if figures != self._shown:
            self._shown = figures
            show_figures(self._figures, figures)
            self._bar.set_value(left / (60 * MINUTES))
        if self._run.is_over(now) and not self._is_over:
            self._finish()

    def _finish(self) -> None:
        self._is_over = True
        self._timer.deactivate()
        before = load_record(self._visit)
        record = before.with_run(self._run.solved)
        self._sessions.visitors.set_options(self._visit.browser, **{OPTION: record.to_option()})
        solved = self._run.solved
        with self._end:
            text = ngettext("{count} puzzle solved", "{count} puzzles solved", solved)
            heading(text.format(count=solved), 2)
            if solved > before.best and before.runs:
                ui.label(_("Your best run!"))
            else:
                note(_("Best run: {count}").format(count=record.best))
            with ui.element("div").classes("tg-row"):
                button(_("Again"), lambda: ui.navigate.to("/puzzles/run"), "replay", main=True)
                text_link(_("Puzzles"), "/puzzles", "tg-link-button")
        self._end.set_visibility(True)

    async def _move(self, given: dict[str, Any]) -> None:
        move = str(given.get("move", ""))[:100]
        if self._busy or self._is_over or move not in self._position.write_moves(self._position.legal_moves):
            self._show_board()
            return
        self._busy = True
        try:
            best = self._question.right[0]
            right = self._run.answer(move, time.monotonic())
            text = _("Right, {move}") if right else _("Not {move}. Better is {best}")
            self._show_verdict(text.format(move=move, best=best), right)
            await self.open()
            if not self._client.is_deleted:
                self.show()
        finally:
            self._busy = False


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/puzzles/run")
    async def run(visit: Visit) -> None:
        shown = TimedRunPage(visit)
        await shown.open()
        with frame(visit, _("Timed run"), "/puzzles"):
            shown.build()
        shown.show()
