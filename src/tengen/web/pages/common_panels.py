"""The opening explorer, a panel for every game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from nicegui import ui

from tengen.app.value_display import short_value
from tengen.books.book_move import BookMove
from tengen.books.explorer import explore_books
from tengen.core.locale_format import number
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext, translate
from tengen.store.explorer import MoveCount, PositionStatistics
from tengen.web.pages.add_to_book import build_book_buttons
from tengen.web.pages.page_updates import PositionLoader
from tengen.web.pages.widgets import note, strong, table_row
from tengen.web.panels import PanelContext, ShowPosition, register_panel


class _Explored(NamedTuple):
    """What the explorer shows about a position."""

    found: PositionStatistics
    books: dict[str, tuple[BookMove, ...]]
    opening: str


def build_explorer(panel_context: PanelContext) -> ShowPosition:
    """The moves of stored games in this position with their results, and the moves of opening books."""
    own = False
    sessions = panel_context.sessions
    opening = note("")
    with ui.element("div").classes("tg-row tg-spread"):
        total = note("")
        ui.switch(_("Own games only"), on_change=lambda event: change(bool(event.value))).props("dense")
    table = ui.element("table").classes("tg-why")
    book_tables = ui.element("div")
    if panel_context.may_edit_books and panel_context.match.result is not None:
        build_book_buttons(sessions, panel_context.match, lambda: loader.reload())

    def change(value: bool) -> None:
        nonlocal own
        own = value
        loader.reload()

    async def find(position: Position) -> _Explored:
        found = await sessions.run_in_thread(sessions.store.explore, position, played_here=own)
        name = await sessions.run_in_thread(position.game.opening_name, position)
        return _Explored(found, await sessions.run_in_thread(explore_books, position), name)

    def fill(data: _Explored) -> None:
        found, books, name = data
        opening.set_text(_("Opening: {name}").format(name=_(name)) if name else "")
        opening.set_visibility(bool(name))
        words = ngettext("{count} game had this position", "{count} games had this position", found.games)
        none = _("No stored game had this position")
        total.set_text(words.format(count=number(found.games)) if found.games else none)
        table.clear()
        with table:
            for count in found.moves[:30]:
                row(count.text, number(count.games), partial(ui.html, _results(count), sanitize=False))
        book_tables.clear()
        with book_tables:
            for name, options in books.items():
                note(translate(name))
                with ui.element("table").classes("tg-why"):
                    for option in options[:30]:
                        row(option.text, _book_value(option), partial(note, _book_words(option)))

    def row(move: str, *cells: str | Callable[[], object]) -> None:
        async def play(_event: Any) -> None:
            await panel_context.play(move)

        table_row(strong(move), *cells).classes("tg-click").on("click", play)

    loader = PositionLoader(find, fill, total.set_text)
    return loader


def _book_value(option: BookMove) -> str | Callable[[], object]:
    value = option.value
    if value is None:
        return number(option.games)
    return lambda: ui.label(short_value(value)).classes(f"tg-value tg-kind-{value.kind}")


def _book_words(option: BookMove) -> str:
    if not option.games:
        return translate(option.kind)
    words = _("won {wins}, lost {losses}, drawn {draws}")
    if option.best:
        words = _("won {wins}, lost {losses}, drawn {draws}, best rating {rating}")
    return words.format(
        wins=option.wins, losses=option.losses, draws=option.draws, rating=number(option.best or 0)
    )


def _results(count: MoveCount) -> str:
    known = count.first_wins + count.second_wins + count.draws
    if not known:
        return f'<span class="tg-quiet">{_("unknown")}</span>'
    parts = (("tg-won-0", count.first_wins), ("tg-drawn", count.draws), ("tg-won-1", count.second_wins))
    bars = "".join(f'<i class="{name}" style="width:{100 * part / known:.1f}%"></i>' for name, part in parts)
    words = _("first player {first}, draws {draws}, second player {second}").format(
        first=count.first_wins, draws=count.draws, second=count.second_wins
    )
    return f'<div class="tg-results" title="{words}">{bars}</div>'


register_panel(mark("Explorer"), build_explorer)
