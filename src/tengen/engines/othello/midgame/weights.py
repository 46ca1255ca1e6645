"""The weights of the evaluation as a file, and in the form that kernels take.

The file is one line that names its format, one line of JSON that tells how the weights were made, and then, packed
by LZMA, the folded weights of each number of empty squares from FEWEST to MOST. They are kept in steps of `STEP`
centi-discs, each set as its difference from the one before, low bytes apart from high ones: neighbours are alike,
so that this packs best. With 46 weights to a value, the rounding adds an error of about 0.08 discs.
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
from tengen.engines.othello.midgame.patterns import FOLDED, FOLDED_PLACE, WEIGHTS

FEWEST, MOST = 8, 54
"""The numbers of empty squares that have weights of their own; beyond, those of the nearest serve."""
SETS = MOST - FEWEST + 1
STEP = 4
SHIPPED = Path(__file__).with_name("othello.weights")

_MAGIC = b"tengen othello weights 1\n"
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0}]


class WeightsError(TengenError):
    """Weights that cannot be read."""


def write_weights(path: Path, folded: np.ndarray, provenance: dict[str, Any]) -> None:
    """Write float or integer centi-discs, [SETS, FOLDED], with what is to be known about them."""
    steps = np.rint(np.asarray(folded, np.float64) / STEP).astype("<i2")
    if steps.shape != (SETS, FOLDED):
        raise ValueError(f"weights of shape {steps.shape}, not {(SETS, FOLDED)}")
    differences = np.diff(steps, axis=0, prepend=np.zeros((1, FOLDED), "<i2")).astype("<i2")
    planes = np.ascontiguousarray(differences.view(np.uint8).reshape(-1, 2).T)
    packed = lzma.compress(planes.tobytes(), lzma.FORMAT_XZ, filters=_FILTERS)
    # Written whole and renamed, so that no reader sees half of it.
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        temporary.write_bytes(_MAGIC + json.dumps(provenance).encode() + b"\n" + packed)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read_weights(path: Path) -> tuple[np.ndarray, dict[str, Any]]:
    """The folded weights, int16[SETS, FOLDED] in centi-discs, and how they were made."""
    made, packed = _read(path)
    try:
        planes = np.frombuffer(lzma.decompress(packed), np.uint8).reshape(2, SETS * FOLDED)
    except (lzma.LZMAError, ValueError) as error:
        raise WeightsError(f"{path} is damaged: {error}") from error
    differences = np.ascontiguousarray(planes.T).view("<i2").reshape(SETS, FOLDED)
    return np.cumsum(differences, axis=0, dtype=np.int16) * np.int16(STEP), made


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    """How the weights of a file were made, and the weights as they are packed."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WeightsError(
            f"no Othello weights: {path}: {error.strerror}; `tengen train othello` makes some"
        ) from error
    head, line, packed = (*content.split(b"\n", 2), b"", b"")[:3]
    if head + b"\n" != _MAGIC:
        raise WeightsError(f"{path} is not a file of Othello weights")
    try:
        return json.loads(line), packed
    except ValueError as error:
        raise WeightsError(f"{path} is damaged: {error}") from error


def unfold(folded: np.ndarray) -> np.ndarray:
    """Weights as kernels take them: int16[65, WEIGHTS] by the number of empty squares, read-only."""
    rounded = folded if folded.dtype == np.int16 else np.rint(folded).astype(np.int16)
    weights = np.empty((65, WEIGHTS), np.int16)
    for empties, row in enumerate(weights):
        # Clipping changes nothing here; it spares NumPy a copy.
        np.take(rounded[min(max(empties, FEWEST), MOST) - FEWEST], FOLDED_PLACE, out=row, mode="clip")
    weights.flags.writeable = False
    return weights


@functools.cache
def load_weights(path: Path = SHIPPED) -> np.ndarray:
    """The weights that ship, or those of another file, as kernels take them: int16[65, WEIGHTS], read-only."""
    return unfold(read_weights(path)[0])


@functools.cache
def provenance(path: Path = SHIPPED) -> dict[str, Any]:
    """How the weights were made and how well they did; the weights themselves stay packed, which saves most."""
    return _read(path)[0]
