"""An executor that runs jobs in a thread of the test's process.

A worker process takes seconds to start and to load its kernels, and most tests need only a few tiny games.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor


class ThreadExecutor(ThreadPoolExecutor):
    """One thread, in the place of the executor that `open_executor` returns."""

    workers = 1

    def __init__(self, workers: int | None = None, cluster: str = "") -> None:
        super().__init__(1)
