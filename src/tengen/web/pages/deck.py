"""The deck: today's questions from one's own games, drills and puzzles, one after another."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from nicegui import ui

from tengen import games
from tengen.app.deck import (
    MAX_NEW_PER_DAY,
    MISTAKE,
    NEW_PER_DAY,
    OPTION,
    DeckSettings,
    DeckStatistics,
    Question,
    Share,
    answer_question,
    extra_question,
    next_question,
    source_name,
    statistics,
)
from tengen.app.game_options import describe_game
from tengen.app.mistakes import MAX_CARDS
from tengen.app.puzzle_themes import THEMES
from tengen.app.weak_spots import puzzles_for
from tengen.core.errors import TengenError
from tengen.core.locale_format import number
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext, translate
from tengen.games.records import Record
from tengen.web.concurrency_limiter import Slots
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import Visit, add_page, await_with_notice, frame, page
from tengen.web.pages.question_page import QuestionPage
from tengen.web.pages.widgets import (
    button,
    card,
    errors_shown,
    note,
    show_figures,
    show_message,
    table_row,
    text_link,
)

NEW_PUZZLES = 5  # made at once about what somebody misses
MAX_RUNS = 1  # of a visitor that make puzzles at the same time, in whatever tabs
_runs = Slots("requests")


def load_settings(visit: Visit) -> DeckSettings:
    return DeckSettings.from_option(visit.sessions.visitors.options(visit.browser).get(OPTION))


async def load_statistics(visit: Visit) -> DeckStatistics:
    now = datetime.now(UTC)
    return await visit.sessions.run_in_thread(
        statistics, visit.sessions.store, visit.browser, now, load_settings(visit)
    )


def status(found: DeckStatistics) -> str:
    """What there is to do today, in one line."""
    due = ngettext("{count} to repeat", "{count} to repeat", found.counts.due).format(count=found.counts.due)
    waiting = ngettext("{count} new today", "{count} new today", found.new_today).format(count=found.new_today)
    return f"{due} · {waiting}"


async def find_question(visit: Visit, skip: str = "", *, extra: bool = False) -> tuple[Question, Position] | None:
    """The next question with its position; with `extra`, a new one beyond those of the day."""
    sessions, settings = visit.sessions, load_settings(visit)

    def find() -> tuple[Question, Position] | None:
        now = datetime.now(UTC)
        found = (
            extra_question(sessions.store, visit.browser, now, settings)
            if extra
            else next_question(sessions.store, visit.browser, now, settings, skip)
        )
        return None if found is None else (found, found.position())

    return await sessions.run_in_thread(find)


class DeckPage(QuestionPage):
    """The questions of today. The first answer counts; further moves may be tried."""

    def __init__(self, visit: Visit, found: tuple[Question, Position]) -> None:
        super().__init__(visit)
        self._set(found)

    def _set(self, found: tuple[Question, Position]) -> None:
        self._asked, self._position = found
        self._question = self._asked.puzzle
        self._counted, self._open = False, True

    def build(self) -> None:
        with ui.element("div").classes("tg-table"):
            self._build_board()
            with ui.element("section").classes("tg-side").props(f'aria-label="{_("Question")}"'):
                with ui.element("div").classes("tg-card"):
                    with ui.element("div").classes("tg-row tg-spread"):
                        self._source = ui.label("").classes("tg-thought").mark("source")
                        self._state = note("")
                    self._title = note("")
                    self._build_task()
                    with ui.element("div").classes("tg-tools"):
                        self._next = button(_("Next"), self._go_on, "arrow_forward", main=True)
                        self._give_up = button(_("Show the answer"), self._reveal, "visibility")
                        self._analyse = button(_("Analyse"), self._study, "insights")
                        self._remove = button(_("Do not ask again"), self._drop, "delete_outline")
                with ui.element("div").classes("tg-card"):
                    self._figures = ui.element("div")
                self._build_results()

    async def show(self) -> None:
        """Update the question and the figures."""
        asked = self._asked
        self._source.set_text(asked.source)
        self._state.set_text(_("new") if asked.is_new else _("to repeat"))
        self._title.set_text(describe_game(self._position.game))
        self._task.set_text(translate(self._question.task))
        self._next.set_visibility(self._counted)
        self._give_up.set_visibility(self._open)
        self._analyse.set_visibility(not self._open)
        self._remove.set_visibility(not self._open)
        self._show_results(shown=not self._open)
        found = await load_statistics(self._visit)
        right = _("{count} of {total}").format(count=found.today.right, total=found.today.total)
        figures = {_("to repeat"): str(found.counts.due), _("new today"): str(found.new_today)}
        show_figures(self._figures, {**figures, _("right today"): right, **await self._rating_figures()})

    # ---- user actions

    async def _move(self, given: dict[str, Any]) -> None:
        move = str(given.get("move", ""))[:100]
        puzzle = self._question
        if move not in self._position.write_moves(self._position.legal_moves):
            self._show_board()
            return
        verdict = await self._answer(move)
        if verdict is not None:
            self._open = self._open and move not in puzzle.right
        self._show_board()
        await self.show()

    async def _reveal(self) -> None:
        await self._answer("")
        self._open = False
        await self.show()

    async def _answer(self, move: str) -> bool | None:
        """Judge a move; the first answer is stored."""
        store, puzzle = self._sessions.store, self._question
        asked = self._asked
        if self._counted:  # the answer is known to the store: this is only explained
            asked = Question(puzzle, None)
        answered = await self._sessions.run_in_thread(
            answer_question, store, asked, self._visit.browser, move, datetime.now(UTC)
        )
        self._counted = self._counted or answered.right is not None
        # A second try does not count, but its colour says whether it is right.
        judged = answered.right is not None and bool(move)
        self._show_verdict(answered.text, move in puzzle.right if judged else None)
        return answered.right

    async def _go_on(self) -> None:
        with errors_shown():
            found = await find_question(self._visit, self._question.id)
            if self._client.is_deleted:
                return
            if found is None:
                ui.navigate.to("/deck")
                return
            self._set(found)
            self._show_verdict("")
            self._show_board()
            await self.show()

    async def _drop(self) -> None:
        await self._sessions.run_in_thread(
            self._sessions.store.remove_card, self._visit.browser, self._question.id
        )
        show_message(_("This position will not be asked again."))
        await self._go_on()

    async def _study(self) -> None:
        """Open the game that a mistake comes from at its position, or else a board with the position."""
        puzzle = self._question
        if puzzle.kind == MISTAKE and puzzle.origin:
            try:
                await self._sessions.get(puzzle.origin)
                ui.navigate.to(f"/analysis/{puzzle.origin}?ply={len(puzzle.moves)}")
                return
            except TengenError:
                pass  # the game was deleted
        with errors_shown():
            session = await self._sessions.open_board(
                self._position.game, self._visit.browser, Record.of(self._position)
            )
            ui.navigate.to(f"/analysis/{session.id}")


# ---- the overview


class Overview:
    """Figures, settings, and the start of the day's session."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    async def build(self) -> None:
        found = await load_statistics(self._visit)
        with card(_("Today")):
            done = not found.counts.due and not (found.new_today and await find_question(self._visit))
            ui.label(_("Everything is done for today.") if done else status(found)).classes("tg-outcome")
            if found.today.total:
                note(_("{right} of {total} right today").format(right=found.today.right, total=found.today.total))
            with ui.element("div").classes("tg-row"):
                if done:
                    text_link(_("More new ones"), "/deck/today?extra=1", "tg-link-button")
                else:
                    text_link(_("Start"), "/deck/today", "tg-main-button")
        with card(_("Progress")):
            _build_figures(found)
            ratings = await self._visit.sessions.run_in_thread(
                self._visit.sessions.puzzle_ratings.solver_ratings, self._visit.browser
            )
            if ratings:
                note(_("Puzzle rating by game (Glicko-2, from first answers)"))
                titles = {_(games.game_class(name).title): skill for name, skill in ratings.items()}
                show_figures(
                    ui.element("div"),
                    {title: f"{skill.rating:.0f} ± {2 * skill.deviation:.0f}" for title, skill in titles.items()},
                )
        if found.kinds:
            with card(_("First answers")):
                _build_kinds(found)
        if found.themes:
            with card(_("Themes")):
                note(_("First answers by what a question is about; new puzzles come from the weakest."))
                _build_shares({_(THEMES[name]): share for name, share in found.themes.items() if name in THEMES})
                self._practise = button(_("Make new puzzles about what I miss most"), self._make_puzzles, "add")
        with card(_("Settings")):
            self._build_settings()

    async def _make_puzzles(self) -> None:
        """Generate puzzles about the weakest themes; they wait in the deck."""
        sessions, who = self._visit.sessions, self._visit.browser
        self._practise.disable()
        with errors_shown(), _runs.take(who, MAX_RUNS):
            show_message(_("Composing puzzles, which takes up to a minute …"))
            histories = await sessions.run_in_thread(sessions.store.histories, who)
            chosen = load_settings(self._visit).games
            made = await puzzles_for(histories, NEW_PUZZLES, sessions.host, sessions.helper_pool.run, chosen)
            count = 0
            for puzzle in made:
                count += await sessions.run_in_thread(sessions.store.add_card, who, puzzle, MAX_CARDS)
            show_message(
                ngettext("{count} new puzzle in your deck", "{count} new puzzles in your deck", count).format(
                    count=count
                )
            )
        self._practise.enable()

    def _build_settings(self) -> None:
        settings = load_settings(self._visit)
        names = {name: _(games.game_class(name).title) for name in games.names()}
        with ui.element("div").classes("tg-row"):
            self._new = ui.number(
                _("New positions a day"), value=settings.new_per_day, min=0, max=MAX_NEW_PER_DAY, step=1
            ).props("outlined dense")
            self._new.style("min-width: 190px")
            self._games = ui.select(
                names, label=_("Games (none: all)"), value=list(settings.games), multiple=True
            ).props("outlined dense options-dense use-chips")
            self._games.style("min-width: 220px")
        self._collects = ui.switch(_("Add the mistakes of my reviewed games"), value=settings.collects)
        button(_("Save"), self._save, "check")

    def _save(self) -> None:
        with errors_shown():
            count = NEW_PER_DAY if self._new.value is None else int(self._new.value)
            made = DeckSettings(count, tuple(self._games.value), bool(self._collects.value))
            self._visit.sessions.visitors.set_options(self._visit.browser, **{OPTION: made.to_option()})
            show_message(_("Saved."))


def _build_figures(found: DeckStatistics) -> None:
    retention = found.retention.value
    figures = {
        _("positions"): str(found.counts.total),
        _("known"): str(found.counts.known),
        _("days in a row"): str(found.days_in_a_row),
        _("remembered"): "–" if retention is None else f"{number(100 * retention)} %",
        _("expected"): "–" if found.predicted is None else f"{number(100 * found.predicted)} %",
    }
    show_figures(ui.element("div"), figures)
    note(_("Remembered: right answers when a position came back after a day or more, in the last 30 days."))
    most = max(found.forecast, default=0)
    if most:
        note(_("To repeat in the next days"))
        with ui.element("div").classes("tg-forecast").mark("forecast"):
            for day, count in enumerate(found.forecast):
                with ui.element("div"):
                    ui.element("i").style(f"height: {round(48 * count / most)}px")
                    ui.label(str(count))
                    note(_("today") if day == 0 else f"+{day}")


def _build_kinds(found: DeckStatistics) -> None:
    names = {kind: _("Opening drill") if kind == "drill" else source_name(kind) for kind in found.kinds}
    _build_shares({names[kind]: share for kind, share in found.kinds.items()})


def _build_shares(shares: Mapping[str, Share]) -> None:
    """Right answers by name, the most frequent first."""
    with ui.element("table").classes("tg-why"):
        for name, share in sorted(shares.items(), key=lambda one: -one[1].total):
            right = _("{count} of {total}").format(count=share.right, total=share.total)
            table_row(name[:1].upper() + name[1:], right, f"{number(100 * (share.value or 0))} %")


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/deck")
    async def overview(visit: Visit) -> None:
        with page(visit, _("My deck"), "/deck"):
            ui.label(
                _(
                    "Positions from your games, drills and puzzles, in one queue. "
                    "What you miss comes back soon, what you know comes back later."
                )
            )
            await Overview(visit).build()

    @add_page(sessions, "/deck/today")
    async def session(visit: Visit, extra: bool = False) -> None:
        found = await await_with_notice(find_question(visit, extra=extra))
        if found is None:
            ui.navigate.to("/deck")
            return
        shown = DeckPage(visit, found)
        with frame(visit, _("My deck"), "/deck"):
            shown.build()
        await shown.show()
