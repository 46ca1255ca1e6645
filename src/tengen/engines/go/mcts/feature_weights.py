"""The weights of looks: the file that ships, and how another one is written.

One line names the format, one of JSON tells how the weights were made, and one has them, in thousandths.
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
from tengen.engines.go.mcts.kernels.features import SHAPES_AT
from tengen.engines.go.patterns import shape_classes

SHIPPED = Path(__file__).with_name("go.looks")
_FORMAT = "tengen go looks 1"

Array = np.ndarray[Any, Any]


class GammasError(TengenError):
    """Weights of looks that cannot be read."""


def count_looks() -> int:
    """How many looks there are."""
    return SHAPES_AT + int(shape_classes().max()) + 1


def write_gammas(path: Path, gammas: Array, provenance: dict[str, Any]) -> None:
    """Write whole or not at all."""
    thousandths = [int(number) for number in np.rint(1000 * gammas)]
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        temporary.write_text(f"{_FORMAT}\n{json.dumps(provenance)}\n{json.dumps(thousandths)}\n")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read_gammas(path: Path) -> tuple[Array, dict[str, Any]]:
    """The weights, float32, and how they were made."""
    try:
        head, provenance, numbers = path.read_text().split("\n", 2)
        gammas = np.array(json.loads(numbers), np.float32) / np.float32(1000)
        made = dict(json.loads(provenance))
    except OSError as error:
        raise GammasError(f"{path}: {error.strerror}; `tengen train go` makes one") from error
    except (ValueError, TypeError) as error:
        raise GammasError(f"{path} is not a file of Go's looks") from error
    if head != _FORMAT or gammas.shape != (count_looks(),):
        raise GammasError(f"{path} is not a file of Go's looks, or of another version")
    return gammas, made


@functools.cache
def load_gammas(path: Path | None = None) -> Array:
    """The weights that ship, or those of another file, read-only."""
    gammas = read_gammas(path or SHIPPED)[0]
    gammas.flags.writeable = False
    return gammas
