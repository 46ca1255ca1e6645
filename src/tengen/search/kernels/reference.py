"""Fixed reference loop for benchmarks, so that rates from different machines can be compared."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.kernel import kernel
from tengen.core.compiled.rng import mix


@kernel
def reference_loop(steps):
    """Hash a number `steps` times: register arithmetic in which each step depends on the previous one."""
    value = np.uint64(1)
    for _ in range(steps):
        value = mix(value + np.uint64(1))
    return value
