"""Manager of long-running jobs on the user's opening books: inspecting, growing, learning games.

Each job runs in a helper process of its own (`book_jobs`), which ends with it. One book grows at a time. Jobs that
change the same book wait for each other: a game is learned between two rounds of growth. Growth continues after a
restart of the server, unless it was stopped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from tengen.app import book_jobs
from tengen.app.book_jobs import BookSummary, Growth, book_files
from tengen.app.event_loop import call_in_loop, run_in_executor
from tengen.books import installed
from tengen.books.book_file import SUFFIX
from tengen.books.statistics_file import SUFFIX as STATISTICS
from tengen.core.errors import OptionError, TengenError
from tengen.core.translation import mark
from tengen.jobs import Progress
from tengen.jobs.helper_pool import STOPPED, HelperPool
from tengen.jobs.task import one_line
from tengen.play.match import Match

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger(__name__)
MAX_ATTEMPTS = 4  # of a job whose process crashes
# A process without progress for this long counts as hung. One deep position may take hours.
INSPECT_TIMEOUT_S = 900.0
LEARN_TIMEOUT_S = 6 * 3600.0
GROW_TIMEOUT_S = 24 * 3600.0
MAX_REMEMBERED_JOBS = 200  # learning jobs whose outcome can be queried


@dataclass
class BookJob:
    """A job on a book. `state` is waiting, running, stopped, failed or done; `note` has details."""

    state: str = "waiting"
    progress: Progress | None = None
    note: str = ""

    @property
    def is_over(self) -> bool:
        return self.state in ("stopped", "failed", "done")

    def describe(self) -> str:
        """The state in one line for users."""
        if self.state == "running":
            return mark("Searching …") if self.progress is None else str(self.progress)
        return self.note or self.state.capitalize()


@dataclass
class GrowthJob(BookJob):
    """A growth job, new or resumed after a restart."""

    plan: Growth = Growth("othello")  # noqa: RUF009 -- it is frozen


@dataclass(frozen=True)
class BookJobsHealth:
    """State of the book jobs; `dataclasses.asdict` of it is JSON-compatible."""

    growing: str  # state of the growth; empty without one
    learning: int  # running and waiting learning jobs
    processes: int
    restarts: int
    last_failure: str


class BookManager:
    """Starts and tracks the jobs. Use it in one event loop."""

    def __init__(self, executor: Executor) -> None:
        self.growing: GrowthJob | None = None
        self._executor = executor  # for calls that read or write files
        self._learning: dict[str, BookJob] = {}
        self._locks: dict[Path, asyncio.Lock] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._growth: asyncio.Task[None] | None = None
        self._watchers: list[Callable[[], None]] = []
        self._inspecting = asyncio.Lock()
        self._inspected: tuple[object, list[BookSummary]] | None = None
        self._pools: set[HelperPool] = set()  # one for each running job
        self._restarts = 0  # of ended jobs
        self._last_failure = ""

    def health(self) -> BookJobsHealth:
        now = [pool.health() for pool in self._pools]
        return BookJobsHealth(
            growing="" if self.growing is None else self.growing.state,
            learning=sum(not work.is_over for work in self._learning.values()),
            processes=sum(one.workers_alive for one in now),
            restarts=self._restarts + sum(one.restarts for one in now),
            last_failure=next((one.last_failure for one in now if one.last_failure), self._last_failure),
        )

    # ---- inspecting

    async def inspect(self) -> list[BookSummary]:
        """The user's books; verified again whenever one of their files has changed."""
        async with self._inspecting:
            stamp = await run_in_executor(self._executor, _stamp)
            if self._inspected is None or self._inspected[0] != stamp:
                found = await self._run_job(BookJob(), INSPECT_TIMEOUT_S, book_jobs.inspect_books) if stamp else []
                self._inspected = (stamp, found)
            return self._inspected[1]

    def clear_cache(self) -> None:
        """Let the next `inspect` verify the books again."""
        self._inspected = None

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call `watcher` in the event loop after each change of a job; returns a function that ends this."""
        self._watchers.append(watcher)

        def leave() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return leave

    def _notify(self) -> None:
        for watcher in list(self._watchers):
            watcher()

    # ---- growing

    @property
    def is_growing(self) -> bool:
        return self.growing is not None and not self.growing.is_over

    async def grow(self, plan: Growth) -> GrowthJob:
        """Start growing a book. Raises `OptionError` if another is growing, or if there is no such book."""
        if self.is_growing:
            raise OptionError(mark("a book is already growing: stop it first"))
        if not plan.has_book:
            raise OptionError(mark("there is no book of {game} yet: learn a game first").format(game=plan.game))
        self.growing = growing = GrowthJob(plan=replace(plan, stopped=False))
        # Stored results of an earlier growth can be reused only with the same search depth.
        earlier = next(
            (one for one in await run_in_executor(self._executor, list, Growth.saved()) if one.book == plan.book),
            None,
        )
        try:
            if earlier is not None and earlier.depth != plan.depth:
                await run_in_executor(self._executor, earlier.delete)
            await run_in_executor(self._executor, growing.plan.save)
        except TengenError:
            self.growing = None
            raise
        self._growth = self._start(self._grow(growing))
        self._notify()
        return growing

    async def restore(self) -> None:
        """Continue a growth that was running when the server stopped; a stopped one stays stopped."""
        for plan in await run_in_executor(self._executor, list, Growth.saved()):
            if plan.stopped and self.growing is None:
                self.growing = GrowthJob("stopped", note=mark("Stopped"), plan=plan)
            elif not plan.stopped and not self.is_growing:
                with suppress(TengenError):  # its book was deleted
                    await self.grow(plan)

    async def stop(self) -> None:
        """Stop the growth. Results are stored; `resume` continues from there."""
        growing, task = self.growing, self._growth
        if growing is None or task is None or growing.is_over:
            raise OptionError(mark("no book is growing"))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        growing.plan = replace(growing.plan, stopped=True)
        growing.state, growing.note, growing.progress = "stopped", mark("Stopped"), None
        await run_in_executor(self._executor, growing.plan.save)
        self._notify()

    async def resume(self) -> GrowthJob:
        """Continue a growth that was stopped or failed."""
        if self.growing is None or self.growing.state not in ("stopped", "failed"):
            raise OptionError(mark("there is no stopped growth to resume"))
        return await self.grow(self.growing.plan)

    async def discard(self) -> None:
        """Forget a stopped or finished growth; positions already added stay in the book."""
        if self.growing is not None and self.growing.is_over:
            await run_in_executor(self._executor, self.growing.plan.delete)
            self.growing = None
            self._notify()

    async def _grow(self, growing: GrowthJob) -> None:
        added, first = 0, growing.plan.done
        try:
            while growing.plan.done < growing.plan.rounds:
                async with self._lock_of(growing.plan.book):
                    found = await self._run_job(growing, GROW_TIMEOUT_S, book_jobs.grow_one_round, growing.plan)
                growing.plan = replace(growing.plan, done=growing.plan.done + 1)
                added += found.added
                if not found.grown:
                    break
            await run_in_executor(self._executor, growing.plan.delete)
        except Exception as error:
            growing.state, growing.note = "failed", _failure(error)
            growing.plan = replace(growing.plan, stopped=True)
            with suppress(TengenError, OSError):
                await run_in_executor(self._executor, growing.plan.save)
        else:
            rounds = growing.plan.done - first
            one, several = (
                mark("{count} positions added in one round"),
                mark("{count} positions added in {rounds} rounds"),
            )
            growing.state = "done"
            growing.note = (one if rounds == 1 else several).format(count=f"{added:,}", rounds=rounds)
        self._notify()

    # ---- learning

    def learn(self, match: Match) -> BookJob:
        """Add a game to the valued book once no other job changes it. Raises `OptionError` without a move."""
        known = self._learning.get(match.id)
        if known is not None and not known.is_over:
            return known
        position = match.record.positions()[-1]
        if not position.ply:
            raise OptionError(mark("this game has no moves to learn"))
        while len(self._learning) >= MAX_REMEMBERED_JOBS:
            del self._learning[next(iter(self._learning))]
        work = self._learning[match.id] = BookJob(note=mark("Waiting for the book to finish growing"))
        self._start(self._learn(work, installed.valued_path(position.game), match))
        return work

    def learning(self, game_id: str) -> BookJob | None:
        """The learning job of a game, if there is one."""
        return self._learning.get(game_id)

    async def _learn(self, work: BookJob, book: Path, match: Match) -> None:
        position = match.record.positions()[-1]
        game, moves = position.game, position.write_moves(position.moves)
        try:
            async with self._lock_of(book):
                found = await self._run_job(
                    work, LEARN_TIMEOUT_S, book_jobs.learn, game.name, game.options(), moves
                )
        except Exception as error:
            work.state, work.note = "failed", _failure(error)
        else:
            work.state = "done"
            work.note = mark("Added {count} positions; the book now has {total}").format(
                count=f"{found.added:,}", total=f"{found.positions:,}"
            )
        self._notify()

    # ---- processes

    async def close(self) -> None:
        """Stop all jobs. A running growth is continued at the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _lock_of(self, book: Path) -> asyncio.Lock:
        """The lock held by the job that changes a book; waiting jobs get it in order."""
        return self._locks.setdefault(book, asyncio.Lock())

    async def _run_job(
        self, work: BookJob, timeout_s: float, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Run a job in a process that is killed with this task. Raises `TengenError` if it fails."""
        loop = asyncio.get_running_loop()

        def show(progress: Progress) -> None:
            work.progress = progress
            self._notify()

        pool = HelperPool("book job", call_timeout_s=timeout_s, attempts=MAX_ATTEMPTS)
        self._pools.add(pool)
        work.state, work.progress = "running", None
        self._notify()
        try:
            return await asyncio.wrap_future(
                pool.submit_with_progress(
                    lambda progress: call_in_loop(loop, show, progress), function, *args, **kwargs
                )
            )
        finally:
            self._pools.discard(pool)
            health = pool.health()
            self._restarts += health.restarts
            self._last_failure = health.last_failure or self._last_failure
            await asyncio.to_thread(pool.close)


def _failure(error: Exception) -> str:
    """The failure in one line for users; unexpected errors are logged."""
    if isinstance(error, TengenError):
        return str(error)
    _log.error("book job failed: %s", one_line(error))
    return STOPPED


def _stamp() -> tuple[tuple[str, int, int], ...]:
    """A value that changes when a book file does."""
    found = []
    for path in (*book_files(SUFFIX), *book_files(STATISTICS)):
        stamp = installed.file_stamp(path)
        if stamp is not None:
            found.append((path.name, *stamp))
    return tuple(found)


def is_in_statistics(match: Match) -> bool:
    """Whether a game was added to the statistics when it ended: games played here are, if the book exists."""
    played = any(player is not None for player in match.players)
    return played and installed.statistics_path(match.game).exists()
