"""Plots as self-contained SVG: strengths with error bars, and lines over steps or days.

They use the text colour of the page, so they fit light and dark themes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

_COLOURS = ("#2a6fbb", "#d9822b", "#2f8a5b", "#b3480a", "#7a4fb0", "#5b6470", "#b8860b", "#c2548c")
_WIDE, _LABEL, _ROW = 720, 190, 26


@dataclass(frozen=True)
class Point:
    """A point of a line; `error` is drawn as a band around it."""

    x: float
    y: float
    error: float = 0.0


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """At most about `most` round numbers from `low` to `high`."""
    span = max(high - low, 1e-9)
    step = 10.0 ** math.floor(math.log10(span / most))
    step *= next((factor for factor in (1, 2, 5, 10) if span / (step * factor) <= most), 10)
    first = math.ceil(low / step - 1e-9)
    return [number * step for number in range(first, math.floor(high / step + 1e-9) + 1)]


def error_bars(rows: Sequence[tuple[str, float, float]], unit: str = "Elo") -> str:
    """One line per name, with a dot for its value and a bar for its error."""
    low = min((value - error for _, value, error in rows), default=0.0)
    high = max((value + error for _, value, error in rows), default=1.0)
    low, high = low - 0.03 * (high - low + 1), high + 0.03 * (high - low + 1)
    tall = _ROW * len(rows) + 34

    def x(value: float) -> float:
        return _LABEL + (value - low) / (high - low) * (_WIDE - _LABEL - 20)

    parts = []
    for mark in ticks(low, high):
        parts.append(_line(x(mark), 6, x(mark), tall - 26, 0.15))
        parts.append(_text(x(mark), tall - 10, f"{mark:g}", "middle"))
    for number, (name, value, error) in enumerate(rows):
        y = 18 + _ROW * number
        tip = f"{name}: {value:+.0f} ± {error:.0f} {unit}"
        parts.append(f"<g><title>{escape(tip)}</title>")
        parts.append(_text(_LABEL - 10, y + 4, name if len(name) <= 28 else name[:27] + "…", "end"))
        ends = x(value - error), x(value + error)
        parts.append(f'<path d="M{ends[0]:.1f} {y}H{ends[1]:.1f}" stroke="{_COLOURS[0]}" stroke-width="2"/>')
        for end in ends:
            parts.append(f'<path d="M{end:.1f} {y - 5}V{y + 5}" stroke="{_COLOURS[0]}" stroke-width="2"/>')
        parts.append(f'<circle cx="{x(value):.1f}" cy="{y}" r="4.5" fill="{_COLOURS[0]}"/></g>')
    return _svg(tall, "".join(parts), f"{unit} with 95 % error bars")


def lines(
    series: Mapping[str, Sequence[Point]],
    label: str,
    marks: Mapping[float, str] | None = None,
    levels: Mapping[float, str] | None = None,
) -> str:
    """Lines over a common axis, with error bands.

    `marks` are the labels below the axis; `levels` are drawn as dashed horizontal lines with a label.
    """
    levels = levels or {}
    points = [point for line in series.values() for point in line]
    left = min((point.x for point in points), default=0.0)
    right = max((point.x for point in points), default=1.0)
    right = right if right > left else left + 1
    low = min((point.y - point.error for point in points), default=0.0)
    high = max((point.y + point.error for point in points), default=1.0)
    low, high = min((low, *levels)), max((high, *levels))
    margin = 0.06 * (high - low) or 1.0
    low, high = low - margin, high + margin
    tall, names = 300, len(series) if len(series) > 1 else 0
    bottom = tall - 30

    def x(value: float) -> float:
        return 62 + (value - left) / (right - left) * (_WIDE - 80)

    def y(value: float) -> float:
        return bottom - (value - low) / (high - low) * (bottom - 10)

    parts = []
    for mark in ticks(low, high, 5):
        parts.append(_line(62, y(mark), _WIDE - 18, y(mark), 0.15))
        parts.append(_text(56, y(mark) + 4, f"{mark:g}", "end"))
    for at, words in (marks or {mark: f"{mark:g}" for mark in ticks(left, right)}).items():
        parts.append(_text(x(at), tall - 10, words, "middle"))
    for level, words in levels.items():
        dashes = f'<path d="M62 {y(level):.1f}H{_WIDE - 18}" stroke="{_COLOURS[1]}" stroke-dasharray="6 4"/>'
        parts += [dashes, _text(_WIDE - 20, y(level) - 5, words, "end")]
    for number, (name, line) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        way = "L".join(f"{x(point.x):.1f} {y(point.y):.1f}" for point in line)
        parts.append(f"<g><title>{escape(name)}</title>")
        if any(point.error for point in line):
            upper = [f"{x(point.x):.1f} {y(point.y + point.error):.1f}" for point in line]
            lower = [f"{x(point.x):.1f} {y(point.y - point.error):.1f}" for point in reversed(line)]
            band = "L".join(upper + lower)
            parts.append(f'<path d="M{band}Z" fill="{colour}" opacity=".15"/>')
        if line:
            parts.append(f'<path d="M{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(one.x):.1f}" cy="{y(one.y):.1f}" r="2.5" fill="{colour}"/>' for one in line]
        parts.append("</g>")
        if names:
            row, column = divmod(number, 3)
            at = tall + 16 * row + 8
            parts.append(f'<circle cx="{70 + 220 * column}" cy="{at - 4}" r="5" fill="{colour}"/>')
            parts.append(_text(80 + 220 * column, at, name if len(name) <= 28 else name[:27] + "…", "start"))
    return _svg(tall + (16 * math.ceil(names / 3) + 6 if names else 0), "".join(parts), label)


def columns(counts: Mapping[str, int], label: str) -> str:
    """A column for each name, as high as its count."""
    tall, wide = 170, (_WIDE - 40) / max(1, len(counts))
    most = max((*counts.values(), 1))
    parts = [_line(20, tall - 26, _WIDE - 20, tall - 26, 0.3)]
    for number, (name, count) in enumerate(counts.items()):
        x, height = 20 + number * wide, (tall - 52) * count / most
        box = f'x="{x + wide * 0.15:.1f}" y="{tall - 26 - height:.1f}"'
        box += f' width="{wide * 0.7:.1f}" height="{height:.1f}"'
        parts.append(f'<rect {box} rx="3" fill="{_COLOURS[0]}"><title>{escape(name)}: {count}</title></rect>')
        parts.append(_text(x + wide / 2, tall - 32 - height, f"{count}", "middle"))
        parts.append(_text(x + wide / 2, tall - 8, name, "middle"))
    return _svg(tall, "".join(parts), label)


def _line(x1: float, y1: float, x2: float, y2: float, opacity: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="currentColor" opacity="{opacity}"/>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    style = 'fill="currentColor" font-size="12" font-family="sans-serif"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {style}>{escape(words)}</text>'


def _svg(tall: float, inner: str, label: str) -> str:
    head = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {tall:g}" role="img"'
    return f'<svg {head} aria-label="{escape(label)}" style="width:100%;max-width:{_WIDE}px">{inner}</svg>'


def document(title: str, sections: Sequence[tuple[str, str]]) -> str:
    """A self-contained HTML page of sections, each with a heading and HTML.

    A section that is wider than the window, such as a large table, scrolls on its own.
    """
    body = "".join(f"<section><h2>{escape(name)}</h2>{html}</section>" for name, html in sections)
    style = (
        "body{font-family:sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
        "body{color:#1b1e23;background:#fff}"
        "table{border-collapse:collapse}td,th{padding:.25rem .6rem;border-bottom:1px solid #8884;text-align:right}"
        "td.name,th.name{text-align:left}@media screen{section{overflow-x:auto}}"
        "@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#181a1d}}"
    )
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head += f"<title>{escape(title)}</title><style>{style}</style>"
    return (
        f'<!doctype html><html lang="en"><head>{head}</head><body><h1>{escape(title)}</h1>{body}</body></html>\n'
    )


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table of texts; the second column is a name."""

    def cells(words: Sequence[str], tag: str) -> str:
        kinds = [' class="name"' if column == 1 else "" for column in range(len(words))]
        return "".join(f"<{tag}{kind}>{escape(word)}</{tag}>" for kind, word in zip(kinds, words, strict=True))

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{cells(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"
