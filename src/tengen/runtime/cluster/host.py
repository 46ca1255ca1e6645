"""An engine host whose searches run in the workers of a Dask cluster.

with ClusterHost("tcp://127.0.0.1:8786") as host:
    handle = host.search(EngineConfig("uct"), Request("go", {"size": 9}), Limits(seconds=2), game_id="g1")
    print(handle.result().best)

In reading order: `cluster_manager` (which worker runs which search), `cluster_link` (the connection to Dask's
scheduler), `cluster_worker` (what runs in a worker).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.core.errors import OptionError
from tengen.core.resource_limits import resource_limits
from tengen.players.config import EngineConfig
from tengen.runtime.callbacks import OnProgress
from tengen.runtime.cluster.link import ClusterLink
from tengen.runtime.cluster.manager import ClusterManager
from tengen.runtime.host import EngineHost, SearchHandle, close_at_exit
from tengen.runtime.memory_plan import MemoryPlan
from tengen.runtime.messages import Caps, Request
from tengen.search.limits import Limits

if TYPE_CHECKING:
    from tengen.core.position import Position


class ClusterHost(EngineHost):
    """Runs one search at a time in each thread of each worker of the Dask scheduler at `address`.

    It behaves like `EngineHost`. A search whose worker dies starts again elsewhere with the time it has left.
    While the scheduler is away or has no workers, searches wait up to ten seconds, then fail with
    `ClusterUnreachable`; the host reconnects by itself.

    Other programs (GTP engines and the like) are installed here and not on the cluster, so they run in processes
    of this machine, at most `local_workers` of them (as many as cores unless given). They start when needed.
    """

    def __init__(
        self,
        address: str,
        *,
        local_workers: int | None = None,
        threads: int = 1,
        memory: int | None = None,
        engines_kept: int | None = None,
        grace: float = 20.0,
    ) -> None:
        """Raises `OptionError` if the scheduler cannot be reached."""
        limits = resource_limits()
        memory = limits.search_memory_mb if memory is None else memory
        plan = MemoryPlan.of(limits, 1, memory, engines_kept)
        if min(threads, memory, plan.engines_kept) < 1 or grace <= 0:
            raise OptionError("threads, memory, kept engines and grace should all be above 0")
        self.address = address
        link = ClusterLink(address)
        self._manager: ClusterManager = ClusterManager(link, Caps(threads, memory), plan, grace)
        self._local = EngineHost(local_workers)
        close_at_exit(self)

    @property
    def workers(self) -> int:  # type: ignore[override]
        """How many searches can run at once, now."""
        return self._manager.workers

    @property
    def on_this_machine(self) -> EngineHost:
        return self._local

    def close(self) -> None:
        super().close()
        self._local.close()

    def _ask(
        self,
        config: EngineConfig,
        position: Position | Request,
        limits: Limits,
        game_id: str,
        on_progress: OnProgress | None,
        *,
        background: bool,
        ponder: bool,
    ) -> SearchHandle:
        if config.program is None:
            return super()._ask(
                config, position, limits, game_id, on_progress, background=background, ponder=ponder
            )
        if ponder:
            return self._local.ponder(config, position, game_id=game_id, on_progress=on_progress)
        self._manager.end_pondering(game_id)
        return self._local.search(
            config, position, limits, game_id=game_id, background=background, on_progress=on_progress
        )
