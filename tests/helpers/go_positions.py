"""Positions of Go from diagrams, and random ones."""

from __future__ import annotations

import random

import tengen
from tengen.core.errors import TengenError
from tengen.core.position import Position


def position_of(rows: str, turn: str = "X") -> Position:
    """A position from rows of X, O and `.`; short rows are filled up."""
    lines = rows.split()
    return tengen.game("go", width=len(lines[0]), height=len(lines), board="/".join(lines) + " " + turn).start()


def random_position(rng: random.Random, width: int, height: int) -> Position:
    while True:
        filled = rng.uniform(0.3, 0.75)
        rows = "\n".join(
            "".join(rng.choice("XO") if rng.random() < filled else "." for _ in range(width))
            for _ in range(height)
        )
        try:
            return position_of(rows)
        except TengenError:
            continue  # a string without liberties
