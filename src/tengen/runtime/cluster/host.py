"""An engine host whose searches run in the workers of a Dask cluster.

with ClusterHost("tcp://127.0.0.1:8786") as host:
    handle = host.search(EngineConfig("uct"), Request("go", {"size": 9}), Limits(seconds=2), game_id="g1")
    print(handle.result().best)

Reading order: `manager` (which worker runs which search), `link` (the connection to Dask's scheduler), `worker`
(the code that runs in a Dask worker).
"""

from __future__ import annotations

from tengen.core.errors import OptionError
from tengen.core.resource_limits import resource_limits
from tengen.runtime.cluster.link import ClusterLink
from tengen.runtime.cluster.manager import ClusterManager
from tengen.runtime.host import EngineHost, SearchHandle, close_at_exit
from tengen.runtime.memory_plan import MemoryPlan
from tengen.runtime.messages import SearchCaps
from tengen.runtime.scheduler import SearchTask


class ClusterHost(EngineHost):
    """Runs one search at a time in each thread of each worker of the Dask scheduler at `address`.

    It behaves like `EngineHost`. A search whose worker dies restarts elsewhere with its remaining time. While the
    scheduler is unreachable or has no workers, searches wait up to ten seconds, then fail with
    `ClusterUnreachable`. The host reconnects by itself.

    External programs (GTP engines and the like) are installed on this machine, not on the cluster, so they run in
    up to `local_workers` local processes (default: one per core), started on demand.
    """

    def __init__(
        self,
        address: str,
        *,
        local_workers: int | None = None,
        warm_up_first: str | None = None,
        threads: int = 1,
        memory_mb: int | None = None,
        engines_per_worker: int | None = None,
        grace_s: float = 20.0,
    ) -> None:
        """Raises `OptionError` if the scheduler cannot be reached."""
        limits = resource_limits()
        memory_mb = limits.search_memory_mb if memory_mb is None else memory_mb
        plan = MemoryPlan.from_limits(limits, 1, memory_mb, engines_per_worker)
        if min(threads, memory_mb, plan.engines_per_worker) < 1 or grace_s <= 0:
            raise OptionError("threads, memory_mb, engines_per_worker and grace_s must be positive")
        self.address = address
        link = ClusterLink(address)
        self._manager: ClusterManager = ClusterManager(link, SearchCaps(threads, memory_mb), plan, grace_s)
        self._local = EngineHost(local_workers, warm_up_first=warm_up_first)
        close_at_exit(self)

    @property
    def workers(self) -> int:  # type: ignore[override]
        """Number of searches that can run at once, at this moment."""
        return self._manager.workers

    @property
    def local_host(self) -> EngineHost:
        return self._local

    def close(self) -> None:
        super().close()
        self._local.close()

    def _submit(self, task: SearchTask) -> SearchHandle:
        if task.config.program is None:
            return super()._submit(task)
        if not task.ponder:
            self._manager.end_pondering(task.game_id)
        return self._local._submit(task)
