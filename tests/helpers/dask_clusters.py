"""Dask clusters on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tengen.jobs.cluster_processes import Cluster, cluster
from tests.helpers.waiting import TIMEOUT_S


@contextmanager
def tended_cluster(workers: int, port: int = 0) -> Iterator[Cluster]:
    """A cluster that replaces dead workers, as `tengen cluster start` does."""
    made: list[Cluster] = []
    ready, done = threading.Event(), threading.Event()

    def tend() -> None:  # in one thread, since workers die with the thread that started them
        try:
            with cluster(workers, port=port) as found:
                made.append(found)
                ready.set()
                while not done.wait(0.1):
                    found.tend()
        finally:
            ready.set()

    thread = threading.Thread(target=tend)
    thread.start()
    try:
        assert ready.wait(TIMEOUT_S)
        yield made[0]
    finally:
        done.set()
        thread.join()
