"""Results as tables for spreadsheets and pandas: comma-separated values with a header line, UTF-8."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from tengen.games.records.atomic_files import save

Cell = str | int | float | None

REVIEW_COLUMNS = (
    *("game_number", "game", "black", "white", "result", "ply", "player", "move", "value", "unit", "kind"),
    *("best", "best_value", "loss", "points_lost", "turning_point", "engine"),
)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Write a table atomically. None is an empty cell, which pandas reads as missing."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    save(path, text.getvalue().encode())
