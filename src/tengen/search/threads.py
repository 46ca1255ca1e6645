"""Kernels on several threads, which share memory and run without the GIL.

`KernelThreads` makes one kernel call per thread. A kernel that pauses after a number of nodes is run in slices,
with `KernelThreads.run`. A kernel that recurses cannot pause: it runs until it has finished or is stopped, while
the driver polls every few milliseconds whether a limit or a stop request ends it. `ThreadedSearcher` is the common
part of the `Searcher`s of such kernels. Each of its threads has a record: see `kernels.thread_record`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Any, TypeVar

import numpy as np

from tengen.core.game import Move
from tengen.search.driver import Found, Step
from tengen.search.kernels.thread_record import NO_MOVE
from tengen.search.limits import StopFlag

T = TypeVar("T")
Records = np.ndarray[Any, Any]
"""One record per thread."""

UNLIMITED_NODES = 1 << 60
POLL_INTERVAL_S = 0.001, 0.01
"""First and longest interval between polls of running kernels; each poll costs the search some time."""


class KernelThreads:
    """Threads for kernel calls; they start with the first parallel call. `stop` ends the kernels that poll it."""

    def __init__(self, count: int, name: str) -> None:
        self.count = count
        self.stop = StopFlag()
        self._pool = ThreadPoolExecutor(count, name)
        self._running: list[Future[Any]] = []
        self._poll_s = POLL_INTERVAL_S[0]

    def run(self, calls: Sequence[Callable[[], T]]) -> list[T]:
        """Make the calls in parallel and return their results. A single call is made in the calling thread."""
        if len(calls) == 1:
            return [calls[0]()]
        futures = self._submit(calls)
        try:
            return [future.result() for future in futures]
        finally:
            wait(futures)  # after an error or Ctrl-C, no call may go on with shared memory

    def start(self, calls: Sequence[Callable[[], Any]]) -> None:
        """Start the calls in parallel, without waiting for them."""
        self._poll_s = POLL_INTERVAL_S[0]
        self._running = self._submit(calls)

    def _submit(self, calls: Sequence[Callable[[], T]]) -> list[Future[T]]:
        return [self._pool.submit(copy_context().run, call) for call in calls]

    def poll(self, stop: StopFlag) -> None:
        """Wait briefly for a call to finish, unless there is a stop request. Raises the error of a failed call."""
        running = [future for future in self._running if not future.done()]
        if running and not stop.is_set:
            wait(running, timeout=self._poll_s, return_when=FIRST_COMPLETED)
            self._poll_s = min(2 * self._poll_s, POLL_INTERVAL_S[1])
        for future in self._running:
            if future.done():
                future.result()

    def halt(self) -> None:
        """Stop the started calls and wait for them."""
        if self._running:
            self.stop.set()
            wait(self._running)
            self._running = []


class ThreadedSearcher(ABC):
    """A search from one root by recursive kernels. Call `stop_kernels` at the end."""

    top: int

    def __init__(self, threads: KernelThreads, records: Records, node_limit: int | None) -> None:
        """`records` has one record per thread."""
        self.nodes = 0
        self._threads = threads
        self._records = records
        self._node_limit = node_limit
        self._alpha = self._beta = 0
        self._step = Step(1, 0)
        self._done = False

    @abstractmethod
    def steps(self, depth: int | None) -> Iterable[Step]:
        """See `Searcher`."""

    @abstractmethod
    def kernel_calls(self, moves: Sequence[Move]) -> tuple[Sequence[Callable[[], None]], bool]:
        """Kernel calls, one per thread, that search these root moves; and whether the first is enough.

        They use the window from `_alpha` to `_beta` and the depth of `_step`. The first alone is enough for a
        search that is finished before a thread would have started.
        """

    @abstractmethod
    def found(self) -> Found | None:
        """See `Searcher`."""

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        self.stop_kernels()
        self._alpha, self._beta, self._step = alpha, beta, step
        self._done = False
        calls, first_is_enough = self.kernel_calls(moves)
        nodes_left = UNLIMITED_NODES
        if self._node_limit is not None:
            nodes_left = max(0, self._node_limit - int(self._records["nodes"].sum()))
        share = nodes_left if first_is_enough else -(-nodes_left // len(calls))
        self._records["node_limit"] = self._records["nodes"] + share
        self._records["best_move"], self._records["done"], self._records["stopped"] = NO_MOVE, 0, 0
        self._threads.stop.clear()
        if first_is_enough:
            calls[0]()
        else:
            self._threads.start(calls)

    def run(self, nodes: int, stop: StopFlag) -> bool:
        """Wait briefly for the search; the first thread to finish ends it for all."""
        self._threads.poll(stop)
        self.nodes = int(self._records["nodes"].sum())
        self._done = bool(self._records["done"].any())
        if self._done:
            self.stop_kernels()
        return self._done

    def best_record(self) -> Any:
        """The record of the thread with the best result, or None; stops all threads.

        In a finished search, only threads that finished count: others may have stopped at a worse move.
        """
        self.stop_kernels()
        records = [one for one in self._records if one["best_move"] != NO_MOVE and (one["done"] or not self._done)]
        return max(records, key=lambda one: int(one["best_value"]), default=None)

    def stop_kernels(self) -> None:
        self._threads.halt()
