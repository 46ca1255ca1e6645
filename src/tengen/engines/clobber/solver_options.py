"""The ideas of the solver, each of which can be turned off, and the numbers that it is tuned by."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tengen.core.errors import OptionError
from tengen.engines.clobber.kernels import sums as slots

# Depth 1 of the deepening allows 2 leaves for each cell, depth 2 allows 3, then three times as many each time.
FIRST_LEAVES, SECOND_LEAVES, LEAF_GROWTH, UNLIMITED_DEPTH = 2, 3, 3, 12


@dataclass(frozen=True)
class SolverOptions:
    """How to search.

    method: `proof`, by proof numbers over exact values, or `deepening`, the original design, over parts
    """

    method: str = "proof"
    # of both
    bounds: bool = True  # bounds on two scales decide sums
    cancel: bool = True  # a part and its negative vanish
    # of `proof`
    values: bool = True  # short parts are replaced by their exact values
    short: int = 20  # parts of up to so many cells are short
    short_board: int = 9  # the same for rectangles, whose values grow much faster
    merge: int = 100  # forms are added up if the product of their metrics is at most this
    bound_parts: int = 120  # strips of up to so many cells have bounds, by induction
    bound_after: int = 4000  # but only after so many nodes: until then it is not worth the work
    sharpen: int = 70  # of a strip with a period, pieces up to so many hundredths of it get exact bounds first
    pairs: bool = True  # two values are compared, not searched
    size_weight: int = 100  # how much the size of a sum counts in its first proof numbers, in hundredths
    bound_weight: int = 80  # how much its bounds do
    # of `deepening`
    width: int = 10  # the database holds the sums of this width
    links: bool = True  # parts are replaced by the simplest equal sums
    windows: int = 2  # and so are up to so many parts together; with 1, only single ones
    shallow_metric: bool = False  # the metric counts moves only, not what they lead to
    lookup: bool = True  # sums within the database's width are looked up
    dominance: bool = True  # dominated moves are left out
    static: bool = True  # all parts won, or all but one: no search
    simpler: bool = True  # of two equal moves the one that leads to the simpler sum is kept
    positive: bool = True  # a part that is good for the mover may be left out
    next_parts: bool = False  # a part that the next player wins is left out, if the rest is won as second player
    deepening: bool = True  # depth by depth, with limits of leaves
    best_first: bool = True  # the best move of the depth before comes first
    negative_first: bool = True  # moves in parts that are bad for the mover come next
    ranked: bool = (
        False  # another order: the middle of long parts, the best move, the simplest by who wins the part
    )
    quirk: bool = True  # the limit of leaves is heeded only where a sum would be expanded
    seed: int = 0  # of the order within equal ranks

    def __post_init__(self) -> None:
        if self.method not in ("proof", "deepening"):
            raise OptionError(f"a sum is solved by proof or by deepening, not by {self.method!r}")
        for name, low, high in (
            ("short", 0, 60),
            ("short_board", 0, 20),
            ("width", 0, 16),
            ("windows", 1, 6),
            ("bound_parts", 0, 1000),
            ("bound_after", 0, 10**12),
            ("sharpen", 0, 100),
            ("merge", 0, 10**12),
        ):
            if not low <= getattr(self, name) <= high:
                raise OptionError(f"{name} should be from {low} to {high}, not {getattr(self, name)}")

    def control(self) -> np.ndarray[Any, Any]:
        """As kernels read them."""
        control = np.zeros(slots.CONTROL_SIZE, np.int64)
        control[slots.NODE_LIMIT] = control[slots.LEAF_LIMIT] = 1 << 62
        control[slots.SHORT] = self.short if self.values else 0
        control[slots.SHORT_BOARD] = self.short_board if self.values else 0
        control[slots.MERGE] = self.merge if self.values else 0
        control[slots.BOUND_PARTS] = self.bound_parts
        control[slots.PAIRS] = self.pairs
        control[slots.BOUNDS] = self.bounds
        control[slots.CANCEL] = self.cancel
        control[slots.SIZE_WEIGHT] = self.size_weight
        control[slots.BOUND_WEIGHT] = self.bound_weight
        control[slots.WIDTH] = self.width
        control[slots.LINKS] = self.links
        control[slots.WINDOWS] = self.windows
        control[slots.SHALLOW] = self.shallow_metric
        control[slots.LOOKUP] = self.lookup
        control[slots.DOMINANCE] = self.dominance
        control[slots.STATIC] = self.static
        control[slots.POSITIVE] = self.positive
        control[slots.NEXT_PARTS] = self.next_parts
        control[slots.SIMPLER] = self.simpler
        control[slots.RANKED] = self.ranked
        control[slots.BEST_FIRST] = self.best_first
        control[slots.NEGATIVE_FIRST] = self.negative_first
        control[slots.QUIRK] = self.quirk
        control[slots.SEED] = self.seed
        return control

    @classmethod
    def read(cls, settings: list[str]) -> SolverOptions:
        """From texts such as `links=off` and `width=8`."""
        kinds = {field.name: type(field.default) for field in fields(cls)}
        given: dict[str, Any] = {}
        for setting in settings:
            name, separator, text = setting.partition("=")
            name = name.strip().replace("-", "_")
            if not separator or name not in kinds:
                raise OptionError(f"{setting!r} is no setting; write NAME=VALUE with one of: {', '.join(kinds)}")
            given[name] = _read(name, text.strip().lower(), kinds[name])
        return cls(**given)


def _read(name: str, text: str, kind: type) -> Any:
    if kind is bool:
        if text not in ("on", "off", "yes", "no", "true", "false"):
            raise OptionError(f"{name} should be on or off, not {text!r}")
        return text in ("on", "yes", "true")
    if kind is int:
        if not text.isdigit() or len(text) > 12:
            raise OptionError(f"{name} should be a whole number, not {text!r}")
        return int(text)
    return text
