"""The state of the engine host, as plain data for status pages and monitoring."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.runtime.messages import EngineKey


@dataclass(frozen=True)
class WorkerStatus:
    """State of a worker: the game and engine of its search, if any, and its cached engines."""

    pid: int
    searching: EngineKey | None
    engines: tuple[EngineKey, ...]


@dataclass(frozen=True)
class HostHealth:
    """State of the engine host. `dataclasses.asdict` makes it JSON-compatible.

    Workers start on demand, so `workers_alive` may be below `workers_wanted` on a quiet server. `restarts` counts
    restarts of the host's own threads after a failure, `workers_recycled` replaced workers that used too much
    memory. Memory is in MB; that of the workers is None where the system does not report it.
    """

    is_running: bool
    workers_wanted: int
    workers_alive: int
    searches_running: int
    searches_queued: int
    searches_queued_limit: int
    restarts: int
    workers_recycled: int
    last_failure: str
    memory_mb: int | None
    memory_budget_mb: int
