"""The thread that calls callers back: progress in order, then the result.

It is neither a caller's thread nor the manager's, so a slow callback delays no search, and a failing one disturbs
nobody. A slow callback does delay other callbacks, so they should be brief. The manager's thread checks this one
and replaces it if it has died or if a callback blocks it; this one checks the manager's.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from tengen.core.errors import TengenError
from tengen.jobs.supervised_thread import CHECK_INTERVAL_S, SupervisedThread
from tengen.jobs.task import one_line
from tengen.runtime.messages import Progress, Stage
from tengen.search.report import Report

STALL_TIMEOUT_S = 60.0  # a callback that takes longer keeps its thread; others continue in a new one
CLOSE_TIMEOUT_S = 30.0
MAX_ATTEMPTS = 2  # per callback

OnProgress = Callable[[Progress], None]

_log = logging.getLogger(__name__)


class Subscriber:
    """The caller of one search: its future and its progress callback."""

    def __init__(self, on_progress: OnProgress | None) -> None:
        self.future: Future[Report] = Future()
        self.on_progress = on_progress
        self.pending_progress: Progress | None = None  # newest progress not yet delivered
        self.is_resolved = False


class CallbackThread:
    """A queue of callbacks and the thread that makes them. It calls `check_manager` every few seconds."""

    def __init__(self, check_manager: Callable[[], None] = lambda: None) -> None:
        self._queue: deque[Callable[[], None]] = deque()  # the first item is in progress
        self._attempts = 0  # for the first item
        self._busy_since: float | None = None
        self._changed = threading.Condition()
        self._lock = threading.Lock()
        self._check_manager = check_manager
        self._checked_at = time.monotonic()
        self._thread = SupervisedThread("engine host callbacks", self, STALL_TIMEOUT_S)
        self._thread.start()
        self.check = self._thread.check
        self.restarts = self._thread.restarts

    def is_this_thread(self) -> bool:
        return threading.current_thread() is self._thread.thread

    def progress(self, subscriber: Subscriber, progress: Progress) -> None:
        if subscriber.on_progress is None:
            return
        if progress.stage is not Stage.SEARCHING:
            self._put(lambda: self._call(subscriber, progress))
            return
        with self._lock:
            previous, subscriber.pending_progress = subscriber.pending_progress, progress
        if previous is None:
            self._put(lambda: self._call_pending(subscriber))

    def resolve(self, subscriber: Subscriber, result: Report | TengenError) -> None:
        """Resolve the search's future, unless it was cancelled."""
        self._put(lambda: _resolve(subscriber, result))

    def cancel(self, subscriber: Subscriber) -> None:
        """Cancel the search's future."""
        self._put(lambda: _resolve(subscriber, None))

    def _put(self, callback: Callable[[], None]) -> None:
        with self._changed:
            self._queue.append(callback)
            self._changed.notify()

    def close(self) -> None:
        """Make the queued callbacks, then end the thread. Does not wait for a callback that never returns."""
        self.check()
        self._thread.request_close()
        with self._changed:
            self._changed.notify()
        if not self.is_this_thread():
            self._thread.join(CLOSE_TIMEOUT_S)

    # ---- in the thread

    def step(self) -> None:
        if self._queue:
            self._run_first()
        else:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._thread.is_closing, CHECK_INTERVAL_S)
        if time.monotonic() - self._checked_at >= CHECK_INTERVAL_S:
            self._checked_at = time.monotonic()
            self._check_manager()

    def _run_first(self) -> None:
        """Make the first queued callback. It is dequeued afterwards, so that none is lost with the thread."""
        with self._changed:
            first = self._queue[0]
            self._attempts += 1
            self._busy_since = time.monotonic()
        done = False
        try:
            first()
            done = True
        except BaseException as error:  # done callbacks of a future may raise anything, even SystemExit
            _log.error("engine host: a callback failed: %s", one_line(error))
            _log.debug("the callback's traceback", exc_info=error)
        finally:
            with self._changed:
                if self._queue and self._queue[0] is first:
                    self._busy_since = None
                    if done or self._attempts >= MAX_ATTEMPTS:
                        self._queue.popleft()
                        self._attempts = 0

    def unblock(self) -> bool:
        """Leave a callback that blocks the thread to it."""
        with self._changed:
            if self._busy_since is None or time.monotonic() - self._busy_since < STALL_TIMEOUT_S:
                return False  # the callback has just returned
            self._busy_since = None
            self._queue.popleft()
            self._attempts = 0
            return True

    def finish(self) -> None:
        while self._queue:
            self._run_first()

    def recover(self) -> None:
        """Nothing to do: the queue is intact."""

    def abandon(self) -> None:
        """Nothing to do."""

    def _call_pending(self, subscriber: Subscriber) -> None:
        with self._lock:
            progress, subscriber.pending_progress = subscriber.pending_progress, None
        if progress is not None:
            self._call(subscriber, progress)

    def _call(self, subscriber: Subscriber, progress: Progress) -> None:
        if subscriber.on_progress is None or subscriber.future.done():
            return
        try:
            subscriber.on_progress(progress)
        except Exception:
            _log.exception("a progress callback failed")


def _resolve(subscriber: Subscriber, result: Report | TengenError | None) -> None:
    """Resolve or cancel a future, once. A repeated call after a failure continues where it stopped."""
    if subscriber.is_resolved or (subscriber.future.done() and not subscriber.future.cancelled()):
        return
    if result is None:
        subscriber.future.cancel()
    # The future stays pending until here, so that it can be cancelled at any time, for example by asyncio.
    if subscriber.future.running() or subscriber.future.set_running_or_notify_cancel():
        if isinstance(result, Report):
            subscriber.future.set_result(result)
        else:
            subscriber.future.set_exception(result)
    subscriber.is_resolved = True
