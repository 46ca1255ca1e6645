"""Whose turn it is, and on which worker: no processes, no threads, no clock of its own.

Games take turns: however many searches one game asks for, another game with one waits for one turn of each. Games
come before background work, among which games take turns as well.

An engine keeps its tree or table between the moves of a game, so a search should go to the worker that has its
engine, its *home*. A search is overtaken for that reason a few times at most, and a worker that has nothing else
to do takes it after a moment and becomes its home: a new engine is as right, only less informed.

Invariants: a ticket waits in at most one line. A key has at most one home, and that worker has an engine for it or
will make one. A worker has at most `kept` engines; which one is given up is decided here, for the least recently
used, so that host and worker agree.
"""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from tengen.play.delivery import Recipient
from tengen.play.request import EngineKey, EngineSpec, Request
from tengen.search.limits import Limits
from tengen.search.report import Report

MOST_OVERTAKEN = 3
PATIENCE = 0.25  # seconds that a search waits for its home while another worker is idle
LEAST_SECONDS = 0.01  # for a search whose time is already spent: it must still find a move

Worker = TypeVar("Worker")


@dataclass(eq=False)
class Ticket:
    """A search from when it was asked for until it has an answer. Times are of one monotonic clock."""

    spec: EngineSpec
    request: Request
    place: str
    limits: Limits
    game_id: str
    recipient: Recipient
    asked: float
    background: bool = False
    ponder: bool = False  # background work that ends when a search for its game is asked for
    stopped: bool = False  # it should answer with what it has
    crashes: int = 0
    overtaken: int = 0
    seconds_spent: float = 0.0  # thinking, in attempts that came to nothing and in turns of background work
    nodes_spent: int = 0
    so_far: Report | None = None  # of earlier turns of background work

    @property
    def key(self) -> EngineKey:
        return self.game_id, self.spec

    def limits_left(self, now: float) -> Limits:
        """What is left to this search: a worker's death gives no time back.

        A game's clock runs while the search waits, too.
        """
        limits = self.limits
        if self.seconds_spent > 0:
            left = limits.thinking_time() - self.seconds_spent
            if left < math.inf:
                limits = replace(limits, seconds=max(LEAST_SECONDS, left))
        if limits.nodes is not None and self.nodes_spent:
            limits = replace(limits, nodes=max(1, limits.nodes - self.nodes_spent))
        if limits.clock is not None:
            seconds = max(LEAST_SECONDS, limits.clock.seconds - (now - self.asked))
            limits = replace(limits, clock=replace(limits.clock, seconds=seconds))
        return limits

    def add_turn(self, report: Report, seconds: float) -> Report:
        """Count what background work found before a pause or its end; returns the best of its reports."""
        self.seconds_spent += seconds
        self.nodes_spent += report.nodes
        # After a pause an engine may have to deepen again; it is the deeper result that counts.
        if self.so_far is None or report.depth >= self.so_far.depth:
            self.so_far = report
        return self.so_far

    @property
    def is_finished(self) -> bool:
        """Whether background work that made room has, all turns together, done what it was asked for."""
        limits = self.limits
        return (
            self.stopped
            or self.seconds_spent >= limits.thinking_time()
            or (limits.nodes is not None and self.nodes_spent >= limits.nodes)
            or (limits.depth is not None and self.so_far is not None and self.so_far.depth >= limits.depth)
        )


Line = OrderedDict[str, deque[Ticket]]  # by game: the game whose turn is next comes first


class Scheduler(Generic[Worker]):
    """The lines of searches, and where each engine lives."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._games: Line = OrderedDict()
        self._background: Line = OrderedDict()
        self._home: dict[EngineKey, Worker] = {}
        self._engines: dict[Worker, OrderedDict[EngineKey, None]] = {}

    # ---- who waits

    def add(self, ticket: Ticket, *, first: bool = False) -> None:
        """Let a search wait; as the very first one if it has had its turn before, or is in a hurry."""
        line = self._line(ticket)
        tickets = line.setdefault(ticket.game_id, deque())
        if first:
            tickets.appendleft(ticket)
            line.move_to_end(ticket.game_id, last=False)
        else:
            tickets.append(ticket)

    def remove(self, ticket: Ticket) -> bool:
        """Let it wait no longer; returns whether it did."""
        line = self._line(ticket)
        tickets = line.get(ticket.game_id, deque())
        if ticket not in tickets:
            return False
        tickets.remove(ticket)
        if not tickets:
            del line[ticket.game_id]
        return True

    def waiting(self, *, background: bool) -> Iterator[Ticket]:
        line = self._background if background else self._games
        return (ticket for tickets in line.values() for ticket in tickets)

    def _line(self, ticket: Ticket) -> Line:
        return self._background if ticket.background else self._games

    # ---- whose turn it is

    def take(self, worker: Worker, now: float) -> Ticket | None:
        """The search that this idle worker should do next, if any."""
        line = self._games or self._background
        firsts = [tickets[0] for tickets in line.values()]
        chosen = next((ticket for ticket in firsts if self._fits(ticket, worker)), None)
        if chosen is None:
            chosen = next((ticket for ticket in firsts if now >= ticket.asked + PATIENCE), None)
        if chosen is None:
            return None
        for ticket in firsts[: firsts.index(chosen)]:
            ticket.overtaken += 1
        chosen.overtaken = 0
        self.remove(chosen)
        if chosen.game_id in line:
            line.move_to_end(chosen.game_id)
        return chosen

    def _fits(self, ticket: Ticket, worker: Worker) -> bool:
        home = self._home.get(ticket.key)
        return home is None or home is worker or ticket.stopped or ticket.overtaken >= MOST_OVERTAKEN

    def patience_ends(self) -> float:
        """When an idle worker may take a search from a busy home."""
        line = self._games or self._background
        return min((tickets[0].asked + PATIENCE for tickets in line.values()), default=math.inf)

    # ---- where engines live

    def home(self, ticket: Ticket) -> Worker | None:
        return self._home.get(ticket.key)

    def move_in(self, key: EngineKey, worker: Worker) -> tuple[EngineKey, ...]:
        """Make this worker the key's home. Returns the engines that it must give up for that."""
        self._home[key] = worker
        engines = self._engines.setdefault(worker, OrderedDict())
        engines[key] = None
        engines.move_to_end(key)
        given_up = []
        while len(engines) > self._kept:
            oldest, _ = engines.popitem(last=False)
            given_up.append(oldest)
            if self._home.get(oldest) is worker:
                del self._home[oldest]
        return tuple(given_up)

    def engines(self, worker: Worker) -> tuple[EngineKey, ...]:
        """The engines that a worker has, least recently used first."""
        return tuple(self._engines.get(worker, ()))

    def bury(self, worker: Worker) -> None:
        """A worker is gone, and its engines with it."""
        for key in self._engines.pop(worker, ()):
            if self._home.get(key) is worker:
                del self._home[key]
