"""`/api/health`: each part of the server, and 503 if one does not work."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from tengen.app.book_manager import BookJobsHealth
from tengen.runtime.health import HostHealth
from tengen.store.errors import StoreUnavailable
from tengen.web.api import health

ENGINES = HostHealth(
    is_running=True,
    workers_wanted=2,
    workers_alive=1,
    searches_running=1,
    searches_queued=3,
    searches_queued_limit=500,
    restarts=0,
    workers_recycled=0,
    last_failure="",
    memory_mb=700,
    memory_budget_mb=4000,
)


@dataclass
class FakeStore:
    error: Exception | None = None
    answers: threading.Event = field(default_factory=threading.Event)

    def ping(self) -> None:
        self.answers.wait(30)
        if self.error is not None:
            raise self.error


class FakeBooks:
    def health(self) -> BookJobsHealth:
        return BookJobsHealth("searching", 2, 1, 3, "a process was killed")


class FakeSessions:
    """What the path looks at."""

    def __init__(self) -> None:
        self.store = FakeStore()
        self.store.answers.set()
        self.host = self
        self.engines = ENGINES

    def health(self) -> HostHealth:
        return self.engines

    @property
    def book_manager(self) -> FakeBooks:
        return FakeBooks()

    def open_sessions(self) -> list[object]:
        return [object()]


@pytest.fixture
def sessions() -> FakeSessions:
    return FakeSessions()


def ask(sessions: Any) -> tuple[int, dict[str, Any]]:
    api = FastAPI()
    health.add_health(api, sessions)

    async def get() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://server") as client:
            return await client.get("/health")

    answer = asyncio.run(get())
    return answer.status_code, answer.json()


def test_all_is_well(sessions: FakeSessions) -> None:
    status, found = ask(sessions)
    assert (status, found["status"], found["open_games"]) == (200, "ok", 1)
    assert list(found["parts"]) == ["database", "disk", "engines", "helpers", "books"]
    assert found["parts"]["books"]["detail"] == (
        "growing: searching, 2 games to learn, 3 restarts; last failure: a process was killed"
    )
    assert found["parts"]["engines"]["detail"] == (
        "1 of 2 workers started, 1 searches running, 3 waiting, 700 of 4,000 MB, 0 restarts"
    )


def test_a_database_that_fails_is_named(sessions: FakeSessions) -> None:
    sessions.store.error = StoreUnavailable("the disk is full")
    status, found = ask(sessions)
    assert (status, found["status"]) == (503, "degraded")
    assert found["parts"]["database"] == {"ok": False, "detail": "the disk is full"}


def test_a_database_that_hangs_does_not_hang_the_answer(
    sessions: FakeSessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "STORE_TIMEOUT_S", 0.2)
    sessions.store.answers.clear()
    threading.Timer(3.0, sessions.store.answers.set).start()  # so that the test's own threads end
    status, found = ask(sessions)
    assert status == 503
    assert found["parts"]["database"]["detail"].startswith("no answer within")


def test_an_engine_host_that_ended_is_named_with_its_last_failure(sessions: FakeSessions) -> None:
    sessions.engines = replace(ENGINES, is_running=False, restarts=4, last_failure="OverflowError: timeout")
    status, found = ask(sessions)
    assert status == 503
    assert found["parts"]["engines"]["detail"].endswith("4 restarts; last failure: OverflowError: timeout")


def test_a_disk_that_is_nearly_full_is_named(sessions: FakeSessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "MIN_FREE_DISK_MB", 10**9)
    status, found = ask(sessions)
    assert status == 503
    assert found["parts"]["disk"]["ok"] is False
