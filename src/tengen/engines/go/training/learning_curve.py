"""The learning curve of a training run, as a table and as a plot."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

COLUMNS = ("generation", "games", "positions", "match_games", "match_score", "board")
WIDTH, HEIGHT, MARGIN = 640, 320, 48  # of the plot
COLOURS = ("#1f6f4a", "#b0561d", "#3b5fa8", "#7a4b94")


def write_table(path: Path, history: Sequence[Mapping[str, Any]]) -> None:
    """A line for each generation and board size. `history` has the provenance of each generation."""
    measures = [name for record in history[:1] for one in record["quality"].values() for name in one]
    names = list(dict.fromkeys(measures))
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow([*COLUMNS, *names])
        for number, record in enumerate(history):
            head = [number, *(record[name] for name in COLUMNS[1:-1])]
            for board, quality in record["quality"].items():
                table.writerow([*head, board, *(quality[name] for name in names)])


def write_plot(path: Path, history: Sequence[Mapping[str, Any]]) -> None:
    """The share of moves that the policy predicts, a line for each board size, as SVG."""
    boards = list(dict.fromkeys(board for record in history for board in record["quality"]))
    lines = []
    for index, board in enumerate(boards):
        points = [
            (number, record["quality"][board]["accuracy"])
            for number, record in enumerate(history)
            if board in record["quality"]
        ]
        places = [_place(number, accuracy, len(history)) for number, accuracy in points]
        colour = COLOURS[index % len(COLOURS)]
        lines.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="'
            + " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            + '"/>'
        )
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        lines.append(f'<text x="{MARGIN + 8}" y="{20 * index + 24}" fill="{colour}">{board}</text>')
    for tenth in range(0, 11, 2):
        x, y = _place(0, tenth / 10, len(history))
        lines.append(f'<line x1="{x}" x2="{WIDTH - 8}" y1="{y}" y2="{y}" stroke="#bbb" stroke-width="0.5"/>')
        lines.append(f'<text x="{x - 8}" y="{y + 4}" text-anchor="end">{10 * tenth} %</text>')
    for number in range(len(history)):
        x, _ = _place(number, 0, len(history))
        lines.append(f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{number}</text>')
    lines.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">generation</text>')
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12"><title>Moves that the policy predicts</title>{"".join(lines)}</svg>\n'
    )


def _place(number: int, share: float, generations: int) -> tuple[float, float]:
    step = (WIDTH - 2 * MARGIN) / max(1, generations - 1)
    return MARGIN + number * step, HEIGHT - MARGIN - share * (HEIGHT - MARGIN - 8)
