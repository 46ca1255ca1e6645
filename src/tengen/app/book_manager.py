"""The user's books on this server: looked through, grown and taught games by processes of their own.

One book grows at a time. Whoever changes a book waits for whoever is at it: a game is learned between two rounds
of a growth. A growth goes on when the server is started again, unless it was stopped.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tengen.app.book_jobs import Growth, Looked, book_files, order_growing, order_learning, order_looking
from tengen.app.event_loop import run_in_executor
from tengen.books import shelf
from tengen.books.file import SUFFIX
from tengen.books.statistics_file import SUFFIX as STATISTICS
from tengen.core.errors import OptionError, TengenError
from tengen.jobs import Progress
from tengen.jobs.helper_pool import STOPPED, HelperStopped
from tengen.jobs.processes import memory_mb
from tengen.jobs.restart_backoff import RestartBackoff
from tengen.jobs.task import one_line
from tengen.play.match import Match

_log = logging.getLogger(__name__)
LONGEST_LINE = 1 << 24  # bytes of an answer
MOST_ATTEMPTS = 4  # at an order whose process crashes
# Seconds without a word from the process, after which it counts as hung. One deep position may take hours.
SILENCE_TIMEOUT_S = {"look": 900.0, "learn": 6 * 3600.0, "grow": 24 * 3600.0}
MOST_LEARNED = 200  # games whose learning is remembered, for who asks how it went


@dataclass
class Work:
    """Something that is done to a book. `state` is waiting, running, stopped, failed or done; `note` says more."""

    state: str = "waiting"
    progress: Progress | None = None
    note: str = ""

    @property
    def is_over(self) -> bool:
        return self.state in ("stopped", "failed", "done")

    def describe(self) -> str:
        """In a line for people."""
        if self.state == "running":
            return "Searching …" if self.progress is None else str(self.progress)
        return self.note or self.state.capitalize()


@dataclass
class Growing(Work):
    """A growth, which was asked for or was found when the server began."""

    plan: Growth = Growth("othello")  # noqa: RUF009 -- it is frozen


@dataclass(frozen=True)
class BookJobsHealth:
    """The work on books now. `dataclasses.asdict` of it fits into JSON."""

    growing: str  # the state of the growth; empty without one
    learning: int  # games that are learned or wait for it
    processes: int
    restarts: int
    last_failure: str
    memory_mb: int | None


class BookManager:
    """Use it in the server's thread."""

    def __init__(self, executor: Executor) -> None:
        self.growing: Growing | None = None
        self._executor = executor  # for calls that read or write files
        self._learning: dict[str, Work] = {}
        self._turns: dict[Path, asyncio.Lock] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._growth: asyncio.Task[None] | None = None
        self._watchers: list[Callable[[], None]] = []
        self._looking = asyncio.Lock()
        self._looked: tuple[object, list[Looked]] | None = None
        self._restarts = RestartBackoff()
        self._pids: set[int] = set()

    def health(self) -> BookJobsHealth:
        used = [memory_mb(pid) for pid in self._pids]
        return BookJobsHealth(
            growing="" if self.growing is None else self.growing.state,
            learning=sum(not work.is_over for work in self._learning.values()),
            processes=len(self._pids),
            restarts=self._restarts.count,
            last_failure=self._restarts.last_failure,
            memory_mb=None if None in used else sum(one for one in used if one is not None),
        )

    # ---- what there is

    async def look(self) -> list[Looked]:
        """The user's books; proved again whenever one of their files has changed."""
        async with self._looking:
            stamp = await run_in_executor(self._executor, _stamp)
            if self._looked is None or self._looked[0] != stamp:
                answer = await self._work(order_looking(), Work()) if stamp else []
                self._looked = (stamp, [Looked(**one) for one in answer])
            return self._looked[1]

    def forget(self) -> None:
        """Look through the books again, though nothing has changed."""
        self._looked = None

    def watch(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Tell somebody, in the server's thread, of what is done to books; returns how to end this."""
        self._watchers.append(watcher)

        def leave() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return leave

    def _tell(self) -> None:
        for watcher in list(self._watchers):
            watcher()

    # ---- growing

    @property
    def is_growing(self) -> bool:
        return self.growing is not None and not self.growing.is_over

    async def grow(self, plan: Growth) -> Growing:
        """Let a book grow. Raises an `OptionError` if one does, or if there is none."""
        if self.is_growing:
            raise OptionError("a book is growing already: stop it first")
        if not plan.has_book:
            raise OptionError(f"there is no book of {plan.game} yet: one begins with a game that is learned")
        self.growing = growing = Growing(plan=replace(plan, stopped=False))
        # Results of a growth that was left are found again by the same search only.
        kept = next(
            (one for one in await run_in_executor(self._executor, list, Growth.kept()) if one.book == plan.book),
            None,
        )
        try:
            if kept is not None and kept.depth != plan.depth:
                await run_in_executor(self._executor, kept.forget)
            await run_in_executor(self._executor, growing.plan.keep)
        except TengenError:
            self.growing = None
            raise
        self._growth = self._begin(self._grow(growing))
        self._tell()
        return growing

    async def resume(self) -> None:
        """Go on with what was growing when the server ended; one that was stopped waits to be gone on with."""
        for plan in await run_in_executor(self._executor, list, Growth.kept()):
            if plan.stopped and self.growing is None:
                self.growing = Growing("stopped", note="Stopped", plan=plan)
            elif not plan.stopped and not self.is_growing:
                with suppress(TengenError):  # its book is gone
                    await self.grow(plan)

    async def stop(self) -> None:
        """Stop the growth; what was found is kept, and `go_on` goes on from there."""
        growing, task = self.growing, self._growth
        if growing is None or task is None or growing.is_over:
            raise OptionError("no book is growing")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        growing.plan = replace(growing.plan, stopped=True)
        growing.state, growing.note, growing.progress = "stopped", "Stopped", None
        await run_in_executor(self._executor, growing.plan.keep)
        self._tell()

    async def go_on(self) -> Growing:
        """Go on with a growth that was stopped or failed."""
        if self.growing is None or self.growing.state not in ("stopped", "failed"):
            raise OptionError("there is no growth to go on with")
        return await self.grow(self.growing.plan)

    async def give_up(self) -> None:
        """Let go of a growth that was stopped; what it has brought stays in the book."""
        if self.growing is not None and self.growing.is_over:
            await run_in_executor(self._executor, self.growing.plan.forget)
            self.growing = None
            self._tell()

    async def _grow(self, growing: Growing) -> None:
        added, first = 0, growing.plan.done
        try:
            while growing.plan.done < growing.plan.rounds:
                async with self._turn(growing.plan.book):
                    found = await self._work(order_growing(growing.plan), growing)
                growing.plan = replace(growing.plan, done=growing.plan.done + 1)
                added += found["added"]
                if not found["grown"]:
                    break
            await run_in_executor(self._executor, growing.plan.forget)
        except Exception as error:
            growing.state, growing.note = "failed", _failure(error)
            growing.plan = replace(growing.plan, stopped=True)
            with suppress(TengenError, OSError):
                await run_in_executor(self._executor, growing.plan.keep)
        else:
            rounds = growing.plan.done - first
            words = "one round" if rounds == 1 else f"{rounds} rounds"
            growing.state, growing.note = "done", f"{added:,} positions more, in {words}"
        self._tell()

    # ---- learning

    def learn(self, match: Match) -> Work:
        """Teach the valued book a game, as soon as nobody is at it. Raises an `OptionError` without a move."""
        known = self._learning.get(match.id)
        if known is not None and not known.is_over:
            return known
        position = match.record.positions()[-1]
        if not position.ply:
            raise OptionError("there is no move to learn from")
        while len(self._learning) >= MOST_LEARNED:
            del self._learning[next(iter(self._learning))]
        work = self._learning[match.id] = Work(note="Waits until the book has grown")
        self._begin(self._learn(work, shelf.valued_place(position.game), match))
        return work

    def learning(self, game_id: str) -> Work | None:
        """How the learning of a game goes, if it was asked for."""
        return self._learning.get(game_id)

    async def _learn(self, work: Work, book: Path, match: Match) -> None:
        position = match.record.positions()[-1]
        order = order_learning(position.game, position.write_moves(position.moves))
        try:
            async with self._turn(book):
                found = await self._work(order, work)
        except Exception as error:
            work.state, work.note = "failed", _failure(error)
        else:
            work.state = "done"
            work.note = f"The book has {found['positions']:,} positions now, {found['added']} of them new"
        self._tell()

    # ---- processes

    async def close(self) -> None:
        """End all work. A growth stays noted, and so goes on next time."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _turn(self, book: Path) -> asyncio.Lock:
        """Who changes a book holds this; those who wait come in their order."""
        return self._turns.setdefault(book, asyncio.Lock())

    async def _work(self, order: dict[str, Any], work: Work) -> Any:
        """Have an order obeyed, by another process if one crashes. Raises a `TengenError` if it cannot be done."""
        for attempt in range(1, MOST_ATTEMPTS + 1):
            try:
                found = await self._obey(order, work)
            except HelperStopped as error:
                delay_s = self._restarts.note_crash(str(error.__cause__ or error))
                _log.warning("work on books (%s) stopped: %s", order["do"], self._restarts.last_failure)
                if attempt == MOST_ATTEMPTS:
                    raise
                work.progress = None
                await asyncio.sleep(delay_s)
            else:
                self._restarts.note_success()
                return found
        raise AssertionError("unreachable")

    async def _obey(self, order: dict[str, Any], work: Work) -> Any:
        """One attempt, in a process that is killed with this task. Raises `HelperStopped` if it crashes."""
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-m", "tengen.app.book_jobs")
        try:
            process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=LONGEST_LINE)
        except OSError as error:  # no memory, or no more processes
            raise HelperStopped(STOPPED) from error
        assert process.stdin is not None
        assert process.stdout is not None
        work.state, work.progress = "running", None
        self._pids.add(process.pid)
        self._tell()
        try:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            while line := await asyncio.wait_for(process.stdout.readline(), SILENCE_TIMEOUT_S[order["do"]]):
                said = json.loads(line)
                if "progress" in said:
                    work.progress = Progress(**said["progress"])
                    self._tell()
                elif "error" in said:
                    raise TengenError(said["error"])
                else:
                    return said["done"]
            raise HelperStopped(STOPPED) from EOFError("it ended before it was done")
        except (OSError, ValueError, TypeError, KeyError, TimeoutError) as error:  # it hangs, or talks nonsense
            raise HelperStopped(STOPPED) from RuntimeError(one_line(error))
        finally:
            self._pids.discard(process.pid)
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
            await process.wait()


def _failure(error: Exception) -> str:
    """A failure in a line for people; one that is a bug of ours goes to the log."""
    if isinstance(error, TengenError):
        return str(error)
    _log.error("work on books failed: %s", one_line(error))
    return STOPPED


def _stamp() -> tuple[tuple[str, int, int], ...]:
    """What tells whether a book's file has changed."""
    found = []
    for path in (*book_files(SUFFIX), *book_files(STATISTICS)):
        stamp = shelf.stamp_of(path)
        if stamp is not None:
            found.append((path.name, *stamp))
    return tuple(found)


def is_counted(match: Match) -> bool:
    """Whether a game was counted in the statistics when it ended: one that was played here, if there are any."""
    played = any(player is not None for player in match.players)
    return played and shelf.statistics_place(match.game).exists()
