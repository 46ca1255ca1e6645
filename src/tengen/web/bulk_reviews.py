"""Reviews of many stored games in the background of the server: one at a time for each visitor.

Reports are stored as they are made, and what was asked for is remembered until it is done: a review that was
interrupted by a restart of the server continues when its visitor comes back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from tengen.app.bulk_review import BulkProgress, BulkReview
from tengen.core.resource_limits import LimitExceeded
from tengen.core.translation import mark
from tengen.runtime.host import EngineHost
from tengen.store.listing import Filter
from tengen.store.store import Store
from tengen.web.visitor_cache import VisitorCache

OPTION = "bulk review"  # name of the visitor's option
MAX_AT_ONCE = 2  # on one server


class BulkReviews:
    """Running reviews by visitor."""

    def __init__(self, store: Store, host: EngineHost, visitors: VisitorCache) -> None:
        self._store = store
        self._host = host
        self._visitors = visitors
        self._running: dict[str, BulkReview] = {}
        self._lock = threading.Lock()

    def progress(self, who: str) -> BulkProgress | None:
        """The progress of a visitor's running review; None if none runs."""
        found = self._running.get(who)
        return None if found is None else found.progress

    def interrupted(self, who: str) -> Filter | None:
        """What a visitor's interrupted review was about."""
        if who in self._running:
            return None
        return _read_filter(self._visitors.options(who).get(OPTION))

    def start(self, who: str, games: Filter, on_end: Callable[[], None] = lambda: None) -> None:
        """Start a review unless the visitor has one. Raises `LimitExceeded` if too many run."""
        with self._lock:
            if who in self._running:
                return
            if len(self._running) >= MAX_AT_ONCE:
                raise LimitExceeded(mark("other games are being reviewed: try again later"))
            review = BulkReview(self._store, self._host, games, at_once=max(1, self._host.workers - 1))
            self._running[who] = review
        self._visitors.set_options(who, **{OPTION: asdict(games)})
        threading.Thread(target=self._run, args=(who, review, on_end), name="bulk review", daemon=True).start()

    def stop(self, who: str) -> None:
        """Stop a visitor's review for good."""
        found = self._running.get(who)
        if found is not None:
            found.stop()
        self._visitors.set_options(who, **{OPTION: None})

    def close(self) -> None:
        """Stop all reviews; they continue when the server runs again."""
        for review in list(self._running.values()):
            review.stop()

    def _run(self, who: str, review: BulkReview, on_end: Callable[[], None]) -> None:
        try:
            review.run()
            if review.progress.done == review.progress.total:
                self._visitors.set_options(who, **{OPTION: None})
        finally:
            self._running.pop(who, None)
            on_end()


def _read_filter(stored: Any) -> Filter | None:
    """The stored filter; None if there is none or it is not valid."""
    try:
        return None if stored is None else Filter(**stored)
    except TypeError:
        return None
