"""Starts a review of many games in the background, and shows its progress on any page."""

from __future__ import annotations

from nicegui import ui

from tengen.core.translation import gettext as _
from tengen.store.listing import Filter
from tengen.web.pages.layout import Visit
from tengen.web.pages.widgets import button, errors_shown, note

POLL_INTERVAL_S = 1.0


class BulkReviewPanel:
    """One review at a time for each visitor; it goes on when the page is closed."""

    def __init__(self, visit: Visit, games: Filter) -> None:
        self._who = visit.browser
        self._reviews = visit.sessions.bulk_reviews
        self._games = games

    def build(self) -> None:
        with ui.element("div").classes("tg-row"):
            self._start = button(_("Review these games in the background"), self._begin, "auto_graph")
            self._stop = button(_("Stop"), self._end, "stop")
            self._note = note("").mark("bulk")
        self._bar = ui.linear_progress(0, show_value=False).props(f'aria-label="{_("Progress")}"')
        interrupted = self._reviews.interrupted(self._who)
        if interrupted is not None:
            self._games = interrupted
            self._begin()
        ui.timer(POLL_INTERVAL_S, self._show)
        self._show()

    def _begin(self) -> None:
        with errors_shown():
            self._reviews.start(self._who, self._games)
        self._show()

    def _end(self) -> None:
        self._reviews.stop(self._who)
        self._show()

    def _show(self) -> None:
        progress = self._reviews.progress(self._who)
        is_running = progress is not None
        was_running = self._bar.visible
        self._start.set_visibility(not is_running)
        self._stop.set_visibility(is_running)
        self._bar.set_visibility(is_running)
        if progress is not None:
            self._bar.set_value(progress.done / max(1, progress.total))
            text = _("{done} of {total} games: {current}")
            self._note.set_text(text.format(done=progress.done, total=progress.total, current=progress.current))
        elif was_running and self._note.text:
            self._note.set_text(_("Reviewed. Show the report again to see the new figures."))
