"""The engine host's own thread: it brings searches and workers together.

This thread, the manager, owns the workers: it starts them, hands out searches, hears answers, ends those that hang
and reaps exited ones. Callers leave a note under the lock and wake it; only a stop goes straight into the memory
that is shared with the worker. Invariants:

- A search without an answer is with the scheduler or with a member (or, for a moment, in `_bury`), never with two.
- `member.ticket` changes under the lock, so that a stop cannot hit a worker that has gone on to another search.
- A future is finished by the delivery thread, never under the lock; it may be cancelled by anybody at any time.
- The manager ends last, after all workers: they die with it.
- `_open` holds every search without an answer, so that none is lost when this thread fails.

If this thread fails from a bug, it starts afresh: new workers, new queues, another attempt for the searches that
were running. It and the delivery thread check each other, should one of them die or hang.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from contextlib import suppress
from multiprocessing.connection import wait

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.jobs.processes import Wakeup, shield_children_from_interrupts
from tengen.jobs.supervised_thread import CHECK_INTERVAL_S, SupervisedThread
from tengen.jobs.task import one_line
from tengen.jobs.worker import RemoteError
from tengen.runtime.callbacks import Delivery
from tengen.runtime.health import HostHealth, WorkerStatus
from tengen.runtime.memory_plan import MemoryPlan
from tengen.runtime.messages import (
    Answer,
    Caps,
    Dropped,
    EngineCrashed,
    Failure,
    Hello,
    HostClosed,
    Job,
    Progress,
    Stage,
)
from tengen.runtime.scheduler import Scheduler, Ticket
from tengen.runtime.worker_process import Member
from tengen.search.report import Report

MOST_CRASHES = 3
MOST_FAILED_STARTS = 3  # in a row: that is no chance any more
MOST_RESTARTS = 3  # of this thread in a row: then searches fail instead of waiting for the next restart
CLOSING_SECONDS = 1.0  # for searches to stop when the host is closed; a compiler would not
CLOSE_TIMEOUT_S = 60.0
RESTARTED = "The engine host had to be restarted. Please try again."

_log = logging.getLogger(__name__)


class Manager:
    """The thread, and what callers may ask of it."""

    def __init__(self, workers: int, caps: Caps, plan: MemoryPlan, grace: float) -> None:
        self._workers = workers
        self._caps = caps
        self._plan = plan
        self._grace = grace
        self._lock = threading.Lock()
        self._wakeup = Wakeup()  # rung with the lock
        self._crew: list[Member] = []
        self._retired: list[Member] = []  # told to leave; their processes are still to be waited for
        self._recycled = 0
        self._open: set[Ticket] = set()
        self._scheduler: Scheduler[Member] = Scheduler(plan.engines_kept)
        self._failed_starts = 0
        self._thread = SupervisedThread("engine host", self)
        self.delivery = Delivery(self._thread.check)
        self._thread.start()

    # ---- the callers' side

    def add(self, ticket: Ticket) -> None:
        """Queue a search. Raises `LimitExceeded` if too many wait, `HostClosed` if there is no host any more."""
        self._thread.check()
        most = resource_limits().searches_queued
        with self._lock:
            if self._thread.is_closing:
                raise HostClosed("the engine host is closed")
            # Background work and games are counted apart: many analyses must not keep anybody from playing.
            queued = len(self._scheduler.waiting(background=ticket.background))
            if queued >= most:
                raise LimitExceeded(f"The server is busy: {queued} searches are waiting. Try again later.")
            if not ticket.ponder:
                self._end_pondering(ticket.game_id)
            self._open.add(ticket)
            self._scheduler.add(ticket)
            self._wakeup.set()
        ticket.recipient.future.add_done_callback(lambda future: self._note_done(ticket))

    def stop(self, ticket: Ticket) -> None:
        """A search should answer with what it has."""
        with self._lock:
            self._stop(ticket)
            self._wakeup.set()

    def status(self) -> list[WorkerStatus]:
        with self._lock:
            return [
                WorkerStatus(
                    member.pid,
                    None if member.ticket is None else member.ticket.key,
                    self._scheduler.engines(member),
                )
                for member in self._crew
                if member.started and not member.doom
            ]

    def health(self) -> HostHealth:
        with self._lock:
            crew = list(self._crew)
            running = sum(member.ticket is not None for member in crew)
            queued = len(self._waiting())
        used = [member.memory_mb() for member in crew]
        restarts = self._thread.restarts
        return HostHealth(
            is_running=self._thread.is_alive() and not self._thread.is_closing,
            workers_wanted=self._workers,
            workers_alive=sum(member.started and not member.doom for member in crew),
            searches_running=running,
            searches_queued=queued,
            searches_queued_limit=resource_limits().searches_queued,
            restarts=restarts.count + self.delivery.restarts.count,
            workers_recycled=self._recycled,
            last_failure=restarts.last_failure or self.delivery.restarts.last_failure,
            memory_mb=None if None in used else sum(one for one in used if one is not None),
            memory_budget_mb=self._plan.budget,
        )

    def close(self) -> None:
        """Cancel everything and end the workers. Returns when they have ended."""
        with self._lock:
            self._thread.request_close()
            self._wakeup.set()
        self._thread.join(CLOSE_TIMEOUT_S)
        self.delivery.close()
        with self._lock:
            self._wakeup.close()

    def _stop(self, ticket: Ticket) -> None:
        if ticket.stopped:
            return
        ticket.stopped = True
        member = self._member_with(ticket)
        if member is not None:
            member.stop()
        elif self._scheduler.remove(ticket):
            self._put_back(ticket)

    def _end_pondering(self, game_id: str) -> None:
        at_work = (member.ticket for member in self._crew if member.ticket is not None)
        for ticket in (*self._scheduler.waiting(background=True), *at_work):
            if ticket.ponder and ticket.game_id == game_id:
                self._stop(ticket)

    def _note_done(self, ticket: Ticket) -> None:
        """Free the worker, or the place in the line, of a search that was cancelled."""
        if not ticket.recipient.future.cancelled():
            return
        with self._lock:
            self._open.discard(ticket)
            ticket.stopped = True
            member = self._member_with(ticket)
            if member is not None:
                member.stop()
            self._scheduler.remove(ticket)
            self._wakeup.set()
        self.delivery.cancel(ticket.recipient)  # tells those who `wait` for the future, too

    def _member_with(self, ticket: Ticket) -> Member | None:
        return next((member for member in self._crew if member.ticket is ticket), None)

    def _put_back(self, ticket: Ticket) -> None:
        """Let a search that was taken from its place go first, or end if it is stopped and can."""
        if ticket.stopped:
            if ticket.so_far is not None:
                self._finish(ticket, ticket.so_far)
                return
            if ticket.ponder:
                self._open.discard(ticket)
                self.delivery.cancel(ticket.recipient)
                return
            ticket.background = False  # it is a matter of milliseconds now
        self._scheduler.add(ticket, first=True)

    def _finish(self, ticket: Ticket, result: Report | TengenError) -> None:
        self.delivery.finish(ticket.recipient, result)
        self._open.discard(ticket)  # afterwards: should this thread fail in between, nothing is lost

    # ---- the manager's side

    def recover(self) -> None:
        """Replace all workers and requeue all searches; those that were running have one attempt less."""
        with self._lock:
            crew, self._crew = [*self._crew, *self._retired], []
            self._retired = []
            for member in crew:
                if member.ticket is not None:
                    member.ticket.seconds_spent += time.monotonic() - member.began
            were_waiting = set(self._waiting())
            self._scheduler = Scheduler(self._plan.engines_kept)
            for ticket in sorted(self._open, key=lambda one: one.asked):
                ticket.crashes += ticket not in were_waiting
                if ticket.crashes >= MOST_CRASHES or self._thread.restarts.in_a_row >= MOST_RESTARTS:
                    self._finish(ticket, EngineCrashed(RESTARTED))
                elif ticket in were_waiting:
                    self._scheduler.add(ticket)
                else:
                    self.delivery.progress(ticket.recipient, Progress(Stage.RETRYING, note="the host restarted"))
                    self._put_back(ticket)
            self._wakeup.close()
            self._wakeup = Wakeup()
        for member in crew:
            with suppress(Exception):
                member.kill("was replaced")
                member.end()

    def unblock(self) -> None:
        for member in list(self._crew):  # without the lock, which the thread may hold
            member.kill("was killed because the engine host could not go on")

    def abandon(self) -> None:
        for member in (*self._crew, *self._retired):
            member.kill("was not needed any more")
        for ticket in list(self._open):
            self.delivery.cancel(ticket.recipient)

    def step(self) -> None:
        self.delivery.check()
        self._hire()
        with self._lock:
            lost = self._hand_out()
            self._make_room()
            seconds = self._seconds_to_wait()
            by_connection: dict[object, Member] = {member.connection: member for member in self._crew}
        if lost is not None:
            self._bury(lost)
            return
        for ready in wait([self._wakeup.reader, *(member.connection for member in self._crew)], seconds):
            if ready is self._wakeup.reader:
                with self._lock:
                    self._wakeup.clear()
            else:
                self._hear(by_connection[ready])
        with self._lock:
            for member in self._crew:
                if time.monotonic() >= member.deadline():
                    member.kill("did not answer in time and was killed")

    def _hire(self) -> None:
        """Start workers, if more searches wait than there are workers to take them."""
        while True:
            with self._lock:
                free = sum(member.ticket is None for member in self._crew)
                if len(self._waiting()) <= free or len(self._crew) >= self._workers or self._thread.is_closing:
                    return
            try:
                shield_children_from_interrupts()
                member = Member(self._caps, self._grace)
            except Exception as error:  # no memory, no more processes, or this process is itself a worker
                self._count_failed_start(one_line(error))
            else:
                with self._lock:
                    self._crew.append(member)

    def _waiting(self) -> list[Ticket]:
        return [*self._scheduler.waiting(background=False), *self._scheduler.waiting(background=True)]

    def _hand_out(self) -> Member | None:
        """Give idle workers what they should do; returns one that turns out to have died, if any."""
        # A new game goes where the fewest engines are, or where nobody has played for longest.
        for member in sorted(self._crew, key=lambda m: (len(self._scheduler.engines(m)), m.began)):
            now = time.monotonic()
            if not member.is_idle or (ticket := self._scheduler.take(member, now)) is None:
                continue
            drop = self._scheduler.move_in(ticket.key, member)
            try:
                member.give(ticket, Job(ticket.key, ticket.place, ticket.request, ticket.limits_left(now), drop))
            except OSError:  # it died idle, before it could know of this search: that counts against nobody
                member.ticket = None
                self._put_back(ticket)
                return member
            self.delivery.progress(ticket.recipient, Progress(Stage.STARTED))
        return None

    def _make_room(self) -> None:
        """Let background work pause for those who wait."""
        busy = [m for m in self._crew if m.ticket is not None and m.ticket.background and not m.making_room]
        waiting = self._scheduler.waiting(background=False)
        for ticket in waiting:
            home = self._scheduler.home(ticket)
            if home is not None and home in busy:
                busy.remove(home)
                home.make_room()
        soon_free = sum(member.is_idle or member.making_room for member in self._crew)
        for member in busy[: max(0, len(waiting) - soon_free)]:
            member.make_room()
        if self._turns_count():
            now = time.monotonic()
            over = [member for member in busy if now >= member.turn_ends()]
            for member in over[: len(self._waiting())]:
                member.make_room()

    def _turns_count(self) -> bool:
        """Whether all workers are busy with background work, and more of it waits."""
        games, background = (self._scheduler.waiting(background=background) for background in (False, True))
        return len(self._crew) == self._workers and bool(background) and not games

    def _seconds_to_wait(self) -> float:
        """Until the next deadline. Never long: `poll` overflows after 24 days, and this thread is watched."""
        moments = [member.deadline() for member in self._crew]
        if any(member.is_idle for member in self._crew):
            moments.append(self._scheduler.patience_ends())
        if self._turns_count():
            moments += [member.turn_ends() for member in self._crew]
        first = min(moments, default=math.inf)
        return min(CHECK_INTERVAL_S, max(0.0, first - time.monotonic()))

    def _hear(self, member: Member) -> None:
        try:
            answer = member.hear()
        except (EOFError, OSError):
            self._bury(member)
            return
        with self._lock:
            self._note_answer(member, answer)
            if member.is_idle and not isinstance(answer, Hello):
                self._check_memory(member)
            retired, self._retired = self._retired, []
        for one in retired:
            one.end()

    def _check_memory(self, member: Member) -> None:
        """Let an idle worker give up engines if it uses too much memory; replace it if that is not enough."""
        used = member.memory_mb()
        if used is None:
            return
        engines = self._scheduler.engines(member)
        count = self._plan.engines_to_drop(engines, used)
        if count:
            member.drop(self._scheduler.evict(member, count))
        elif self._plan.is_above_share(used):
            _log.info(
                "engine host: worker %d uses %d MB of its %d MB and is replaced",
                member.pid,
                used,
                self._plan.share,
            )
            self._recycled += 1
            self._crew.remove(member)
            self._scheduler.bury(member)
            member.connection.close()  # an idle worker takes this as the end
            self._retired.append(member)

    def _note_answer(self, member: Member, answer: Answer) -> None:
        if isinstance(answer, Hello):
            member.started = True
            self._failed_starts = 0
            return
        if isinstance(answer, Dropped):
            return
        ticket = member.ticket
        assert ticket is not None, "a worker speaks only when asked"
        if isinstance(answer, Progress):
            self.delivery.progress(ticket.recipient, answer)
            return
        member.ticket = None
        self._thread.restarts.note_success()
        if isinstance(answer, Failure):
            if answer.trace:
                answer.error.__cause__ = RemoteError(answer.trace)
            self._finish(ticket, answer.error)
        elif not ticket.background:
            self._finish(ticket, answer)
        else:
            self._note_turn(ticket, answer, time.monotonic() - member.began, member.making_room)

    def _note_turn(self, ticket: Ticket, report: Report, seconds: float, made_room: bool) -> None:
        """Background work has come to a pause or to its end."""
        so_far = ticket.add_turn(report, seconds)
        if made_room and not ticket.is_finished:
            self._scheduler.add(ticket)
        else:
            self._finish(ticket, so_far)

    def _bury(self, member: Member) -> None:
        """A worker has died: its search is tried again elsewhere, with what is left of its time."""
        with self._lock:
            self._crew.remove(member)
            self._scheduler.bury(member)
        manner = member.end()
        if not member.started:
            self._count_failed_start(f"the last one {manner}")
        ticket = member.ticket
        if ticket is None:
            return
        with self._lock:
            ticket.crashes += 1
            ticket.seconds_spent += time.monotonic() - member.began
            if ticket.recipient.future.cancelled():
                return
            if ticket.crashes < MOST_CRASHES:
                self.delivery.progress(ticket.recipient, Progress(Stage.RETRYING, note=f"a worker {manner}"))
                self._put_back(ticket)
                return
            self._finish(
                ticket,
                EngineCrashed(
                    f"the engine {ticket.config.engine} was given up: its worker died {ticket.crashes} times, "
                    f"the last one {manner}"
                ),
            )

    def _count_failed_start(self, why: str) -> None:
        """After a few in a row let all that waits fail. A later search may find the machine in a better state."""
        self._failed_starts += 1
        if self._failed_starts < MOST_FAILED_STARTS:
            return
        self._failed_starts = 0
        error = EngineCrashed(
            f"engine workers cannot start ({why}): is the main module's own work guarded by "
            "'if __name__ == \"__main__\":'?"
        )
        with self._lock:
            for ticket in self._waiting():
                self._scheduler.remove(ticket)
                self._finish(ticket, error)

    def finish(self) -> None:
        """End all workers and cancel all searches."""
        with self._lock:
            crew, self._crew = self._crew, []
            tickets, self._open = self._open, set()
            for ticket in tickets:
                self._scheduler.remove(ticket)
        for ticket in tickets:
            self.delivery.cancel(ticket.recipient)
        for member in crew:
            member.stop()
            member.connection.close()  # an idle worker takes this as the end
            if not member.started:
                member.kill("was not needed any more")
        moment = time.monotonic() + CLOSING_SECONDS
        for member in crew:
            member.end(max(0.0, moment - time.monotonic()))
