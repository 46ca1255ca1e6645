"""Jobs of commands in threads of the test's own process, where it is not the processes that are tested.

A worker process takes seconds to start and to load its kernels, and most tests want a handful of tiny games.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest


class Threads(ThreadPoolExecutor):
    """One thread, as `open_executor` would give one process."""

    workers = 1

    def __init__(self, workers: int | None = None, cluster: str = "") -> None:
        super().__init__(1)


@pytest.fixture
def in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens an executor gets a thread."""
    monkeypatch.setattr("tengen.jobs.open_executor", Threads)
    monkeypatch.setattr("tengen.arena.series.open_executor", Threads)
