"""How much memory engine workers may use: the budget of the host, the share of each worker, the cap of a search.

The budget is for all workers together (`engine_memory_mb` of the resource limits; by default half of the machine's
memory). A worker should leave room within its share for one more search, so engines that it keeps are given up,
least recently used first, before the share is used up. A worker that stays above its share is replaced.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tengen.core.resource_limits import ResourceLimits

WORKER_BASE_MB = 256  # a worker without any engine: Python, Numba and the kernels of all games
LEAST_SEARCH_MB = 16
LEAST_SHARE_MB = WORKER_BASE_MB + 2 * LEAST_SEARCH_MB


@dataclass(frozen=True)
class MemoryPlan:
    """Megabytes: `budget` of all workers, `share` of one worker, `search` of one tree or table."""

    budget: int
    share: int
    search: int
    engines_kept: int

    @classmethod
    def of(
        cls, limits: ResourceLimits, workers: int, search: int | None = None, engines_kept: int | None = None
    ) -> MemoryPlan:
        """A plan for this number of workers; `search` and `engines_kept` replace those of the limits."""
        budget = limits.engine_memory()
        share = max(LEAST_SHARE_MB, budget // workers)
        most = (share - WORKER_BASE_MB) // 2
        search = max(1, min(limits.search_memory_mb if search is None else search, most))
        kept = limits.engines_per_worker if engines_kept is None else engines_kept
        if sys.platform != "linux":  # memory is not measured there: assume that each engine uses all it may
            kept = max(1, min(kept, (share - WORKER_BASE_MB) // search))
        return cls(budget, share, search, kept)

    def engines_to_drop(self, engines: Sequence[object], used: int) -> int:
        """How many engines a worker that uses `used` MB should give up, so that one more search fits its share."""
        excess = used - (self.share - self.search)
        if excess <= 0 or not engines:
            return 0
        each = max(1.0, (used - WORKER_BASE_MB) / len(engines))
        # The engine used last is kept if that is enough: its game is the most likely one to go on.
        most = len(engines) if used > self.share else len(engines) - 1
        return min(most, math.ceil(excess / each))

    def is_above_share(self, used: int) -> bool:
        return used > self.share


def workers_that_fit(limits: ResourceLimits, cores: int) -> int:
    """As many workers as there are cores, or fewer if the budget cannot feed them."""
    return max(1, min(cores, limits.engine_memory() // LEAST_SHARE_MB))
