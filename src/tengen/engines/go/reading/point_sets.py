"""Point sets as Python integers: bit `p` is set if point `p` is in the set.

Union, intersection and shifts take constant time in practice, which makes floods and dependency sets cheap.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from tengen.engines.go.board import Array

PointSet: TypeAlias = int


def point_set(numbers: Iterable[int]) -> PointSet:
    """The set of the given points."""
    points = 0
    for number in numbers:
        points |= 1 << number
    return points


def points_where(array: Array) -> PointSet:
    """The set of indices at which an array is 1 or True."""
    return int.from_bytes(np.packbits(array, bitorder="little").tobytes(), "little")


def as_array(points: PointSet, length: int) -> Array:
    """uint8[length]: 1 for each point of the set, else 0."""
    packed = np.frombuffer(points.to_bytes(length // 8 + 1, "little"), np.uint8)
    return np.unpackbits(packed, count=length, bitorder="little")


def first_point(points: PointSet) -> int:
    """The smallest point of a non-empty set."""
    return (points & -points).bit_length() - 1


def list_points(points: PointSet) -> list[int]:
    """The points of a set in ascending order."""
    found = []
    while points:
        least = points & -points
        found.append(least.bit_length() - 1)
        points ^= least
    return found


def adjacent(points: PointSet, stride: int) -> PointSet:
    """The points adjacent to a point of the set, margins included."""
    return points << 1 | points >> 1 | points << stride | points >> stride


def neighbour_counts(points: PointSet, stride: int) -> tuple[PointSet, PointSet, PointSet, PointSet]:
    """The points adjacent to at least one, two, three and four points of the set."""
    east, west, south, north = points << 1, points >> 1, points << stride, points >> stride
    one, both = east | west, east & west
    other, both_others = south | north, south & north
    return (one | other, both | both_others | one & other, both & other | one & both_others, both & both_others)
