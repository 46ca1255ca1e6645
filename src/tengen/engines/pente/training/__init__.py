"""Training of the evaluation and of the move order from self-play: `selfplay`, `examples`, `fitting`, `job`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Examples:
    """Examples of a game in checkpoints of version 0.2, which can still be opened; they are not used any more."""

    counts: np.ndarray[Any, Any]
    results: np.ndarray[Any, Any]


Lesson = Examples  # the name that checkpoints of version 0.1 refer to
