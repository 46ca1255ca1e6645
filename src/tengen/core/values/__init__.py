"""Exact values of combinatorial games, represented by interned canonical forms.

Read `values` first, then `kernels` (comparison, canonical forms, sums), `notation`, `thermograph` and
`atomic_weight`.
"""

from tengen.core.values.atomic_weight import atomic_weight
from tengen.core.values.thermograph import Thermograph, stops, thermograph
from tengen.core.values.values import GameValue, Stopped, Values

__all__ = ["GameValue", "Stopped", "Thermograph", "Values", "atomic_weight", "stops", "thermograph"]
