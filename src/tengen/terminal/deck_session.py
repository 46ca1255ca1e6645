"""`tengen puzzles`: the questions of the deck, line by line in a terminal."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from random import Random

from rich.console import Console
from rich.table import Table

from tengen import games
from tengen.app.deck import (
    Answered,
    DeckSettings,
    Question,
    answer_question,
    next_question,
    source_name,
    statistics,
)
from tengen.app.puzzle_ratings import PuzzleRatings
from tengen.app.puzzle_themes import THEMES
from tengen.app.timed_run import TimedRun
from tengen.core.diagram import Point
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.store.store import Store
from tengen.terminal.board import draw
from tengen.terminal.progress import run_with_progress


class DeckSession:
    """Asks one question after another until the day's questions are answered or the user quits."""

    def __init__(
        self, console: Console, errors: Console, store: Store, solver: str, settings: DeckSettings
    ) -> None:
        self._console = console
        self._errors = errors
        self._store = store
        self._solver = solver
        self._settings = settings

    def run(self) -> None:
        """Ask until nothing is due. Every answer is stored at once, so Ctrl-C loses nothing."""
        skip = ""
        while True:
            question = next_question(self._store, self._solver, datetime.now(UTC), self._settings, skip)
            if question is None:
                self._console.print(_("Everything is done for today."))
                return
            if not self._ask(question):
                return
            skip = question.puzzle.id

    def run_timed(self, minutes: int) -> None:
        """Ask as many puzzles as possible; nothing is stored."""
        run = TimedRun(Random(), time.monotonic(), minutes, self._settings.games)
        while not run.is_over(time.monotonic()):
            question = Question(run.puzzle)
            position = run_with_progress(self._errors, question.position)
            left = _("{seconds} s left").format(seconds=round(run.remaining_s(time.monotonic())))
            self._console.print(f"\n{left}")
            self._show(question, position)
            move = self._read_move(position, _("Move (q: stop): "))
            if move is None:
                break
            if move:
                best = question.puzzle.right[0]
                right = run.answer(move, time.monotonic())
                text = _("Right, {move}") if right else _("Not {move}. Better is {best}")
                self._console.print(text.format(move=move, best=best))
        self._console.print(_("{solved} solved, {missed} missed").format(solved=run.solved, missed=run.missed))

    def _show(self, question: Question, position: Position) -> None:
        puzzle = question.puzzle
        self._console.print(f"\n{question.source} · {_(position.game.title)}")
        self._console.print(draw(position))
        if puzzle.marked:
            names = ", ".join(_point_name(position, point) for point in puzzle.marked)
            self._console.print(_("Marked: {points}").format(points=names))
        self._console.print(translate(puzzle.task))

    def _read_move(self, position: Position, prompt: str) -> str | None:
        """A legal move in the notation of the game; empty for an empty line, None to stop."""
        while True:
            try:
                text = self._console.input(prompt).strip()
            except EOFError:
                return None
            if text.casefold() in ("q", "quit"):
                return None
            try:
                return position.game.write_move(position.game.read_move(text, position)) if text else ""
            except TengenError as error:
                self._console.print(translate(str(error)))

    def _ask(self, question: Question) -> bool:
        """Ask until there is an answer; returns whether to continue."""
        position = run_with_progress(self._errors, question.position)
        self._show(question, position)
        while True:
            move = self._read_move(position, _("Move (empty: show the answer, q: stop): "))
            if move is None:
                return False
            found: Answered = answer_question(self._store, question, self._solver, move)
            self._console.print(found.text)
            if found.right is not None:
                return True

    def show_statistics(self) -> None:
        """Print the figures of the deck."""
        found = statistics(self._store, self._solver, datetime.now(UTC), self._settings)
        counts = found.counts
        table = Table("", "", show_header=False)
        rows = {
            _("positions"): str(counts.total),
            _("to repeat"): str(counts.due),
            _("new today"): str(found.new_today),
            _("known"): str(counts.known),
            _("right today"): f"{found.today.right} / {found.today.total}",
            _("days in a row"): str(found.days_in_a_row),
            _("remembered"): _percent(found.retention.value),
            _("expected"): _percent(found.predicted),
            _("To repeat in the next days"): " ".join(map(str, found.forecast)),
        }
        for name, value in rows.items():
            table.add_row(name, value)
        for kind, share in sorted(found.kinds.items()):
            name = _("Opening drill") if kind == "drill" else source_name(kind)
            table.add_row(name, f"{share.right} / {share.total}")
        for theme, share in sorted(found.themes.items(), key=lambda one: -one[1].total):
            table.add_row(_(THEMES.get(theme, theme)), f"{share.right} / {share.total}")
        for game, skill in PuzzleRatings(self._store).solver_ratings(self._solver).items():
            name = _("rating: {game}").format(game=_(games.game_class(game).title))
            table.add_row(name, f"{skill.rating:.0f} ± {2 * skill.deviation:.0f}")
        self._console.print(table)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _point_name(position: Position, point: Point) -> str:
    diagram = position.diagram()
    return f"{diagram.columns[point[0]]}{diagram.rows[point[1]]}"
