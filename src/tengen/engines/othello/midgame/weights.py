"""Evaluation weights: the file format, and the array the kernels use.

A file has one line with the format's name, one line of JSON with the provenance, and then, LZMA-compressed, the
folded weights for each number of empty squares from MIN_EMPTIES to MAX_EMPTIES. They are stored in steps of
STEP_CENTIDISCS, each set as its difference from the previous one, low bytes separate from high bytes: neighbouring
sets are similar, so this compresses best. With 46 weights per value, the rounding adds an error of about 0.08
discs.
"""

from __future__ import annotations

import functools
import json
import lzma
import os
import secrets
from pathlib import Path
from typing import Any

import numpy as np

from tengen.core.errors import TengenError
from tengen.engines.othello.midgame.patterns import FOLDED_INDEX, FOLDED_WEIGHTS, WEIGHTS_PER_SET

MIN_EMPTIES, MAX_EMPTIES = 8, 54
"""Numbers of empty squares with their own weights; beyond, the nearest set is used."""
WEIGHT_SETS = MAX_EMPTIES - MIN_EMPTIES + 1
STEP_CENTIDISCS = 4
SHIPPED = Path(__file__).with_name("othello.weights")

_MAGIC = b"tengen othello weights 1\n"
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}]


class WeightsError(TengenError):
    """Weights that cannot be read."""


def write_weights(path: Path, folded: np.ndarray, provenance: dict[str, Any]) -> None:
    """Write [WEIGHT_SETS, FOLDED_WEIGHTS] weights in centi-discs, with their provenance."""
    steps = np.rint(np.asarray(folded, np.float64) / STEP_CENTIDISCS).astype("<i2")
    if steps.shape != (WEIGHT_SETS, FOLDED_WEIGHTS):
        raise ValueError(f"weights of shape {steps.shape}, not {(WEIGHT_SETS, FOLDED_WEIGHTS)}")
    differences = np.diff(steps, axis=0, prepend=np.zeros((1, FOLDED_WEIGHTS), "<i2")).astype("<i2")
    planes = np.ascontiguousarray(differences.view(np.uint8).reshape(-1, 2).T)
    packed = lzma.compress(planes.tobytes(), lzma.FORMAT_XZ, filters=_FILTERS)
    # Write a temporary file and rename it, so that no reader sees a partial file.
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        temporary.write_bytes(_MAGIC + json.dumps(provenance).encode() + b"\n" + packed)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read_weights(path: Path) -> tuple[np.ndarray, dict[str, Any]]:
    """Folded weights, int16[WEIGHT_SETS, FOLDED_WEIGHTS] in centi-discs, and their provenance."""
    made, packed = _read(path)
    try:
        planes = np.frombuffer(lzma.decompress(packed), np.uint8).reshape(2, WEIGHT_SETS * FOLDED_WEIGHTS)
    except (lzma.LZMAError, ValueError) as error:
        raise WeightsError(f"{path} is damaged: {error}") from error
    differences = np.ascontiguousarray(planes.T).view("<i2").reshape(WEIGHT_SETS, FOLDED_WEIGHTS)
    return np.cumsum(differences, axis=0, dtype=np.int16) * np.int16(STEP_CENTIDISCS), made


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    """Provenance and compressed weights of a file."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WeightsError(
            f"no Othello weights: {path}: {error.strerror}; create them with `tengen train othello`"
        ) from error
    head, line, packed = (*content.split(b"\n", 2), b"", b"")[:3]
    if head + b"\n" != _MAGIC:
        raise WeightsError(f"{path} is not a file of Othello weights")
    try:
        return json.loads(line), packed
    except ValueError as error:
        raise WeightsError(f"{path} is damaged: {error}") from error


def unfold(folded: np.ndarray) -> np.ndarray:
    """Weights as kernels use them: int16[65, WEIGHTS_PER_SET] by number of empty squares, read-only."""
    rounded = folded if folded.dtype == np.int16 else np.rint(folded).astype(np.int16)
    weights = np.empty((65, WEIGHTS_PER_SET), np.int16)
    for empties, row in enumerate(weights):
        # "clip" changes nothing here but saves NumPy a copy.
        np.take(
            rounded[min(max(empties, MIN_EMPTIES), MAX_EMPTIES) - MIN_EMPTIES], FOLDED_INDEX, out=row, mode="clip"
        )
    weights.flags.writeable = False
    return weights


@functools.cache
def load_weights(path: Path = SHIPPED) -> np.ndarray:
    """Weights of a file as kernels use them: int16[65, WEIGHTS_PER_SET], read-only."""
    return unfold(read_weights(path)[0])


@functools.cache
def provenance(path: Path = SHIPPED) -> dict[str, Any]:
    """How the weights were made and how accurate they are, without decompressing them."""
    return _read(path)[0]
