"""A thread that works step by step and survives its own bugs: it is restarted when it fails, dies or hangs.

A step that raises is followed by `recover`, a pause that grows with every failure in a row, and the next step.
Should even that fail, the thread dies; `check`, which other threads call now and then, starts another one. `check`
also notices a thread that hangs in a step, and lets the work unblock it.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Protocol

from tengen.jobs.restarts import Restarts
from tengen.jobs.task import one_line

CHECK_INTERVAL_S = 5.0  # a step should wait no longer than this, and `check` be called about as often
HANG_TIMEOUT_S = 60.0

_log = logging.getLogger(__name__)


class Work(Protocol):
    """What a supervised thread does."""

    def step(self) -> None:
        """Do what can be done now, then wait for something to happen, at most CHECK_INTERVAL_S."""

    def recover(self) -> None:
        """Start afresh after a failure."""

    def finish(self) -> None:
        """Tidy up: the thread is closed."""

    def abandon(self) -> None:
        """Tidy up as far as that cannot fail: `finish` failed, or a step while the thread was closed."""

    def unblock(self) -> None:
        """Whatever a step may wait for: end that. Called from another thread."""


class SupervisedThread:
    """Runs `work` until it is closed."""

    def __init__(self, name: str, work: Work) -> None:
        self.name = name
        self._work = work
        self._closing = threading.Event()
        self._check_lock = threading.Lock()
        self._stepped_at = self._checked_at = time.monotonic()
        self.restarts = Restarts()
        self.thread = threading.Thread(target=self._run, args=(None,), name=name, daemon=True)

    def start(self) -> None:
        self.thread.start()

    @property
    def is_closing(self) -> bool:
        return self._closing.is_set()

    def is_alive(self) -> bool:
        return self.thread.is_alive()

    def check(self) -> None:
        """Start the thread again if it has died; unblock it if it hangs."""
        if self.is_closing or threading.current_thread() is self.thread:
            return
        with self._check_lock:
            now = time.monotonic()
            # If nobody has checked for long, the whole program stood still, and not only this thread.
            paused, self._checked_at = now - self._checked_at > 3 * CHECK_INTERVAL_S, now
            if not self.thread.is_alive():
                failure = RuntimeError("the thread ended")
                self._stepped_at = now
                self.thread = threading.Thread(target=self._run, args=(failure,), name=self.name, daemon=True)
                self.thread.start()
            elif now - self._stepped_at > HANG_TIMEOUT_S and not paused:
                self.restarts.note_crash("it did not answer")
                _log.error("%s: it has not answered for %.0f s", self.name, now - self._stepped_at)
                self._stepped_at = now
                self._work.unblock()

    def request_close(self) -> None:
        """Let the thread end after the step that it is at. The caller wakes it."""
        with self._check_lock:
            self._closing.set()

    def join(self, timeout_s: float) -> None:
        self.thread.join(timeout_s)

    def _run(self, failure: BaseException | None) -> None:
        while True:
            if failure is not None:
                self._closing.wait(self._recover(failure))
            try:
                while not self._closing.is_set():
                    self._stepped_at = time.monotonic()
                    self._work.step()
                self._work.finish()
                return
            except BaseException as error:
                failure = error
            if self._closing.is_set():
                _log.error("%s failed while it was closed: %s", self.name, one_line(failure))
                self._work.abandon()
                return

    def _recover(self, failure: BaseException) -> float:
        """Returns the seconds to wait before the next step."""
        reason = one_line(failure)
        delay_s = self.restarts.note_crash(reason)
        _log.error("%s failed: %s; it restarts in %.1f s", self.name, reason, delay_s)
        _log.debug("the failure's traceback", exc_info=failure)
        self._work.recover()
        self._stepped_at = time.monotonic() + delay_s
        return delay_s
