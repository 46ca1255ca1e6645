"""Line plots as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

_COLOURS = ("#1f4e9c", "#b3261e", "#2e7d32", "#8e6c00")
_WIDTH, _HEIGHT, _MARGIN = 480, 300, 48

Curve = tuple[str, Sequence[tuple[float, float]]]
"""A name, and points (x, y)."""


def draw_curves(title: str, curves: Sequence[Curve], *, across: str, up: str, logarithmic: bool = False) -> str:
    """Plot curves over one axis; `across` and `up` label the axes."""
    xs = [x for _, points in curves for x, _ in points]
    low, high = _scaled(min(xs), logarithmic), _scaled(max(xs), logarithmic)
    top = max(1e-9, max(y for _, points in curves for _, y in points))

    def place(x: float, y: float) -> str:
        share = (_scaled(x, logarithmic) - low) / max(1e-12, high - low)
        column = _MARGIN + share * (_WIDTH - 2 * _MARGIN)
        return f"{column:.1f},{_HEIGHT - _MARGIN - y / top * (_HEIGHT - 2 * _MARGIN):.1f}"

    parts = [
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        _text(_WIDTH / 2, 18, title, "middle"),
        _text(_WIDTH / 2, _HEIGHT - 10, across, "middle"),
        _text(6, 34, up, "start"),
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        level = place(xs[0], share * top).split(",")[1]
        parts.append(f'<line x1="{_MARGIN}" y1="{level}" x2="{_WIDTH - _MARGIN}" y2="{level}" stroke="#ddd"/>')
        parts.append(_text(_MARGIN - 6, float(level) + 4, f"{share * top:.3g}", "end"))
        x = low + share * (high - low)
        shown = math.exp(x) if logarithmic else x
        parts.append(_text(float(place(shown, 0).split(",")[0]), _HEIGHT - _MARGIN + 16, f"{shown:.2g}", "middle"))
    for number, (name, points) in enumerate(curves):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(place(x, y) for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(_text(_WIDTH - _MARGIN, 34 + 14 * number, name, "end", colour))
    box = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif">{"".join(parts)}</svg>'


def _scaled(x: float, logarithmic: bool) -> float:
    return math.log(x) if logarithmic else x


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#333") -> str:
    place = f'x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"'
    return f'<text {place} font-size="11" fill="{colour}">{escape(text)}</text>'
