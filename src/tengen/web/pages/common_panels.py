"""Panels for every game: the engine's candidates with reasons, and the opening explorer."""

from __future__ import annotations

import asyncio
from html import escape
from typing import Any

from nicegui import context, ui

from tengen.app.value_display import write_candidate
from tengen.books.book_move import BookMove
from tengen.books.explorer import explore_books
from tengen.core.errors import TengenError
from tengen.store.explorer import MoveCount, PositionStatistics
from tengen.web.board_data import is_proved_loss, short_value
from tengen.web.pages.add_to_book import build_book_buttons
from tengen.web.pages.layout import NOTICE_DELAY_S, PREPARING
from tengen.web.panels import PanelContext, ShownPosition, ShowPosition, register_panel


def build_why(panel_context: PanelContext) -> ShowPosition:
    """The engine's candidates with value, visits and reason."""
    content = ui.html("", sanitize=False).style("width: 100%")

    def show(seen: ShownPosition) -> None:
        if seen.report is None:
            content.set_content('<div class="tg-quiet">Not analysed yet.</div>')
            return
        rows = "".join(
            f"<tr><td><b>{escape(one.move)}</b></td>"
            f'<td><span class="tg-value tg-kind-{one.value.kind}'
            f'{" tg-lost-value" if is_proved_loss(one.value) else ""}">'
            f"{escape(short_value(one.value))}</span></td>"
            f"<td>{one.visits or ''}</td>"
            f"<td>{escape(one.reason or write_candidate(one))}<br>"
            f'<span class="tg-quiet">{escape(" ".join(one.line[:10]))}</span></td></tr>'
            for one in seen.report.candidates[:20]
        )
        head = "<tr><th>Move</th><th>Value</th><th>Visits</th><th>Why</th></tr>"
        content.set_content(f'<table class="tg-why">{head}{rows}</table>')

    return show


def build_explorer(panel_context: PanelContext) -> ShowPosition:
    """The moves of stored games in this position with their results, and the moves of opening books."""
    client = context.client
    seen_now: ShownPosition | None = None
    own = False
    sessions = panel_context.sessions
    with ui.element("div").classes("tg-row tg-spread"):
        total = ui.label("").classes("tg-quiet")
        ui.switch("Own games only", on_change=lambda event: change(bool(event.value))).props("dense")
    table = ui.element("table").classes("tg-why")
    book_tables = ui.element("div")
    if panel_context.may_edit_books and panel_context.match.result is not None:
        build_book_buttons(sessions, panel_context.match, lambda: again())

    def again() -> None:
        if seen_now is not None:
            asyncio.ensure_future(look(seen_now))  # noqa: RUF006

    def change(value: bool) -> None:
        nonlocal own
        own = value
        again()

    def show(seen: ShownPosition) -> None:
        nonlocal seen_now
        if seen_now is None or seen.position is not seen_now.position:
            asyncio.ensure_future(look(seen))  # noqa: RUF006
        seen_now = seen

    async def find(seen: ShownPosition) -> tuple[PositionStatistics, dict[str, tuple[BookMove, ...]]]:
        found = await sessions.run_in_thread(sessions.store.explore, seen.position, played_here=own)
        return found, await sessions.run_in_thread(explore_books, seen.position)

    async def look(seen: ShownPosition) -> None:
        work = asyncio.ensure_future(find(seen))
        done, _ = await asyncio.wait({work}, timeout=NOTICE_DELAY_S)
        if not done and not client.is_deleted:
            total.set_text(PREPARING)
        try:
            found, known = await work
        except TengenError as error:
            total.set_text(str(error))
            return
        if not client.is_deleted and seen_now is not None and seen_now.position is seen.position:
            with client:
                fill(found)
                fill_books(known)

    def fill(found: PositionStatistics) -> None:
        words = "one game" if found.games == 1 else f"{found.games:,} games"
        total.set_text(f"{words} had this position" if found.games else "No stored game had this position")
        table.clear()
        with table:
            for count in found.moves[:30]:
                row(count)

    def fill_books(known: dict[str, tuple[BookMove, ...]]) -> None:
        book_tables.clear()
        with book_tables:
            for name, options in known.items():
                ui.label(name).classes("tg-quiet")
                with ui.element("table").classes("tg-why"):
                    for option in options[:30]:
                        book_row(option)

    def book_row(option: BookMove) -> None:
        async def play(_: Any) -> None:
            await panel_context.play(option.text)

        with ui.element("tr").classes("tg-click").on("click", play):
            with ui.element("td"):
                ui.label(option.text).style("font-weight: 650")
            with ui.element("td"):
                if option.value is not None:
                    ui.label(short_value(option.value)).classes(f"tg-value tg-kind-{option.value.kind}")
                else:
                    ui.label(f"{option.games:,}")
            with ui.element("td"):
                ui.label(_book_words(option)).classes("tg-quiet")

    def row(count: MoveCount) -> None:
        async def play(_: Any) -> None:
            await panel_context.play(count.text)

        with ui.element("tr").classes("tg-click").on("click", play):
            with ui.element("td"):
                ui.label(count.text).style("font-weight: 650")
            with ui.element("td"):
                ui.label(f"{count.games:,}")
            with ui.element("td"):
                ui.html(_results(count), sanitize=False)

    return show


def _book_words(option: BookMove) -> str:
    if not option.games:
        return option.kind
    rating = f", best rating {option.best:.0f}" if option.best else ""
    return f"won {option.wins}, lost {option.losses}, drawn {option.draws}{rating}"


def _results(count: MoveCount) -> str:
    known = count.first_wins + count.second_wins + count.draws
    if not known:
        return '<span class="tg-quiet">unknown</span>'
    parts = (("tg-won-0", count.first_wins), ("tg-drawn", count.draws), ("tg-won-1", count.second_wins))
    bars = "".join(f'<i class="{name}" style="width:{100 * part / known:.1f}%"></i>' for name, part in parts)
    words = f"first player {count.first_wins}, draws {count.draws}, second player {count.second_wins}"
    return f'<div class="tg-results" title="{words}">{bars}</div>'


register_panel("Why", build_why)
register_panel("Explorer", build_explorer)
