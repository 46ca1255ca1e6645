"""The fixed loop that speeds are measured against, so that figures from two machines can be compared."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rng import mix


@kernel
def reference_loop(steps):
    """Scramble a number so many times: nothing but arithmetic on registers, each step waiting for the last."""
    value = np.uint64(1)
    for _ in range(steps):
        value = mix(value + np.uint64(1))
    return value
