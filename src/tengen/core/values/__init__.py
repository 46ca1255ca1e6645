"""Values of combinatorial games, for any game: exact, by interned canonical forms.

Read `values` first, then `kernels` (how forms are compared, reduced and added), `notation`, `thermograph` and
`weight`.
"""

from tengen.core.values.thermograph import Thermograph, stops, thermograph
from tengen.core.values.values import GameValue, Stopped, Values
from tengen.core.values.weight import atomic_weight

__all__ = ["GameValue", "Stopped", "Thermograph", "Values", "atomic_weight", "stops", "thermograph"]
