"""A thread that runs work step by step and is restarted when it fails, dies or hangs.

After a step that raises, the thread calls `recover`, waits for a delay that grows with consecutive failures, and
goes on with the next step. If that fails as well, the thread dies; `check`, which other threads call regularly,
starts another one. `check` also detects a thread that hangs in a step, and calls `unblock`.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Protocol

from tengen.jobs.restart_backoff import RestartBackoff
from tengen.jobs.task import one_line

CHECK_INTERVAL_S = 5.0  # maximum wait of a step, and about the interval between calls of `check`
HANG_TIMEOUT_S = 60.0

_log = logging.getLogger(__name__)


class SupervisedWork(Protocol):
    """The work of a supervised thread."""

    def step(self) -> None:
        """Do all pending work, then wait up to CHECK_INTERVAL_S for an event."""

    def recover(self) -> None:
        """Reset the state after a failure."""

    def finish(self) -> None:
        """Clean up when the thread is closed."""

    def abandon(self) -> None:
        """Minimal cleanup that cannot fail, after `finish` or the last step failed."""

    def unblock(self) -> bool:
        """Interrupt whatever a step may be waiting for, or return True to abandon it and go on in a new thread.

        Called from another thread.
        """


class SupervisedThread:
    """Runs `work` in a thread until it is closed."""

    def __init__(self, name: str, work: SupervisedWork, hang_timeout_s: float | None = None) -> None:
        self.name = name
        self._work = work
        self._hang_timeout_s = HANG_TIMEOUT_S if hang_timeout_s is None else hang_timeout_s
        self._closing = threading.Event()
        self._check_lock = threading.Lock()
        self._stepped_at = self._checked_at = time.monotonic()
        self.restarts = RestartBackoff()
        self.thread: threading.Thread | None = None

    @property
    def is_closing(self) -> bool:
        return self._closing.is_set()

    def is_alive(self) -> bool:
        return self.thread is not None and self.thread.is_alive()

    def start(self) -> None:
        """Start the thread, or another one if it has died."""
        if self.is_closing or self.is_alive():
            return
        with self._check_lock:
            if not self.is_alive():
                self._start(None if self.thread is None else RuntimeError("the thread ended"))

    def _start(self, failure: BaseException | None) -> None:
        self._stepped_at = time.monotonic()
        self.thread = threading.Thread(target=self._run, args=(failure,), name=self.name, daemon=True)
        self.thread.start()

    def check(self) -> None:
        """Restart the thread if it has died; unblock it if it hangs."""
        if self.is_closing or threading.current_thread() is self.thread:
            return
        self.start()
        with self._check_lock:
            now = time.monotonic()
            # If there was no check for long, the whole program was suspended, not only this thread.
            paused, self._checked_at = now - self._checked_at > 3 * CHECK_INTERVAL_S, now
            if now - self._stepped_at > self._hang_timeout_s and not paused:
                self.restarts.note_crash(f"{self.name}: not responding")
                _log.error("%s has not responded for %.0f s", self.name, now - self._stepped_at)
                self._stepped_at = now
                if self._work.unblock():
                    self._start(None)

    def request_close(self) -> None:
        """Make the thread end after the current step. The caller must wake it."""
        with self._check_lock:
            self._closing.set()

    def join(self, timeout_s: float | None = None) -> None:
        if self.thread is not None:
            self.thread.join(timeout_s)

    def _run(self, failure: BaseException | None) -> None:
        while self.thread is threading.current_thread():  # until it is abandoned
            if failure is not None:
                self._closing.wait(self._recover(failure))
            try:
                while not self._closing.is_set():
                    self._stepped_at = time.monotonic()
                    self._work.step()
                    if self.thread is not threading.current_thread():
                        return
                self._work.finish()
                return
            except BaseException as error:
                failure = error
            if self._closing.is_set():
                _log.error("%s failed while closing: %s", self.name, one_line(failure))
                self._work.abandon()
                return

    def _recover(self, failure: BaseException) -> float:
        """Handle a failure; return the seconds to wait before the next step."""
        reason = one_line(failure)
        delay_s = self.restarts.note_crash(reason)
        _log.error("%s failed: %s; it restarts in %.1f s", self.name, reason, delay_s)
        _log.debug("the failure's traceback", exc_info=failure)
        self._work.recover()
        self._stepped_at = time.monotonic() + delay_s
        return delay_s
