"""Evaluation weights of the strong player, and their provenance."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

from tengen.core.errors import TengenError
from tengen.engines.pente.search.kernels.evaluation import CAPTURED, FEATURES

SHIPPED = {1: Path(__file__).with_name("weights.json"), 2: Path(__file__).with_name("weights-connect6.json")}
"""Bundled files by stones per turn."""
UNITS_PER_HUNDREDTH = 16
"""Weights are stored in sixteenths of a hundredth of a point."""


class WeightsError(TengenError):
    """Weights that cannot be read."""


def hand_set_weights(stones: int = 1) -> np.ndarray[Any, Any]:
    """Initial weights: int64[2 * FEATURES], for the side to move, then for the other side."""
    shapes = [2, 7, 12, 30, 25, 300, 60, 150, 250, 70, 14, 60]
    others = [2, 6, 9, 22, 15, 90, 40, 60, 90, 50, 10, 40]
    if stones == 2:
        shapes = [1, 6, 18, 35, 60, 60, 40, 60, 60, 0, 0, 0]
        others = [1, 5, 14, 28, 30, 30, 30, 30, 30, 0, 0, 0]
    captured_stones = [0, 0, 70, 100, 170, 240, 300, 420, 520, 600]
    return np.array([*shapes, *captured_stones, *others, *captured_stones], np.int64) * UNITS_PER_HUNDREDTH


def write_weights(path: Path, weights: np.ndarray[Any, Any], provenance: dict[str, Any]) -> None:
    text = json.dumps({"made": provenance, "weights": [int(weight) for weight in weights]}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def read_weights(path: Path) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
    """Weights of a file, and their provenance."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        weights = np.array(data["weights"], np.int64)
        if weights.shape != (2 * FEATURES,):
            raise ValueError(f"{weights.size} weights, not {2 * FEATURES}")
        return weights, dict(data["made"])
    except OSError as error:
        raise WeightsError(f"no Pente weights: {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise WeightsError(f"{path} is not a file of Pente weights: {error}") from error


@functools.cache
def load_weights(captures: int, learned: bool, stones: int) -> np.ndarray[Any, Any]:
    """Bundled or hand-set weights for `stones` stones per turn, with capture weights scaled by `captures` per
    cent.
    """
    weights = read_weights(SHIPPED[stones])[0] if learned else hand_set_weights(stones)
    for start in (CAPTURED, FEATURES + CAPTURED):
        weights[start : start + 10] = weights[start : start + 10] * captures // 100
    weights.flags.writeable = False
    return weights
