"""Connection of a `ClusterHost` to its Dask scheduler: a thread with an event loop. It reconnects by itself.

Every method may be called from any thread and returns at once; the work happens in the loop. Slots are notified by
`Slot.on_answer` and `Slot.on_lost`.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, Protocol

from tengen.core.errors import OptionError, TengenError
from tengen.jobs.cluster import CONNECT_SECONDS, dask
from tengen.jobs.task import one_line
from tengen.runtime.cluster import worker as cluster_worker
from tengen.runtime.messages import SearchCaps

RECONNECT_S = 1.0  # between attempts
STATUS_CHECK_S = 0.1  # how often the connection is checked
WORKER_CHECK_S = 5.0  # workers are also listed this often, in case an event is lost
OUTAGE_TIMEOUT_S = 10.0  # how long searches wait for a cluster that restarts
STARTUP_TIMEOUT_S = 180.0  # for a worker that is busy or loads Numba on a busy machine
CLOSE_TIMEOUT_S = 2.0

GAME_PRIORITY = 20  # Dask priorities: above background searches; both are above jobs, which have 0
BACKGROUND_PRIORITY = 10

_log = logging.getLogger(__name__)


class ClusterUnreachable(TengenError):
    """The scheduler cannot be reached, or it has no usable workers."""


class Slot(Protocol):
    """The host's handle of one thread of a Dask worker."""

    slot_id: str
    address: str

    def on_answer(self, number: int, answer: bytes) -> None:
        """Receives an answer of the search with this number. Called in the link's thread."""

    def on_lost(self, reason: str) -> None:
        """The worker was lost or cannot be used. Called in the link's thread, possibly more than once."""


class ClusterLink:
    """Connection to a Dask scheduler.

    `on_change` is called in the link's thread when workers come or go or a search starts.
    """

    def __init__(self, address: str) -> None:
        """Connect. Raises `OptionError` if there is no scheduler at `address`."""
        self._distributed = dask()
        # A lost connection is reported by our own error; Dask would log a traceback for each attempt.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self.address = address
        self.on_change: Callable[[], None] = lambda: None
        self._topic = f"tengen-{uuid.uuid4().hex}"
        self._client: Any = None
        self._workers: dict[str, int] = {}  # number of threads by address; replaced, never modified
        self._refused: dict[str, str] = {}  # unusable workers and the reason; cleared every few seconds
        self._warned: dict[str, str] = {}  # unusable workers that were logged
        self._down_since: float | None = time.monotonic()  # when the last open slot was lost
        self._slots: dict[str, Slot] = {}
        self._open: set[str] = set()  # ids of slots that have answered
        self._leases: dict[str, Any] = {}  # Dask future of each slot, by id; keeps the slot alive in its worker
        self._searches: dict[str, Any] = {}  # Dask future of each slot's latest search
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        self._first_attempt: list[BaseException | None] = []
        self._attempted = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="cluster connection", daemon=True)
        self._thread.start()
        self._attempted.wait()
        if (error := self._first_attempt[0]) is not None:
            self.close()
            raise OptionError(f"{self._unreachable()} ({one_line(error)})")

    # ---- for any thread

    def workers(self) -> Mapping[str, int]:
        """Number of threads of each usable worker, by address."""
        return {address: n for address, n in self._workers.items() if address not in self._refused}

    def outage(self) -> ClusterUnreachable | None:
        """Why queued searches should fail, if no worker has been ready for some time; otherwise None."""
        since = self._down_since
        if since is None or (seconds := time.monotonic() - since) < OUTAGE_TIMEOUT_S:
            return None
        if self._client is None:
            return ClusterUnreachable(self._unreachable())
        if not self._workers:
            return ClusterUnreachable(
                f"The cluster at {self.address} has no workers. "
                f"Start one with: tengen cluster worker {self.address}"
            )
        if self.workers():
            busy = f"The workers of the cluster at {self.address} are all busy with other work."
            return None if seconds < STARTUP_TIMEOUT_S else ClusterUnreachable(busy)
        address, reason = next(iter(self._warned.items()))
        return ClusterUnreachable(f"The cluster's worker {address} cannot be used: {reason}")

    def open_slot(self, slot: Slot, caps: SearchCaps) -> None:
        """Create the slot in its worker. Its first answer comes when the worker has a free thread."""
        self._post(self._open_slot, slot, caps)

    def start_search(self, slot: Slot, number: int, job: bytes, *, stopped: bool, background: bool) -> None:
        self._post(self._start_search, slot, number, job, stopped, background)

    def stop_search(self, slot: Slot, number: int) -> None:
        self._post(self._call, slot, cluster_worker.stop_search, slot.slot_id, number)

    def exit_worker(self, slot: Slot) -> None:
        """Exit the worker's process: the only way to end a search that hangs."""
        self._post(self._call, slot, cluster_worker.exit_process)

    def close_slot(self, slot: Slot) -> None:
        """Make the worker drop the slot and stop its search. Calls `on_lost`."""
        self._post(self._lose_slot, slot, "was closed")

    def close(self) -> None:
        """Disconnect. Slots get no further message."""

        def begin() -> None:
            self._closing = True

        self._post(begin)
        self._thread.join()

    def _post(self, function: Callable[..., None], *args: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nothing is left to do
            self._loop.call_soon_threadsafe(function, *args)

    # ---- in the loop

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._stay_connected())
        finally:
            self._loop.close()

    async def _stay_connected(self) -> None:
        while not self._closing:
            client = None
            try:
                client = self._distributed.Client(
                    self.address, asynchronous=True, timeout=CONNECT_SECONDS, set_as_default=False
                )
                await client
                await self._serve(client)
            except Exception as error:
                if self._attempted.is_set() and not isinstance(error, OSError):
                    _log.error("the connection to the cluster failed: %s", one_line(error))
                self._first_attempt.append(error)
                self._attempted.set()
            finally:
                self._disconnect("lost the connection to the cluster")
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)
                if client is not None:
                    with suppress(Exception):
                        await client.close(timeout=CLOSE_TIMEOUT_S)
            await self._sleep(RECONNECT_S)

    async def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self._closing and time.monotonic() < until:
            await asyncio.sleep(min(seconds, STATUS_CHECK_S))

    async def _serve(self, client: Any) -> None:
        """Follow the cluster's changes until the connection is lost."""
        self._client = client
        client.subscribe_topic(self._topic, self._note_answer)
        client.subscribe_topic("all", self._note_event)
        checked = -WORKER_CHECK_S
        while client.status == "running" and not self._closing:
            if time.monotonic() - checked >= WORKER_CHECK_S:
                checked = time.monotonic()
                self._refused = {}  # retry them
                await self._list_workers()
                self._first_attempt.append(None)
                self._attempted.set()
            await asyncio.sleep(STATUS_CHECK_S)
        if self._closing and client.status == "running":
            await self._unsubscribe(client)

    async def _unsubscribe(self, client: Any) -> None:
        """Send pending stops and delete our messages on the scheduler."""
        client.unsubscribe_topic("all")  # otherwise Dask logs an error because our own departure is not delivered
        with suppress(Exception):
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=CLOSE_TIMEOUT_S / 2)
            await asyncio.wait_for(client.run_on_scheduler(_forget_topic, self._topic), CLOSE_TIMEOUT_S / 2)

    def _disconnect(self, reason: str) -> None:
        self._client = None
        self._workers = {}
        for slot in list(self._slots.values()):
            self._lose_slot(slot, reason)
        self.on_change()

    async def _list_workers(self) -> None:
        client = self._client
        if client is None:
            return
        try:
            found: dict[str, int] = dict(await client.nthreads())
        except OSError:
            return  # the client's status will show it
        for slot in list(self._slots.values()):
            if slot.address not in found:
                self._lose_slot(slot, f"at {slot.address} was lost")
        self._workers = found
        self._warned = {address: reason for address, reason in self._warned.items() if address in found}
        self.on_change()

    def _note_event(self, event: tuple[float, Any]) -> None:
        message = event[1]
        if isinstance(message, dict) and message.get("action") in ("add-worker", "remove-worker"):
            self._spawn(self._list_workers())

    def _note_answer(self, event: tuple[float, Any]) -> None:
        message = event[1]
        slot = self._slots.get(message["slot"])
        if slot is not None:
            self._open.add(slot.slot_id)
            self._down_since = None
            slot.on_answer(message["number"], message["answer"])
            if message["answer"] == cluster_worker.SEARCH_STARTED:
                self.on_change()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _submit(self, slot: Slot, function: Callable[..., object], *args: object, priority: int) -> Any:
        """Submit a Dask task to the slot's worker only."""
        future = self._client.submit(
            function,
            *args,
            workers=[slot.address],
            key=f"tengen-{function.__name__}-{uuid.uuid4().hex}",
            pure=False,
            priority=priority,
        )
        self._spawn(self._follow(slot, future))
        return future

    async def _follow(self, slot: Slot, future: Any) -> None:
        """Wait for a Dask task and handle its failure.

        On success nothing is left to do: answers come as events.
        """
        error: BaseException | None
        try:
            with self._client.as_current():
                await self._distributed.wait([future])
            error = await future.exception() if future.status == "error" else None
        except asyncio.CancelledError:
            if not future.cancelled():
                raise  # the link is closing
            return
        except Exception as lost:
            error = lost
        if error is None or slot.slot_id not in self._slots or self._client is None:
            return
        reason = str(error) if isinstance(error, TengenError) else one_line(error)
        self._refused[slot.address] = reason  # until the next check
        if self._warned.get(slot.address) != reason:
            self._warned[slot.address] = reason
            _log.warning("not using the cluster's worker %s: %s", slot.address, reason)
        self._lose_slot(slot, f"at {slot.address} failed ({reason})")

    def _open_slot(self, slot: Slot, caps: SearchCaps) -> None:
        if self._client is None or slot.address not in self._workers:
            slot.on_lost(f"at {slot.address} was lost")
            return
        self._slots[slot.slot_id] = slot
        args = (slot.slot_id, self._topic, caps, cluster_worker.tengen_version())
        self._leases[slot.slot_id] = self._submit(slot, cluster_worker.open_slot, *args, priority=GAME_PRIORITY)

    def _start_search(self, slot: Slot, number: int, job: bytes, stopped: bool, background: bool) -> None:
        if (lease := self._leases.get(slot.slot_id)) is None:
            return  # the slot was just lost and has been notified
        priority = BACKGROUND_PRIORITY if background else GAME_PRIORITY
        self._searches[slot.slot_id] = self._submit(
            slot, cluster_worker.run_search, lease, number, job, stopped, priority=priority
        )

    def _call(self, slot: Slot, function: Callable[..., None], *args: object) -> None:
        if self._client is not None and slot.slot_id in self._slots:
            self._spawn(self._call_worker(self._client, slot.address, function, *args))

    async def _call_worker(self, client: Any, address: str, function: Callable[..., None], *args: object) -> None:
        with suppress(Exception):  # a worker that does not answer will be found lost
            await client.run(function, *args, workers=[address], on_error="ignore")

    def _lose_slot(self, slot: Slot, reason: str) -> None:
        self._forget(slot.slot_id)
        slot.on_lost(reason)

    def _forget(self, slot_id: str) -> None:
        self._slots.pop(slot_id, None)
        self._open.discard(slot_id)
        if not self._open and self._down_since is None:
            self._down_since = time.monotonic()
        for futures in (self._searches, self._leases):
            future = futures.pop(slot_id, None)
            if future is not None:
                future.release()

    def _unreachable(self) -> str:
        return f"The cluster at {self.address} cannot be reached."


def _forget_topic(topic: str, dask_scheduler: Any = None) -> None:
    """Delete the messages that the scheduler stores for its log."""
    dask_scheduler._broker.truncate(topic)
