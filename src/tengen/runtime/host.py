"""The engine host: searches for any number of games on a pool of worker processes.

with EngineHost() as host:
    handle = host.search(EngineConfig("uct"), Request("go", {"size": 9}), Limits(seconds=2), game_id="g1")
    print(handle.result().best)
"""

from __future__ import annotations

import asyncio
import atexit
import time
import weakref
from collections.abc import Generator
from concurrent.futures import Future
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tengen import games
from tengen.core.errors import OptionError
from tengen.core.resource_limits import resource_limits
from tengen.jobs.processes import available_cores
from tengen.players.config import EngineConfig
from tengen.runtime.callbacks import OnProgress, Subscriber
from tengen.runtime.health import HostHealth, WorkerStatus
from tengen.runtime.manager import Manager
from tengen.runtime.memory_plan import MemoryPlan, workers_that_fit
from tengen.runtime.messages import Request, SearchCaps
from tengen.runtime.scheduler import SearchTask
from tengen.search.limits import Limits
from tengen.search.report import Report

if TYPE_CHECKING:
    from tengen.core.position import Position
    from tengen.runtime.background_warmup import BackgroundWarmUp


class SearchHandle:
    """A requested search: wait for its `result`, `await` it, stop it or cancel it.

    `future` is a `concurrent.futures.Future`; cancelling it cancels the search.
    """

    def __init__(self, manager: Manager, task: SearchTask) -> None:
        self._manager = manager
        self._task = task
        self.future: Future[Report] = task.subscriber.future

    def result(self, timeout: float | None = None) -> Report:
        """The report. Raises the search's own error, TimeoutError, or CancelledError."""
        if self._manager.callbacks.is_this_thread() and not self.future.done():
            raise RuntimeError("a callback must not wait for a search: its result is delivered by the same thread")
        return self.future.result(timeout)

    def done(self) -> bool:
        return self.future.done()

    def stop(self) -> None:
        """End the search early. Its report, with a legal move, comes within hundredths of a second.

        A queued search goes before all others. Compilation cannot be stopped.
        """
        self._manager.stop(self._task)

    def cancel(self) -> bool:
        """Cancel the search, queued or running; returns False if it is already done."""
        return self.future.cancel()

    def __await__(self) -> Generator[Any, None, Report]:
        return asyncio.wrap_future(self.future).__await__()


class EngineHost:
    """Runs searches in `workers` processes (default: one per core), started on demand.

    A search uses at most `threads` threads (default: its share of the cores) and `memory_mb` megabytes for its
    tree or table. A worker caches up to `engines_per_worker` engines. All workers together stay within the memory
    budget of the resource limits: the least recently used engines are dropped before it is exceeded. With little
    memory there are fewer workers, and `memory_mb` is lowered. A worker that does not answer within `grace_s`
    seconds after its time limit or a stop is killed; the grace period must cover loading kernels on a busy
    machine.

    With `warm_up_first`, kernels are compiled in the background in further processes, those of this game first;
    until then, the rules of games run as plain Python, in this process and in the workers.

    The host restarts workers and its own threads when they fail; `health` counts the restarts. Use it in a `with`
    statement: leaving the block cancels all searches.
    """

    _warm_up: BackgroundWarmUp | None = None

    def __init__(
        self,
        workers: int | None = None,
        *,
        threads: int | None = None,
        memory_mb: int | None = None,
        engines_per_worker: int | None = None,
        grace_s: float = 20.0,
        warm_up_first: str | None = None,
    ) -> None:
        limits, cores = resource_limits(), available_cores()
        self.workers = workers_that_fit(limits, cores) if workers is None else workers
        if threads is None:
            threads = max(1, cores // max(1, self.workers))
        given = [one for one in (self.workers, threads, memory_mb, engines_per_worker) if one is not None]
        if min(given) < 1 or grace_s <= 0:
            raise OptionError("workers, threads, memory_mb, engines_per_worker and grace_s must be positive")
        plan = MemoryPlan.from_limits(limits, self.workers, memory_mb, engines_per_worker)
        caps = SearchCaps(threads, plan.search_mb, background_compilation=warm_up_first is not None)
        self._manager = Manager(self.workers, caps, plan, grace_s)
        if warm_up_first is not None:
            from tengen.runtime.background_warmup import BackgroundWarmUp  # loads Numba
            from tengen.runtime.kernel_groups import likely_groups

            self._warm_up = BackgroundWarmUp(
                lambda: likely_groups(warm_up_first), self._manager.is_searching, compiles_on_demand=True
            )
        close_at_exit(self)

    def prefer_kernels(self, game: str) -> None:
        """Compile the kernels of a game before those of other games, if kernels are compiled in the background."""
        if self._warm_up is not None:
            self._warm_up.prefer(game)

    @property
    def local_host(self) -> EngineHost:
        """The host whose workers share this machine's kernel cache: `self`, unless searches run on a cluster."""
        return self

    def search(
        self,
        config: EngineConfig,
        position: Position | Request,
        limits: Limits,
        *,
        game_id: str,
        background: bool = False,
        on_progress: OnProgress | None = None,
    ) -> SearchHandle:
        """Search a position and return immediately. Games share the workers fairly.

        Background searches pause at once for all others and later resume with what their engine has stored.
        `on_progress` is called in a thread of the host: it should be brief and must not wait for a search. Limits
        above those of this machine (`level_seconds`, `level_nodes`) are lowered to them. Raises `LimitExceeded` if
        too many searches are queued.
        """
        task = _task(config, position, _within_machine_limits(limits), game_id, on_progress)
        task.background = background
        return self._submit(task)

    def ponder(
        self,
        config: EngineConfig,
        position: Position | Request,
        *,
        game_id: str,
        on_progress: OnProgress | None = None,
    ) -> SearchHandle:
        """Search in the background until a search for this game is requested or the handle is stopped.

        An engine that keeps its tree continues from it. The result is a report; if the search never ran, the
        handle is cancelled.
        """
        task = _task(config, position, Limits(), game_id, on_progress)
        task.background = task.ponder = True
        return self._submit(task)

    def status(self) -> list[WorkerStatus]:
        """The workers that are ready, each with its current search and its cached engines."""
        return self._manager.status()

    def health(self) -> HostHealth:
        """Workers, searches, restarts and memory use."""
        return self._manager.health()

    def close(self) -> None:
        """Cancel all searches and end the workers. Returns when they have exited."""
        if self._warm_up is not None:
            self._warm_up.close()
        self._manager.close()

    def __enter__(self) -> EngineHost:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _submit(self, task: SearchTask) -> SearchHandle:
        self._manager.add(task)
        return SearchHandle(self._manager, task)


def _task(
    config: EngineConfig,
    position: Position | Request,
    limits: Limits,
    game_id: str,
    on_progress: OnProgress | None,
) -> SearchTask:
    request = position if isinstance(position, Request) else Request.from_position(position)
    path = games.import_path(request.game)
    return SearchTask(config, request, path, limits, game_id, Subscriber(on_progress), time.monotonic())


def _within_machine_limits(limits: Limits) -> Limits:
    """Limits lowered to those of this machine, since stored players may exceed them.

    A search without any limit, which ends when it is stopped, stays unlimited.
    """
    caps = resource_limits()
    if any(one is not None for one in (limits.seconds, limits.clock, limits.nodes, limits.depth)):
        seconds = caps.level_seconds if limits.seconds is None else min(limits.seconds, caps.level_seconds)
        if seconds < limits.thinking_time():
            limits = replace(limits, seconds=seconds)
    if limits.nodes is not None and limits.nodes > caps.level_nodes:
        limits = replace(limits, nodes=caps.level_nodes)
    return limits


_open_hosts: weakref.WeakSet[EngineHost] = weakref.WeakSet()


def close_at_exit(host: EngineHost) -> None:
    _open_hosts.add(host)


@atexit.register
def _close_all() -> None:
    """Close hosts that are still open. Registered after, and so called before, multiprocessing's own handler."""
    for host in list(_open_hosts):
        host.close()
