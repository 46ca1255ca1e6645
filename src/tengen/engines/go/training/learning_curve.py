"""The learning curve of a training run, as a table and as a plot.

All networks of a run predict the same positions, those of all validation games so far, so they can be compared.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from tengen.search.network.samples import Samples
from tengen.search.network.trainer import Quality, measure_quality
from tengen.search.network.weights import Weights

WIDTH, HEIGHT, MARGIN = 640, 280, 48  # of the plot; two below each other
COLOURS = ("#1f6f4a", "#b0561d", "#3b5fa8", "#7a4b94")
PANELS = (("accuracy", "most visited moves predicted"), ("value_accuracy", "winners predicted"))
SHARE_STEP = 0.05  # between horizontal lines

# The quality of networks by board: the generation's place on the axis and the quality there.
Lines = dict[str, list[tuple[int, Quality]]]


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A network, with the games that were played for it and the match against the best one before."""

    label: str
    network: Weights
    games: int = 0
    match_games: int = 0
    match_score: float = math.nan


def write_curve(folder: Path, curve: Sequence[CurvePoint], validation: Sequence[Samples]) -> None:
    """Write `learning.csv` and `learning.svg`."""
    lines: Lines = {
        f"{part.width}x{part.height}": [
            (at, measure_quality(point.network, part)) for at, point in enumerate(curve)
        ]
        for part in validation
    }
    write_table(folder / "learning.csv", curve, lines)
    write_plot(folder / "learning.svg", [point.label for point in curve], lines)


def write_table(path: Path, curve: Sequence[CurvePoint], lines: Lines) -> None:
    """A row for each network and board size."""
    measures = [one.name for one in fields(Quality)]
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["generation", "games", "match_games", "match_score", "board", *measures])
        for at, point in enumerate(curve):
            score = "" if math.isnan(point.match_score) else point.match_score
            for board, line in lines.items():
                quality = asdict(line[at][1])
                table.writerow([point.label, point.games, point.match_games, score, board, *quality.values()])


def write_plot(path: Path, labels: Sequence[str], lines: Lines) -> None:
    """What the policy and the value predict right, by generation, with a line for each board size, as SVG."""
    panels = "".join(
        f'<g transform="translate(0 {HEIGHT * index})">{_panel(measure, title, labels, lines)}</g>'
        for index, (measure, title) in enumerate(PANELS)
    )
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT * len(PANELS)}" '
        f'font-family="sans-serif" font-size="12"><title>Learning curve</title>'
        f'<rect width="100%" height="100%" fill="white"/>{panels}</svg>\n'
    )


def _panel(measure: str, title: str, labels: Sequence[str], lines: Lines) -> str:
    shares = [getattr(quality, measure) for line in lines.values() for _, quality in line]
    bottom = math.floor(min(shares, default=0.0) / SHARE_STEP)  # in steps
    top = max(bottom + 1, math.ceil(max(shares, default=1.0) / SHARE_STEP))

    def place(at: int, share: float) -> tuple[float, float]:
        across = (WIDTH - 2 * MARGIN) / max(1, len(labels) - 1)
        height = (share / SHARE_STEP - bottom) / (top - bottom)
        return MARGIN + at * across, HEIGHT - MARGIN - height * (HEIGHT - 2 * MARGIN)

    parts = [f'<text x="{MARGIN}" y="20" font-weight="bold">{title}</text>']
    for step in range(bottom, top + 1):
        x, y = place(0, step * SHARE_STEP)
        parts.append(
            f'<line x1="{x}" x2="{WIDTH - 8}" y1="{y:.1f}" y2="{y:.1f}" stroke="#bbb" stroke-width="0.5"/>'
        )
        parts.append(f'<text x="{x - 8}" y="{y + 4:.1f}" text-anchor="end">{step * SHARE_STEP:.0%}</text>')
    for at, label in enumerate(labels):
        x, _ = place(at, 0.0)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{label}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 10}" text-anchor="middle">generation</text>')
    for index, (board, line) in enumerate(lines.items()):
        colour, places = COLOURS[index % len(COLOURS)], [place(at, getattr(one, measure)) for at, one in line]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{corners}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        parts.append(f'<text x="{WIDTH - MARGIN - 60 * (index + 1)}" y="20" fill="{colour}">{board}</text>')
    return "".join(parts)
