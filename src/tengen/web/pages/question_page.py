"""What puzzles and drills have in common: a position, an answer on the board, a verdict and a score."""

from __future__ import annotations

from typing import Any

from nicegui import context, ui

from tengen.app.puzzle_themes import theme_names
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.search.report import Kind
from tengen.store.puzzles import Puzzle
from tengen.web.board_data import BoardData, line_preview, proof_overlay, puzzle_board, puzzle_rows
from tengen.web.elements import Board, Lines
from tengen.web.pages.board_input import show_aim
from tengen.web.pages.layout import Visit
from tengen.web.pages.widgets import note

MAX_ROWS = 15  # of what is known of the moves


class QuestionPage:
    """Questions, one after another. Only the first answer to each counts. `open` sets the question."""

    _question: Puzzle
    _position: Position

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._client = context.client
        self._counted = False  # this question was answered, or its answer was shown

    def _build_board(self) -> None:
        with ui.element("section").classes("tg-stage").props(f'aria-label="{_("Board")}"'):
            self.board = Board(
                self._board_data(),
                {**self._visit.preferences.board_config(), "numbers": False},
                move=self._move,
                aim=lambda given: show_aim(self.board, self._position, given),
                tap=lambda _: None,
            )

    def _build_task(self) -> None:
        self._task = ui.label("").classes("tg-outcome").mark("task")
        self._verdict = ui.label("").classes("tg-status").props('role="status"').mark("verdict")

    def _show_board(self) -> None:
        self.board.show(self._board_data())

    def _board_data(self) -> BoardData:
        return puzzle_board(self._position, self._question.marked)

    def _show_verdict(self, words: str, right: bool | None = None) -> None:
        self._verdict.classes(remove="tg-good tg-bad", add={True: "tg-good", False: "tg-bad", None: ""}[right])
        self._verdict.set_text(words)

    def _build_results(self) -> None:
        """A card for what is known of the moves, once the question is answered."""
        self._results = ui.element("div").classes("tg-card tg-fill")
        with self._results, ui.element("div").classes("tg-panel"):
            self._themes = note("").mark("themes")
            self._known = note("")
            self._lines = Lines("", hover=self._preview_line, leave=lambda _event: self.board.preview(None))

    def _show_results(self, *, shown: bool) -> None:
        """Show the themes, and what each move leads to, in the list and on the board."""
        puzzle = self._question
        self._results.set_visibility(shown)
        about = theme_names(puzzle.themes)
        self._themes.set_text(_("Themes: {themes}").format(themes=about) if about else "")
        if puzzle.marked:
            words = _("What each move leads to:")
        elif puzzle.report.value.kind is Kind.HEURISTIC:
            words = _("Value of each move (estimates):")
        else:
            words = _("Value of each move:")
        self._known.set_text(words)
        self._rows = puzzle_rows(self._position, puzzle)[:MAX_ROWS] if shown else []
        self._lines.show(self._rows)
        self.board.set_overlays(proof_overlay(self._position, puzzle) if shown else {})

    def _preview_line(self, given: dict[str, Any]) -> None:
        row, step = given.get("row"), given.get("step")
        if isinstance(row, int) and isinstance(step, int) and 0 <= row < len(self._rows) and 0 <= step < 100:
            self.board.preview(line_preview(self._position, self._rows[row]["line"][: step + 1]))

    async def _rating_figures(self) -> dict[str, str]:
        """The visitor's rating in the question's game, and once it was answered that of the puzzle."""
        ratings, question = self._sessions.puzzle_ratings, self._question
        mine = await self._sessions.run_in_thread(ratings.solver, self._visit.browser, question.game)
        figures = {} if mine is None else {_("my rating"): f"{mine.rating:.0f}"}
        if self._counted and mine is not None:
            rated = await self._sessions.run_in_thread(ratings.puzzle, question.id)
            if rated is not None:
                figures[_("puzzle")] = f"{rated.rating:.0f}"
        return figures

    async def _count(self, move: str) -> None:
        """Count an answer; an empty one if the user gave up."""
        if not self._counted:
            self._counted = True
            store = self._sessions.store
            await self._sessions.run_in_thread(store.answer_puzzle, self._question.id, self._visit.browser, move)

    async def _move(self, given: dict[str, Any]) -> None:
        raise NotImplementedError
