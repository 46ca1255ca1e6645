"""Opening drills: the book asks for a move, the user answers on the board."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from nicegui import context, ui

from tengen import games
from tengen.app.book_jobs import BookSummary
from tengen.app.drills import (
    BOOKS,
    LOSS,
    NO_QUESTIONS,
    Drill,
    DrillProgress,
    drill_progress,
    next_question,
    parse_drill,
    verdict,
)
from tengen.app.move_preview import moves_off_board
from tengen.core.errors import OptionError, TengenError
from tengen.core.position import Position
from tengen.store.puzzles import Puzzle, PuzzleScore
from tengen.web.board_data import board_data, candidate_overlay, describe_game
from tengen.web.elements import Board
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.board_input import show_aim
from tengen.web.pages.books import LOADING, explain_first_book, title_of
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    await_with_notice,
    button,
    card,
    chip,
    frame,
    page,
    show_error,
    show_unavailable,
)


class DrillPage:
    """One question after another. Only the first answer to each counts."""

    def __init__(self, visit: Visit, drill: Drill) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._drill = drill
        self._client = context.client
        self._random = Random()
        self._counted = False  # this question was answered, or its answer was shown
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
        self._asked, self._position = found
        self._counted = self._missed = False

    def build(self) -> None:
        with ui.element("div").classes("tg-table"):
            with ui.element("section").classes("tg-stage").props('aria-label="Board"'):
                config = {**self._visit.preferences.board_config(), "numbers": False}
                self.board = Board(
                    board_data(self._position, playable=True),
                    config,
                    move=self._move,
                    aim=self._show_aim,
                    tap=lambda _: None,
                )
            with ui.element("section").classes("tg-side").props('aria-label="Drill"'):
                with ui.element("div").classes("tg-card"):
                    book = "values" if self._drill.book == BOOKS["valued"] else "statistics"
                    ui.label(f"{describe_game(self._drill.game)} · {book}").classes("tg-quiet")
                    self._task = ui.label("").classes("tg-outcome").mark("task")
                    self._line = ui.label("").classes("tg-thought").mark("line")
                    self._verdict = ui.label("").classes("tg-status").props('role="status"').mark("verdict")
                    self._off_board = ui.element("div").classes("tg-row")
                    with ui.element("div").classes("tg-tools"):
                        self._next = button("Continue", self._play_best, "arrow_forward", main=True)
                        self._give_up = button("Show the answer", self._reveal, "visibility")
                with ui.element("div").classes("tg-card"):
                    self._score = ui.element("div").classes("tg-figures")
                    ui.label("Missed positions return after a minute, known ones after days.").classes("tg-quiet")
                self._why = ui.element("div").classes("tg-card tg-fill")
                with self._why, ui.element("div").classes("tg-panel"):
                    ui.label("The book's moves here:").classes("tg-quiet")
                    self._table = ui.element("table").classes("tg-why")

    async def show(self) -> None:
        """Update the question and the user's progress."""
        self._task.set_text(self._asked.task)
        moves = self._asked.moves
        self._line.set_text(" ".join(moves[-12:]) if moves else "From the start")
        self._next.set_visibility(self._missed)
        self._give_up.set_visibility(not self._missed)
        self._off_board.clear()
        with self._off_board:
            for word in moves_off_board(self._position):
                chip(word.capitalize(), partial(self._move, {"move": word}))
        self.board.set_overlays(candidate_overlay(self._position, self._asked.report) if self._missed else {})
        self._why.set_visibility(self._missed)
        self._table.clear()
        if self._missed:
            self._show_table()
        store, who, kind = self._sessions.store, self._visit.browser, self._drill.kind
        score = await self._sessions.run_in_thread(store.puzzle_score, kind, who)
        self._show_score(
            score, await self._sessions.run_in_thread(drill_progress, store, self._drill, who, datetime.now(UTC))
        )

    def _show_table(self) -> None:
        with self._table:
            for one in self._asked.report.candidates[:15]:
                with ui.element("tr"):
                    with ui.element("td"):
                        ui.label(one.move).style("font-weight: 650")
                    with ui.element("td"):
                        ui.label(str(one.value))
                    with ui.element("td"):
                        ui.label(one.reason).classes("tg-quiet")

    def _show_score(self, score: PuzzleScore, reached: DrillProgress) -> None:
        self._score.clear()
        with self._score:
            for name, number in (
                ("in a row", str(score.streak)),
                ("right", f"{score.solved} of {score.answered}"),
                ("known", str(reached.known)),
                ("to repeat", str(score.missed)),
            ):
                with ui.element("div"):
                    ui.label(number).classes("tg-figure").mark(name)
                    ui.label(name).classes("tg-quiet")

    # ---- user actions

    async def _move(self, given: dict[str, Any]) -> None:
        move, asked = str(given.get("move", ""))[:100], self._asked
        if move not in self._position.write_moves(self._position.legal_moves):
            self.board.show(board_data(self._position, playable=True))
            self.board.reject(f"{move} is not legal here")
            return
        right = move in asked.right
        if move not in asked.unrated_moves:
            await self._count(move)
        self._show_verdict(verdict(asked, move), right if move not in asked.unrated_moves else None)
        if right:
            await self._continue(move)
            return
        self._missed = self._missed or move not in asked.unrated_moves
        self.board.show(board_data(self._position, playable=True))
        await self.show()

    def _show_verdict(self, words: str, right: bool | None) -> None:
        self._verdict.classes(remove="tg-good tg-bad", add={True: "tg-good", False: "tg-bad", None: ""}[right])
        self._verdict.set_text(words)

    async def _count(self, move: str) -> None:
        if not self._counted:
            self._counted = True
            await self._sessions.run_in_thread(
                self._sessions.store.answer_puzzle, self._asked.id, self._visit.browser, move
            )

    async def _reveal(self) -> None:
        await self._count("")
        self._missed = True
        self._show_verdict(verdict(self._asked, self._asked.right[0]).replace("Right, ", "", 1), None)
        await self.show()

    async def _play_best(self) -> None:
        self._show_verdict("", None)
        await self._continue(self._asked.right[0])

    async def _continue(self, move: str) -> None:
        """Play a move, let the book answer, and show the next question."""
        try:
            after = await self._sessions.run_in_thread(self._position.play, move)
            self.board.show(board_data(after, playable=False))
            self.board.set_overlays({})
            await asyncio.gather(self.open(after), asyncio.sleep(0.35))  # show the move before the book's answer
        except TengenError as error:
            show_error(error)
            return
        if not self._client.is_deleted:
            self.board.show(board_data(self._position, playable=True))
            await self.show()

    def _show_aim(self, given: dict[str, Any]) -> None:
        show_aim(self.board, self._position, given)


class DrillSelector:
    """The selection of a drill: book, side, and accepted loss."""

    def __init__(self, visit: Visit, books: list[BookSummary], chosen: tuple[str, str]) -> None:
        self._visit = visit
        self._books = books
        self._side = 0
        named = (number for number, one in enumerate(books) if (one.game, BOOKS[one.kind]) == chosen)
        self._number = next(named, 0)

    async def build(self) -> None:
        with card("What to practise"):
            labels = {number: title_of(book) for number, book in enumerate(self._books)}
            ui.select(labels, label="Book", value=self._number, on_change=self._choose).props(
                "outlined dense options-dense"
            )
            with ui.element("div").classes("tg-row"):
                ui.label("You play:")
                self._sides = ui.toggle({}, on_change=self._choose_side).props(
                    "no-caps unelevated toggle-color=primary"
                )
            self._loss = ui.number("Accepted loss", value=LOSS, min=0, max=64, step=1)
            self._loss.props('outlined dense hint="in points; 0: only the best moves are right"')
            self._reached = ui.label("").classes("tg-quiet").style("margin-top: 8px")
            button("Start", self._start, "school", main=True).mark("start")
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
        self._sides.set_options(dict(enumerate(players)), value=self._side)
        self._loss.set_visibility(book.kind == "valued")
        drill = parse_drill(book.game, self._options, self._side, BOOKS[book.kind], LOSS)
        sessions, who = self._visit.sessions, self._visit.browser
        reached = await sessions.run_in_thread(drill_progress, sessions.store, drill, who, datetime.now(UTC))
        words = f"{reached.asked} positions asked so far, {reached.known} known, {reached.due} due now"
        self._reached.set_text(words if reached.asked else "Nothing asked yet")

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
    @ui.page("/drills", response_timeout=PAGE_TIMEOUT_S)
    async def choose(request: Request, game: str = "", book: str = "") -> None:
        visit = Visit.from_request(sessions, request)
        try:
            looked = await await_with_notice(sessions.book_manager.inspect(), LOADING)
        except TengenError as error:
            show_unavailable(visit, error)
            return
        with page(visit, "Opening drills", "/drills"):
            ui.label("The book asks for its move and you answer on the board. Missed positions return sooner.")
            found = [one for one in looked if not one.error]
            if found:
                await DrillSelector(visit, found, (game, book)).build()
            else:
                explain_first_book()

    @ui.page("/drill", response_timeout=PAGE_TIMEOUT_S)
    async def drill(
        request: Request, game: str, options: str = "", side: int = 0, book: str = "Book", loss: float = LOSS
    ) -> None:
        visit = Visit.from_request(sessions, request)
        try:
            chosen = parse_drill(game, options, side, book, loss)
            await await_with_notice(sessions.prepare_drill(chosen), LOADING)
            shown = DrillPage(visit, chosen)
            await await_with_notice(shown.open(), LOADING)
        except TengenError as error:
            show_unavailable(visit, error)
            return
        with frame(visit, "Drill", "/drills"):
            shown.build()
        await shown.show()
