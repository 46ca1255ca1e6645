"""The state of the engine host, as plain data for status pages and monitoring."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.runtime.messages import EngineKey


@dataclass(frozen=True)
class WorkerStatus:
    """A worker now: the game and engine that it searches with, if any, and all engines that it keeps."""

    pid: int
    searching: EngineKey | None
    engines: tuple[EngineKey, ...]


@dataclass(frozen=True)
class HostHealth:
    """The engine host now. `dataclasses.asdict` of it fits into JSON.

    Workers start when there is work, so `workers_alive` may be below `workers_wanted` on a quiet server.
    `restarts` counts restarts of the host's own threads after a failure, `workers_recycled` those of workers that
    used too much memory. Memory is in MB; that of the workers is None where the system does not tell it.
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
