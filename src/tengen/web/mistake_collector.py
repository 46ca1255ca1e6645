"""Adds the mistakes of reviewed games to their players' decks, one game after another in a thread of its own."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress

from tengen.app.deck import OPTION, DeckSettings
from tengen.app.mistakes import collect_mistakes, mistakes
from tengen.app.review import summarise
from tengen.core.errors import TengenError
from tengen.runtime.host import EngineHost
from tengen.store.store import Store
from tengen.web.game_session import GameSession
from tengen.web.visitor_cache import VisitorCache

_log = logging.getLogger(__name__)


class MistakeCollector:
    """Collecting takes a search for each mistake, so it is queued."""

    def __init__(self, store: Store, host: EngineHost, visitors: VisitorCache) -> None:
        self._store = store
        self._host = host
        self._visitors = visitors
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="mistakes")

    def settings(self, who: str) -> DeckSettings:
        """A visitor's settings of the deck."""
        return DeckSettings.from_option(self._visitors.options(who).get(OPTION))

    def after_review(self, session: GameSession) -> None:
        """Collect the mistakes of the visitors who played one side of a reviewed game, unless they turned it off.

        Called in any thread.
        """
        if session.match.result is None or session.store is not self._store:
            return
        for who, sides in session.seating.players().items():
            if len(sides) == 1 and self.settings(who).collects:
                with suppress(RuntimeError):  # the server is shutting down
                    self.collect(session, who, sides).add_done_callback(_log_failure)

    def collect(self, session: GameSession, who: str, sides: Sequence[int]) -> Future[int]:
        """Collect the mistakes of some sides for a visitor; the result is the number of new cards."""
        return self._executor.submit(self._collect, session, who, sides)

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _collect(self, session: GameSession, who: str, sides: Sequence[int]) -> int:
        line = list(session.match.live.line())
        summary = summarise(line, session.game_reports.index.for_line(line))
        return collect_mistakes(self._store, self._host, mistakes(line, summary, sides), who, session.id)


def _log_failure(done: Future[int]) -> None:
    with suppress(CancelledError):
        error = done.exception()
        if isinstance(error, TengenError | CancelledError):
            _log.info("mistakes not collected: %s", error)
        elif error is not None:
            _log.error("mistakes not collected", exc_info=error)
