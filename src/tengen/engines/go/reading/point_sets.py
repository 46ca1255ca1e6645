"""Sets of points as the bits of one number: the bit with a point's number is 1 if the point is in the set.

Python joins, cuts and shifts such numbers at once, whatever they hold. So it costs little to say where a group may
go, or on which points a reading depends, for which sets of single points would be walked over again and again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from tengen.engines.go.board import Array

Points: TypeAlias = int


def points_of(numbers: Iterable[int]) -> Points:
    """The set of some points."""
    points = 0
    for number in numbers:
        points |= 1 << number
    return points


def points_where(told: Array) -> Points:
    """The set of points for which an array tells 1 or True."""
    return int.from_bytes(np.packbits(told, bitorder="little").tobytes(), "little")


def as_array(points: Points, length: int) -> Array:
    """uint8[length]: 1 for each point of a set, 0 for others."""
    packed = np.frombuffer(points.to_bytes(length // 8 + 1, "little"), np.uint8)
    return np.unpackbits(packed, count=length, bitorder="little")


def first_of(points: Points) -> int:
    """The point of a set, which is not empty, with the least number."""
    return (points & -points).bit_length() - 1


def numbers_of(points: Points) -> list[int]:
    """The points of a set, the least first."""
    found = []
    while points:
        least = points & -points
        found.append(least.bit_length() - 1)
        points ^= least
    return found


def beside(points: Points, stride: int) -> Points:
    """The points beside those of a set, margins included."""
    return points << 1 | points >> 1 | points << stride | points >> stride


def beside_so_many(points: Points, stride: int) -> tuple[Points, Points, Points, Points]:
    """The points beside one or more of a set, beside two or more, three or more, four."""
    east, west, south, north = points << 1, points >> 1, points << stride, points >> stride
    one, both = east | west, east & west
    other, both_others = south | north, south & north
    return (
        one | other,
        both | both_others | one & other,
        both & other | one & both_others,
        both & both_others,
    )
