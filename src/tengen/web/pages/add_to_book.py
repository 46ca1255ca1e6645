"""Buttons below an ended game that add it to the opening books."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import context, ui

from tengen.app.book_manager import is_in_statistics
from tengen.core.locale_format import number
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.play.match import Match
from tengen.runtime.book_updates import count_games
from tengen.web.game_sessions import GameSessions
from tengen.web.pages.widgets import button, errors_shown, note


def build_book_buttons(sessions: GameSessions, match: Match, changed: Callable[[], None] = lambda: None) -> None:
    """Buttons that add a game to the opening statistics or the valued book, with the progress of learning.

    `changed` is called when a book has changed.
    """
    client = context.client
    manager = sessions.book_manager
    with ui.element("div").classes("tg-row"):
        count = button(_("Add to opening statistics"), lambda: add(), "library_add").props("dense")
        count.set_visibility(not is_in_statistics(match))
        count.tooltip(_("Count its moves and result in the opening statistics"))
        learn = button(_("Improve the opening book with this game"), lambda: begin(), "school").props("dense")
        learn.tooltip(_("Search its positions in the background and add their values to the book"))
    bar = ui.linear_progress(0, show_value=False).props(f'aria-label="{_("Learning")}"')
    words = note("").props('role="status"').mark("learning")
    was_over = True

    def show() -> None:
        nonlocal was_over
        work = manager.learning(match.id)
        running = work is not None and not work.is_over
        bar.set_visibility(running)
        words.set_visibility(work is not None)
        learn.set_enabled(work is None or work.state == "failed")
        if work is not None:
            words.set_text(
                _("Learning: {progress}").format(progress=translate(work.describe()))
                if running
                else translate(work.describe())
            )
            progress = work.progress
            bar.set_value(progress.done / progress.total if progress is not None and progress.total else 0.0)
            if work.is_over and not was_over:
                changed()
            was_over = work.is_over

    def on_change() -> None:
        if not client.is_deleted:
            with client:
                show()

    async def add() -> None:
        count.disable()  # do not add it twice
        with errors_shown():
            _games, size = await sessions.run_in_thread(count_games, [match.record])
            ui.notify(_("The opening statistics now have {count} positions").format(count=number(size)))
            changed()

    def begin() -> None:
        with errors_shown():
            manager.learn(match)
        show()

    client.on_delete(manager.watch(on_change))
    show()
