"""The server of KataGo's analysis protocol: queries in, answers out, in any order.

Lines are read in one thread. Positions wait in a queue by priority; as many as the engine host has workers are
searched at a time, and the host's callback thread passes their answers to a thread that writes them. Each position
is answered exactly once, also if it was terminated or its search failed.
"""

from __future__ import annotations

import heapq
import json
import math
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

import tengen
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.players.config import EngineConfig
from tengen.protocols.katago.answer import analysis, no_results
from tengen.protocols.katago.query import Query, QueryError, read_query
from tengen.protocols.line_protocol import InputQueue, LineProtocol, printable
from tengen.runtime.host import EngineHost, SearchHandle
from tengen.runtime.messages import Progress
from tengen.search.limits import Limits
from tengen.search.report import Report

VERSION = f"1.16.0-tengen-{tengen.__version__}"  # of the protocol, and ours
MAX_UNWRITTEN_LINES = 1000  # then reports during a search are left out, because nobody reads them
_ACTIONS = (
    "'action' field must be 'query_version' or 'query_models' or 'clear_cache' or 'terminate' or 'terminate_all'"
)


@dataclass(eq=False)
class _Analysis:
    """One position of a query: queued, searched (with a `slot` and soon a `handle`), and answered."""

    query: Query
    turn: int
    position: Position
    limits: Limits
    slot: int | None = None
    handle: SearchHandle | None = None
    terminated: bool = False
    next_report: float = field(default=math.inf)  # in monotonic time


class AnalysisServer(LineProtocol):
    """KataGo's analysis protocol on an engine host, which `end` waits for but does not close."""

    def __init__(
        self,
        input_queue: InputQueue,
        write: Callable[[str], None],
        host: EngineHost,
        config: EngineConfig,
        *,
        default: Limits,
        waits_at_end: bool = True,
    ) -> None:
        """`default` limits hold for queries without `maxVisits`."""
        super().__init__(input_queue, write)
        self._host = host
        # Without a tree of the position before, an answer does not depend on the order of queries.
        self._config = replace(config, settings=tuple(sorted({"reuse": False, **dict(config.settings)}.items())))
        self._default = default
        self._waits_at_end = waits_at_end
        self._changed = threading.Condition()
        self._open: dict[int, _Analysis] = {}  # by number, which is also the order of arrival
        self._queue: list[tuple[int, int]] = []  # a heap of (-priority, number)
        self._slots = list(range(host.workers))  # those that are free
        self._generation = 0  # of engines, which `clear_cache` replaces
        self._count = 0
        self._output: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._client_has_gone = False
        self._writer = threading.Thread(target=self._write_lines, name="analysis writer", daemon=True)
        self._writer.start()

    # ---- input

    def handle(self, line: str) -> bool:
        if self._client_has_gone:
            return False
        if not line.strip():
            return True
        try:
            data = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            reason = f"{printable(str(error), 200)} - could not parse input line as json request"
            self._send({"error": f"{reason}: {printable(line, 200)}"})
            return True
        if not isinstance(data, dict):
            self._send(
                {"error": f"Request line was valid json but was not an object, ignoring: {printable(line, 200)}"}
            )
        elif not isinstance(data.get("id"), str):
            self._send({"error": 'Request must have a string "id" field'})
        else:
            try:
                if isinstance(data.get("action"), str):
                    self._act(data, data["action"])
                else:
                    self._enqueue(read_query(data, self._default))
            except QueryError as error:
                self._send({"error": str(error), "field": error.field, "id": data["id"]})
        return True

    def report_error(self, error: Exception) -> None:
        self._send({"error": f"internal error: {type(error).__name__}"})

    def end(self) -> None:
        """Wait until everything is answered; or, if asked to, until what is running has stopped."""
        if not self._waits_at_end or self._client_has_gone:
            self._terminate(lambda one: True)
        with self._changed:
            self._changed.wait_for(lambda: not self._open)
        self._output.put(None)
        self._writer.join()

    def _enqueue(self, query: Query) -> None:
        analyses = [
            (priority, _Analysis(query, turn, position, query.limits_at(position)))
            for turn, (position, priority) in query.turns.items()
        ]
        for name, text in query.warnings:
            self._send({"warning": text, "field": name, "id": query.id})
        with self._changed:
            for priority, one in analyses:
                self._open[self._count] = one
                heapq.heappush(self._queue, (-priority, self._count))
                self._count += 1
        self._dispatch()

    def _act(self, data: dict[str, Any], action: str) -> None:
        if action == "query_version":
            data |= {"version": VERSION, "git_hash": ""}
        elif action == "query_models":
            data["models"] = []
        elif action == "clear_cache":
            self._generation += 1
        elif action in ("terminate", "terminate_all"):
            wanted = data.get("terminateId")
            if action == "terminate" and not isinstance(wanted, str):
                raise QueryError(
                    "terminateId", 'Requests for a terminate action must have a string "terminateId" field'
                )
            turns = data.get("turnNumbers")
            if "turnNumbers" in data and not (isinstance(turns, list) and all(type(one) is int for one in turns)):
                raise QueryError(
                    "turnNumbers", "If provided, must be an array of integers indicating turns to terminate"
                )
            self._terminate(
                lambda one: (
                    (action == "terminate_all" or one.query.id == wanted) and (turns is None or one.turn in turns)
                )
            )
        else:
            self._send({"error": _ACTIONS})
            return
        self._send(data)

    def _terminate(self, is_meant: Callable[[_Analysis], bool]) -> None:
        """End analyses: those that run answer with their results so far, those that wait without any."""
        with self._changed:
            meant = {number: one for number, one in self._open.items() if is_meant(one)}
            waiting = [number for number, one in meant.items() if one.slot is None]
            for number in waiting:  # they also stay in the queue, which skips what is no longer open
                del self._open[number]
            for one in meant.values():
                one.terminated = True
            running = [one.handle for one in meant.values() if one.handle is not None]
            self._changed.notify_all()
        for number in waiting:
            self._send(no_results(meant[number].query, meant[number].turn))
        for handle in running:
            handle.stop()

    # ---- searching

    def _dispatch(self) -> None:
        """Start searches while there are free slots."""
        while True:
            with self._changed:
                while self._queue and self._queue[0][1] not in self._open:
                    heapq.heappop(self._queue)
                if not self._queue or not self._slots:
                    return
                number = heapq.heappop(self._queue)[1]
                one = self._open[number]
                one.slot = self._slots.pop()
                game_id = f"katago {self._generation} {one.slot}"
                one.next_report = time.monotonic() + one.query.first_report_s
            try:
                handle = self._host.search(
                    self._config,
                    one.position,
                    one.limits,
                    game_id=game_id,
                    on_progress=lambda progress, one=one: self._report_progress(one, progress),  # type: ignore[misc]
                )
            except TengenError as error:
                self._finish(number, {"error": str(error), "id": one.query.id})
                continue
            with self._changed:
                one.handle = handle
                stop = one.terminated
            if stop:
                handle.stop()
            handle.future.add_done_callback(lambda future, number=number: self._note_done(number, future))  # type: ignore[misc]

    def _report_progress(self, one: _Analysis, progress: Progress) -> None:
        now = time.monotonic()
        if progress.report is None or now < one.next_report or not progress.report.nodes:
            return
        one.next_report = now + one.query.report_every_s
        if self._output.qsize() < MAX_UNWRITTEN_LINES:
            self._send(analysis(one.query, one.turn, one.position, progress.report, during_search=True))

    def _note_done(self, number: int, future: Future[Report]) -> None:
        one = self._open[number]
        try:
            report = future.result()
            if report.nodes or not one.terminated:
                answer = analysis(one.query, one.turn, one.position, report, during_search=False)
            else:
                answer = no_results(one.query, one.turn)
        except Exception as error:
            text = str(error) if isinstance(error, TengenError) else f"internal error: {type(error).__name__}"
            answer = {"error": text, "id": one.query.id}
        self._finish(number, answer)
        self._dispatch()

    def _finish(self, number: int, answer: dict[str, Any]) -> None:
        self._send(answer)
        with self._changed:
            slot = self._open.pop(number).slot
            assert slot is not None
            self._slots.append(slot)
            self._changed.notify_all()

    # ---- output

    def _send(self, answer: dict[str, Any]) -> None:
        self._output.put(json.dumps(answer, separators=(",", ":")))

    def _write_lines(self) -> None:
        """Write answers until the end, or until nobody reads them."""
        while (line := self._output.get()) is not None:
            try:
                self.write(line)
            except (OSError, ValueError):
                self._client_has_gone = True
                self._terminate(lambda one: True)
                return


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
