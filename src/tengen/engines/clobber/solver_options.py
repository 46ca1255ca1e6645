"""Options of the solver: each idea can be switched off; and its tuning parameters."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tengen.core.errors import OptionError
from tengen.engines.clobber.kernels import sums as slots

# Leaf limits of iterative deepening: 2 per cell at depth 1, 3 at depth 2, then three times as many at each depth.
FIRST_LEAVES, SECOND_LEAVES, LEAF_GROWTH, UNLIMITED_DEPTH = 2, 3, 3, 12


@dataclass(frozen=True)
class SolverOptions:
    """Search method and options.

    method: `proof`, proof-number search on exact values, or `deepening`, the original design, on subgames
    """

    method: str = "proof"
    # both methods
    bounds: bool = True  # decide sums by bounds among multiples of up, and of up plus star
    cancel: bool = True  # remove pairs of a subgame and its negative
    # `proof` only
    values: bool = True  # replace short subgames by their exact values
    short: int = 20  # strips of up to this many cells are short
    short_board: int = 11  # the same for boards with this many stones, whose values are more complex
    merge: int = 100  # add two forms if the product of their complexities is at most this
    bound_parts: int = 120  # compute bounds of strips of up to this many cells, by induction
    bound_after: int = 4000  # but only after this many nodes: easy boards do not need them
    sharpen: int = 70  # refine bounds of pieces of periodic strips up to this percentage of their length
    heat: bool = True  # decide sums of values by their means and temperatures
    alike: bool = True  # decide a subgame plus a value by results of the subgame plus other values
    parts: bool = True  # find the outcomes of the parts of a sum before the sum is searched
    pairs: bool = True  # compare sums of two values instead of searching them
    size_weight: int = 100  # weight of a sum's size in its initial proof numbers, in hundredths
    overlap: int = 4  # of several proof numbers only the largest counts fully, the rest is divided by this
    bound_weight: int = 80  # weight of its bounds
    # `deepening` only
    width: int = 10  # maximum width of sums in the database
    links: bool = True  # replace subgames by the simplest equal sums
    windows: int = 2  # also groups of up to this many subgames; 1 for single ones only
    shallow_metric: bool = False  # complexity counts moves only, not the resulting sums
    lookup: bool = True  # look up sums within the width of the database
    dominance: bool = True  # skip dominated moves
    static: bool = True  # decide sums in which all subgames, or all but one, are won
    simpler: bool = True  # of equal moves, keep the one that leads to the simplest sum
    positive: bool = True  # try to win without a subgame that is >= 0
    next_parts: bool = False  # try to win a next-player subgame, and the rest moving second
    deepening: bool = True  # iterative deepening with leaf limits
    best_first: bool = True  # search the best move of the previous depth first
    negative_first: bool = True  # then moves in subgames that are bad for the mover
    # Another order: the middle of long subgames, the best move, the simplest move by outcome class.
    ranked: bool = False
    quirk: bool = True  # check the leaf limit only where a sum would be expanded
    seed: int = 0  # random seed of the order of equally ranked moves

    def __post_init__(self) -> None:
        if self.method not in ("proof", "deepening"):
            raise OptionError(f"method should be proof or deepening, not {self.method!r}")
        for name, low, high in (
            ("short", 0, 60),
            ("short_board", 0, 30),
            ("overlap", 1, 1000),
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
        """The options as an array for kernels."""
        control = np.zeros(slots.CONTROL_SIZE, np.int64)
        control[slots.NODE_LIMIT] = control[slots.LEAF_LIMIT] = 1 << 62
        control[slots.SHORT] = self.short if self.values else 0
        control[slots.SHORT_BOARD] = self.short_board if self.values else 0
        control[slots.MERGE] = self.merge if self.values else 0
        control[slots.BOUND_PARTS] = self.bound_parts
        control[slots.PAIRS] = self.pairs
        control[slots.BOUNDS] = self.bounds
        control[slots.HEAT] = self.heat
        control[slots.CANCEL] = self.cancel
        control[slots.ALIKE] = self.alike
        control[slots.PARTS] = self.parts
        control[slots.OVERLAP] = self.overlap
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
        """Parse texts such as `links=off` and `width=8`."""
        kinds = {field.name: type(field.default) for field in fields(cls)}
        given: dict[str, Any] = {}
        for setting in settings:
            name, separator, text = setting.partition("=")
            name = name.strip().replace("-", "_")
            if not separator or name not in kinds:
                raise OptionError(
                    f"{setting!r} is not a setting; write NAME=VALUE with one of: {', '.join(kinds)}"
                )
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
