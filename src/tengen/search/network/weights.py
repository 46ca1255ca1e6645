"""The arrays of a network, and its file.

A file has one line with the format's name, one line of JSON with sizes, input features and provenance, and then,
LZMA-compressed, all weights as float16 in the order of `array_shapes`.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import math
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tengen.core.errors import TengenError
from tengen.search.kernels.network import AROUND

Array = np.ndarray[Any, Any]

_MAGIC = b"tengen network 1"
_MAX_SIZE = 4096  # of anything; a damaged file must not make us allocate more


class NetworkFileError(TengenError):
    """A network file that cannot be read or written, or does not fit the game."""


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """Sizes of a network: features per point, global inputs, and the layers."""

    features: int
    inputs: int
    channels: int = 32
    blocks: int = 3
    hidden: int = 16  # of the policy head
    value_hidden: int = 32

    def array_shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each array of weights.

        Convolutions are [AROUND * in, out], where the neighbourhood is ordered row by row. The last column of the
        heads is the owner's. The last pass weight is a bias.
        """
        channels, hidden, values = self.channels, self.hidden, self.value_hidden
        return {
            "input_weights": (AROUND * self.features, channels),
            "input_bias": (channels,),
            "input_globals": (self.inputs, channels),
            "block_weights": (2 * self.blocks, AROUND * channels, channels),
            "block_biases": (2 * self.blocks, channels),
            "block_pooling": (self.blocks, 2 * channels, channels),
            "head_weights": (channels, hidden + 1),
            "head_bias": (hidden + 1,),
            "head_pooling": (3 * channels, hidden),
            "policy_weights": (hidden,),
            "pass_weights": (3 * channels + 1,),
            "value_weights": (3 * channels, values),
            "value_bias": (values,),
            "result_weights": (values, 2),
            "result_bias": (2,),
            "result_inputs": (self.inputs, 2),
            "result_owners": (2,),
        }


@dataclass(frozen=True)
class Weights:
    """A network: its shape, its arrays (float32, by name), the name of its input features, and its provenance."""

    shape: NetworkShape
    arrays: Mapping[str, Array]
    inputs: str
    provenance: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, shape in self.shape.array_shapes().items():
            if self.arrays[name].shape != shape:
                raise ValueError(f"{name} has the shape {self.arrays[name].shape}, not {shape}")

    @property
    def digest(self) -> str:
        """Identifies the weights."""
        content = b"".join(self.arrays[name].tobytes() for name in sorted(self.arrays))
        return hashlib.sha256(content).hexdigest()[:16]

    @property
    def parameters(self) -> int:
        return sum(array.size for array in self.arrays.values())


def write_network(path: Path, weights: Weights) -> None:
    """Write the file atomically. The weights are rounded to float16."""
    header = {"inputs": weights.inputs, "shape": asdict(weights.shape), "provenance": weights.provenance}
    arrays = [weights.arrays[name].astype("<f2").reshape(-1) for name in weights.shape.array_shapes()]
    # Exponents resemble each other: all low bytes, then all high bytes.
    planes = np.ascontiguousarray(np.concatenate(arrays).view(np.uint8).reshape(-1, 2).T)
    content = b"\n".join([_MAGIC, json.dumps(header).encode(), lzma.compress(planes.tobytes())])
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError as error:
        raise NetworkFileError(f"cannot write {path}: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)


def read_network(path: Path, inputs: str) -> Weights:
    """The network of a file, which must have been trained for these input features."""
    try:
        magic, line, packed = (*path.read_bytes().split(b"\n", 2), b"", b"")[:3]
    except OSError as error:
        raise NetworkFileError(f"{path}: {error.strerror}") from error
    if magic != _MAGIC:
        raise NetworkFileError(f"{path} is not a network file, or is of another version")
    try:
        header = json.loads(line)
        shape = NetworkShape(**header["shape"])
        if not all(isinstance(size, int) and 0 <= size <= _MAX_SIZE for size in asdict(shape).values()):
            raise ValueError("unreasonable sizes")
        if shape.channels == 0:
            raise ValueError("a network without channels")
        sizes = {name: math.prod(dimensions) for name, dimensions in shape.array_shapes().items()}
        planes = np.frombuffer(lzma.decompress(packed), np.uint8).reshape(2, sum(sizes.values()))
        provenance, trained_for = dict(header["provenance"]), header["inputs"]
    except (ValueError, TypeError, KeyError, lzma.LZMAError) as error:
        raise NetworkFileError(f"{path} is damaged: {error}") from error
    if trained_for != inputs:
        raise NetworkFileError(f"{path} is a network for the inputs {trained_for!r}, not {inputs!r}")
    numbers = np.ascontiguousarray(planes.T).view("<f2").reshape(-1).astype(np.float32)
    ends = np.cumsum(list(sizes.values()))
    parts = np.split(numbers, ends[:-1])
    arrays = {
        name: np.ascontiguousarray(part.reshape(dimensions))
        for part, (name, dimensions) in zip(parts, shape.array_shapes().items(), strict=True)
    }
    for array in arrays.values():
        array.flags.writeable = False
    return Weights(shape, arrays, trained_for, provenance)
