"""A Dask scheduler and workers as child processes, by default on this machine only.

Anyone who can reach a scheduler can run arbitrary code on its workers, so it listens on the loopback address. A
worker has one thread for calls, because engines manage their own threads.
"""

from __future__ import annotations

import asyncio
import ipaddress
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from tengen.core.errors import OptionError
from tengen.jobs.cluster import CONNECT_SECONDS, dask
from tengen.jobs.processes import die_with_parent, ignore_interrupts, shield_children_from_interrupts
from tengen.jobs.task import one_line

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


class Cluster:
    """A scheduler and workers as child processes, which end with this process."""

    def __init__(self, host: str = HOST, port: int = 0, warm: Callable[[], object] | None = None) -> None:
        self._host, self._warm = host, warm
        self._scheduler, self.address = _start(_scheduler_process, (host, port))
        self.workers: list[SpawnProcess] = []

    def add_worker(self) -> SpawnProcess:
        """Start a worker and wait until it is ready. It ends with the calling thread."""
        process, _ = _start(_worker_process, (self.address, self._host, self._warm))
        self.workers.append(process)
        return process

    def tend(self) -> int:
        """Replace dead workers; return their number. Raises `OptionError` if the scheduler has died."""
        if not self._scheduler.is_alive():
            raise OptionError("the scheduler has ended")
        dead = [worker for worker in self.workers if not worker.is_alive()]
        for worker in dead:
            self.workers.remove(worker)
            self.add_worker()
        return len(dead)

    def close(self) -> None:
        for process in [*self.workers, self._scheduler]:
            process.terminate()
        for process in [*self.workers, self._scheduler]:
            process.join(10)
            if process.is_alive():
                process.kill()
                process.join()


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


def _start(target: Callable[..., None], args: tuple[object, ...]) -> tuple[SpawnProcess, str]:
    """Start a process and wait for its address."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=target, args=(theirs, *args), daemon=True)
    with _interrupts_blocked():  # until the child ignores interrupts
        process.start()
    theirs.close()
    deadline = time.monotonic() + 10 * START_SECONDS
    try:
        while not ours.poll(0.5):
            if not process.is_alive() or time.monotonic() > deadline:
                raise EOFError
        answer, good = ours.recv()
    except (EOFError, OSError):
        process.kill()
        process.join()
        raise OptionError("a process of the cluster could not be started") from None
    finally:
        ours.close()
    if not good:
        process.join()
        raise OptionError(answer)
    return process, answer


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    shield_children_from_interrupts()
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _scheduler_process(pipe: Connection, host: str, port: int) -> None:
    _live(pipe, lambda tell: serve_scheduler(host, port, tell))


def _worker_process(pipe: Connection, address: str, host: str, warm: Callable[[], object] | None) -> None:
    if warm is not None:
        warm()
    _live(pipe, lambda tell: serve_worker(address, host, None, tell))


def _live(pipe: Connection, serve: Callable[[Callable[[str], None]], Any]) -> None:
    """Main function of a child process: it ends with its parent or by SIGTERM, and ignores Ctrl-C."""
    ignore_interrupts()
    die_with_parent()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        asyncio.run(serve(lambda address: pipe.send((address, True))))
    except OptionError as error:
        pipe.send((str(error), False))
