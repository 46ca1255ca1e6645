"""The feature weights of the move policy: the shipped file, and reading and writing others.

A file has three lines: the format's name, the provenance as JSON, and the weights in thousandths.
"""

from __future__ import annotations

import functools
import json
import os
import secrets
from pathlib import Path
from typing import Any

import numpy as np

from tengen.core.errors import TengenError
from tengen.engines.go.board import Array, Geometry
from tengen.engines.go.mcts.kernels.features import MAX_FEATURES, PATTERNS_AT, Policy
from tengen.engines.go.patterns import pattern_classes

SHIPPED = Path(__file__).with_name("go.looks")
_FORMAT = "tengen go looks 1"


class FeatureWeightsError(TengenError):
    """A file of feature weights cannot be read."""


def count_features() -> int:
    return PATTERNS_AT + int(pattern_classes().max()) + 1


def write_feature_weights(path: Path, weights: Array, provenance: dict[str, Any]) -> None:
    """Write the file atomically."""
    thousandths = [int(number) for number in np.rint(1000 * weights)]
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        temporary.write_text(f"{_FORMAT}\n{json.dumps(provenance)}\n{json.dumps(thousandths)}\n")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read_feature_weights(path: Path) -> tuple[Array, dict[str, Any]]:
    """(weights as float32, provenance)."""
    try:
        head, provenance, numbers = path.read_text().split("\n", 2)
        weights = np.array(json.loads(numbers), np.float32) / np.float32(1000)
        made = dict(json.loads(provenance))
    except OSError as error:
        raise FeatureWeightsError(f"{path}: {error.strerror}; `tengen train go --features` creates one") from error
    except (ValueError, TypeError) as error:
        raise FeatureWeightsError(f"{path} is not a file of Go feature weights") from error
    if head != _FORMAT or weights.shape != (count_features(),):
        raise FeatureWeightsError(f"{path} is not a file of Go feature weights, or is of another version")
    return weights, made


@functools.cache
def load_feature_weights(path: Path | None = None) -> Array:
    """The weights of a file, by default the shipped one, as a read-only array."""
    weights = read_feature_weights(path or SHIPPED)[0]
    weights.flags.writeable = False
    return weights


def policy_data(geometry: Geometry, feature_weights: Array) -> Policy:
    """The data of the move policy."""
    points = geometry.points
    return Policy(
        pattern_class=pattern_classes(),
        feature_weights=feature_weights,
        last_distance=np.zeros(points, np.int64),
        own_distance=np.zeros(points, np.int64),
        enemy_distance=np.zeros(points, np.int64),
        queue=np.zeros(points, np.int64),
        marks=np.zeros(points, np.int64),
        features=np.zeros(MAX_FEATURES, np.int64),
        shapes=np.zeros(16, np.int64),
        probabilities=np.zeros(points),
    )
