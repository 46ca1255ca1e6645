"""Opening drills: the book asks for a move, the user answers on the board."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from tengen import games
from tengen.app.book_jobs import BookSummary
from tengen.app.drills import BOOKS, LOSS, NO_QUESTIONS, Drill, drill_progress, next_question, parse_drill, verdict
from tengen.app.game_options import describe_game
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.store.puzzles import Puzzle
from tengen.web.board_data import board_data, candidate_overlay
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.board_input import OffBoardMoves
from tengen.web.pages.books import LOADING, explain_first_book, title_of
from tengen.web.pages.layout import Visit, add_page, await_with_notice, frame, page
from tengen.web.pages.question_page import QuestionPage
from tengen.web.pages.widgets import button, card, errors_shown, note, show_figures, strong, table_row


class DrillPage(QuestionPage):
    """The questions of a drill."""

    def __init__(self, visit: Visit, drill: Drill) -> None:
        super().__init__(visit)
        self._drill = drill
        self._random = Random()
        self._missed = False

    async def open(self, after: Position | None = None) -> None:
        """Find the next question. Raises `TengenError` if there is none."""
        store, who = self._sessions.store, self._visit.browser

        def find() -> tuple[Puzzle, Position] | None:
            found = next_question(store, self._drill, who, self._random, datetime.now(UTC), after)
            return None if found is None else (found, self._drill.game.start().play_all(found.moves))

        found = await self._sessions.run_in_thread(find)
        if found is None:
            raise OptionError(NO_QUESTIONS)
        self._question, self._position = found
        self._counted = self._missed = False

    def build(self) -> None:
        with ui.element("div").classes("tg-table"):
            self._build_board()
            with ui.element("section").classes("tg-side").props(f'aria-label="{_("Drill")}"'):
                with ui.element("div").classes("tg-card"):
                    book = _("values") if self._drill.book == BOOKS["valued"] else _("statistics")
                    note(f"{describe_game(self._drill.game)} · {book}")
                    self._line = ui.label("").classes("tg-thought").mark("line")
                    self._build_task()
                    self._off_board = OffBoardMoves(self._move)
                    with ui.element("div").classes("tg-tools"):
                        self._next = button(_("Continue"), self._play_best, "arrow_forward", main=True)
                        self._give_up = button(_("Show the answer"), self._reveal, "visibility")
                with ui.element("div").classes("tg-card"):
                    self._score = ui.element("div")
                    note(_("Missed positions return after a minute, known ones after days."))
                self._why = ui.element("div").classes("tg-card tg-fill")
                with self._why, ui.element("div").classes("tg-panel"):
                    note(_("The book's moves here:"))
                    self._table = ui.element("table").classes("tg-why")

    async def show(self) -> None:
        """Update the question and the user's progress."""
        self._task.set_text(translate(self._question.task))
        moves = self._question.moves
        self._line.set_text(" ".join(moves[-12:]) if moves else _("From the start"))
        self._next.set_visibility(self._missed)
        self._give_up.set_visibility(not self._missed)
        self._off_board.show(self._position)
        self.board.set_overlays(candidate_overlay(self._position, self._question.report) if self._missed else {})
        self._why.set_visibility(self._missed)
        self._table.clear()
        if self._missed:
            with self._table:
                for one in self._question.report.candidates[:15]:
                    table_row(strong(one.move), translate(str(one.value)), partial(note, translate(one.reason)))
        store, who, kind = self._sessions.store, self._visit.browser, self._drill.kind
        score = await self._sessions.run_in_thread(store.puzzle_score, kind, who)
        reached = await self._sessions.run_in_thread(drill_progress, store, self._drill, who, datetime.now(UTC))
        right = _("{count} of {total}").format(count=score.solved, total=score.answered)
        figures = {_("in a row"): str(score.streak), _("right"): right, _("known"): str(reached.known)}
        show_figures(self._score, {**figures, _("to repeat"): str(score.missed)})

    # ---- user actions

    async def _move(self, given: dict[str, Any]) -> None:
        move, asked = str(given.get("move", ""))[:100], self._question
        if move not in self._position.write_moves(self._position.legal_moves):
            self._show_board()
            self.board.reject(_("{move} is not legal here").format(move=move))
            return
        right = move in asked.right
        if move not in asked.unrated_moves:
            await self._count(move)
        self._show_verdict(verdict(asked, move), right if move not in asked.unrated_moves else None)
        if right:
            await self._continue(move)
            return
        self._missed = self._missed or move not in asked.unrated_moves
        self._show_board()
        await self.show()

    async def _reveal(self) -> None:
        await self._count("")
        self._missed = True
        self._show_verdict(verdict(self._question, self._question.right[0], is_answer=False))
        await self.show()

    async def _play_best(self) -> None:
        self._show_verdict("")
        await self._continue(self._question.right[0])

    async def _continue(self, move: str) -> None:
        """Play a move, let the book answer, and show the next question."""
        with errors_shown():
            after = await self._sessions.run_in_thread(self._position.play, move)
            self.board.show(board_data(after, playable=False))
            self.board.set_overlays({})
            await asyncio.gather(self.open(after), asyncio.sleep(0.35))  # show the move before the book's answer
            if not self._client.is_deleted:
                self._show_board()
                await self.show()


class DrillSelector:
    """The selection of a drill: book, side, and accepted loss."""

    def __init__(self, visit: Visit, books: list[BookSummary], chosen: tuple[str, str]) -> None:
        self._visit = visit
        self._books = books
        self._side = 0
        named = (number for number, one in enumerate(books) if (one.game, BOOKS[one.kind]) == chosen)
        self._number = next(named, 0)

    async def build(self) -> None:
        with card(_("What to practise")):
            labels = {number: title_of(book) for number, book in enumerate(self._books)}
            ui.select(labels, label=_("Book"), value=self._number, on_change=self._choose).props(
                "outlined dense options-dense"
            )
            with ui.element("div").classes("tg-row"):
                ui.label(_("You play:"))
                self._sides = ui.toggle({}, on_change=self._choose_side).props(
                    "no-caps unelevated toggle-color=primary"
                )
            self._loss = ui.number(_("Accepted loss"), value=LOSS, min=0, max=64, step=1)
            self._loss.props(f'outlined dense hint="{_("in points; 0: only the best moves are right")}"')
            self._reached = note("").style("margin-top: 8px")
            button(_("Start"), self._start, "school", main=True).mark("start")
        await self._show()

    @property
    def _book(self) -> BookSummary:
        return self._books[self._number]

    @property
    def _options(self) -> str:
        options = self._book.options
        return " ".join(f"{name}={value}" for name, value in options.items() if value not in ("", None))

    async def _show(self) -> None:
        book = self._book
        players = games.game_class(book.game).players
        self._sides.set_options(dict(enumerate(map(_, players))), value=self._side)
        self._loss.set_visibility(book.kind == "valued")
        drill = parse_drill(book.game, self._options, self._side, BOOKS[book.kind], LOSS)
        sessions, who = self._visit.sessions, self._visit.browser
        reached = await sessions.run_in_thread(drill_progress, sessions.store, drill, who, datetime.now(UTC))
        words = _("{asked} positions asked so far, {known} known, {due} due now").format(
            asked=reached.asked, known=reached.known, due=reached.due
        )
        self._reached.set_text(words if reached.asked else _("Nothing asked yet"))

    async def _choose(self, event: Any) -> None:
        self._number = int(event.value)
        await self._show()

    async def _choose_side(self, event: Any) -> None:
        if event.value in (0, 1) and event.value != self._side:
            self._side = event.value
            await self._show()

    def _start(self) -> None:
        given = {"game": self._book.game, "options": self._options, "side": self._side}
        loss = LOSS if self._loss.value is None else float(self._loss.value)
        ui.navigate.to(f"/drill?{urlencode({**given, 'book': BOOKS[self._book.kind], 'loss': f'{loss:g}'})}")


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/drills")
    async def choose(visit: Visit, game: str = "", book: str = "") -> None:
        books = await await_with_notice(sessions.book_manager.inspect(), _(LOADING))
        with page(visit, _("Opening drills"), "/drills"):
            ui.label(_("The book asks for its move and you answer on the board. Missed positions return sooner."))
            found = [one for one in books if not one.error]
            if found:
                await DrillSelector(visit, found, (game, book)).build()
            else:
                explain_first_book()

    @add_page(sessions, "/drill")
    async def drill(
        visit: Visit, game: str, options: str = "", side: int = 0, book: str = BOOKS["valued"], loss: float = LOSS
    ) -> None:
        chosen = parse_drill(game, options, side, book, loss)
        await await_with_notice(sessions.check_drill(chosen), _(LOADING))
        shown = DrillPage(visit, chosen)
        await await_with_notice(shown.open(), _(LOADING))
        with frame(visit, _("Drill"), "/drills"):
            shown.build()
        await shown.show()
