"""Counts of the calls of each worker of an executor: how many, how long they took, how many were lost."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class WorkerCalls:
    """A worker's finished calls with their seconds, and the calls that it lost by dying or leaving."""

    name: str
    calls: int = 0
    seconds: float = 0.0
    lost: int = 0
    is_alive: bool = True


@runtime_checkable
class CountsCalls(Protocol):
    """An executor that counts the calls of its workers."""

    def worker_calls(self) -> list[WorkerCalls]: ...


class CallCounter:
    """The counts by worker. Thread-safe."""

    def __init__(self) -> None:
        self._workers: dict[str, WorkerCalls] = {}
        self._lock = threading.Lock()

    def add(self, name: str, seconds: float) -> None:
        """Count a finished call."""
        with self._lock:
            one = self._workers.get(name, WorkerCalls(name))
            self._workers[name] = replace(one, calls=one.calls + 1, seconds=one.seconds + seconds)

    def add_lost(self, name: str) -> None:
        """Count a call that the worker did not finish because it died."""
        with self._lock:
            one = self._workers.get(name, WorkerCalls(name))
            self._workers[name] = replace(one, lost=one.lost + 1)

    def workers(self, alive: set[str]) -> list[WorkerCalls]:
        """All workers, those that are alive first."""
        with self._lock:
            known = {name: WorkerCalls(name) for name in alive} | self._workers
        rows = [replace(one, is_alive=name in alive) for name, one in known.items()]
        return sorted(rows, key=lambda one: (not one.is_alive, -one.calls, one.name))
