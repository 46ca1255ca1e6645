"""The daily puzzle: a card that can be built into any page, and a page of its own."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

from nicegui import background_tasks, context, ui

from tengen import games
from tengen.app.daily_puzzle import OPTION, DailyPuzzle, DailyRecord, daily_puzzle, today
from tengen.core.translation import gettext as _
from tengen.web.board_data import proof_overlay, puzzle_board
from tengen.web.elements import Board
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.board_input import show_aim
from tengen.web.pages.layout import PREPARING_BOARD, Visit, add_page, frame
from tengen.web.pages.widgets import button, heading, note

WAIT_S = 0.5  # the rules of the game are mostly loaded within this time; otherwise the board comes later


class DailyPuzzleCard:
    """The puzzle of a day, to be solved in place. Any number of moves may be tried."""

    def __init__(self, visit: Visit, puzzle: DailyPuzzle) -> None:
        self._visit = visit
        self._client = context.client
        self._puzzle = puzzle
        self._record = load_record(visit)
        self._is_open = not self._record.is_solved(puzzle.day)  # still waits for the right move

    def build(self) -> None:
        puzzle = self._puzzle
        with ui.element("section").classes("tg-card tg-daily") as self._card:
            self._card.props["aria-label"] = _("Daily puzzle")
            with ui.element("div").classes("tg-row tg-spread"):
                heading(_("Daily puzzle"), 2)
                self._streak = note("").mark("streak")
            note(_(games.game_class(puzzle.game).title))
            ui.label(puzzle.task).classes("tg-outcome").mark("task")
            self._stage = ui.element("div").classes("tg-daily-board")
            with self._stage:
                self._waiting = note(_(PREPARING_BOARD))
            self._verdict = ui.label("").classes("tg-feedback").props('role="status"').mark("verdict")
            with ui.element("div").classes("tg-lesson-buttons"):
                self._reveal_button = button(_("Show the answer"), self._reveal)
                self._reveal_button.disable()  # until there is a board
                button(_("More like this"), lambda: ui.navigate.to(f"/puzzles/{puzzle.puzzle.kind}"))
        self._show_streak()

    async def add_board(self) -> None:
        """Build the position, and add the board when it is there."""
        await self._visit.sessions.run_in_thread(lambda: self._puzzle.position)
        if self._client.is_deleted:
            return
        with self._stage:
            self._waiting.delete()
            self._board = Board(
                self._board_data(),
                {**self._visit.preferences.board_config(), "numbers": False},
                move=self._move,
                aim=lambda given: show_aim(self._board, self._puzzle.position, given),
                tap=lambda given: None,
            )
        self._show()
        if not self._is_open:
            self._say(_("Solved. Come back tomorrow for another one."), True)

    def _board_data(self) -> dict[str, Any]:
        return puzzle_board(self._puzzle.position, self._puzzle.puzzle.marked, playable=self._is_open)

    def _show(self) -> None:
        position, puzzle = self._puzzle.position, self._puzzle.puzzle
        self._board.show(self._board_data())
        self._board.set_overlays({} if self._is_open else proof_overlay(position, puzzle))
        self._reveal_button.set_enabled(self._is_open)
        self._show_streak()

    def _show_streak(self) -> None:
        self._streak.set_text(self._record.describe(self._puzzle.day))

    def _say(self, text: str, is_right: bool | None = None) -> None:
        self._verdict.classes(remove="tg-good tg-bad", add={True: "tg-good", False: "tg-bad", None: ""}[is_right])
        self._verdict.set_text(text)

    def _move(self, given: dict[str, Any]) -> None:
        if not self._is_open:
            return
        verdict = self._puzzle.check(str(given.get("move", ""))[:100])
        if verdict.is_right:
            self._is_open = False
            self._record = load_record(self._visit).with_solved(self._puzzle.day)
            visitors = self._visit.sessions.visitors
            visitors.set_options(self._visit.browser, **{OPTION: self._record.to_option()})
        self._say(verdict.text, verdict.is_right)
        self._show()

    def _reveal(self) -> None:
        """Show the answer; the day does not count as solved."""
        self._is_open = False
        self._say(_("The answer: {moves}.").format(moves=", ".join(self._puzzle.puzzle.right)))
        self._show()


def load_record(visit: Visit) -> DailyRecord:
    """The visitor's solved days."""
    return DailyRecord.from_option(visit.sessions.visitors.options(visit.browser).get(OPTION))


async def build_daily_puzzle(visit: Visit, day: date | None = None) -> None:
    """Build the card with the puzzle of a day, by default today. A board that takes long is added later."""
    puzzle = await visit.sessions.run_in_thread(daily_puzzle, day or today())
    shown = DailyPuzzleCard(visit, puzzle)
    shown.build()
    adding = background_tasks.create(shown.add_board(), name="daily puzzle")
    await asyncio.wait({adding}, timeout=WAIT_S)


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/daily")
    async def daily(visit: Visit) -> None:
        with frame(visit, _("Daily puzzle"), "/learn"), ui.element("div").classes("tg-page"):
            await build_daily_puzzle(visit)
