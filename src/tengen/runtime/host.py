"""The engine host: searches for any number of games, on a few worker processes.

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
from tengen.runtime.callbacks import OnProgress, Recipient
from tengen.runtime.health import HostHealth, WorkerStatus
from tengen.runtime.manager import Manager
from tengen.runtime.memory_plan import MemoryPlan, workers_that_fit
from tengen.runtime.messages import Caps, Request
from tengen.runtime.scheduler import Ticket
from tengen.search.limits import Limits
from tengen.search.report import Report

if TYPE_CHECKING:
    from tengen.core.position import Position


class SearchHandle:
    """A search that was asked for: wait for its `result`, `await` it, stop it or cancel it.

    `future` is there for whoever needs a `concurrent.futures.Future`; cancelling it cancels the search.
    """

    def __init__(self, manager: Manager, ticket: Ticket) -> None:
        self._manager = manager
        self._ticket = ticket
        self.future: Future[Report] = ticket.recipient.future

    def result(self, timeout: float | None = None) -> Report:
        """The report. Raises the search's own error, TimeoutError, or CancelledError."""
        if self._manager.delivery.is_this_thread() and not self.future.done():
            raise RuntimeError("a callback must not wait for a search: the result would come in its own thread")
        return self.future.result(timeout)

    def done(self) -> bool:
        return self.future.done()

    def stop(self) -> None:
        """Be content with what there is: the report, with a legal move, comes within hundredths of a second.

        A search that still waits for its turn goes before all others. A compiler at work cannot be stopped.
        """
        self._manager.stop(self._ticket)

    def cancel(self) -> bool:
        """Give up the search, waiting or running; returns False if it is done already."""
        return self.future.cancel()

    def __await__(self) -> Generator[Any, None, Report]:
        return asyncio.wrap_future(self.future).__await__()


class EngineHost:
    """Worker processes, as many as there are cores unless told otherwise; they start when there is work.

    A search gets at most `threads` threads (its share of the cores, unless told otherwise) and `memory` megabytes
    for its tree or table; a worker keeps `engines_kept` engines. All workers together stay within the memory
    budget of the resource limits: engines are given up, least recently used first, before it is used up. With
    little memory there are fewer workers, and `memory` is smaller. A worker that does not answer `grace` seconds
    after the end of its time, or after a stop, is killed; a new one on a busy machine needs some of them to load
    kernels.

    The host restarts whatever fails, its own threads included: `health` tells how often.
    Use it in a `with` statement: leaving it cancels what is still under way.
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        threads: int | None = None,
        memory: int | None = None,
        engines_kept: int | None = None,
        grace: float = 20.0,
    ) -> None:
        limits, cores = resource_limits(), available_cores()
        self.workers = workers_that_fit(limits, cores) if workers is None else workers
        if threads is None:
            threads = max(1, cores // max(1, self.workers))
        given = [one for one in (self.workers, threads, memory, engines_kept) if one is not None]
        if min(given) < 1 or grace <= 0:
            raise OptionError("workers, threads, memory, kept engines and grace should all be above 0")
        plan = MemoryPlan.of(limits, self.workers, memory, engines_kept)
        self._manager = Manager(self.workers, Caps(threads, plan.search), plan, grace)
        close_at_exit(self)

    @property
    def on_this_machine(self) -> EngineHost:
        """The host whose workers share this machine's kernel cache: this one, unless it uses a cluster."""
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
        """Search a position of a game, as soon as it is the game's turn. Returns at once.

        Background work makes room, at once, for all that is not, and goes on afterwards with what its engine
        keeps. `on_progress` is called in a thread of the host's: it should be brief, and must not wait for a
        search. Limits above those of this machine (`level_seconds`, `level_nodes`) are lowered to them. Raises
        `LimitExceeded` if too many searches wait already.
        """
        return self._ask(config, position, limits, game_id, on_progress, background=background, ponder=False)

    def ponder(
        self,
        config: EngineConfig,
        position: Position | Request,
        *,
        game_id: str,
        on_progress: OnProgress | None = None,
    ) -> SearchHandle:
        """Think ahead, in the background, until a search for this game is asked for or the handle is stopped.

        An engine that keeps its tree then starts with what it found. The result is a report, if there was ever
        a turn for it; otherwise the handle is cancelled.
        """
        return self._ask(config, position, Limits(), game_id, on_progress, background=True, ponder=True)

    def status(self) -> list[WorkerStatus]:
        """The workers that are ready, each with what it is at and what it keeps."""
        return self._manager.status()

    def health(self) -> HostHealth:
        """How the host is doing: workers, searches, restarts and memory."""
        return self._manager.health()

    def close(self) -> None:
        """Cancel everything and end the workers. Returns when they have ended."""
        self._manager.close()

    def __enter__(self) -> EngineHost:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(
        self,
        config: EngineConfig,
        position: Position | Request,
        limits: Limits,
        game_id: str,
        on_progress: OnProgress | None,
        *,
        background: bool,
        ponder: bool,
    ) -> SearchHandle:
        request = position if isinstance(position, Request) else Request.of(position)
        ticket = Ticket(
            config,
            request,
            games.import_path(request.game),
            _within_machine_limits(limits),
            game_id,
            Recipient(on_progress),
            asked=time.monotonic(),
            background=background,
            ponder=ponder,
        )
        self._manager.add(ticket)
        return SearchHandle(self._manager, ticket)


def _within_machine_limits(limits: Limits) -> Limits:
    """The same limits, lowered where they exceed those of this machine: players of earlier versions had no bounds.

    A search without any limit, which ends when it is stopped, stays one.
    """
    most = resource_limits()
    if any(one is not None for one in (limits.seconds, limits.clock, limits.nodes, limits.depth)):
        seconds = most.level_seconds if limits.seconds is None else min(limits.seconds, most.level_seconds)
        if seconds < limits.thinking_time():
            limits = replace(limits, seconds=seconds)
    if limits.nodes is not None and limits.nodes > most.level_nodes:
        limits = replace(limits, nodes=most.level_nodes)
    return limits


_open_hosts: weakref.WeakSet[EngineHost] = weakref.WeakSet()


def close_at_exit(host: EngineHost) -> None:
    _open_hosts.add(host)


@atexit.register
def _close_all() -> None:
    """End those that nobody closed. (Registered after multiprocessing's own, and so called before.)"""
    for host in list(_open_hosts):
        host.close()
