"""Games as environments for reinforcement learning.

`GameBatch` steps thousands of games in one kernel call, with NumPy arrays in and out. `env` makes a PettingZoo
environment of one game; it needs `tengen[rl]`.

Both number the moves of a game from 0 (`Actions`) and know every game, also those of plugins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.environments.actions import Actions
from tengen.environments.batch import Batch, GameBatch

if TYPE_CHECKING:
    from tengen.environments.aec import env, raw_env

__all__ = ["Actions", "Batch", "GameBatch", "env", "raw_env"]


def __getattr__(name: str) -> Any:
    if name not in ("env", "raw_env"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tengen.environments import aec  # PettingZoo is an extra

    return getattr(aec, name)
