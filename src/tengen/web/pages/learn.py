"""The Learn page: lessons with progress, the daily puzzle, puzzles and opening drills."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

from tengen import games
from tengen.app.daily_puzzle import daily_puzzle, today
from tengen.app.lessons import lessons
from tengen.app.lessons.lesson import Lesson
from tengen.app.lessons.progress import OPTION, LessonProgress
from tengen.app.puzzles import PuzzleKind, puzzle_kinds
from tengen.core.translation import gettext as _
from tengen.store.puzzles import PuzzleScore
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing
from tengen.web.pages.daily_puzzle import load_record
from tengen.web.pages.deck import load_statistics
from tengen.web.pages.deck import status as deck_status
from tengen.web.pages.game_tiles import tile
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.widgets import heading, note


def load_progress(visit: Visit) -> LessonProgress:
    """The visitor's progress in the lessons."""
    return LessonProgress.from_option(visit.sessions.visitors.options(visit.browser).get(OPTION))


def build_lesson_cards(visit: Visit) -> None:
    """A card for each lesson, with the visitor's progress."""
    progress = load_progress(visit)
    with ui.element("div").classes("tg-learn-games"):
        for lesson in lessons():
            _build_lesson_card(lesson, progress)


def _build_lesson_card(lesson: Lesson, progress: LessonProgress) -> None:
    done, total = progress.count(lesson), len(lesson.parts)
    with ui.element("a").classes("tg-learn-card").props(f'href="/learn/{lesson.game}"'):
        ui.html(drawing(lesson.game), sanitize=False)
        with ui.element("div").classes("tg-grow"):
            with ui.element("b"):
                ui.label(_(games.game_class(lesson.game).title))
            with ui.element("small"):
                ui.label(_lesson_status(done, total))
            with ui.element("div").classes("tg-progress").props('aria-hidden="true"'):
                ui.element("i").style(f"width: {100 * done / total:.0f}%")


def _lesson_status(done: int, total: int) -> str:
    if not done:
        return _("Learn in two minutes")
    if done == total:
        return _("Done. Play again?")
    return _("{done} of {total} done").format(done=done, total=total)


def _puzzle_status(score: PuzzleScore) -> str:
    if not score.answered:
        return _("Not tried yet")
    return _("{solved} of {answered} solved").format(solved=score.solved, answered=score.answered)


async def build_puzzle_tiles(visit: Visit, kinds: list[PuzzleKind]) -> None:
    """A tile for each kind of puzzle, with the visitor's score."""
    store = visit.sessions.store
    with ui.element("div").classes("tg-games"):
        for kind in kinds:
            score = await visit.sessions.run_in_thread(store.puzzle_score, kind.name, visit.browser)
            tile(kind.game, f"/puzzles/{kind.name}", _(kind.title), _(kind.about), _puzzle_status(score))


@contextmanager
def _section(title: str) -> Iterator[None]:
    with ui.element("section").classes("tg-learn-section"):
        heading(title, 2)
        yield


def _build_link(target: str, icon: str, title: str, about: str) -> None:
    with ui.element("a").classes("tg-item").props(f'href="{target}"'):
        ui.icon(icon, size="22px", color="primary")
        with ui.element("div").classes("tg-grow"):
            ui.label(title)
            with ui.element("small"):
                ui.label(about)


def _build_daily_link(visit: Visit) -> None:
    day = today()
    record = load_record(visit)
    puzzle = daily_puzzle(day)
    with ui.element("a").classes("tg-learn-card tg-learn-daily").props('href="/daily"'):
        ui.html(drawing(puzzle.game), sanitize=False)
        with ui.element("div").classes("tg-grow"):
            with ui.element("b"):
                ui.label(_("Daily puzzle"))
            with ui.element("small"):
                ui.label(_("Solved today.") if record.is_solved(day) else puzzle.task)
            streak = record.describe(day)
            if streak:
                with ui.element("small"):
                    ui.label(streak)


async def _build_deck_link(visit: Visit) -> None:
    found = await load_statistics(visit)
    with ui.element("a").classes("tg-item").props('href="/deck"').mark("deck"):
        ui.icon("style", size="22px", color="primary")
        with ui.element("div").classes("tg-grow"):
            ui.label(_("My deck"))
            with ui.element("small"):
                ui.label(deck_status(found))


def _build_level_links() -> None:
    with ui.element("div").classes("tg-learn-games"):
        for name in games.names():
            with ui.element("a").classes("tg-item").props(f'href="/level/{name}"'):
                ui.html(drawing(name), sanitize=False)
                with ui.element("div").classes("tg-grow"):
                    ui.label(_(games.game_class(name).title))


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/learn")
    async def learn(visit: Visit) -> None:
        await sessions.run_in_thread(daily_puzzle, today())  # reads a file the first time
        with page(visit, _("Learn")):
            with _section(_("How to play")):
                note(_("Five short steps on a real board, then three tiny puzzles. About two minutes per game."))
                build_lesson_cards(visit)
            with _section(_("Today")):
                _build_daily_link(visit)
                await _build_deck_link(visit)
            with _section(_("Puzzles")):
                note(_("Positions with a proved answer, one after another."))
                await build_puzzle_tiles(visit, sorted(puzzle_kinds(), key=lambda kind: kind.game))
            with _section(_("Find my level")):
                note(_("Play a few games; the next opponent gets stronger or weaker until it suits you."))
                _build_level_links()
            with _section(_("Your games")):
                _build_link(
                    "/report",
                    "summarize",
                    _("Player report"),
                    _("Accuracy by phase, opening and time, kinds of mistakes, progress."),
                )
            with _section(_("Openings")):
                _build_link(
                    "/drills",
                    "school",
                    _("Opening drills"),
                    _("An opening book asks for its move; missed positions return sooner."),
                )
