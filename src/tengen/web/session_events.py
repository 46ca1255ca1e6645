"""Events of an open game and those who watch it: pages and programs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from tengen.app.event_loop import call_in_loop
from tengen.core.position import Position
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.core.translation import mark
from tengen.play import events
from tengen.play.match import Match

_log = logging.getLogger(__name__)
MAX_WATCHERS_WITHOUT_DELAY = 10
UPDATE_DELAY_PER_WATCHER_S = 0.005  # about the time to update one page


@dataclass(frozen=True)
class SessionChanged:
    """Seats, offers, marked stones or the rematch have changed."""


@dataclass(frozen=True)
class Reviewed:
    """A position has a new engine report; without moves: a review started or ended."""

    moves: tuple[str, ...]


_R = TypeVar("_R")
SessionEvent: TypeAlias = events.Event | SessionChanged | Reviewed
Watcher: TypeAlias = Callable[[SessionEvent], None]


class Watchers:
    """The watchers of a match. Use it in the server's event loop; `notify_soon` may be called in any thread."""

    def __init__(self, match: Match, loop: asyncio.AbstractEventLoop) -> None:
        self._match = match
        self._loop = loop
        self._watchers: list[Watcher] = []
        self._cache: dict[Hashable, tuple[Position, Any]] = {}

    def __bool__(self) -> bool:
        return bool(self._watchers)

    def add(self, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher` with every event; returns a function that ends this. Raises `LimitExceeded`."""
        most = resource_limits().watchers_per_game
        if len(self._watchers) >= most:
            raise LimitExceeded(
                mark("too many watchers: {most} pages and programs watch this game. Try again later.").format(
                    most=most
                )
            )
        self._watchers.append(watcher)

        def leave() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return leave

    @property
    def update_delay_s(self) -> float:
        """Delay before a page shows a change, so that changes are combined if there are many watchers."""
        count = len(self._watchers)
        return 0.0 if count <= MAX_WATCHERS_WITHOUT_DELAY else min(1.0, UPDATE_DELAY_PER_WATCHER_S * count)

    def cached(self, key: Hashable, build: Callable[[], _R]) -> _R:
        """The result of `build` for the current position, computed once for all watchers."""
        live = self._match.live
        known = self._cache.get(key)
        if known is None or known[0] is not live:  # a move may not have been announced yet
            known = self._cache[key] = (live, build())
        found: _R = known[1]
        return found

    def notify_soon(self, event: SessionEvent) -> None:
        call_in_loop(self._loop, self._notify, event)

    def _notify(self, event: SessionEvent) -> None:
        if not isinstance(event, events.SearchProgress):
            self._cache.clear()
        for watcher in list(self._watchers):
            try:
                watcher(event)
            except Exception:  # of one page must not keep the event from the others
                _log.exception("a watcher of game %s failed", self._match.id)
