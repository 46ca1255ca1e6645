"""Engine hosts and clusters shared by several tests: starting workers takes most of the time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tengen.jobs.cluster_processes import Cluster
from tengen.runtime.cluster.host import ClusterHost
from tengen.runtime.host import EngineHost
from tests.helpers.dask_clusters import tended_cluster
from tests.helpers.waiting import wait_until


@pytest.fixture(scope="module")
def local_host() -> Iterator[EngineHost]:
    with EngineHost(2) as host:
        yield host


@pytest.fixture(scope="module")
def lone_local_host() -> Iterator[EngineHost]:
    with EngineHost(1) as host:
        yield host


@pytest.fixture(scope="package")
def two_workers() -> Iterator[Cluster]:
    """A cluster of two workers."""
    with tended_cluster(2) as cluster:
        yield cluster


@pytest.fixture(scope="package")
def cluster_host(two_workers: Cluster) -> Iterator[ClusterHost]:
    with ClusterHost(two_workers.address) as host:
        wait_until(lambda: len(host.status()) == 2, "no workers")
        yield host


@pytest.fixture(scope="package")
def one_worker() -> Iterator[Cluster]:
    """A cluster of one worker."""
    with tended_cluster(1) as cluster:
        yield cluster


@pytest.fixture(scope="package")
def lone_cluster_host(one_worker: Cluster) -> Iterator[ClusterHost]:
    with ClusterHost(one_worker.address) as host:
        yield host
