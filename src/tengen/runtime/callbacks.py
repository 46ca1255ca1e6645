"""The one thread in which callers are called back: progress in order, then the result.

It is neither a caller's thread nor the host's own, so that a slow callback holds up no search, and one that fails
disturbs nobody. It does hold up other callbacks: they should be brief. The manager's thread checks this one, and
replaces it if it has died or if one callback blocks it; this one checks the manager's.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from tengen.core.errors import TengenError
from tengen.jobs.restart_backoff import RestartBackoff
from tengen.jobs.supervised_thread import CHECK_INTERVAL_S
from tengen.jobs.task import one_line
from tengen.runtime.messages import Progress, Stage
from tengen.search.report import Report

STALL_TIMEOUT_S = 60.0  # a callback that takes longer is left behind, in a thread of its own
CLOSE_TIMEOUT_S = 30.0
MOST_ATTEMPTS = 2  # to deliver the same news, if that fails

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
    """A queue of news and the thread that empties it, which also calls `check_others` every few seconds."""

    def __init__(self, check_others: Callable[[], None] | None = None) -> None:
        self._news: deque[Callable[[], None] | None] = deque()  # its first item is being delivered
        self._attempts = 0  # to deliver that
        self._changed = threading.Condition()
        self._lock = threading.Lock()
        self._check_others = check_others
        self._closing = False
        self._busy_since: float | None = None
        self._left_behind: list[threading.Thread] = []
        self.restarts = RestartBackoff()
        self._thread = self._start()

    def _start(self) -> threading.Thread:
        self._busy_since = None
        self._thread = threading.Thread(target=self._run, name="engine host callbacks", daemon=True)
        self._thread.start()
        return self._thread

    def is_this_thread(self) -> bool:
        return threading.current_thread() in (self._thread, *self._left_behind)

    def check(self) -> None:
        """Replace the thread if it has died, or if one callback blocks it. For another thread to call."""
        busy_since = self._busy_since
        if self._closing:
            return
        if not self._thread.is_alive():
            reason = "the thread for callbacks ended"
        elif busy_since is not None and time.monotonic() - busy_since > STALL_TIMEOUT_S:
            reason = f"a callback took longer than {STALL_TIMEOUT_S:g} s"
            with self._changed:
                if self._busy_since != busy_since:
                    return  # it has just ended
                self._news.popleft()  # that thread goes on with it
                self._attempts = 0
            self._left_behind = [thread for thread in self._left_behind if thread.is_alive()] + [self._thread]
        else:
            return
        self.restarts.note_crash(reason)
        _log.error("engine host: %s; callbacks go on in a new thread", reason)
        self._start()

    def progress(self, to: Recipient, progress: Progress) -> None:
        if to.on_progress is None:
            return
        if progress.stage is not Stage.THINKING:
            self._put(lambda: self._call(to, progress))
            return
        with self._lock:
            unfetched, to.newest = to.newest, progress
        if unfetched is None:
            self._put(lambda: self._call_newest(to))

    def finish(self, to: Recipient, result: Report | TengenError) -> None:
        """The last news of a search, unless it was cancelled."""
        self._put(lambda: _settle(to, result))

    def cancel(self, to: Recipient) -> None:
        """There will be no result."""
        self._put(lambda: _settle(to, None))

    def _put(self, deliver: Callable[[], None] | None) -> None:
        with self._changed:
            self._news.append(deliver)
            self._changed.notify()

    def close(self) -> None:
        """Deliver what there is, and end. A callback that never returns is not waited for."""
        self.check()
        self._closing = True
        self._put(None)
        if not self.is_this_thread():
            self._thread.join(CLOSE_TIMEOUT_S)

    def _run(self) -> None:
        me = threading.current_thread()
        checked_at = time.monotonic()
        while self._thread is me:
            try:
                if not self._deliver_first():
                    return
            except BaseException as error:  # a future's callback may even raise SystemExit
                _log.error("engine host: a callback failed: %s", one_line(error))
                _log.debug("the callback's traceback", exc_info=error)
            if self._check_others is not None and time.monotonic() - checked_at >= CHECK_INTERVAL_S:
                checked_at = time.monotonic()
                try:
                    self._check_others()
                except Exception as error:
                    _log.error("engine host: a check failed: %s", one_line(error))

    def _deliver_first(self) -> bool:
        """Deliver the first of the news, if any comes soon. False at the end."""
        with self._changed:
            if not self._news:
                self._changed.wait(CHECK_INTERVAL_S)
            if not self._news:
                return True
            first = self._news[0]
            self._attempts += 1
        if first is None:
            return False
        self._busy_since = time.monotonic()
        done = False
        try:
            first()
            done = True
        finally:
            # News leave the queue after they were delivered, so that the death of this thread loses none.
            with self._changed:
                if self._news and self._news[0] is first:
                    self._busy_since = None
                    if done or self._attempts >= MOST_ATTEMPTS:
                        self._news.popleft()
                        self._attempts = 0
        return True

    def _call_newest(self, to: Recipient) -> None:
        with self._lock:
            progress, to.newest = to.newest, None
        if progress is not None:
            self._call(to, progress)

    def _call(self, to: Recipient, progress: Progress) -> None:
        if to.on_progress is None or to.future.done():
            return
        try:
            to.on_progress(progress)
        except Exception:
            _log.exception("a callback for the progress of a search failed")


def _settle(to: Recipient, result: Report | TengenError | None) -> None:
    """Finish or cancel a future, once; another attempt after a failure goes on from there."""
    if to.settled or (to.future.done() and not to.future.cancelled()):
        return
    if result is None:
        to.future.cancel()
    # The future is pending until now, so that it can be cancelled at any time (by asyncio, for one).
    if to.future.running() or to.future.set_running_or_notify_cancel():
        if isinstance(result, Report):
            to.future.set_result(result)
        else:
            to.future.set_exception(result)
    to.settled = True
