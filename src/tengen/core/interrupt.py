"""Run a long kernel so that Ctrl-C still works, or so that it stops when a limit is reached.

Python handles signals only between bytecodes, so a kernel in the main thread would delay Ctrl-C until it returns.
These functions run the kernel, which releases the GIL, in another thread. The main thread waits and can make the
kernel stop. `stopping_when` does the reverse: a thread watches while the caller's thread runs kernels.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

Result = TypeVar("Result")

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


@contextmanager
def stopping_when(is_over: Callable[[], bool], stop: np.ndarray[Any, Any]) -> Iterator[None]:
    """Set `stop[0]`, which kernels poll, once `is_over()` is true within this block; clear it at the end."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(LIMIT_POLL_S):
            if is_over():
                stop[0] = 1
                return

    thread = threading.Thread(target=watch, name="limit watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        stop[0] = 0


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
