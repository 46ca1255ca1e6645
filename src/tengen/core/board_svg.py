"""A board diagram as an SVG picture, for notebooks and documents."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from tengen.core.diagram import Diagram, Point, Stone

CELL = 26  # side of a cell, in pixels
MARGIN = 22
LINE_HEIGHT = 16

_COLOURS = {"points": "#e6ba6c", "cells": "#2c8657"}
_STONES = {  # highlight, body, edge of the gradient; outline
    Stone.FIRST: ("#6b727b", "#2b3036", "#0b0d10", "#050607"),
    Stone.SECOND: ("#ffffff", "#f6f2e8", "#cfc8b8", "#a39b88"),
    Stone.NEUTRAL: ("#b98a5a", "#9a6a3c", "#6d4724", "#54361b"),
}


def board_svg(diagram: Diagram, numbers: Mapping[Point, str] | None = None) -> str:
    """The board with labels, stones, the last move and the captions; `numbers` are written on their points."""
    columns, rows = len(diagram.columns), len(diagram.rows)
    width, board_height = 2 * MARGIN + columns * CELL, 2 * MARGIN + rows * CELL
    height = board_height + LINE_HEIGHT * len(diagram.captions)
    parts = [_gradients(), f'<rect x="{MARGIN}" y="{MARGIN}" width="{columns * CELL}" height="{rows * CELL}" '
             f'fill="{_COLOURS[diagram.kind]}"/>']  # fmt: skip
    parts += _lines(diagram)
    parts += [_text(_centre(column), MARGIN - 7, label) for column, label in enumerate(diagram.columns)]
    parts += [_text(MARGIN / 2, _centre(row) + 4, label) for row, label in enumerate(diagram.rows)]
    for (column, row), stone in diagram.contents().items():
        if stone is not Stone.EMPTY:
            fill = f"url(#tengen-stone-{int(stone)})"
            parts.append(_circle(column, row, CELL * 0.46, fill, _STONES[stone][3]))
    for column, row in sorted(diagram.marked):
        parts.append(_circle(column, row, CELL * 0.12, "#e66100", "none"))
    for (column, row), text in (numbers or {}).items():
        dark = diagram.stones[row][column] is Stone.FIRST
        parts.append(_text(_centre(column), _centre(row) + 4, text, "#fff" if dark else "#000"))
    for number, caption in enumerate(diagram.captions):
        parts.append(
            f'<text x="{MARGIN}" y="{board_height + LINE_HEIGHT * number}" font-size="12">{escape(caption)}</text>'
        )
    box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(parts)}</svg>'


def _gradients() -> str:
    """Shaded stones, as on the boards of the web app."""
    drawn = "".join(
        f'<radialGradient id="tengen-stone-{int(stone)}" cx="35%" cy="29%" r="80%">'
        f'<stop offset="0%" stop-color="{light}"/><stop offset="52%" stop-color="{body}"/>'
        f'<stop offset="100%" stop-color="{dark}"/></radialGradient>'
        for stone, (light, body, dark, _) in _STONES.items()
    )
    return f"<defs>{drawn}</defs>"


def _lines(diagram: Diagram) -> list[str]:
    """Lines through the points of a Go board, or between the cells of other boards."""
    columns, rows = len(diagram.columns), len(diagram.rows)
    on_points = diagram.kind == "points"
    shift = CELL / 2 if on_points else 0
    left, top = MARGIN + shift, MARGIN + shift
    right, bottom = MARGIN + columns * CELL - shift, MARGIN + rows * CELL - shift
    across = range(columns if on_points else columns + 1)
    down = range(rows if on_points else rows + 1)
    lines = [f"M{left + column * CELL} {top}V{bottom}" for column in across]
    lines += [f"M{left} {top + row * CELL}H{right}" for row in down]
    parts = [f'<path d="{"".join(lines)}" stroke="#3b2f1a" stroke-width="1" fill="none"/>']
    parts += [_circle(column, row, 3, "#3b2f1a", "none") for column, row in sorted(diagram.stars)]
    return parts


def _centre(index: int) -> float:
    return MARGIN + (index + 0.5) * CELL


def _text(x: float, y: float, text: str, fill: str = "#666") -> str:
    return f'<text x="{x}" y="{y}" font-size="11" text-anchor="middle" fill="{fill}">{escape(text)}</text>'


def _circle(column: int, row: int, radius: float, fill: str, stroke: str) -> str:
    x, y = _centre(column), _centre(row)
    return f'<circle cx="{x}" cy="{y}" r="{radius:.1f}" fill="{fill}" stroke="{stroke}"/>'
