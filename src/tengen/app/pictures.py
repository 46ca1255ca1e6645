"""Pictures of positions and games: PNG, animated GIF and WebP, SVG, and a printable page of a commented game."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from tengen.core.board_svg import CELL, LINE_HEIGHT, MARGIN, board_svg
from tengen.core.diagram import Diagram, Point, Stone
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.core.translation import mark, translate
from tengen.games.records import Node, Record
from tengen.games.records.atomic_files import save
from tengen.games.records.replay import positions

SUFFIXES = (".svg", ".png", ".gif", ".webp", ".html")
ANIMATED = (".gif", ".webp")
MAX_FRAMES = 600
# Of all frames together. Pillow keeps all frames: for GIF with one byte of each pixel, for WebP with four.
MAX_ANIMATION_PIXELS = {".gif": 150_000_000, ".webp": 120_000_000}
LAST_FRAME_S = 3.0
MOVES_PER_DIAGRAM = 50
SMOOTHING = 2  # pictures are drawn larger and scaled down
_BOARD = {"points": "#e6ba6c", "cells": "#2c8657"}
_STONE = {Stone.FIRST: ("#23272d", "#050607"), Stone.SECOND: ("#f6f2e8", "#8d8676")}
_LINE, _LABEL, _MARK = "#3b2f1a", "#555555", "#e66100"


@dataclass(frozen=True)
class PictureOptions:
    """`height` is that of the board in pixels; `seconds` is how long an animation shows each move."""

    height: int = 600
    seconds: float = 1.0

    def __post_init__(self) -> None:
        if not 60 <= self.height <= 4000:
            raise OptionError(
                mark("the height of a picture is 60 to 4000 pixels, not {height}").format(height=self.height)
            )
        if not 0.02 <= self.seconds <= 60:
            raise OptionError(
                mark("a move is shown 0.02 to 60 seconds, not {seconds}").format(seconds=self.seconds)
            )


def picture(record: Record, suffix: str, upto: int | None = None, options: PictureOptions | None = None) -> bytes:
    """The content of a picture file: the position after `upto` moves of the main line, or all of it if animated.

    `.svg` and `.png` show one position, `.gif` and `.webp` the game up to it, `.html` the game with diagrams.
    """
    options = options or PictureOptions()
    line = positions(record, record.nodes() if upto is None else record.nodes()[: upto + 1])
    if suffix == ".svg":
        return board_svg(_titled(line[-1].diagram(), record)).encode()
    if suffix == ".png":
        return png(_titled(line[-1].diagram(), record), options.height)
    if suffix in ANIMATED:
        return animation(line, suffix, options)
    if suffix == ".html":
        return printable(record, line).encode()
    raise OptionError(
        mark("a picture file ends in {suffixes}, not {suffix!r}").format(
            suffixes=", ".join(SUFFIXES), suffix=suffix
        )
    )


def png(diagram: Diagram, height: int = 600) -> bytes:
    """A board as PNG."""
    out = io.BytesIO()
    draw_board(diagram, height).save(out, "PNG", optimize=True)
    return out.getvalue()


def animation(line: Sequence[Position], suffix: str, options: PictureOptions) -> bytes:
    """The positions one after the other, as GIF or WebP; the last one stays longer."""
    if len(line) > MAX_FRAMES:
        raise OptionError(
            mark("an animation has at most {most} moves, not {count}: choose a part with --move").format(
                most=MAX_FRAMES, count=len(line)
            )
        )
    first, *rest = (replace(position.diagram(), captions=()) for position in line)
    start = draw_board(first, options.height)
    if start.width * start.height * len(line) > MAX_ANIMATION_PIXELS[suffix]:
        raise OptionError(
            mark(
                "an animation of {count} moves, {height} pixels high, is too large: choose a smaller height or a "
                "part with --move"
            ).format(count=len(rest), height=options.height)
        )
    # Pillow draws these one at a time for GIF, and keeps those with a palette; for WebP it lists them all first.
    later = (draw_board(diagram, options.height) for diagram in rest)
    frames: Iterator[Image.Image] = itertools.chain([start], later)
    if suffix == ".gif":
        frames = map(_with_palette, frames)
    milliseconds = [round(1000 * options.seconds)] * len(rest) + [round(1000 * max(LAST_FRAME_S, options.seconds))]
    out = io.BytesIO()
    kind = {".gif": "GIF", ".webp": "WEBP"}[suffix]
    # Equal frames would be merged and their times added, which is right for passes.
    next(frames).save(out, kind, save_all=True, append_images=frames, duration=milliseconds, loop=0)
    return out.getvalue()


def _with_palette(frame: Image.Image) -> Image.Image:
    return frame.quantize(64)


def draw_board(diagram: Diagram, height: int, numbers: Mapping[Point, str] | None = None) -> Image.Image:
    """A board with labels, stones, the last move and captions, `height` pixels high without the captions."""
    columns, rows = len(diagram.columns), len(diagram.rows)
    scale = SMOOTHING * height / (2 * MARGIN + rows * CELL)
    size = (2 * MARGIN + columns * CELL, 2 * MARGIN + rows * CELL + LINE_HEIGHT * len(diagram.captions))
    image = Image.new("RGB", (max(1, round(size[0] * scale)), max(1, round(size[1] * scale))), "#ffffff")
    drawing = _Drawing(image, scale)
    drawing.rectangle(MARGIN, MARGIN, columns * CELL, rows * CELL, _BOARD[diagram.kind])
    _draw_lines(drawing, diagram)
    for column, label in enumerate(diagram.columns):
        drawing.text(_centre(column), MARGIN / 2, label, 11, _LABEL)
    for row, label in enumerate(diagram.rows):
        drawing.text(MARGIN / 2, _centre(row), label, 11, _LABEL)
    for (column, row), stone in diagram.contents().items():
        if stone is not Stone.EMPTY:
            drawing.circle(_centre(column), _centre(row), CELL * 0.46, *_STONE[stone])
    for column, row in sorted(diagram.marked):
        drawing.circle(_centre(column), _centre(row), CELL * 0.14, _MARK, _MARK)
    for (column, row), text in (numbers or {}).items():
        dark = diagram.stones[row][column] is Stone.FIRST
        drawing.text(_centre(column), _centre(row), text, 10, "#ffffff" if dark else "#000000")
    for number, caption in enumerate(diagram.captions):
        below = 2 * MARGIN + rows * CELL + LINE_HEIGHT * number
        drawing.text(MARGIN, below, translate(caption), 12, "#000000", anchor="lm")
    width = max(1, round(image.width / SMOOTHING))
    return image.resize((width, max(1, round(image.height / SMOOTHING))), Image.Resampling.LANCZOS)


class _Drawing:
    """An image in the coordinates of `board_svg`."""

    def __init__(self, image: Image.Image, scale: float) -> None:
        self._draw = ImageDraw.Draw(image)
        self._scale = scale

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        s = self._scale
        self._draw.rectangle((x * s, y * s, (x + width) * s, (y + height) * s), fill=fill)

    def line(self, x: float, y: float, to_x: float, to_y: float) -> None:
        s = self._scale
        self._draw.line((x * s, y * s, to_x * s, to_y * s), fill=_LINE, width=max(1, round(s)))

    def circle(self, x: float, y: float, radius: float, fill: str, outline: str) -> None:
        s = self._scale
        box = ((x - radius) * s, (y - radius) * s, (x + radius) * s, (y + radius) * s)
        self._draw.ellipse(box, fill=fill, outline=outline, width=max(1, round(s)))

    def text(self, x: float, y: float, text: str, size: float, fill: str, anchor: str = "mm") -> None:
        s = self._scale
        self._draw.text((x * s, y * s), text, fill=fill, font=ImageFont.load_default(size * s), anchor=anchor)


def _draw_lines(drawing: _Drawing, diagram: Diagram) -> None:
    """Lines through the points of a Go board, or between the cells of other boards."""
    columns, rows = len(diagram.columns), len(diagram.rows)
    on_points = diagram.kind == "points"
    shift = CELL / 2 if on_points else 0
    start, right, bottom = MARGIN + shift, MARGIN + columns * CELL - shift, MARGIN + rows * CELL - shift
    for column in range(columns if on_points else columns + 1):
        drawing.line(start + column * CELL, start, start + column * CELL, bottom)
    for row in range(rows if on_points else rows + 1):
        drawing.line(start, start + row * CELL, right, start + row * CELL)
    for column, row in sorted(diagram.stars):
        drawing.circle(_centre(column), _centre(row), 3, _LINE, _LINE)


def _centre(index: int) -> float:
    return MARGIN + (index + 0.5) * CELL


def _titled(diagram: Diagram, record: Record) -> Diagram:
    names = " – ".join(name for name in record.names if name)
    result = f" ({record.result})" if record.result else ""
    return replace(diagram, captions=(f"{names}{result}",) if names else ())


# ---- the printable page


def printable(record: Record, line: Sequence[Position]) -> str:
    """A page with the game's header, diagrams of numbered moves and comments; browsers print it as PDF."""
    nodes = [node for node in record.nodes() if node.move is not None]
    title = " – ".join(name for name in record.names if name) or translate(record.game.title)
    about = [record.event, record.round, record.place, record.date, record.game.describe(), record.result]
    parts = [f"<h1>{escape(title)}</h1>", f"<p>{escape(' · '.join(part for part in about if part))}</p>"]
    if record.root.comment:
        parts.append(_comment(record.root.comment))
    for first in range(0, len(line) - 1, MOVES_PER_DIAGRAM):
        last = min(first + MOVES_PER_DIAGRAM, len(line) - 1)
        parts.append(_figure(line, first, last))
        parts += _comments(nodes[first:last], line, first)
    if len(line) == 1:
        parts.append(f"<figure>{board_svg(replace(line[0].diagram(), captions=()))}</figure>")
    return (
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _figure(line: Sequence[Position], first: int, last: int) -> str:
    """A diagram of the moves after `first` up to `last`, numbered; moves on a point played before are listed."""
    shown: dict[Point, tuple[int, int]] = {}  # point -> number of the move and its player
    again: list[str] = []
    for position in line[first + 1 : last + 1]:
        assert position.move is not None
        assert position.parent is not None
        points = position.game.points(position.move)
        name = position.game.write_move(position.move)
        if not points or points[-1] in shown:
            again.append(f"{position.ply}: {name}")
        else:
            shown[points[-1]] = (position.ply, position.parent.to_move)
    diagram = line[last].diagram()
    cells = [list(row) for row in diagram.stones]
    if diagram.kind == "points":  # stones that were captured are shown where they were played
        for (column, row), stone in line[first].diagram().contents().items():
            cells[row][column] = stone if stone is not Stone.EMPTY else cells[row][column]
        for (column, row), (_, player) in shown.items():
            cells[row][column] = (Stone.FIRST, Stone.SECOND)[player]
    numbers = {point: str(number) for point, (number, _) in shown.items()}
    drawn = replace(diagram, stones=tuple(map(tuple, cells)), marked=frozenset(), captions=())
    caption = translate(mark("Moves {first} to {last}")).format(first=first + 1, last=last)
    more = f" ({escape(', '.join(again))})" if again else ""
    return f"<figure>{board_svg(drawn, numbers)}<figcaption>{escape(caption)}{more}</figcaption></figure>"


def _comments(nodes: Iterable[Node], line: Sequence[Position], first: int) -> list[str]:
    found = []
    for number, node in enumerate(nodes, first + 1):
        if node.comment and number < len(line) and node.move is not None:
            name = line[number].game.write_move(node.move)
            found.append(f"<h2>{number}. {escape(name)}</h2>{_comment(node.comment)}")
    return found


def _comment(text: str) -> str:
    return f"<p>{'<br>'.join(map(escape, text.splitlines()))}</p>"


_STYLE = (
    "body{font:11pt/1.45 Georgia,serif;max-width:44em;margin:2em auto;padding:0 1em;color:#111}"
    "h1{font-size:1.5em}h2{font-size:1em;margin:1em 0 .2em}p{margin:.2em 0 .8em}"
    "figure{margin:1em 0;text-align:center;break-inside:avoid}figure svg{max-width:100%;height:auto}"
    "figcaption{font-size:.9em;color:#444}@page{margin:2cm}h2{break-after:avoid}"
)


def save_picture(
    path: Path, record: Record, upto: int | None = None, options: PictureOptions | None = None
) -> None:
    """Write a picture file atomically; its suffix decides what it is."""
    save(path, picture(record, path.suffix.lower(), upto, options))
