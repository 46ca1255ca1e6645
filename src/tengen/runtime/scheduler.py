"""Fair scheduling: which search runs next, and on which worker. Pure logic without processes, threads or clocks.

Searches are served in rounds. Each gets a round number: one more than the last one of its game, but at least the
current round; lower numbers go first. So a game that requests many searches at once gets one per round, like a
game that requests a single one. Games go before background searches, which have their own rounds.

An engine keeps its tree or table between the moves of a game, so a search prefers the worker that has its engine.
For that it may overtake others, by at most `MAX_ROUNDS_AHEAD` rounds. An idle worker takes a search from its busy
preferred worker after `AFFINITY_WAIT_S`, with a new engine, and becomes the preferred worker.

Invariants: a task is in at most one queue. A key has at most one preferred worker, which has an engine for it or
will create one. A worker has at most `engines_per_worker` engines; the scheduler decides which one is dropped (the
least recently used), so host and worker agree.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from tengen.players.config import EngineConfig
from tengen.runtime.callbacks import Subscriber
from tengen.runtime.messages import EngineKey, Request
from tengen.search.limits import Limits
from tengen.search.report import Report

MAX_ROUNDS_AHEAD = 3
AFFINITY_WAIT_S = 0.25  # how long a search waits for its preferred worker while another one is idle
MIN_SEARCH_TIME_S = 0.01  # for a search whose time is used up: it must still find a move

Worker = TypeVar("Worker")


@dataclass(eq=False)
class SearchTask:
    """A search from request to answer. Times are monotonic."""

    config: EngineConfig
    request: Request
    import_path: str
    limits: Limits
    game_id: str
    subscriber: Subscriber
    requested_at: float
    background: bool = False
    ponder: bool = False  # background search that ends when a search of its game is requested
    stopped: bool = False  # end early and report the best result so far
    crashes: int = 0
    round_number: float = 0.0
    seconds_spent: float = 0.0  # searching, in failed attempts and in slices of background searches
    nodes_spent: int = 0
    best_report: Report | None = None  # of earlier slices of a background search

    @property
    def key(self) -> EngineKey:
        return self.game_id, self.config

    def limits_left(self, now: float) -> Limits:
        """The remaining limits.

        Crashed attempts count, and a game's clock also runs while the search is queued.
        """
        limits = self.limits
        if self.seconds_spent > 0:
            left = limits.thinking_time() - self.seconds_spent
            if left < math.inf:
                limits = replace(limits, seconds=max(MIN_SEARCH_TIME_S, left))
        if limits.nodes is not None and self.nodes_spent:
            limits = replace(limits, nodes=max(1, limits.nodes - self.nodes_spent))
        if limits.clock is not None:
            seconds = max(MIN_SEARCH_TIME_S, limits.clock.seconds - (now - self.requested_at))
            limits = replace(limits, clock=replace(limits.clock, seconds=seconds))
        return limits

    def add_slice(self, report: Report, seconds: float) -> Report:
        """Add the result of a slice of a background search; returns the best report so far."""
        self.seconds_spent += seconds
        self.nodes_spent += report.nodes
        # After a pause an engine may have to deepen again, so the deepest report counts. A slice that was stopped
        # before it began has no result.
        if self.best_report is None or (report.nodes and report.depth >= self.best_report.depth):
            self.best_report = report
        return self.best_report

    @property
    def is_finished(self) -> bool:
        """Whether all slices of a background search together have reached its limits."""
        limits = self.limits
        return (
            self.stopped
            or self.seconds_spent >= limits.thinking_time()
            or (limits.nodes is not None and self.nodes_spent >= limits.nodes)
            or (
                limits.depth is not None
                and self.best_report is not None
                and self.best_report.depth >= limits.depth
            )
        )


class _FairQueue:
    """Queued searches in order of their rounds."""

    def __init__(self) -> None:
        self.tasks: list[SearchTask] = []
        self._current_round = 0.0
        self._last_rounds: dict[
            str, float
        ] = {}  # by game; only rounds that still matter for the game's next search

    def add(self, task: SearchTask) -> None:
        # Searches cancelled while queued do not count.
        taken = [other.round_number for other in self.tasks if other.game_id == task.game_id]
        taken.append(self._last_rounds.get(task.game_id, -math.inf))
        task.round_number = max(self._current_round, max(taken) + 1)
        after = sum(other.round_number <= task.round_number for other in self.tasks)
        self.tasks.insert(after, task)

    def add_first(self, task: SearchTask) -> None:
        task.round_number = -math.inf
        self.tasks.insert(0, task)

    def take(self, task: SearchTask) -> None:
        self.tasks.remove(task)
        self._last_rounds[task.game_id] = max(task.round_number, self._last_rounds.get(task.game_id, -math.inf))
        # A search that overtook others does not advance the round: it is that of the first one still queued.
        first = min((other.round_number for other in self.tasks), default=task.round_number)
        self._current_round = max(self._current_round, min(first, task.round_number))
        self._last_rounds = {game: turn for game, turn in self._last_rounds.items() if turn >= self._current_round}


class Scheduler(Generic[Worker]):
    """Queues of searches, and the preferred worker of each engine."""

    def __init__(self, engines_per_worker: int) -> None:
        self._engines_per_worker = engines_per_worker
        self._foreground = _FairQueue()
        self._background = _FairQueue()
        self._preferred: dict[EngineKey, Worker] = {}
        self._engines: dict[Worker, OrderedDict[EngineKey, None]] = {}

    # ---- queues

    def add(self, task: SearchTask, *, first: bool = False) -> None:
        """Queue a search; with `first`, before all others."""
        queue = self._background if task.background else self._foreground
        if first:
            queue.add_first(task)
        else:
            queue.add(task)

    def remove(self, task: SearchTask) -> bool:
        """Remove a search from its queue; returns whether it was queued."""
        queue = self._background if task.background else self._foreground
        if task not in queue.tasks:
            return False
        queue.tasks.remove(task)
        return True

    def waiting(self, *, background: bool) -> tuple[SearchTask, ...]:
        return tuple((self._background if background else self._foreground).tasks)

    # ---- choosing the next search

    def take(self, worker: Worker, now: float) -> SearchTask | None:
        """Dequeue the search that this idle worker should run next, if any."""
        queue = self._foreground if self._foreground.tasks else self._background
        if not queue.tasks:
            return None
        first = queue.tasks[0]
        chosen = next((task for task in queue.tasks if self._fits(task, worker)), None)
        if chosen is not None and chosen.round_number > first.round_number + MAX_ROUNDS_AHEAD:
            chosen = first
        if chosen is None and now >= first.requested_at + AFFINITY_WAIT_S:
            chosen = first
        if chosen is not None:
            queue.take(chosen)
        return chosen

    def _fits(self, task: SearchTask, worker: Worker) -> bool:
        preferred = self._preferred.get(task.key)
        return preferred is None or preferred is worker or task.stopped

    def affinity_wait_end(self) -> float:
        """When an idle worker may take the first search from its busy preferred worker."""
        queue = self._foreground if self._foreground.tasks else self._background
        return queue.tasks[0].requested_at + AFFINITY_WAIT_S if queue.tasks else math.inf

    # ---- engines and their workers

    def preferred_worker(self, task: SearchTask) -> Worker | None:
        return self._preferred.get(task.key)

    def assign(self, key: EngineKey, worker: Worker) -> tuple[EngineKey, ...]:
        """Make `worker` the preferred worker of `key`.

        Returns the engines that it must drop to stay within its limit.
        """
        self._preferred[key] = worker
        engines = self._engines.setdefault(worker, OrderedDict())
        engines[key] = None
        engines.move_to_end(key)
        return self.evict(worker, len(engines) - self._engines_per_worker)

    def evict(self, worker: Worker, count: int) -> tuple[EngineKey, ...]:
        """Drop up to `count` engines of a worker, least recently used first. Returns them."""
        engines = self._engines.get(worker, OrderedDict())
        dropped = []
        for _ in range(min(count, len(engines))):
            oldest, _ = engines.popitem(last=False)
            dropped.append(oldest)
            if self._preferred.get(oldest) is worker:
                del self._preferred[oldest]
        return tuple(dropped)

    def engines(self, worker: Worker) -> tuple[EngineKey, ...]:
        """The engines of a worker, least recently used first."""
        return tuple(self._engines.get(worker, ()))

    def remove_worker(self, worker: Worker) -> None:
        """Forget a worker that has exited, and its engines."""
        for key in self._engines.pop(worker, ()):
            if self._preferred.get(key) is worker:
                del self._preferred[key]
