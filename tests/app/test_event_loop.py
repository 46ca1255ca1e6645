"""Calls into an event loop from other threads; calls after its end are dropped silently."""

from __future__ import annotations

import asyncio

import pytest

from tengen.app.event_loop import call_in_loop


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

    def fail(*_: object) -> None:
        raise RuntimeError("something else")

    monkeypatch.setattr(loop, "call_soon_threadsafe", fail)
    with pytest.raises(RuntimeError, match="something else"):
        call_in_loop(loop, print)
    loop.close()
