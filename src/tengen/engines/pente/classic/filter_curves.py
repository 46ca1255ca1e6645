"""What filters of moves would do at each threshold, drawn: how many moves they leave out, rightly and wrongly."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.engines.pente.classic.choice_statistics import Choices, CurvePoint
from tengen.engines.pente.classic.svg_plots import draw_curves
from tengen.engines.pente.classic.tunables import BEST_AND_WORST, THRESHOLD

POINTS = 41
# Name, way, its first and last threshold, what the axis is called, whether it is logarithmic.
_WAYS = (
    ("threshold", THRESHOLD, (-6.0, 0.0), "FT = EXP_BASE ** (CV - BV)", True),
    ("best-and-worst", BEST_AND_WORST, (-2.0, 1.0), "share of the way from worst to best", False),
)
MOST_LOST = 5.0  # per cent of positions whose best move a filter may cost


@dataclass(frozen=True)
class FilterCurve:
    """One way to filter: SVG by what it shows, and the threshold that leaves out most for few best moves lost."""

    name: str
    pictures: dict[str, str]
    best: CurvePoint

    @property
    def summary(self) -> str:
        best = self.best
        return (
            f"filter by {self.name}: at {best.threshold:.2g}, {best.right:.1f} % of moves rightly left out, "
            f"the best in {best.wrong:.1f} % of positions"
        )


def filter_curves(found: Choices, base: float) -> list[FilterCurve]:
    """The curves of both filters, over the choices that were found."""
    drawn = []
    for name, way, (low, high), across, logarithmic in _WAYS:
        places = [low + (high - low) * step / (POINTS - 1) for step in range(POINTS)]
        curve = found.curve(way, base, [10**place if logarithmic else place for place in places])
        shares = [
            ("rightly left out, % of moves", [(point.threshold, point.right) for point in curve]),
            ("best left out, % of positions", [(point.threshold, point.wrong) for point in curve]),
        ]
        deviation = [("deviation from the best", [(point.threshold, point.deviation) for point in curve])]
        pictures = {}
        for kind, curves, up in (("filtered", shares, "%"), ("deviation", deviation, "utility")):
            title = f"filter by {name.replace('-', ' ')}: {kind}"
            pictures[kind] = draw_curves(title, curves, across=across, up=up, logarithmic=logarithmic)
        kept = (point for point in curve if point.wrong <= MOST_LOST)
        drawn.append(FilterCurve(name, pictures, max(kept, key=lambda point: point.right, default=curve[0])))
    return drawn
