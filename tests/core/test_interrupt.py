"""Ctrl-C while a function runs in another thread."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

from tengen.core.interrupt import (
    BackgroundCall,
    run_interruptible,
    run_until_interrupted,
    run_with_stop,
    stopping_when,
)
from tests.helpers.waiting import wait_until


def _press_ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def test_results_and_errors_of_the_other_thread_are_passed_on() -> None:
    assert run_interruptible(lambda stop: int(stop[0])) == 0
    assert run_with_stop(threading.get_ident, lambda: None) != threading.get_ident()
    assert run_until_interrupted(lambda: 7, lambda: None) == (7, False)
    for run in (run_with_stop, run_until_interrupted):
        with pytest.raises(ZeroDivisionError):
            run(lambda: 1 // 0, lambda: None)


def test_ctrl_c_stops_a_kernel_and_is_raised_once_it_has_returned() -> None:
    ended = threading.Event()

    def kernel(stop) -> None:
        threading.Timer(0.05, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
        while not stop[0]:
            time.sleep(0.005)
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        run_interruptible(kernel)
    assert ended.is_set()


def test_ctrl_c_may_ask_for_a_partial_result() -> None:
    stop = threading.Event()
    assert run_until_interrupted(lambda: stop.wait(30), stop.set, _press_ctrl_c) == (True, True)


def test_an_error_while_waiting_stops_the_work() -> None:
    for run in (run_with_stop, run_until_interrupted):
        stop, ended = threading.Event(), threading.Event()

        def work(stop: threading.Event = stop, ended: threading.Event = ended) -> None:
            stop.wait(30)
            ended.set()

        def fail() -> None:
            raise RuntimeError("the display failed")

        with pytest.raises(RuntimeError, match="the display failed"):
            run(work, stop.set, fail)
        assert ended.is_set()


def test_a_background_call_can_be_left_behind() -> None:
    go_on = threading.Event()
    call = BackgroundCall(lambda: go_on.wait(30))
    assert not call.wait(0.01)
    go_on.set()
    assert call.wait(30)
    assert call.result() is True


def test_a_limit_whose_check_fails_stops_its_search_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    broken, other = np.zeros(1, np.int64), np.zeros(1, np.int64)
    over = threading.Event()

    def fail() -> bool:
        raise RuntimeError("no clock")

    with stopping_when(fail, broken), stopping_when(over.is_set, other):
        wait_until(lambda: broken[0])
        assert not other[0]
        over.set()
        wait_until(lambda: other[0])
    assert (broken[0], other[0]) == (0, 0)
    assert "no clock" in caplog.text


def test_a_slow_check_of_a_limit_delays_no_search() -> None:
    """The check ends only after another search has begun and ended."""
    checked, go_on = threading.Event(), threading.Event()
    slow, other = np.zeros(1, np.int64), np.zeros(1, np.int64)

    def wait() -> bool:
        checked.set()
        return go_on.wait(30)

    def search() -> None:
        with stopping_when(lambda: False, other):
            pass

    with stopping_when(wait, slow):
        assert checked.wait(30)
        call = BackgroundCall(search)
        began_and_ended = call.wait(5)
        go_on.set()
        assert began_and_ended
