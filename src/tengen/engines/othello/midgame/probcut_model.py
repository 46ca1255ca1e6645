"""How well a shallow search foretells a deep one: the margin of Multi-ProbCut, as a formula of five numbers.

The standard deviation of deep minus shallow value, in centi-discs, is

    exp(a + b * empties + c * empties^2 + d * log(1 + shallow) + e * log(deep - shallow))

The numbers are fitted to our own evaluation at the end of its training (`training.cuts`) and stand in the file of
its weights. Where `deep` reaches the end of the game, it says a quarter too much:
docs/measurements/othello.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from tengen.engines.othello.midgame.weights import SHIPPED, WeightsError, provenance


def terms(empties: int, shallow: int, deep: int) -> list[float]:
    """What the five numbers are multiplied by."""
    return [1.0, empties, empties**2, math.log(1 + shallow), math.log(deep - shallow)]


def deviation(numbers: Sequence[float], empties: int, shallow: int, deep: int) -> float:
    """The standard deviation of the value at depth `deep` minus that at `shallow`, in centi-discs."""
    return math.exp(
        sum(number * term for number, term in zip(numbers, terms(empties, shallow, deep), strict=True))
    )


def fitted(path: Path = SHIPPED) -> list[float]:
    """The five numbers for the weights of a file."""
    try:
        return [float(number) for number in provenance(path)["cuts"]["numbers"]]
    except (KeyError, TypeError, ValueError) as error:
        raise WeightsError(f"{path} does not say how well shallow searches foretell deep ones") from error
