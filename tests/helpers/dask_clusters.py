"""Dask clusters on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tengen.jobs.cluster_processes import Cluster, cluster


@contextmanager
def tended_cluster(workers: int, port: int = 0) -> Iterator[Cluster]:
    """A cluster that replaces dead workers, as `tengen cluster start` does."""
    done = threading.Event()
    with cluster(workers, port=port) as made:

        def tend() -> None:
            while not done.wait(0.1):
                made.tend()

        thread = threading.Thread(target=tend)
        thread.start()
        try:
            yield made
        finally:
            done.set()
            thread.join()
