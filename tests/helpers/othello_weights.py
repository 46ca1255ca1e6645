"""Random weights for Othello's evaluation."""

from __future__ import annotations

import functools

import numpy as np

from tengen.engines.othello.midgame import weights as files
from tengen.engines.othello.midgame.patterns import (
    FOLDED_WEIGHTS,
)


@functools.cache
def random_weights() -> np.ndarray:
    rng = np.random.default_rng(1)
    return files.unfold(rng.integers(-150, 150, (files.WEIGHT_SETS, FOLDED_WEIGHTS)))
