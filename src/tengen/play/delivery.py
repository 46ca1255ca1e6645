"""The one thread in which callers are called back: progress in order, then the result.

It is neither a caller's thread nor the host's own, so that a slow callback holds up no search, and one that fails
disturbs nobody. It does hold up other callbacks: they should be brief.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue

from tengen.core.errors import TengenError
from tengen.play.request import Progress, Stage
from tengen.search.report import Report

OnProgress = Callable[[Progress], None]

_log = logging.getLogger(__name__)


class Recipient:
    """Where the news of one search go."""

    def __init__(self, on_progress: OnProgress | None) -> None:
        self.future: Future[Report] = Future()
        self.on_progress = on_progress
        self.newest: Progress | None = None  # a report not yet delivered: a newer one takes its place
        self.settled = False


class Delivery:
    """A queue of news and the thread that empties it."""

    def __init__(self) -> None:
        self._news: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="engine host callbacks", daemon=True)
        self._thread.start()

    def is_this_thread(self) -> bool:
        return threading.current_thread() is self._thread

    def progress(self, to: Recipient, progress: Progress) -> None:
        if to.on_progress is None:
            return
        if progress.stage is not Stage.THINKING:
            self._news.put(lambda: self._call(to, progress))
            return
        with self._lock:
            unfetched, to.newest = to.newest, progress
        if unfetched is None:
            self._news.put(lambda: self._call_newest(to))

    def finish(self, to: Recipient, result: Report | TengenError) -> None:
        """The last news of a search, unless it was cancelled."""
        self._news.put(lambda: _settle(to, result))

    def cancel(self, to: Recipient) -> None:
        """There will be no result."""
        self._news.put(lambda: _settle(to, None))

    def close(self) -> None:
        """Deliver what there is, and end."""
        self._news.put(None)
        if not self.is_this_thread():
            self._thread.join()

    def _run(self) -> None:
        while (deliver := self._news.get()) is not None:
            deliver()

    def _call_newest(self, to: Recipient) -> None:
        with self._lock:
            progress, to.newest = to.newest, None
        assert progress is not None, "it was put there together with this call"
        self._call(to, progress)

    def _call(self, to: Recipient, progress: Progress) -> None:
        if to.on_progress is None or to.future.done():
            return
        try:
            to.on_progress(progress)
        except Exception:
            _log.exception("a callback for the progress of a search failed")


def _settle(to: Recipient, result: Report | TengenError | None) -> None:
    if to.settled:
        return
    to.settled = True
    if result is None:
        to.future.cancel()
    # The future is pending until now, so that it can be cancelled at any time (by asyncio, for one).
    if to.future.set_running_or_notify_cancel():
        if isinstance(result, Report):
            to.future.set_result(result)
        else:
            to.future.set_exception(result)
