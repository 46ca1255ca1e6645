"""A Dask scheduler and workers as child processes, by default on this machine only.

Anyone who can reach a scheduler can run arbitrary code on its workers, so it listens on the loopback address. A
worker has one thread for calls, because engines manage their own threads.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from tengen.core.errors import OptionError
from tengen.jobs.cluster import CONNECT_SECONDS, dask
from tengen.jobs.executor import LocalExecutor
from tengen.jobs.task import one_line
from tengen.jobs.worker import report_progress

HOST = "127.0.0.1"
PORT = 8786
START_SECONDS = 60.0
_CALM = {
    "distributed.scheduler.allowed-failures": 10,  # worker deaths per call before Dask gives up
    "distributed.scheduler.work-stealing": False,  # calls last seconds, so moving them does not help
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
}


def check_host(host: str, trusted: bool) -> None:
    """Reject an address that other machines can reach, unless the network is trusted."""
    try:
        local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    if not local and not trusted:
        raise OptionError(
            f"anyone who can reach {host} could run programs as you: use --trust-network to allow that"
        )


async def serve_scheduler(host: str, port: int, tell: Callable[[str], None]) -> None:
    """Run a scheduler until cancelled; `tell` is called with its address."""
    distributed = dask()
    _configure()
    try:
        # Dask serves health checks on a second port; the default may be used by another cluster.
        health = None if ":" in host else f"{host}:0"
        scheduler = await distributed.Scheduler(host=host, port=port, dashboard=False, dashboard_address=health)
    except OSError as error:
        raise OptionError(f"{host}, port {port}, cannot be used: {error}") from None
    try:
        tell(str(scheduler.address))
        await scheduler.finished()
    finally:
        await scheduler.close()


async def serve_worker(address: str, host: str, name: str | None, tell: Callable[[str], None]) -> None:
    """Run a worker until it is cancelled or loses its scheduler; `tell` is called with its address."""
    distributed = dask()
    _configure()
    try:
        worker = await asyncio.wait_for(_started(distributed, address, host, name), timeout=START_SECONDS)
    except (TimeoutError, OSError, ValueError) as error:
        raise OptionError(f"there is no scheduler at {address!r}: {one_line(error)}") from None
    try:
        tell(str(worker.address))
        await worker.finished()
    finally:
        await worker.close()


async def _started(distributed: Any, address: str, host: str, name: str | None) -> Any:
    return await distributed.Worker(
        address, host=host, name=name, nthreads=1, dashboard=False, memory_limit=0, death_timeout=START_SECONDS
    )


def _configure() -> None:
    import dask as settings

    settings.config.set(_CALM)


@dataclass(frozen=True)
class Status:
    """Status of a cluster: (address, running calls) of each worker, and the number of queued calls."""

    workers: tuple[tuple[str, int], ...]
    waiting: int


def status(address: str) -> Status:
    """The status of a cluster."""
    distributed = dask()
    try:
        with distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False) as client:
            busy = client.processing()
            waiting = client.run_on_scheduler(_waiting)
    except (OSError, ValueError, TypeError) as error:
        raise OptionError(f"there is no cluster at {address!r}: {one_line(error)}") from None
    return Status(tuple(sorted((worker, len(calls)) for worker, calls in busy.items())), waiting)


def _waiting(dask_scheduler: Any) -> int:
    return len(dask_scheduler.queued) + len(dask_scheduler.unrunnable)


# ---- as child processes


class ClusterProcess:
    """A scheduler or worker: a call in a process of its own, which reports its address and does not return."""

    def __init__(self, function: Callable[..., None], *args: object) -> None:
        """Wait until the process is ready. Raises `OptionError` if it fails."""
        self._executor = LocalExecutor(1)
        addresses: SimpleQueue[str] = SimpleQueue()
        self._call = self._executor.submit_with_progress(addresses.put, function, *args)
        self._call.add_done_callback(lambda call: addresses.put(""))
        try:
            self.address = addresses.get()
            if not self.address:
                error = self._call.exception()
                unknown = OptionError("a process of the cluster could not be started")
                raise error if isinstance(error, OptionError) else unknown
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        return self._executor.pids()[0]

    def is_alive(self) -> bool:
        return not self._call.done()

    def kill(self) -> None:
        self._executor.terminate()


class Cluster:
    """A scheduler and workers as child processes, which end with this process."""

    def __init__(self, host: str = HOST, port: int = 0, warm: Callable[[], object] | None = None) -> None:
        self._host, self._warm = host, warm
        self._scheduler = ClusterProcess(_run_scheduler, host, port)
        self.address = self._scheduler.address
        self.workers: list[ClusterProcess] = []

    def add_worker(self) -> ClusterProcess:
        """Start a worker and wait until it is ready."""
        worker = ClusterProcess(_run_worker, self.address, self._host, self._warm)
        self.workers.append(worker)
        return worker

    def tend(self) -> int:
        """Replace dead workers; return their number. Raises `OptionError` if the scheduler has died."""
        if not self._scheduler.is_alive():
            raise OptionError("the scheduler has ended")
        dead = [worker for worker in self.workers if not worker.is_alive()]
        for worker in dead:
            worker.kill()  # ends its executor
            self.workers.remove(worker)
            self.add_worker()
        return len(dead)

    def close(self) -> None:
        for process in [*self.workers, self._scheduler]:
            process.kill()


def _run_scheduler(host: str, port: int) -> None:
    asyncio.run(serve_scheduler(host, port, report_progress))


def _run_worker(address: str, host: str, warm: Callable[[], object] | None) -> None:
    if warm is not None:
        warm()
    asyncio.run(serve_worker(address, host, None, report_progress))


@contextmanager
def cluster(
    workers: int, host: str = HOST, port: int = 0, warm: Callable[[], object] | None = None
) -> Iterator[Cluster]:
    """A cluster with `workers` workers for the duration of the `with` statement."""
    if workers < 1:
        raise OptionError(f"a cluster needs at least one worker, not {workers}")
    made = Cluster(host, port, warm)
    try:
        for _ in range(workers):
            made.add_worker()
        yield made
    finally:
        made.close()
