"""The simplest sums of strips of up to nine cells, one for each value that they have."""

from __future__ import annotations

import functools
from importlib import resources

from tengen.core.values import GameValue

WIDTH = 9  # as `kernels.simplest_sums` finds them; a test compares


@functools.cache
def simplest_known_sums() -> dict[str, str]:
    """The simplest sum of each value, such as `XO + XXO`, by the value's name; `0` for the empty sum."""
    text = resources.files(__package__).joinpath("simplest_sums.txt").read_text(encoding="utf-8")
    return dict(line.split("\t") for line in text.splitlines())


def simplest_known_sum(value: GameValue) -> str | None:
    """The simplest sum of strips of up to nine cells with this value; None if there is none."""
    return simplest_known_sums().get(str(value))
