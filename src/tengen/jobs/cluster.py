"""Processes on many machines, as a `concurrent.futures.Executor`: the workers of a Dask cluster.

    with open_executor(cluster="tcp://127.0.0.1:8786") as executor:
        for result in run(tasks, executor=executor): ...

Dask hands a call to another worker when one dies; after a few deaths during the same call it gives up, and we
report `WorkerDied` as our own executor does, so that `run` counts it against that call and sends it again.
Workers may come and go while it works. `initializer(*initargs)` is called once in each worker process, before its
first call of ours, also in those that come later: compiled kernels are loaded there.

Dask itself is needed only where a cluster is used: `pip install tengen[cluster]`.
"""

from __future__ import annotations

import logging
import pickle
import threading
import traceback
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
from tengen.jobs.worker import RemoteError

P = ParamSpec("P")
T = TypeVar("T")

CONNECT_SECONDS = 10.0


def dask() -> Any:
    """Dask's module for clusters, which is imported only where it is needed: it takes a second."""
    try:
        import distributed
    except ImportError:
        raise OptionError("a cluster needs Dask: pip install 'tengen[cluster]'") from None
    logging.getLogger("distributed").setLevel(logging.ERROR)  # who comes and goes is not for people to read
    return distributed


class ClusterExecutor(Executor):
    """The workers of the Dask scheduler at an address, such as `tcp://127.0.0.1:8786`."""

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
        self._calls: dict[Future[Any], Any] = {}  # Dask's own future of each call that has not ended
        self._check_versions()

    @property
    def workers(self) -> int:
        """How many calls can run at once, now."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: _ClusterFuture = _ClusterFuture()
        try:
            message = pickle.dumps((fn, args, kwargs), pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # the call's own fault, so it is for the future to tell
            future.set_running_or_notify_cancel()
            future.set_exception(error)
            return cast("Future[T]", future)
        if self._client.status != "running":
            raise BrokenExecutor(f"the cluster at {self.address} cannot be reached any more")
        # Dask would take two calls with equal arguments for one: each has a key of its own.
        key = f"{getattr(fn, '__name__', 'call')}-{uuid.uuid4().hex}"
        remote = self._client.submit(_call, self._setup, message, key=key, pure=False)
        future.remote = remote
        with self._lock:
            self._calls[future] = remote
        remote.add_done_callback(lambda ended: self._land(future, ended))
        return cast("Future[T]", future)

    def kill(self, future: Future[T]) -> None:
        """Forget a call that is running. A worker's thread cannot be killed: it ends in its own time."""
        with self._lock:
            remote = self._calls.pop(future, None)
        if remote is not None:
            remote.cancel()

    def terminate(self) -> None:
        """Shut down at once; what workers are at, they end for nothing."""
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

    def _land(self, future: Future[Any], remote: Any) -> None:
        """Dask says that a call has ended. (In a thread of Dask's.)"""
        with self._lock:
            if self._calls.pop(future, None) is None:
                return  # nobody waits for it any more
        if not future.set_running_or_notify_cancel():
            return
        try:
            if remote.cancelled():
                raise BrokenExecutor(f"the cluster at {self.address} lost a call")
            error = remote.exception()
            if error is None:
                value, failure, trace = remote.result()
                if failure is None:
                    future.set_result(value)
                    return
                failure.__cause__ = RemoteError(trace)
                error = failure
            elif type(error).__name__ == "KilledWorker":
                error = WorkerDied(f"Dask gave the call up after several workers died ({one_line(error)})")
            future.set_exception(error)
        except BaseException as error:
            broken = error if isinstance(error, BrokenExecutor) else BrokenExecutor(one_line(error))
            future.set_exception(broken)

    def _check_versions(self) -> None:
        """Workers must have the same Tengen, or results would be a mixture."""
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
    """One that also tells the cluster when it is cancelled."""

    remote: Any = None

    def cancel(self) -> bool:
        cancelled = super().cancel()
        if cancelled and self.remote is not None:
            self.remote.cancel()
        return cancelled


def open_executor(workers: int | None = None, cluster: str = "") -> LocalExecutor | ClusterExecutor:
    """The workers of a cluster, or processes on this machine: as many as there are cores unless told otherwise."""
    if not cluster:
        return LocalExecutor(workers)
    if workers is not None:
        raise OptionError("a cluster has the workers that it has: leave out their number, or --cluster")
    return ClusterExecutor(cluster)


# ---- the worker's side

_initialised: set[str] = set()
_initialising = threading.Lock()


def _version() -> str:
    return version("tengen")


@dataclass(frozen=True)
class _Setup:
    """What a worker needs before the first call of an executor."""

    name: str
    version: str
    initializer: Callable[..., object] | None
    initargs: tuple[object, ...]


def _call(setup: _Setup, message: bytes) -> tuple[object, BaseException | None, str]:
    """Run a call; errors are values, so that Dask, which knows nothing of them, does not log them."""
    try:
        if setup.version != _version():  # a worker that came later
            raise TengenError(f"a worker has Tengen {_version()}, not {setup.version}: use the same everywhere")
        with _initialising:
            if setup.initializer is not None and setup.name not in _initialised:
                setup.initializer(*setup.initargs)
                _initialised.add(setup.name)
        function, args, kwargs = pickle.loads(message)
        value = function(*args, **kwargs)
        pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        return value, None, ""
    except BaseException as error:
        trace = "".join(traceback.format_exception(error))
        try:
            pickle.loads(pickle.dumps(error))
            return None, error, trace
        except Exception:
            kind = TengenError if isinstance(error, TengenError) else RuntimeError
            return None, kind(f"{type(error).__name__}: {error}"), trace
