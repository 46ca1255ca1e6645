"""Curves of move filters: how many moves they prune at each threshold, rightly and wrongly."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.engines.pente.classic.choice_statistics import CurvePoint, ValueSamples
from tengen.engines.pente.classic.svg_plots import draw_curves
from tengen.engines.pente.classic.tunables import BEST_AND_WORST, THRESHOLD

THRESHOLDS = 41
# Name, filter, first and last threshold, label of the axis, whether it is logarithmic.
_FILTERS = (
    ("threshold", THRESHOLD, (-6.0, 0.0), "FT = EXP_BASE ** (CV - BV)", True),
    ("best-and-worst", BEST_AND_WORST, (-2.0, 1.0), "share of the way from worst to best", False),
)
MAX_LOST_PERCENT = 5.0  # positions in which the filter may prune the best move


@dataclass(frozen=True)
class FilterCurve:
    """One filter: SVG plots by kind, and the threshold that prunes most while losing few best moves."""

    name: str
    pictures: dict[str, str]
    best: CurvePoint

    @property
    def summary(self) -> str:
        best = self.best
        return (
            f"filter by {self.name}: at {best.threshold:.2g}, {best.right:.1f} % of moves rightly pruned, "
            f"the best move in {best.wrong:.1f} % of positions"
        )


def filter_curves(found: ValueSamples, base: float) -> list[FilterCurve]:
    """Curves of both filters over the sampled values."""
    drawn = []
    for name, filter_method, (low, high), across, logarithmic in _FILTERS:
        exponents = [low + (high - low) * step / (THRESHOLDS - 1) for step in range(THRESHOLDS)]
        curve = found.curve(filter_method, base, [10**x if logarithmic else x for x in exponents])
        shares = [
            ("rightly pruned, % of moves", [(point.threshold, point.right) for point in curve]),
            ("best move pruned, % of positions", [(point.threshold, point.wrong) for point in curve]),
        ]
        deviation = [("deviation from the best", [(point.threshold, point.deviation) for point in curve])]
        pictures = {}
        for kind, curves, up in (("filtered", shares, "%"), ("deviation", deviation, "utility")):
            title = f"filter by {name.replace('-', ' ')}: {kind}"
            pictures[kind] = draw_curves(title, curves, across=across, up=up, logarithmic=logarithmic)
        acceptable = (point for point in curve if point.wrong <= MAX_LOST_PERCENT)
        drawn.append(FilterCurve(name, pictures, max(acceptable, key=lambda point: point.right, default=curve[0])))
    return drawn
