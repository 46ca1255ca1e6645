"""Whose turn it is, and on which worker: no processes, no threads, no clock of its own.

Games take turns: each search gets the number of a turn, one higher than its game's last one, but not lower than
that which is being served, and lower numbers go first. So a game that asks for many searches at once gets one in
each turn, and so does a game that asks for one. Games come before background work, which takes turns as well.

An engine keeps its tree or table between the moves of a game, so a search should go to the worker that has its
engine, its *home*. For that it may go before others, but never by more than a few turns. And a worker that has
nothing else to do takes it after a moment and becomes its home: a new engine is as right, only less informed.

Invariants: a ticket waits in at most one line. A key has at most one home, and that worker has an engine for it or
will make one. A worker has at most `kept` engines; which one is given up is decided here, the least recently used,
so that host and worker agree.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from tengen.players.config import EngineConfig
from tengen.runtime.callbacks import Recipient
from tengen.runtime.messages import EngineKey, Request
from tengen.search.limits import Limits
from tengen.search.report import Report

MOST_TURNS_AHEAD = 3
PATIENCE = 0.25  # seconds that a search waits for its home while another worker is idle
LEAST_SECONDS = 0.01  # for a search whose time is already spent: it must still find a move

Worker = TypeVar("Worker")


@dataclass(eq=False)
class Ticket:
    """A search from when it was asked for until it has an answer. Times are of one monotonic clock."""

    config: EngineConfig
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
    turn: float = 0.0
    seconds_spent: float = 0.0  # thinking, in attempts that came to nothing and in turns of background work
    nodes_spent: int = 0
    so_far: Report | None = None  # of earlier turns of background work

    @property
    def key(self) -> EngineKey:
        return self.game_id, self.config

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
        # After a pause an engine may have to deepen again; it is the deeper result that counts. A turn that was
        # stopped before it began knows nothing.
        if self.so_far is None or (report.nodes and report.depth >= self.so_far.depth):
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


class _Line:
    """Searches that wait, in the order of their turns."""

    def __init__(self) -> None:
        self.tickets: list[Ticket] = []
        self._now_serving = 0.0
        self._last_served: dict[str, float] = {}  # by game, as long as it matters for the game's next turn

    def add(self, ticket: Ticket) -> None:
        # What was cancelled while it waited has cost the game no turn.
        taken = [other.turn for other in self.tickets if other.game_id == ticket.game_id]
        taken.append(self._last_served.get(ticket.game_id, -math.inf))
        ticket.turn = max(self._now_serving, max(taken) + 1)
        after = sum(other.turn <= ticket.turn for other in self.tickets)
        self.tickets.insert(after, ticket)

    def add_first(self, ticket: Ticket) -> None:
        ticket.turn = -math.inf
        self.tickets.insert(0, ticket)

    def serve(self, ticket: Ticket) -> None:
        self.tickets.remove(ticket)
        self._last_served[ticket.game_id] = max(ticket.turn, self._last_served.get(ticket.game_id, -math.inf))
        # What went ahead of its turn does not make the others late: the turn is that of the first who wait.
        first = min((other.turn for other in self.tickets), default=ticket.turn)
        self._now_serving = max(self._now_serving, min(first, ticket.turn))
        self._last_served = {game: turn for game, turn in self._last_served.items() if turn >= self._now_serving}


class Scheduler(Generic[Worker]):
    """The lines of searches, and where each engine lives."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._games = _Line()
        self._background = _Line()
        self._home: dict[EngineKey, Worker] = {}
        self._engines: dict[Worker, OrderedDict[EngineKey, None]] = {}

    # ---- who waits

    def add(self, ticket: Ticket, *, first: bool = False) -> None:
        """Let a search wait; as the very first one if it has had its turn before, or is in a hurry."""
        line = self._background if ticket.background else self._games
        if first:
            line.add_first(ticket)
        else:
            line.add(ticket)

    def remove(self, ticket: Ticket) -> bool:
        """Let it wait no longer; returns whether it did."""
        line = self._background if ticket.background else self._games
        if ticket not in line.tickets:
            return False
        line.tickets.remove(ticket)
        return True

    def waiting(self, *, background: bool) -> tuple[Ticket, ...]:
        return tuple((self._background if background else self._games).tickets)

    # ---- whose turn it is

    def take(self, worker: Worker, now: float) -> Ticket | None:
        """The search that this idle worker should do next, if any."""
        line = self._games if self._games.tickets else self._background
        if not line.tickets:
            return None
        first = line.tickets[0]
        chosen = next((ticket for ticket in line.tickets if self._fits(ticket, worker)), None)
        if chosen is not None and chosen.turn > first.turn + MOST_TURNS_AHEAD:
            chosen = first
        if chosen is None and now >= first.asked + PATIENCE:
            chosen = first
        if chosen is not None:
            line.serve(chosen)
        return chosen

    def _fits(self, ticket: Ticket, worker: Worker) -> bool:
        home = self._home.get(ticket.key)
        return home is None or home is worker or ticket.stopped

    def patience_ends(self) -> float:
        """When an idle worker may take a search from a busy home."""
        line = self._games if self._games.tickets else self._background
        return line.tickets[0].asked + PATIENCE if line.tickets else math.inf

    # ---- where engines live

    def home(self, ticket: Ticket) -> Worker | None:
        return self._home.get(ticket.key)

    def move_in(self, key: EngineKey, worker: Worker) -> tuple[EngineKey, ...]:
        """Make this worker the key's home. Returns the engines that it must give up for that."""
        self._home[key] = worker
        engines = self._engines.setdefault(worker, OrderedDict())
        engines[key] = None
        engines.move_to_end(key)
        return self.evict(worker, len(engines) - self._kept)

    def evict(self, worker: Worker, count: int) -> tuple[EngineKey, ...]:
        """Let a worker give up this many engines, least recently used first. Returns them."""
        engines = self._engines.get(worker, OrderedDict())
        given_up = []
        for _ in range(min(count, len(engines))):
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
