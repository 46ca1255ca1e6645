"""The user's opening books: contents, verification level, and growth."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode

from nicegui import context, ui

from tengen import games
from tengen.app.book_jobs import BookSummary, Growth
from tengen.app.book_manager import GrowthJob
from tengen.app.drills import BOOKS
from tengen.app.game_options import describe_game
from tengen.core.errors import OptionError, TengenError
from tengen.core.locale_format import number
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.layout import Visit, add_page, await_with_notice, page
from tengen.web.pages.widgets import (
    button,
    card,
    errors_shown,
    note,
    show_error,
    show_figures,
    show_message,
    table_row,
)

LOADING = mark("Loading books…")
_TITLES = {"valued": mark("values"), "statistics": mark("statistics")}
_LEVELS = {
    "broken": mark("Broken: some content is missing or wrong"),
    "consistent": mark("Complete, but some positions have no value yet"),
    "valued": mark("Every position has a value, but some best moves have to be searched again"),
    "negamaxed": mark("Verified: the value of every position follows from its moves"),
}
_VALUED_COLUMNS = (mark("moves"), mark("branches"), mark("leaves"), mark("solved"))
_FIELDS = (
    ("loss", mark("Loss"), 2, mark("maximum loss of a line for both sides together, in points")),
    ("rounds", mark("Rounds"), 1, mark("each extends lines by one move")),
    ("most", mark("New branches"), 100, mark("maximum per round, best lines first")),
    ("last", mark("Moves"), None, mark("only positions before this move; empty: all")),
    ("depth", mark("Depth"), 12, mark("search depth")),
)


def explain_first_book() -> None:
    """Explain how to create a book."""
    with card(_("There is no book yet")):
        ui.label(
            _(
                "Play a game, or open one from the library: after its end, “Improve the opening book with this "
                "game” starts a book of values, and “Add to opening statistics” one that counts results."
            )
        )
        with ui.element("div").classes("tg-row"):
            button(_("New game"), partial(ui.navigate.to, "/new"), "play_arrow", main=True)
            button(_("Library"), partial(ui.navigate.to, "/library"), "library_books")
        ui.label(
            _("From the command line: tengen book add games.wtb, then tengen book value; or tengen book import.")
        )


def title_of(book: BookSummary) -> str:
    if book.error:
        return book.file
    return f"{describe_game(games.game(book.game, **book.options))} · {_(_TITLES[book.kind])}"


def address(path: str, book: BookSummary) -> str:
    """The URL of a page about a book's game."""
    options = " ".join(f"{name}={value}" for name, value in book.options.items() if value not in ("", None))
    return f"{path}?{urlencode({'game': book.game, 'options': options, 'book': BOOKS[book.kind]})}"


class BooksPage:
    """The list of books, below the current growth."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._books = visit.sessions.book_manager
        self._client = context.client
        self._was_over = True

    def build(self, books: list[BookSummary]) -> None:
        self._growth = ui.element("section").classes("tg-card").props(f'aria-label="{_("Growth")}"')
        with self._growth:
            self._heading = ui.label("").classes("tg-outcome").mark("growth")
            self._bar = ui.linear_progress(0, show_value=False).props(f'aria-label="{_("Progress")}"')
            self._words = ui.label("").classes("tg-status").props('role="status"').mark("growing")
            if self._visit.may_edit_books:
                with ui.element("div").classes("tg-row"):
                    self._stop = button(_("Stop"), partial(self._act, self._books.stop), "stop")
                    self._on = button(_("Resume"), partial(self._act, self._books.resume), "play_arrow", main=True)
                    self._off = button(_("Discard"), partial(self._act, self._books.discard), "close")
        self._list = ui.element("div").classes("tg-columns")
        self._fill(books)
        if not self._visit.may_edit_books:
            note(_("Only the owner of this server can change books."))
        self.show()

    def _fill(self, books: list[BookSummary]) -> None:
        self._list.clear()
        with self._list:
            for book in books:
                self._build_book(book)
            if not books:
                explain_first_book()

    def _build_book(self, book: BookSummary) -> None:
        with card(title_of(book)) as section:
            section.mark(book.file)
            if book.error:
                ui.label(translate(book.error)).classes("tg-bad")
                return
            shown = (mark("positions"), *_VALUED_COLUMNS[1:]) if book.kind == "valued" else ("positions",)
            show_figures(ui.element("div"), {_(name): number(getattr(book, name)) for name in shown})
            if book.level:
                ui.label(_(_LEVELS[book.level])).classes("tg-good" if book.level == "negamaxed" else "tg-bad")
            if book.offender:
                note(_("First such position ({reason}):").format(reason=translate(book.reason)))
                ui.label(book.offender).style("white-space: pre; font-family: monospace; overflow-x: auto")
            with ui.element("div").classes("tg-tools"):
                button(_("Drill"), partial(ui.navigate.to, address("/drills", book)), "school")
                button(_("Explore"), partial(ui.navigate.to, _explorer(book)), "account_tree")
                if book.kind == "valued":
                    button(_("Check"), self._check, "fact_check")
            with ui.expansion(_("By moves made")).props("dense").style("width: 100%"):
                _table(book)
            if book.kind == "valued" and self._visit.may_edit_books:
                with ui.expansion(_("Grow")).props("dense").style("width: 100%"):
                    self._build_form(book)

    def _build_form(self, book: BookSummary) -> None:
        fields: dict[str, Any] = {}
        ui.label(_("Extend the book with unplayed moves that lose little, and search the resulting positions."))
        with ui.element("div").classes("tg-fields"):
            for name, label, usual, hint in _FIELDS:
                fields[name] = ui.number(_(label), value=usual, min=0).props(f'outlined dense hint="{_(hint)}"')
        button(_("Grow"), partial(self._grow, book, fields), "park", main=True)

    # ---- display

    def show(self) -> None:
        growing = self._books.growing
        self._growth.set_visibility(growing is not None)
        if growing is None:
            return
        self._heading.set_text(_heading(growing))
        self._words.set_text(translate(growing.describe()))
        progress = growing.progress
        self._bar.set_visibility(not growing.is_over)
        self._bar.set_value(progress.done / progress.total if progress is not None and progress.total else 0.0)
        if self._visit.may_edit_books:
            self._stop.set_visibility(not growing.is_over)
            self._on.set_visibility(growing.state in ("stopped", "failed"))
            self._off.set_visibility(growing.is_over)
            self._off.set_text(_("Discard") if growing.state != "done" else _("Close"))

    def on_change(self) -> None:
        if self._client.is_deleted:
            return
        with self._client:
            self.show()
            growing = self._books.growing
            over = growing is None or growing.is_over
            if over and not self._was_over:
                ui.timer(0.1, self._reload, once=True)
            self._was_over = over

    # ---- user actions

    async def _reload(self) -> None:
        with errors_shown():
            self._fill(await self._books.inspect())

    async def _check(self) -> None:
        self._books.clear_cache()
        await self._reload()
        show_message(_("All positions were checked again"))

    async def _act(self, work: Any) -> None:
        with errors_shown():
            await work()

    async def _grow(self, book: BookSummary, fields: dict[str, Any]) -> None:
        given = {name: field.value for name, field in fields.items()}
        with errors_shown():
            missing = [label for name, label, _usual, _hint in _FIELDS if given[name] is None and name != "last"]
            if missing:
                raise OptionError(mark("a number is missing: {missing}").format(missing=missing[0]))
            plan = Growth(
                book.game,
                book.options,
                loss=float(given["loss"]),
                last=None if given["last"] is None else int(given["last"]),
                most=int(given["most"]),
                rounds=int(given["rounds"]),
                depth=int(given["depth"]),
            )
            await self._books.grow(plan)
            self._was_over = False
            ui.run_javascript("window.scrollTo({top: 0})")


def _heading(growing: GrowthJob) -> str:
    plan = growing.plan
    name = describe_game(games.game(plan.game, **plan.options))
    if growing.state == "done":
        return _("{name} has grown").format(name=name)
    return _("{name}: round {number} of {total}").format(
        name=name, number=min(plan.done + 1, plan.rounds), total=plan.rounds
    )


def _explorer(book: BookSummary) -> str:
    options = {name: value for name, value in book.options.items() if name in ("size", "rules", "variant")}
    return f"/board/{book.game}?{urlencode({**options, 'tab': 'Explorer'})}"


def _table(book: BookSummary) -> None:
    head = _VALUED_COLUMNS if book.kind == "valued" else (mark("stones"), mark("positions"))
    with ui.element("table").classes("tg-why"):
        table_row(*map(_, head), tag="th")
        for row in book.stages:
            table_row(*(number(count) for count in row))


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/books")
    async def books(visit: Visit) -> None:
        shown = BooksPage(visit)
        found: list[BookSummary] = []
        problem = None
        try:
            found = await await_with_notice(sessions.book_manager.inspect(), _(LOADING))
        except TengenError as error:
            problem = error
        with page(visit, _("Books"), "/books"):
            ui.label(_("Opening books are used by engines, the explorer and drills."))
            shown.build(found)
        if problem is not None:
            show_error(problem)
        context.client.on_delete(sessions.book_manager.watch(shown.on_change))
