"""Exact values of combinatorial games, represented by interned canonical forms.

Read `game_value` first, then `values` and `kernels` (comparison, canonical forms, sums), `notation`, `thermograph`
and `atomic_weight`. `arithmetic` and `plain_values` do the same in plain Python, without loading compiled code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.core.values.atomic_weight import atomic_weight
from tengen.core.values.game_value import GameValue, Stopped, ValueStore
from tengen.core.values.plain_values import PlainValues
from tengen.core.values.thermograph import Thermograph, stops, thermograph

if TYPE_CHECKING:
    from tengen.core.values.values import Values

__all__ = [
    "GameValue",
    "PlainValues",
    "Stopped",
    "Thermograph",
    "ValueStore",
    "Values",
    "atomic_weight",
    "stops",
    "thermograph",
]


def __getattr__(name: str) -> Any:
    """Import the compiled store on first use: it takes as long as a hundred small questions."""
    if name == "Values":
        from tengen.core.values.values import Values

        return Values
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
