"""Ctrl-C while a function runs in another thread."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from tengen.core.interrupt import BackgroundCall, run_interruptible, run_until_interrupted, run_with_stop


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
