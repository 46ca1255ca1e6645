"""Error model of Multi-ProbCut: how well a shallow search predicts a deep one.

The standard deviation of the deep minus the shallow value, in centi-discs, is

    exp(a + b * empties + c * empties^2 + d * log(1 + shallow) + e * log(deep - shallow))

The five coefficients are fitted to our evaluation at the end of its training (`training.probcut_fit`) and stored
in the weights file. Where `deep` reaches the end of the game, the result is a quarter too large:
docs/internals/othello-evaluation.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from tengen.engines.othello.midgame.weights import SHIPPED, WeightsError, provenance


def regressors(empties: int, shallow: int, deep: int) -> list[float]:
    """The terms that the five coefficients are multiplied by."""
    return [1.0, empties, empties**2, math.log(1 + shallow), math.log(deep - shallow)]


def standard_deviation(coefficients: Sequence[float], empties: int, shallow: int, deep: int) -> float:
    """Standard deviation of the value at depth `deep` minus the value at `shallow`, in centi-discs."""
    return math.exp(
        sum(number * term for number, term in zip(coefficients, regressors(empties, shallow, deep), strict=True))
    )


def load_coefficients(path: Path = SHIPPED) -> list[float]:
    """The five coefficients for the weights of a file."""
    try:
        return [float(number) for number in provenance(path)["cuts"]["numbers"]]
    except (KeyError, TypeError, ValueError) as error:
        raise WeightsError(f"{path} has no ProbCut error model; train the weights again") from error
