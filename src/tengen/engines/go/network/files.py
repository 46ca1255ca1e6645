"""Network files of Go."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from tengen.engines.go.network.kernels.inputs import FEATURES, INPUTS
from tengen.search.network.weights import NetworkShape, Weights, read_network

INPUT_NAME = "go 1"  # changes with the input features
SHAPE = NetworkShape(FEATURES, INPUTS)
SHIPPED = Path(__file__).with_name("go.network")


def untrained(shape: NetworkShape) -> Weights:
    """A network whose weights are all 0."""
    arrays = {name: np.zeros(sizes, np.float32) for name, sizes in shape.array_shapes().items()}
    return Weights(shape, arrays, INPUT_NAME)


def read_go_network(path: Path) -> Weights:
    return read_network(path, INPUT_NAME)


@functools.cache
def shipped_network() -> Weights | None:
    """The network that comes with the package, if there is one."""
    return read_go_network(SHIPPED) if SHIPPED.exists() else None
