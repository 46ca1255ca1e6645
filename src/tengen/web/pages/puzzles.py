"""Puzzles: a position, a task, and an answer checked against its proof."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from nicegui import context, ui

from tengen import games
from tengen.app.puzzles import PuzzleKind, puzzle_kind, puzzle_kinds
from tengen.app.value_display import write_value
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.games.records import Record
from tengen.store.puzzles import Puzzle, PuzzleScore
from tengen.web.board_data import (
    board_data,
    candidate_overlay,
    candidate_rows,
    describe_game,
    line_preview,
)
from tengen.web.elements import Board, Lines
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing
from tengen.web.pages.board_input import show_aim
from tengen.web.pages.layout import (
    PAGE_TIMEOUT_S,
    Visit,
    await_with_notice,
    button,
    frame,
    page,
    show_error,
    show_unavailable,
)

MAX_ROWS = 15  # of the proof


class PuzzlePage:
    """One puzzle after another. Only the first answer counts; more moves may be tried after it."""

    def __init__(self, visit: Visit, kind: PuzzleKind, missed: bool) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._kind = kind
        self._missed = missed
        self._client = context.client
        self._puzzle: Puzzle | None = None
        self._counted = False  # this puzzle was answered, or its answer was shown
        self._open = True  # it still waits for the right move

    async def open(self, puzzle: Puzzle) -> None:
        """Load the rules of a puzzle's game."""
        game = games.game(puzzle.game, **dict(puzzle.options))
        await self._sessions.prepare(game)
        self._puzzle = puzzle
        self._position: Position = await self._sessions.run_in_thread(lambda: game.start().play_all(puzzle.moves))
        self._counted, self._open = False, True

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
            with ui.element("section").classes("tg-side").props('aria-label="Puzzle"'):
                with ui.element("div").classes("tg-card"):
                    self._title = ui.label("").classes("tg-quiet")
                    self._task = ui.label("").classes("tg-outcome").mark("task")
                    self._verdict = ui.label("").classes("tg-status").props('role="status"').mark("verdict")
                    with ui.element("div").classes("tg-tools"):
                        self._next = button("Next puzzle", self._go_on, "arrow_forward", main=True)
                        self._give_up = button("Show the answer", self._reveal, "visibility")
                        self._analyse = button("Analyse", self._study, "insights")
                with ui.element("div").classes("tg-card"):
                    self._score = ui.element("div").classes("tg-figures")
                    self._repeat = button("Repeat missed puzzles", self._to_missed, "replay").props("dense")
                self._proof = ui.element("div").classes("tg-card tg-fill")
                with self._proof, ui.element("div").classes("tg-panel"):
                    ui.label("Value of each move:").classes("tg-quiet")
                    self._lines = Lines("", peek=self._peek, unpeek=lambda _: self.board.preview(None))

    async def show(self) -> None:
        """Update the puzzle and the score."""
        assert self._puzzle is not None
        self._title.set_text(f"{self._kind.title} · {describe_game(self._position.game)}")
        self._task.set_text(self._puzzle.task)
        self._next.set_visibility(self._counted)
        self._give_up.set_visibility(self._open)
        self._analyse.set_visibility(not self._open)
        self._proof.set_visibility(not self._open)
        self._lines.show([] if self._open else candidate_rows(self._puzzle.report)[:MAX_ROWS])
        self.board.set_overlays({} if self._open else self._proof_on_board(self._puzzle))
        score = await self._sessions.run_in_thread(
            self._sessions.store.puzzle_score, self._kind.name, self._visit.browser
        )
        self._show_score(score)

    def _proof_on_board(self, puzzle: Puzzle) -> dict[str, Any]:
        """Values on the points; arrows only for right moves, because others would mislead."""
        found = candidate_overlay(self._position, puzzle.report)
        return {**found, "arrows": found["arrows"][: len(puzzle.right)]}

    def _show_score(self, score: PuzzleScore) -> None:
        self._score.clear()
        with self._score:
            for name, number in (
                ("in a row", str(score.streak)),
                ("best", str(score.best)),
                ("solved", f"{score.solved} of {score.answered}"),
            ):
                with ui.element("div"):
                    ui.label(number).classes("tg-figure").mark(name)
                    ui.label(name).classes("tg-quiet")
        self._repeat.set_visibility(score.missed > 0 and not self._missed)
        self._repeat.set_text(f"Repeat missed puzzles ({score.missed})")

    async def _move(self, given: dict[str, Any]) -> None:
        move = str(given.get("move", ""))[:100]
        puzzle = self._puzzle
        assert puzzle is not None
        await self._count(move)
        after = next((one for one in puzzle.report.candidates if one.move == move), None)
        worth = "" if after is None else f": {write_value(after.value)}"
        if move in puzzle.right:
            self._open = False
            others = [one for one in puzzle.right if one != move]
            self._verdict.set_text(f"Right, {move}{worth}" + (f"; so is {', '.join(others)}" if others else ""))
        else:
            self._verdict.set_text(f"Not {move}{worth}. Try another, or see the answer.")
        self._verdict.classes(
            add="tg-good" if not self._open else "tg-bad", remove="tg-bad" if not self._open else "tg-good"
        )
        self.board.show(board_data(self._position, playable=True))
        await self.show()

    async def _count(self, move: str) -> None:
        assert self._puzzle is not None
        if not self._counted:
            self._counted = True
            await self._sessions.run_in_thread(
                self._sessions.store.answer_puzzle, self._puzzle.id, self._visit.browser, move
            )

    async def _reveal(self) -> None:
        assert self._puzzle is not None
        await self._count("")
        self._open = False
        self._verdict.classes(remove="tg-good tg-bad")
        right = " or ".join(self._puzzle.right)
        self._verdict.set_text(f"{right}: {write_value(self._puzzle.report.value)}")
        await self.show()

    async def _go_on(self) -> None:
        self._next.disable()
        self._verdict.classes(remove="tg-good tg-bad")
        self._verdict.set_text("Preparing a puzzle…")
        try:
            puzzle = await self._sessions.puzzle_stock.next(
                self._kind.name, self._visit.browser, missed=self._missed
            )
            if puzzle is not None:
                await self.open(puzzle)
        except TengenError as error:
            show_error(error)
            self._next.enable()
            return
        if self._client.is_deleted:
            return
        if puzzle is None:
            ui.navigate.to(f"/puzzles/{self._kind.name}")
            return
        self._next.enable()
        self._verdict.set_text("")
        self.board.show(board_data(self._position, playable=True))
        await self.show()

    def _to_missed(self) -> None:
        ui.navigate.to(f"/puzzles/{self._kind.name}?missed=1")

    def _show_aim(self, given: dict[str, Any]) -> None:
        show_aim(self.board, self._position, given)

    def _peek(self, given: dict[str, Any]) -> None:
        assert self._puzzle is not None
        row, step = given.get("row"), given.get("step")
        rows = self._puzzle.report.candidates
        if isinstance(row, int) and isinstance(step, int) and 0 <= row < len(rows) and 0 <= step < 100:
            line = rows[row].line or (rows[row].move,)
            self.board.preview(line_preview(self._position, line[: step + 1]))

    async def _study(self) -> None:
        try:
            session = await self._sessions.open_board(
                self._position.game, self._visit.browser, Record.of(self._position)
            )
        except TengenError as error:
            show_error(error)
            return
        ui.navigate.to(f"/analysis/{session.id}")


async def _build_list(visit: Visit) -> None:
    ui.label("Positions with a proved solution. Every move that keeps the proved value is right.")
    with ui.element("div").classes("tg-games"):
        for kind in puzzle_kinds():
            score = await visit.sessions.run_in_thread(visit.sessions.store.puzzle_score, kind.name, visit.browser)
            with ui.element("a").classes("tg-tile").props(f'href="/puzzles/{kind.name}"'):
                ui.html(drawing(kind.game), sanitize=False)
                with ui.element("b"):
                    ui.label(kind.title)
                with ui.element("small"):
                    ui.label(kind.about)
                if score.answered:
                    with ui.element("small"):
                        ui.label(f"{score.solved} of {score.answered} solved, {score.streak} in a row")


def register(sessions: GameSessions) -> None:
    @ui.page("/puzzles", response_timeout=PAGE_TIMEOUT_S)
    async def puzzles(request: Request) -> None:
        visit = Visit.from_request(sessions, request)
        with page(visit, "Puzzles", "/puzzles"):
            await _build_list(visit)

    @ui.page("/puzzles/{name}", response_timeout=PAGE_TIMEOUT_S)
    async def solve(request: Request, name: str, missed: bool = False) -> None:
        visit = Visit.from_request(sessions, request)
        try:
            kind = puzzle_kind(name)
            shown = PuzzlePage(visit, kind, missed)
            wait = "Preparing a puzzle…"
            puzzle = await await_with_notice(sessions.puzzle_stock.next(name, visit.browser, missed=missed), wait)
            if puzzle is None:
                raise TengenError("there are no missed puzzles")
            await shown.open(puzzle)
        except TengenError as error:
            show_unavailable(visit, error)
            return
        with frame(visit, kind.title, "/puzzles"):
            shown.build()
        await shown.show()
