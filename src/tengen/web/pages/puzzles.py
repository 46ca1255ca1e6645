"""Puzzles: a position, a task, and an answer checked against its proof."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from tengen import games
from tengen.app.game_options import describe_game
from tengen.app.puzzles import PuzzleKind, puzzle_kind, puzzle_kinds, result_words
from tengen.app.timed_run import MINUTES
from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.games.records import Record
from tengen.store.puzzles import Puzzle, PuzzleScore
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.game_tiles import tile
from tengen.web.pages.layout import Visit, add_page, await_with_notice, frame, page
from tengen.web.pages.question_page import QuestionPage
from tengen.web.pages.widgets import button, errors_shown, note, show_error, show_figures, text_link


class PuzzlePage(QuestionPage):
    """The puzzles of one kind. More moves may be tried after the first answer."""

    def __init__(self, visit: Visit, kind: PuzzleKind, missed: bool) -> None:
        super().__init__(visit)
        self._kind = kind
        self._missed = missed
        self._open = True  # the puzzle still waits for the right move

    async def open(self, puzzle: Puzzle) -> None:
        """Load the rules of a puzzle's game."""
        game = games.game(puzzle.game, **dict(puzzle.options))
        self._question = puzzle
        self._position = await self._sessions.run_in_thread(lambda: game.start().play_all(puzzle.moves))
        self._counted, self._open = False, True

    def build(self) -> None:
        with ui.element("div").classes("tg-table"):
            self._build_board()
            with ui.element("section").classes("tg-side").props(f'aria-label="{_("Puzzle")}"'):
                with ui.element("div").classes("tg-card"):
                    self._title = note("")
                    self._build_task()
                    with ui.element("div").classes("tg-tools"):
                        self._next = button(_("Next puzzle"), self._go_on, "arrow_forward", main=True)
                        self._give_up = button(_("Show the answer"), self._reveal, "visibility")
                        self._analyse = button(_("Analyse"), self._study, "insights")
                with ui.element("div").classes("tg-card"):
                    self._score = ui.element("div")
                    self._repeat = button(_("Repeat missed puzzles"), self._to_missed, "replay").props("dense")
                self._build_results()

    async def show(self) -> None:
        """Update the puzzle and the score."""
        self._title.set_text(f"{_(self._kind.title)} · {describe_game(self._position.game)}")
        self._task.set_text(translate(self._question.task))
        self._next.set_visibility(self._counted)
        self._give_up.set_visibility(self._open)
        self._analyse.set_visibility(not self._open)
        self._show_results(shown=not self._open)
        score = await self._sessions.run_in_thread(
            self._sessions.store.puzzle_score, self._kind.name, self._visit.browser
        )
        self._show_score(score, await self._rating_figures())

    def _show_score(self, score: PuzzleScore, ratings: dict[str, str]) -> None:
        solved = _("{count} of {total}").format(count=score.solved, total=score.answered)
        figures = {_("in a row"): str(score.streak), _("best"): str(score.best), _("solved"): solved}
        show_figures(self._score, {**figures, **ratings})
        self._repeat.set_visibility(score.missed > 0 and not self._missed)
        self._repeat.set_text(_("Repeat missed puzzles ({count})").format(count=score.missed))

    async def _move(self, given: dict[str, Any]) -> None:
        move = str(given.get("move", ""))[:100]
        puzzle = self._question
        await self._count(move)
        after = next((one for one in puzzle.report.candidates if one.move == move), None)
        shown = move if after is None else f"{move}: {result_words(puzzle, after)}"
        if move in puzzle.right:
            self._open = False
            others = [one for one in puzzle.right if one != move]
            text = _("Right, {move}; so is {others}") if others else _("Right, {move}")
            self._show_verdict(text.format(move=shown, others=", ".join(others)), True)
        else:
            text = _("Not {move}. Try another, or see the answer.").format(move=shown)
            self._show_verdict(text, not self._open)
        self._show_board()
        await self.show()

    async def _reveal(self) -> None:
        await self._count("")
        self._open = False
        puzzle = self._question
        best = next(one for one in puzzle.report.candidates if one.move == puzzle.right[0])
        self._show_verdict(f"{_(' or ').join(puzzle.right)}: {result_words(puzzle, best)}")
        await self.show()

    async def _go_on(self) -> None:
        self._next.disable()
        self._show_verdict(_("Preparing a puzzle…"))
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
        self._show_verdict("")
        self._show_board()
        await self.show()

    def _to_missed(self) -> None:
        ui.navigate.to(f"/puzzles/{self._kind.name}?missed=1")

    async def _study(self) -> None:
        with errors_shown():
            session = await self._sessions.open_board(
                self._position.game, self._visit.browser, Record.of(self._position)
            )
            ui.navigate.to(f"/analysis/{session.id}")


async def _build_list(visit: Visit) -> None:
    ui.label(_("Positions with a proved solution. Every move that keeps the proved value is right."))
    with ui.element("div").classes("tg-games"):
        for kind in sorted(puzzle_kinds(), key=lambda one: one.game):
            score = await visit.sessions.run_in_thread(visit.sessions.store.puzzle_score, kind.name, visit.browser)
            text = _("{solved} of {answered} solved, {streak} in a row").format(
                solved=score.solved, answered=score.answered, streak=score.streak
            )
            solved = [text] if score.answered else []
            tile(kind.game, f"/puzzles/{kind.name}", _(kind.title), _(kind.about), *solved)


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/puzzles")
    async def puzzles(visit: Visit) -> None:
        with page(visit, _("Puzzles"), "/puzzles"):
            text_link(
                _("Timed run: as many as you can in {count} minutes").format(count=MINUTES),
                "/puzzles/run",
                "tg-link-button",
            )
            await _build_list(visit)

    @add_page(sessions, "/puzzles/{name}")
    async def solve(visit: Visit, name: str, missed: bool = False) -> None:
        kind = puzzle_kind(name)
        shown = PuzzlePage(visit, kind, missed)
        wait = _("Preparing a puzzle…")
        puzzle = await await_with_notice(sessions.puzzle_stock.next(name, visit.browser, missed=missed), wait)
        if puzzle is None:
            raise TengenError(mark("there are no missed puzzles"))
        await shown.open(puzzle)
        with frame(visit, _(kind.title), "/puzzles"):
            shown.build()
        await shown.show()
