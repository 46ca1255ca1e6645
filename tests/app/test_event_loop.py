"""Calls into an event loop from other threads; calls after its end are dropped silently."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from tengen.app.event_loop import ShuttingDown, call_in_loop, run_in_executor
from tengen.core.translation import language, use_language


def test_a_loop_hears_the_news() -> None:
    loop, heard = asyncio.new_event_loop(), list[int]()
    call_in_loop(loop, heard.append, 7)
    call_in_loop(loop, loop.stop)
    loop.run_forever()
    loop.close()
    assert heard == [7]


def test_a_loop_that_has_ended_hears_nothing() -> None:
    loop, heard = asyncio.new_event_loop(), list[int]()
    loop.close()
    call_in_loop(loop, heard.append, 7)
    assert heard == []


def test_another_fault_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.new_event_loop()

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("something else")

    monkeypatch.setattr(loop, "call_soon_threadsafe", fail)
    with pytest.raises(RuntimeError, match="something else"):
        call_in_loop(loop, print)
    loop.close()


def test_a_thread_has_the_language_of_its_caller_and_its_calls_into_the_loop_do_not() -> None:
    heard: list[str] = []

    async def ask() -> str:
        loop = asyncio.get_running_loop()

        def work() -> str:
            call_in_loop(loop, lambda: heard.append(language()))
            return language()

        with ThreadPoolExecutor(1) as executor, use_language("ja"):
            found = await run_in_executor(executor, work)
        await asyncio.sleep(0)
        return found

    assert (asyncio.run(ask()), heard) == ("ja", ["en"])


def test_a_closed_executor_is_an_error_in_words() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(ShuttingDown, match="the server is shutting down"):
        asyncio.run(run_in_executor(executor, int))
