"""Run a long kernel so that Ctrl-C still works, or so that it stops when a limit is reached.

Python handles signals only between bytecodes, so a kernel in the main thread would delay Ctrl-C until it returns.
These functions run the kernel, which releases the GIL, in another thread. The main thread waits and can make the
kernel stop. `stopping_when` does the reverse: a thread watches while the caller's thread runs kernels.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

Result = TypeVar("Result")

_log = logging.getLogger(__name__)

POLL_S = 0.1
LIMIT_POLL_S = 0.02  # interval of checks of a limit


class BackgroundCall(Generic[Result]):
    """A function call that runs in a daemon thread."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._results: list[Result] = []
        self._errors: list[BaseException] = []
        self._finished = threading.Event()  # `Thread.is_alive` may be wrong after a Ctrl-C during `Thread.join`
        target = partial(copy_context().run, self._run)
        threading.Thread(target=target, name="background call", daemon=True).start()

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:
            self._errors.append(error)
        finally:
            self._finished.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait up to `timeout_s` seconds; return whether the call has finished."""
        return self._finished.wait(timeout_s)

    def result(self) -> Result:
        """The result of the finished call, or its exception."""
        if self._errors:
            raise self._errors[0]
        return self._results[0]


class _LimitWatch:
    """Checks all limits in one thread: starting one for each of many short searches takes longer than these.

    A forked process has no such thread: `add` starts one. If the lock is held during a fork, it stays locked in
    the child; Tengen itself spawns its processes.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._watched: dict[object, tuple[Callable[[], bool], np.ndarray[Any, Any]]] = {}
        self._thread: threading.Thread | None = None

    def add(self, is_over: Callable[[], bool], stop: np.ndarray[Any, Any]) -> object:
        key = object()
        with self._changed:
            self._watched[key] = is_over, stop
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="limit watch", daemon=True)
                self._thread.start()
            self._changed.notify()
        return key

    def remove(self, key: object) -> None:
        with self._changed:
            _, stop = self._watched.pop(key)
            stop[0] = 0

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._watched:
                    self._changed.wait()
            time.sleep(LIMIT_POLL_S)
            with self._changed:
                watched = list(self._watched.items())
            for key, (
                is_over,
                stop,
            ) in watched:  # without the lock: a slow check delays no start or end of a search
                if not stop[0] and _is_over(is_over):
                    with self._changed:
                        if key in self._watched:  # else the stop flag may belong to another search by now
                            stop[0] = 1


def _is_over(is_over: Callable[[], bool]) -> bool:
    """Whether a limit is reached, or its check fails: a search without a working limit might never end."""
    try:
        return is_over()
    except Exception:
        _log.exception("a limit could not be checked; its search is stopped")
        return True


_limit_watch = _LimitWatch()


@contextmanager
def stopping_when(is_over: Callable[[], bool], stop: np.ndarray[Any, Any]) -> Iterator[None]:
    """Set `stop[0]`, which kernels poll, once `is_over()` is true within this block; clear it at the end."""
    key = _limit_watch.add(is_over, stop)
    try:
        yield
    finally:
        _limit_watch.remove(key)


def run_interruptible(work: Callable[[np.ndarray[Any, Any]], Result]) -> Result:
    """Return `work(stop)`. Ctrl-C sets `stop[0]`, which the kernel polls, and is raised after it has returned."""
    stop = np.zeros(1, np.int64)
    return run_with_stop(lambda: work(stop), lambda: stop.fill(1))


def run_with_stop(
    work: Callable[[], Result], stop: Callable[[], None], on_wait: Callable[[], None] = lambda: None
) -> Result:
    """Return `work()`, calling `on_wait` every `POLL_S` seconds. On Ctrl-C, call `stop`, wait, and raise it."""
    call = BackgroundCall(work)
    try:
        while not call.wait(POLL_S):
            on_wait()
    except BaseException:
        stop()
        call.wait()
        raise
    return call.result()


def run_until_interrupted(
    work: Callable[[], Result], stop: Callable[[], None], on_wait: Callable[[], None] = lambda: None
) -> tuple[Result, bool]:
    """Like `run_with_stop`, but Ctrl-C is not raised: return the partial result, and whether it was pressed."""
    call = BackgroundCall(work)
    interrupted = False
    while True:
        try:
            while not call.wait(POLL_S):
                on_wait()
            return call.result(), interrupted
        except KeyboardInterrupt:
            interrupted = True
            stop()
        except BaseException:
            stop()
            call.wait()
            raise
