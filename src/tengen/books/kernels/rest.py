"""What a position's key has besides the stones."""

from __future__ import annotations

import numpy as np

from tengen.core.compiled.generic import rest_key
from tengen.core.compiled.kernel import kernel


@kernel
def find_rest(states):
    """`rest_key` of `states[0]`, for Python."""
    return np.uint64(rest_key(states[0]))
