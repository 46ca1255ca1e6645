"""Training positions for networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions on boards of one size, with what a network should predict.

    features: int8[n, points, features]; inputs: float32[n, inputs]; known_logits: float16[n, points + 1], what is
    known about moves, the pass last, without the network, which adds its logits; policy: float16[n, points + 1],
    the shares of moves, or zeros if only the value is known; wins: float32[n], the expected result of the side to
    move, 0 to 1; scores: float32[n], its points, NaN if scores and owners are not known; owners: int8[n, points],
    from -100 (the opponent's) to 100 (its own).
    """

    height: int
    width: int
    features: Array
    inputs: Array
    known_logits: Array
    policy: Array
    wins: Array
    scores: Array
    owners: Array

    def __len__(self) -> int:
        return len(self.wins)

    def subset(self, chosen: Array) -> Samples:
        """The samples with these indices."""
        arrays = {one.name: getattr(self, one.name)[chosen] for one in fields(self)[2:]}
        return Samples(self.height, self.width, **arrays)

    @property
    def symmetries(self) -> int:
        """The number of symmetries of the board: eight of a square, four of another rectangle."""
        return 8 if self.height == self.width else 4

    def turned(self, symmetry: int) -> Samples:
        """The same positions seen in one of the symmetries of the board; 0 changes nothing."""

        def turn_points(values: Array) -> Array:
            boards = turn(values.reshape(len(self), self.height, self.width, -1), symmetry)
            return np.ascontiguousarray(boards).reshape(values.shape)

        def turn_moves(values: Array) -> Array:
            return np.concatenate([turn_points(values[:, :-1]), values[:, -1:]], axis=1)

        return replace(
            self,
            features=turn_points(self.features),
            known_logits=turn_moves(self.known_logits),
            policy=turn_moves(self.policy),
            owners=turn_points(self.owners),
        )

    @classmethod
    def join(cls, parts: Sequence[Samples]) -> list[Samples]:
        """The samples of each board size together, in order of size."""
        sizes = sorted({(part.height, part.width) for part in parts})
        return [cls._concatenate([part for part in parts if (part.height, part.width) == size]) for size in sizes]

    @classmethod
    def _concatenate(cls, parts: Sequence[Samples]) -> Samples:
        arrays = {one.name: np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(cls)[2:]}
        return cls(parts[0].height, parts[0].width, **arrays)


def turn(boards: Array, symmetry: int) -> Array:
    """`boards` [n, height, width, …] in one of the eight symmetries; the first four keep a rectangle's shape."""
    if symmetry & 1:
        boards = boards[:, :, ::-1]
    if symmetry & 2:
        boards = boards[:, ::-1]
    return boards.swapaxes(1, 2) if symmetry & 4 else boards
