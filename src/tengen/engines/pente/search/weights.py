"""Evaluation weights of the strong player, and their provenance.

A file has, for each multiset of four shapes (see `patterns`), the values of an empty point and how promising a
move there is, each for the side to move and for the other; and the weights of the evaluation's counts and threat
masks, which earlier files do not have. Files of
version 0.2 have weights of line classes instead, from which all this follows: see `by_class`.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from tengen.core.errors import TengenError
from tengen.engines.pente.kernels.shape_tables import CODES, VALUE_BIAS
from tengen.engines.pente.patterns import (
    CLASS_OF_SHAPE,
    FOUR_THREE,
    LEVEL_OF,
    OPEN_FOUR,
    SHAPES,
    TWO,
    TWO_FOURS,
    TWO_THREES,
)
from tengen.engines.pente.search.kernels.evaluation import CAPTURED, COUNTS, THREAT_MASKS
from tengen.games.pente.game import Pente

Array = np.ndarray[Any, Any]
Parts = tuple[Array, Array, Array, Array, Array]
"""Values and move order by multiset, weights of counts, each for the side to move and for the other; the move
order of captures; and weights of threat masks.
"""
_FOLDER = Path(__file__).parent
SHIPPED = tuple(_FOLDER / name for name in ("weights.json", "weights-gomoku.json", "weights-connect6.json"))
"""Bundled files: for games with captures, without, and with two stones per turn."""
UNITS_PER_HUNDREDTH = 16
"""Weights are stored in sixteenths of a hundredth of a point."""
_CLASS_WEIGHTS, _DOUBLE_LEVELS = OPEN_FOUR - TWO + 1, (TWO_THREES, FOUR_THREE, TWO_FOURS)
_OWN_ORDER = (0, 4, 12, 40, 120, 300, 160, 900, 2000, 9000)
_OTHER_ORDER = (0, 3, 9, 30, 90, 220, 110, 600, 1400, 8000)
_CAPTURE_ORDER = (150, 110, 25, 10)
_ORDER_SCALE = 16
MAX_HALF_WORD = 0xFFFF


class WeightsError(TengenError):
    """Weights that cannot be read."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights as the kernels use them."""

    tables: Array  # uint32[2 * CODES], see `kernels.shape_tables`
    terms: Array  # int64[TERMS], see `evaluation`
    capture_order: Array  # how promising: a capture, preventing one, a threat to capture, preventing one


def _multisets() -> tuple[Array, Array]:
    """All multisets of four shapes, uint8[n, 4], and the number of the multiset of each code."""
    shapes = np.array(list(combinations_with_replacement(range(SHAPES), 4)), np.uint8)
    number_of = {tuple(row): number for number, row in enumerate(shapes.tolist())}
    codes = np.arange(CODES)
    nibbles = np.sort(np.stack([codes >> 4 * axis & 15 for axis in range(4)], axis=1), axis=1)
    return shapes, np.array([number_of[tuple(row)] for row in nibbles.tolist()], np.int64)


MULTISETS, MULTISET_OF = _multisets()


def weights_from_parts(parts: Parts, captured_percent: int = 100) -> Weights:
    """Weights with those of captured stones scaled by `captured_percent`."""
    values, order, counts, capture_order, threats = parts
    counts = counts.astype(np.int64)
    counts[:, CAPTURED:] = counts[:, CAPTURED:] * captured_percent // 100
    value = np.clip(values, -VALUE_BIAS, VALUE_BIAS - 1).astype(np.int64)[:, MULTISET_OF] + VALUE_BIAS
    moves = np.clip(order, 0, MAX_HALF_WORD).astype(np.int64)[:, MULTISET_OF]
    tables = np.concatenate([value[0] | value[1] << 16, moves[0] | moves[1] << 16]).astype(np.uint32)
    terms = np.concatenate([counts.reshape(-1), threats.astype(np.int64)])
    return Weights(tables, terms, capture_order.astype(np.int64))


def by_class(classes: Array, stones: int) -> Parts:
    """Values, move order and counts that follow from weights of line classes and double threats alone.

    `classes`: int[2, ...], weights of TWO to OPEN_FOUR, of the double threats, and of the counts.
    """
    class_of = np.array(CLASS_OF_SHAPE if stones == 1 else [*range(8), *[0] * 8])
    kinds = class_of[MULTISETS]
    level = LEVEL_OF[(kinds << 3 * np.arange(4)).sum(axis=1)]
    values = np.zeros((2, len(MULTISETS)), np.int64)
    for side in range(2):
        by_kind = np.zeros(8, np.int64)
        by_kind[TWO : TWO + _CLASS_WEIGHTS] = classes[side, :_CLASS_WEIGHTS]
        values[side] = by_kind[kinds].sum(axis=1)
        for index, of_level in enumerate(_DOUBLE_LEVELS):
            values[side] += (level == of_level) * classes[side, _CLASS_WEIGHTS + index]
    order = np.array([_OWN_ORDER, _OTHER_ORDER])[:, level] * _ORDER_SCALE
    captures = np.array(_CAPTURE_ORDER) * _ORDER_SCALE
    order = np.minimum(order, MAX_HALF_WORD)
    return values, order, classes[:, _CLASS_WEIGHTS + 3 :], captures, np.zeros(THREAT_MASKS, np.int64)


def hand_set_weights(stones: int = 1) -> Parts:
    """Values, move order and counts to begin with."""
    shapes = [2, 7, 12, 30, 25, 300, 60, 150, 250, 70, 14, 60]
    others = [2, 6, 9, 22, 15, 90, 40, 60, 90, 50, 10, 40]
    if stones == 2:
        shapes = [1, 6, 18, 35, 60, 60, 40, 60, 60, 0, 0, 0]
        others = [1, 5, 14, 28, 30, 30, 30, 30, 30, 0, 0, 0]
    captured_stones = [0, 0, 70, 100, 170, 240, 300, 420, 520, 600]
    both = np.array([[*shapes, *captured_stones], [*others, *captured_stones]], np.int64)
    return by_class(both * UNITS_PER_HUNDREDTH, stones)


def write_weights(path: Path, parts: Parts, provenance: dict[str, Any]) -> None:
    """Write weights."""
    values, order, counts, captures, threats = (np.rint(part).astype(int).tolist() for part in parts)
    made = json.dumps(provenance, indent=1)
    text = f'{{"made": {made},\n"values": {values},\n"order": {order},\n"counts": {counts},\n'
    path.write_text(f'{text}"captures": {captures},\n"threats": {threats}}}\n', encoding="utf-8")


def read_weights(path: Path) -> tuple[Parts, dict[str, Any]]:
    """Weights of a file, and their provenance."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if "weights" in data:  # weights of classes, as version 0.2 learned them
            parts = by_class(np.array(data["weights"], np.int64).reshape(2, -1), data.get("stones", 1))
        else:
            names = ("values", "order", "counts", "captures")
            values, order, counts, captures = (np.array(data[name], np.int64) for name in names)
            threats = np.array(data.get("threats", [0] * THREAT_MASKS), np.int64)
            parts = values, order, counts, captures, threats
        multisets = len(MULTISETS)
        for part, shape in zip(
            parts, ((2, multisets), (2, multisets), (2, COUNTS), (4,), (THREAT_MASKS,)), strict=True
        ):
            if part.shape != shape:
                raise ValueError(f"an array of shape {part.shape}, not {shape}")
        return parts, dict(data["made"])
    except OSError as error:
        raise WeightsError(f"no Pente weights: {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise WeightsError(f"{path} is not a file of Pente weights: {error}") from error


def shipped_for(game: Pente) -> Path:
    """The bundled file for a game."""
    if game.stones == 2:
        return SHIPPED[2]
    return SHIPPED[1] if game.captures == "none" else SHIPPED[0]


def load_weights(game: Pente, captures: int, learned: bool) -> Weights:
    """Bundled or hand-set weights for a game, with those of captured stones scaled by `captures` per cent."""
    return _load(shipped_for(game) if learned else game.stones, captures)


@functools.cache
def _load(source: Path | int, captures: int) -> Weights:
    parts = read_weights(source)[0] if isinstance(source, Path) else hand_set_weights(source)
    return weights_from_parts(parts, captures)
