"""Memory limits of engine workers: the budget of the host, the share of each worker, the limit of a search.

The budget is for all workers together (`engine_memory_mb` of the resource limits; by default half of the machine's
memory). A worker keeps enough of its share free for one more search: it drops cached engines, least recently used
first, before the share is used up. A worker that stays above its share is replaced.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tengen.core.resource_limits import ResourceLimits

WORKER_BASE_MB = 256  # a worker without any engine: Python, Numba and the kernels of all games
MIN_SEARCH_MB = 16
MIN_SHARE_MB = WORKER_BASE_MB + 2 * MIN_SEARCH_MB


@dataclass(frozen=True)
class MemoryPlan:
    """Memory limits in MB: of all workers, of one worker, and of one tree or table."""

    budget_mb: int
    share_mb: int
    search_mb: int
    engines_per_worker: int

    @classmethod
    def from_limits(
        cls,
        limits: ResourceLimits,
        workers: int,
        search_mb: int | None = None,
        engines_per_worker: int | None = None,
    ) -> MemoryPlan:
        """A plan for `workers` workers; `search_mb` and `engines_per_worker` override the resource limits."""
        budget = limits.engine_memory()
        share = max(MIN_SHARE_MB, budget // workers)
        max_search_mb = (share - WORKER_BASE_MB) // 2
        search_mb = max(1, min(limits.search_memory_mb if search_mb is None else search_mb, max_search_mb))
        engines = limits.engines_per_worker if engines_per_worker is None else engines_per_worker
        if sys.platform != "linux":  # memory is not measured there, so assume that each engine uses all it may
            engines = max(1, min(engines, (share - WORKER_BASE_MB) // search_mb))
        return cls(budget, share, search_mb, engines)

    def engines_to_drop(self, engines: Sequence[object], used: int) -> int:
        """How many engines a worker that uses `used` MB must drop to leave room for one more search."""
        excess = used - (self.share_mb - self.search_mb)
        if excess <= 0 or not engines:
            return 0
        each = max(1.0, (used - WORKER_BASE_MB) / len(engines))
        # Keep the most recently used engine if possible: its game is the most likely to continue.
        droppable = len(engines) if used > self.share_mb else len(engines) - 1
        return min(droppable, math.ceil(excess / each))

    def is_above_share(self, used: int) -> bool:
        return used > self.share_mb


def workers_that_fit(limits: ResourceLimits, cores: int) -> int:
    """One worker per core, or fewer if the memory budget is too small."""
    return max(1, min(cores, limits.engine_memory() // MIN_SHARE_MB))
