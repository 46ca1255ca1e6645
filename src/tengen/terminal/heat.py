"""What an engine thinks of the points of a board, as a heat map: in the terminal, and as SVG."""

from __future__ import annotations

from rich.text import Text

from tengen.core.diagram import Diagram, Point, Stone
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.search.report import Report

_LEAST = 0.05  # of the largest number: less is not shown
_SIZE = 30  # of a cell, in SVG


def heat_of(report: Report, name: str) -> dict[Point, float]:
    """The numbers of one overlay, from -1 to 1: shares of the largest."""
    for overlay in report.overlays:
        if overlay.name == name:
            numbers = {
                (column, row): float(content)
                for column, row, content in overlay.points
                if not isinstance(content, str)
            }
            largest = max(map(abs, numbers.values()), default=0.0) or 1.0
            return {point: number / largest for point, number in numbers.items()}
    known = ", ".join(overlay.name for overlay in report.overlays) or "none"
    raise OptionError(f"{report.engine} has no heat map {name!r}; it has: {known}")


def heat_text(position: Position, heat: dict[Point, float]) -> Text:
    """The board with a digit, 0 to 9, on each point that is not cold; what speaks for the second side is blue."""
    diagram = position.diagram()
    painted: dict[str, tuple[str, str]] = {}

    def paint(symbol: str, point: Point) -> str:
        # A private character stands for each painted one while the board is laid out.
        share = heat.get(point, 0.0)
        empty = symbol in ".+"
        if empty and abs(share) < _LEAST:
            return symbol
        shown = str(min(9, int(10 * abs(share)))) if empty else symbol
        red, blue = (200, 60) if share >= 0 else (60, 220)
        style = f"rgb({red},90,{blue})" + (" bold" if abs(share) > 0.5 else "") if abs(share) >= _LEAST else ""
        private = chr(0xE000 + len(painted))
        painted[private] = shown, style
        return private

    text = Text()
    for character in diagram.text(paint):
        shown, style = painted.get(character, (character, ""))
        text.append(shown, style)
    return text


def heat_svg(position: Position, heat: dict[Point, float], title: str) -> str:
    """The same as a picture."""
    diagram = position.diagram()
    width, height = (len(diagram.columns) + 1) * _SIZE, (len(diagram.rows) + 1) * _SIZE
    parts = [f"<title>{title}</title>", f'<rect width="{width}" height="{height}" fill="#e8c57f"/>']
    parts += _grid(diagram)
    for (column, row), share in sorted(heat.items()):
        if abs(share) >= _LEAST:
            colour = "#c22" if share >= 0 else "#24c"
            x, y = _centre((column, row))
            parts.append(
                f'<rect x="{x - _SIZE / 2:g}" y="{y - _SIZE / 2:g}" width="{_SIZE}" height="{_SIZE}"'
                f' fill="{colour}" opacity="{0.75 * abs(share):.2f}"/>'
            )
    for row, stones in enumerate(diagram.stones):
        for column, stone in enumerate(stones):
            if stone is not Stone.EMPTY:
                x, y = _centre((column, row))
                fill = "#111" if stone is Stone.FIRST else "#fff"
                parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{0.42 * _SIZE:g}" fill="{fill}" stroke="#111"/>')
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{"".join(parts)}</svg>'


def _centre(point: Point) -> tuple[float, float]:
    column, row = point
    return (column + 1) * _SIZE, (row + 1) * _SIZE


def _grid(diagram: Diagram) -> list[str]:
    """Lines through the points, or around the cells."""
    shift = 0.0 if diagram.kind == "points" else -_SIZE / 2
    columns, rows = len(diagram.columns), len(diagram.rows)
    extra = 0 if diagram.kind == "points" else 1
    left, top = _SIZE + shift, _SIZE + shift
    right, bottom = left + (columns - 1 + extra) * _SIZE, top + (rows - 1 + extra) * _SIZE
    lines = [(left + i * _SIZE, top, left + i * _SIZE, bottom) for i in range(columns + extra)]
    lines += [(left, top + i * _SIZE, right, top + i * _SIZE) for i in range(rows + extra)]
    return [f'<line x1="{a:g}" y1="{b:g}" x2="{c:g}" y2="{d:g}" stroke="#553"/>' for a, b, c, d in lines]
