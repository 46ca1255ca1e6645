"""The arena's queue: runs that were started in the browser, played one at a time by default, in order.

Each run is played in a helper process of its own (`arena_runs`) at low priority. The queue is stored on disk, a
file for each run, so that the server continues after a restart: a run that was waiting or running waits again, a
stopped one stays stopped. What a run has found is in its status file (`arena.run_status`).
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from tengen.app.arena_plans import Plan, check_programs, plan_from_dict, plan_to_dict
from tengen.app.arena_runs import check_concurrency, play_run
from tengen.app.event_loop import call_in_loop, run_in_executor
from tengen.arena import run_status
from tengen.arena.run_status import RunStatus
from tengen.core.errors import OptionError, TengenError
from tengen.core.folders import data_folder
from tengen.core.resource_limits import resource_limits
from tengen.core.translation import mark
from tengen.games.records.atomic_files import save as save_file
from tengen.jobs.helper_pool import STOPPED, HelperPool
from tengen.jobs.task import one_line
from tengen.store.errors import NotStored
from tengen.store.store import Store

_log = logging.getLogger(__name__)
MAX_ATTEMPTS = 4  # of a run whose process crashes
SILENCE_TIMEOUT_S = 24 * 3600.0  # a single game may take hours
MAX_QUEUED = 200

State = Literal["waiting", "running", "stopped", "failed", "finished"]
NO_SUCH_RUN = mark("there is no such run")


@dataclass(frozen=True)
class QueuedRun:
    """A run of the queue. `state` on disk is never running: what ran when the server died waits again."""

    kind: str
    id: str
    name: str
    about: str
    plan: dict[str, Any]
    state: State = "waiting"
    note: str = ""
    order: float = field(default_factory=time.time)
    concurrency: int | None = None

    @property
    def is_active(self) -> bool:
        return self.state in ("waiting", "running")

    def save(self) -> None:
        path = _folder() / f"{self.kind}-{self.id}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        state = "waiting" if self.is_active else self.state
        save_file(path, json.dumps({**asdict(self), "state": state}).encode())

    def delete(self) -> None:
        (_folder() / f"{self.kind}-{self.id}.json").unlink(missing_ok=True)

    @classmethod
    def saved(cls) -> list[QueuedRun]:
        """All stored runs, the oldest first."""
        found = []
        for path in _folder().glob("*.json"):
            with suppress(OSError, ValueError, TypeError):  # from another version, or damaged
                found.append(cls(**json.loads(path.read_bytes())))
        return sorted(found, key=lambda one: one.order)


@dataclass(frozen=True)
class RunView:
    """A run as it is shown: its status, and its entry in the queue if it was started here."""

    status: RunStatus
    queued: QueuedRun | None = None

    @property
    def state(self) -> str:
        if self.queued is None:
            return self.status.state
        # The queue knows best, but the run's own process may still be writing its first status.
        return self.queued.state

    @property
    def is_empty(self) -> bool:
        """Whether no result is counted yet, so that figures and plots would mean nothing.

        Status files of earlier versions have no counts; they are shown.
        """
        return self.status.total is not None and not self.status.done

    @property
    def note(self) -> str:
        return "" if self.queued is None else self.queued.note


class ArenaQueue:
    """Starts and tracks the runs. Use it in one event loop.

    `cluster` is the address of a Dask scheduler whose workers play the games; `allow_programs` lets plans name
    external programs that are not stored as players.
    """

    def __init__(
        self, store: Store, executor: Executor, *, cluster: str = "", allow_programs: bool = False
    ) -> None:
        self.cluster = cluster
        self.allow_programs = allow_programs
        self._store = store
        self._executor = executor  # for calls that read or write files
        self._runs: dict[tuple[str, str], QueuedRun] = {}
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._pools: dict[tuple[str, str], HelperPool] = {}
        self._watchers: list[Callable[[], None]] = []
        self._is_closing = False

    # ---- looking

    async def views(self) -> list[RunView]:
        """All runs, also those of the command line: active ones first, then the newest."""
        statuses = {(one.kind, one.id): one for one in await run_in_executor(self._executor, run_status.find_all)}
        keys = list(dict.fromkeys((*self._runs, *statuses)))
        found = [self._view(key, statuses.get(key)) for key in keys]
        waiting = {"running": 0, "waiting": 1}

        def rank(view: RunView) -> tuple[float, float]:
            group = waiting.get(view.state, 2)
            queued = view.queued
            return group, queued.order if group == 1 and queued is not None else -view.status.time

        return sorted(found, key=rank)

    async def view(self, kind: str, identity: str) -> RunView:
        """Raises `NotStored` if there is no such run."""
        status = await run_in_executor(self._executor, run_status.find, kind, identity)
        if status is None and (kind, identity) not in self._runs:
            raise NotStored(NO_SUCH_RUN)
        return self._view((kind, identity), status)

    def _view(self, key: tuple[str, str], status: RunStatus | None) -> RunView:
        queued = self._runs.get(key)
        if status is None:
            assert queued is not None
            game = str(queued.plan.get("game", ""))
            status = RunStatus(queued.name, queued.about, game, queued.state, "", [], time=queued.order)
            status = replace(status, id=queued.id, kind=queued.kind)
        return RunView(status, queued)

    async def games(self, kind: str, identity: str) -> list[dict[str, Any]]:
        return await run_in_executor(self._executor, run_status.games_of, kind, identity)

    def pids(self) -> list[int]:
        """The processes that play runs."""
        return [pid for pool in self._pools.values() for pid in pool.pids()]

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call `watcher` in the event loop after each change; returns a function that ends this."""
        self._watchers.append(watcher)

        def leave() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return leave

    def _notify(self) -> None:
        for watcher in list(self._watchers):
            watcher()

    # ---- changing

    async def add(self, plan: Plan, concurrency: int | None = None) -> QueuedRun:
        """Queue a run. The same run with more games is continued. Raises `OptionError` if it exists already."""
        check_concurrency(concurrency)
        if sum(one.is_active for one in self._runs.values()) >= MAX_QUEUED:
            raise OptionError(mark("too many runs are waiting: the limit is {most}").format(most=MAX_QUEUED))
        made = await run_in_executor(self._executor, self._make, plan, concurrency)
        before = self._runs.get((made.kind, made.id))
        if before is not None and before.is_active:
            raise OptionError(mark("this run is in the queue already: choose another seed to play other games"))
        if before is not None and before.state == "finished" and before.plan == made.plan:
            raise OptionError(
                mark("this run is finished already: choose another seed to play other games, or more games")
            )
        await self._put(made)
        self._start_next()
        return made

    def _make(self, plan: Plan, concurrency: int | None) -> QueuedRun:
        if not self.allow_programs:
            check_programs(plan, self._store)
        identity = Path(plan.create(self._store).checkpoint().path).stem
        name, about = plan.title(self._store)
        return QueuedRun(plan.kind, identity, name, about, plan_to_dict(plan), concurrency=concurrency)

    async def stop(self, kind: str, identity: str) -> QueuedRun:
        """Stop a run that waits or runs. Finished games are kept; `resume` continues."""
        found = self._find(kind, identity)
        if not found.is_active:
            raise OptionError(mark("this run is not running"))
        task = self._tasks.get((kind, identity))
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        found = self._find(kind, identity)
        if found.is_active:  # otherwise it ended just now
            found = await self._put(replace(found, state="stopped", note=""))
        self._start_next()
        return found

    async def resume(self, kind: str, identity: str) -> QueuedRun:
        """Queue a stopped or failed run again."""
        found = self._find(kind, identity)
        if found.state not in ("stopped", "failed"):
            raise OptionError(mark("this run is not stopped"))
        found = await self._put(replace(found, state="waiting", note="", order=time.time()))
        self._start_next()
        return found

    async def remove(self, kind: str, identity: str) -> None:
        """Forget a run that is over; its games stay in the library. Raises `OptionError` while it runs."""
        view = await self.view(kind, identity)
        if view.state in ("waiting", "running"):
            raise OptionError(mark("stop the run before you remove it"))
        found = self._runs.pop((kind, identity), None)
        if found is not None:
            await run_in_executor(self._executor, found.delete)
        await run_in_executor(self._executor, run_status.forget, kind, identity)
        self._notify()

    def _find(self, kind: str, identity: str) -> QueuedRun:
        found = self._runs.get((kind, identity))
        if found is None:
            raise NotStored(mark("this run was not started here: stop it where it runs"))
        return found

    async def _put(self, entry: QueuedRun) -> QueuedRun:
        self._runs[entry.kind, entry.id] = entry
        await run_in_executor(self._executor, entry.save)
        self._notify()
        return entry

    # ---- running

    async def restore(self) -> None:
        """Continue what was waiting or running when the server stopped."""
        for one in await run_in_executor(self._executor, QueuedRun.saved):
            self._runs[one.kind, one.id] = one
        self._start_next()

    def _start_next(self) -> None:
        if self._is_closing:
            return
        waiting = sorted((one for one in self._runs.values() if one.state == "waiting"), key=lambda one: one.order)
        for one in waiting[: max(0, resource_limits().arena_runs - len(self._tasks))]:
            key = one.kind, one.id
            self._runs[key] = replace(one, state="running")
            self._tasks[key] = asyncio.get_running_loop().create_task(self._run(self._runs[key]))
        self._notify()

    async def _run(self, entry: QueuedRun) -> None:
        key = entry.kind, entry.id
        loop = asyncio.get_running_loop()
        pool = self._pools[key] = HelperPool("arena run", call_timeout_s=SILENCE_TIMEOUT_S, attempts=MAX_ATTEMPTS)

        def show(note: str) -> None:
            if key in self._runs and self._runs[key].state == "running":
                self._runs[key] = replace(self._runs[key], note=note)
                self._notify()

        try:
            note = await asyncio.wrap_future(
                pool.submit_with_progress(
                    lambda note: call_in_loop(loop, show, note),
                    play_run,
                    entry.plan,
                    self._store.url,
                    entry.concurrency,
                    self.cluster,
                )
            )
            ended = replace(entry, state="finished", note=note)
        except Exception as error:
            ended = replace(entry, state="failed", note=_failure(error))
        finally:
            self._pools.pop(key, None)
            self._tasks.pop(key, None)
            await asyncio.to_thread(pool.close)
        await self._put(ended)
        self._start_next()

    async def close(self) -> None:
        """Stop all runs; they continue at the next start."""
        self._is_closing = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def plan_of(run: QueuedRun) -> Plan:
    """The plan of a run, to change it and start another one."""
    return plan_from_dict(run.plan)


def _failure(error: Exception) -> str:
    """The failure in one line for users; unexpected errors are logged."""
    if isinstance(error, TengenError):
        return str(error)
    _log.error("a run of the arena failed: %s", one_line(error))
    return STOPPED


def _folder() -> Path:
    return data_folder() / "arena"
