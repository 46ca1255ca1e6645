"""How to play: a lesson of interactive steps on a board."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import context, ui

from tengen import games
from tengen.app.lessons import lesson as find_lesson
from tengen.app.lessons.lesson import Lesson, Step
from tengen.app.lessons.progress import OPTION
from tengen.app.lessons.step_run import Feedback, StepRun
from tengen.app.move_preview import moves_off_board
from tengen.app.puzzles import puzzle_kinds
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.web.board_data import BoardData, board_data, dead_stone_overlay
from tengen.web.elements import Board
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing
from tengen.web.pages.board_input import show_aim
from tengen.web.pages.layout import Visit, add_page, await_with_notice, frame
from tengen.web.pages.learn import load_progress
from tengen.web.pages.widgets import button, heading, note, text_link

REPLY_DELAY_S = 0.7  # the opponent's reply is shown this long after the move


class LessonPage:
    """One visitor at a lesson. The step changes in place, so that no page is loaded between steps."""

    def __init__(self, visit: Visit, lesson: Lesson, number: int) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._client = context.client
        self._lesson = lesson
        self._number = number
        self._progress = load_progress(visit)
        self._replying: StepRun | None = None  # whose answer to a move is being shown

    async def open(self) -> None:
        """Load the rules of the game and the position of the step."""
        number = self._number
        run = await self._sessions.run_in_thread(StepRun, self._lesson, self._step)
        if number == self._number:  # else another step was chosen meanwhile
            self._run = run

    @property
    def _step(self) -> Step:
        return self._lesson.parts[self._number]

    @property
    def _is_last(self) -> bool:
        return self._number == len(self._lesson.parts) - 1

    def build(self) -> None:
        with ui.element("div").classes("tg-lesson"):
            with ui.element("section").classes("tg-lesson-text"):
                self._path = ui.element("nav").classes("tg-parts")
                self._path.props["aria-label"] = _("Steps")
                self._kicker = note("").mark("step")
                with ui.element("h2"):
                    self._title = ui.label("")
                with ui.element("p"):
                    self._text = ui.label("").mark("explanation")
                with ui.element("div").classes("tg-task").props('aria-live="polite"'):
                    ui.icon("touch_app", size="22px")
                    self._task = ui.label("").mark("task")
            with ui.element("section").classes("tg-lesson-board").props(f'aria-label="{_("Board")}"'):
                self._board = Board(
                    self._board_data(),
                    self._board_config(),
                    move=self._move,
                    aim=self._aim,
                    tap=lambda given: None,
                )
                self._captions = note("")
            with ui.element("section").classes("tg-lesson-answer"):
                self._feedback = ui.label("").classes("tg-feedback").props('role="status"').mark("feedback")
                with ui.element("div").classes("tg-lesson-buttons"):
                    self._pass = button(_("Pass"), lambda: self._answer("pass"), main=True)
                    self._next = button(_("Next"), self._go_on, "arrow_forward", main=True)
                    self._hint = button(_("Show me"), self._show_answer, "lightbulb")
                    button("", self._restart, "replay", aria_label=_("Start over"), title=_("Start over"))
        self.show()

    def show(self) -> None:
        """Update everything except the board and the feedback."""
        step, run = self._step, self._run
        steps = len(self._lesson.steps)
        if self._number < steps:
            where = _("Step {number} of {total}").format(number=self._number + 1, total=steps)
        else:
            where = _("Puzzle {number} of {total}").format(
                number=self._number - steps + 1, total=len(self._lesson.puzzles)
            )
        self._kicker.set_text(where)
        self._title.set_text(_(step.title))
        self._text.set_text(_(step.text))
        self._task.set_text(_(run.task.text) if not run.is_done else _("Done. Go on when you like."))
        self._captions.set_text(_describe_counts(run.position))
        wants_pass = not run.is_done and any(
            move in run.accepted_moves() for move in moves_off_board(run.position)
        )
        self._pass.set_visibility(wants_pass)
        self._hint.set_enabled(not run.is_done)
        self._next.set_text(_("Finish") if self._is_last else _("Next"))
        self._next.props(remove="flat unelevated", add="unelevated" if run.is_done else "flat")
        self._show_path()

    def _show_path(self) -> None:
        self._path.clear()
        with self._path:
            for number, step in enumerate(self._lesson.parts):
                is_puzzle = number >= len(self._lesson.steps)
                link = (
                    ui.element("a")
                    .classes("tg-part")
                    .props(f'href="/learn/{self._lesson.game}?step={number + 1}"')
                )
                link.props["aria-label"] = _(step.title)
                if is_puzzle:
                    link.classes("tg-part-puzzle")
                if number == self._number:
                    link.classes("tg-part-here").props('aria-current="step"')
                is_done = self._progress.is_done(self._lesson.game, step.id)
                if is_done:
                    link.classes("tg-part-done")
                with link:
                    ui.html("✓" if is_done else str(number + 1), sanitize=False)

    # ---- the board

    def _board_config(self) -> dict[str, Any]:
        return {**self._visit.preferences.board_config(), "numbers": False}

    def _board_data(self) -> BoardData:
        run = self._run
        return board_data(run.position, playable=not run.is_done)

    def _aim(self, given: dict[str, Any]) -> None:
        """Say what a move at a point would do, or why it is not allowed."""
        found = show_aim(self._board, self._run.position, given)
        if found is not None and found.problem and self._run.task.illegal:
            self._say(Feedback(False, _(self._run.task.illegal)))

    async def _move(self, given: dict[str, Any]) -> None:
        await self._answer(str(given.get("move", ""))[:100])

    async def _answer(self, move: str) -> None:
        run = self._run
        if self._replying is run:
            return
        self._replying = run
        try:
            feedback = await self._sessions.run_in_thread(run.try_move, move)
            if run.is_done:
                self._store_progress(run.step)
            if self._client.is_deleted or run is not self._run:
                return
            self._say(feedback)
            for number, position in enumerate(feedback.positions):
                is_last = number == len(feedback.positions) - 1
                if number:
                    await asyncio.sleep(REPLY_DELAY_S)
                    if self._client.is_deleted or run is not self._run:
                        return
                self._board.show(board_data(position, playable=is_last and not run.is_done))
            if not feedback.positions:
                self._board.show(self._board_data())  # takes the wrong stone off again
        finally:
            if self._replying is run:
                self._replying = None
        shows_territory = run.is_done and run.step.shows_territory
        self._board.set_overlays(dead_stone_overlay(run.position, []) if shows_territory else {})
        self.show()

    def _say(self, feedback: Feedback) -> None:
        self._feedback.classes(remove="tg-good tg-bad", add="tg-good" if feedback.is_right else "tg-bad")
        self._feedback.set_text(feedback.text)

    def _store_progress(self, step: Step) -> None:
        self._progress = load_progress(self._visit).with_step(self._lesson.game, step.id)
        self._sessions.visitors.set_options(self._visit.browser, **{OPTION: self._progress.to_option()})

    # ---- buttons

    async def _show_answer(self) -> None:
        """Mark an accepted move on the board."""
        run = self._run
        moves = await self._sessions.run_in_thread(run.accepted_moves)
        if not moves or run is not self._run:
            return
        points = run.position.game.points(run.position.game.read_move(moves[0], run.position))
        if len(points) == 1:
            self._board.set_overlays({"candidates": [(*points[0], "★", 1)]})
        elif points:
            self._board.set_overlays({"arrows": [(*points[0], *points[-1], 1)]})
        text = _("Try {move}.").format(move=moves[0]) if points else _("Press Pass.")
        self._feedback.classes(remove="tg-good tg-bad")
        self._feedback.set_text(text)

    async def _restart(self) -> None:
        await self._open_part(self._number)

    async def _go_on(self) -> None:
        if self._is_last:
            ui.navigate.to(f"/learn/{self._lesson.game}?finished=1" if self._run.is_done else "/learn")
        else:
            await self._open_part(self._number + 1)

    async def _open_part(self, number: int) -> None:
        self._number = number
        await self.open()
        if number != self._number:
            return
        self._feedback.classes(remove="tg-good tg-bad")
        self._feedback.set_text("")
        self._board.set_overlays({})
        self._board.show(self._board_data())
        self._client.run_javascript(
            f"history.replaceState(history.state, '', '/learn/{self._lesson.game}?step={number + 1}')"
        )
        self.show()


def _describe_counts(position: Position) -> str:
    """Counts of discs or captured stones; empty while nothing is captured."""
    text = "  ".join(map(translate, position.diagram().captions))
    return text if any(digit in text for digit in "123456789") else ""


def _build_finished(visit: Visit, lesson: Lesson) -> None:
    """What to do after a lesson."""
    progress = load_progress(visit)
    title = _(games.game_class(lesson.game).title)
    done, total = progress.count(lesson), len(lesson.parts)
    with ui.element("div").classes("tg-page"), ui.element("section").classes("tg-card tg-lesson-end"):
        ui.html(drawing(lesson.game), sanitize=False)
        if done == total:
            heading(_("You know how to play {game}.").format(game=title), 2)
        else:
            heading(_("How to play {game}").format(game=title), 2)
            ui.label(_("{done} of {total} done").format(done=done, total=total))
        with ui.element("div").classes("tg-lesson-buttons"):
            button(_("Play a game"), lambda: ui.navigate.to(f"/new?game={lesson.game}"), "play_arrow", main=True)
            if done < total:
                button(_("Continue the lesson"), lambda: ui.navigate.to(f"/learn/{lesson.game}"), "arrow_forward")
            else:
                button(_("Repeat the lesson"), lambda: ui.navigate.to(f"/learn/{lesson.game}?step=1"), "replay")
        kinds = [kind for kind in puzzle_kinds() if kind.game == lesson.game]
        with ui.element("div").classes("tg-row tg-lesson-more"):
            for kind in kinds:
                text_link(_(kind.title), f"/puzzles/{kind.name}", "tg-link-button")
            text_link(_("Learn another game"), "/learn", "tg-link-button")


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/learn/{game}")
    async def learn_game(visit: Visit, game: str, step: int = 0, finished: bool = False) -> None:
        lesson = find_lesson(game)
        title = _("How to play {game}").format(game=_(games.game_class(game).title))
        if finished:
            with frame(visit, title):
                _build_finished(visit, lesson)
            return
        number = step - 1 if 1 <= step <= len(lesson.parts) else load_progress(visit).next_part(lesson)
        shown = LessonPage(visit, lesson, number)
        await await_with_notice(shown.open())
        with frame(visit, title):
            shown.build()
