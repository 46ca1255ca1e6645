"""Workers of a Dask cluster, as a `concurrent.futures.Executor`.

    with open_executor(cluster="tcp://127.0.0.1:8786") as executor:
        for result in run(tasks, executor=executor): ...

When a worker dies, Dask moves its call to another one. After several deaths during the same call it gives up,
which is reported as `WorkerDied`, as by `LocalExecutor`, so that `run` counts it against that call and retries it.
Workers may join and leave at any time. `initializer(*initargs)` is called once in each worker process before its
first call, also in workers that join later; it loads compiled kernels.

Dask is required only for clusters: `pip install tengen[cluster]`.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from importlib.metadata import version
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

from tengen.core.errors import OptionError, TengenError
from tengen.jobs.executor import LocalExecutor, WorkerDied
from tengen.jobs.task import one_line
from tengen.jobs.worker import Outcome, answer, pack_call, run_message, unpack
from tengen.jobs.worker_calls import CallCounter, WorkerCalls

P = ParamSpec("P")
T = TypeVar("T")

CONNECT_SECONDS = 10.0


def dask() -> Any:
    """The module `distributed`, imported on first use because that takes a second."""
    try:
        import distributed
    except ImportError:
        raise OptionError("a cluster needs Dask: pip install 'tengen[cluster]'") from None
    logging.getLogger("distributed").setLevel(logging.ERROR)  # suppress messages about joining and leaving workers
    return distributed


class ClusterExecutor(Executor):
    """Runs calls on the workers of a Dask scheduler, given by its address such as `tcp://127.0.0.1:8786`."""

    def __init__(
        self,
        address: str,
        *,
        initializer: Callable[..., object] | None = None,
        initargs: tuple[object, ...] = (),
    ) -> None:
        distributed = dask()
        self.address = address
        try:
            self._client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise OptionError(f"there is no cluster at {address!r}: {one_line(error)}") from None
        self._setup = _Setup(uuid.uuid4().hex, _version(), initializer, initargs)
        self._lock = threading.Lock()
        self._calls: dict[Future[Any], Any] = {}  # Dask's futures of unfinished calls
        self._counter = CallCounter()
        self._check_versions()

    @property
    def workers(self) -> int:
        """The number of calls that can currently run at once."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def worker_calls(self) -> list[WorkerCalls]:
        """The calls of each worker, by its address; also of workers that have left the cluster."""
        try:
            present = set(self._client.scheduler_info(n_workers=-1)["workers"])
        except Exception:  # the scheduler is away for a moment
            present = set()
        return self._counter.workers(present)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: _ClusterFuture = _ClusterFuture()
        try:
            message = pack_call(fn, *args, **kwargs)
        except Exception as error:  # caused by the arguments, so the future reports it
            future.set_running_or_notify_cancel()
            future.set_exception(error)
            return cast("Future[T]", future)
        if self._client.status != "running":
            raise BrokenExecutor(f"the cluster at {self.address} cannot be reached any more")
        # Unique keys: Dask would merge two calls with equal arguments.
        key = f"{getattr(fn, '__name__', 'call')}-{uuid.uuid4().hex}"
        remote = self._client.submit(_call, self._setup, message, key=key, pure=False)
        future.remote = remote
        with self._lock:
            self._calls[future] = remote
        remote.add_done_callback(lambda ended: self._finish(future, ended))
        return cast("Future[T]", future)

    def kill(self, future: Future[T]) -> None:
        """Abandon a running call. The thread of a worker cannot be killed; it runs until the call returns."""
        with self._lock:
            remote = self._calls.pop(future, None)
        if remote is not None:
            remote.cancel()

    def terminate(self) -> None:
        """Shut down at once; results of running calls are discarded."""
        self.shutdown(wait=False, cancel_futures=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._lock:
            calls = list(self._calls)
        if wait and not cancel_futures:
            for future in calls:
                if not future.cancelled():
                    future.exception()
        else:
            for future in calls:
                future.cancel()
        self._client.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.shutdown()
        else:
            self.terminate()

    def _finish(self, future: Future[Any], remote: Any) -> None:
        """Complete the future of a finished call. Runs in a thread of Dask."""
        with self._lock:
            if self._calls.pop(future, None) is None:
                return  # abandoned
        if not future.set_running_or_notify_cancel():
            return
        try:
            if remote.cancelled():
                raise BrokenExecutor(f"the cluster at {self.address} lost a call")
            error = remote.exception()
            if error is None:
                worker, seconds, message = remote.result()
                self._counter.add(worker, seconds)
                outcome = unpack(message)
                assert isinstance(outcome, Outcome)
                error = outcome.error
                if error is None:
                    future.set_result(outcome.value)
                    return
            elif type(error).__name__ == "KilledWorker":
                self._counter.add_lost(str(getattr(getattr(error, "last_worker", None), "address", "unknown")))
                error = WorkerDied(f"Dask gave the call up after several workers died ({one_line(error)})")
            future.set_exception(error)
        except BaseException as error:
            broken = error if isinstance(error, BrokenExecutor) else BrokenExecutor(one_line(error))
            future.set_exception(broken)

    def _check_versions(self) -> None:
        """Check that all workers run the same version of Tengen, so that results are consistent."""
        ours = _version()
        try:
            found = self._client.run(_version)
        except Exception as error:
            self._client.close()
            raise OptionError(f"the workers of {self.address} cannot run Tengen: {one_line(error)}") from None
        for worker, theirs in found.items():
            if theirs != ours:
                self._client.close()
                raise OptionError(f"the worker {worker} has Tengen {theirs}, not {ours}: use the same everywhere")


class _ClusterFuture(Future[Any]):
    """A future that also cancels the call on the cluster."""

    remote: Any = None

    def cancel(self) -> bool:
        cancelled = super().cancel()
        if cancelled and self.remote is not None:
            self.remote.cancel()
        return cancelled


def open_executor(workers: int | None = None, cluster: str = "") -> LocalExecutor | ClusterExecutor:
    """An executor on a cluster, or on local processes, by default one per core."""
    if not cluster:
        return LocalExecutor(workers)
    if workers is not None:
        raise OptionError("the number of workers cannot be set for a cluster: remove it, or --cluster")
    return ClusterExecutor(cluster)


# ---- worker side

_initialised: set[str] = set()
_initialising = threading.Lock()


def _version() -> str:
    return version("tengen")


@dataclass(frozen=True)
class _Setup:
    """Initialisation of a worker before the first call of an executor."""

    name: str
    version: str
    initializer: Callable[..., object] | None
    initargs: tuple[object, ...]


def _call(setup: _Setup, message: bytes) -> tuple[str, float, bytes]:
    """The address of the worker, the seconds of a call, and its packed outcome.

    Exceptions are returned, so that Dask does not log them.
    """
    began = time.monotonic()
    packed = answer(_initialise_and_run, setup, message)
    return str(dask().get_worker().address), time.monotonic() - began, packed


def _initialise_and_run(setup: _Setup, message: bytes) -> object:
    if setup.version != _version():  # a worker that joined later
        raise TengenError(f"a worker has Tengen {_version()}, not {setup.version}: use the same everywhere")
    with _initialising:
        if setup.initializer is not None and setup.name not in _initialised:
            setup.initializer(*setup.initargs)
            _initialised.add(setup.name)
    return run_message(message)
