"""Part of a position's key that does not depend on the stones."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rules import off_board_key


@kernel
def off_board_key_of(states):
    """`off_board_key` of `states[0]`, for Python."""
    return np.uint64(off_board_key(states[0]))
