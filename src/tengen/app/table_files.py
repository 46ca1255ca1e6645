"""Tables as files: CSV (UTF-8, with a header line) or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tengen.core.errors import OptionError
from tengen.games.records.atomic_files import save

Cell = str | int | float | None

TABLE_SUFFIXES = (".csv", ".parquet")


def is_table(path: Path) -> bool:
    """Whether a file name is that of a table."""
    return path.suffix.lower() in TABLE_SUFFIXES


def write_table(path: Path, columns: Sequence[str], lines: Iterable[Sequence[Cell]]) -> None:
    """Write a table atomically: Parquet if the name ends in .parquet, otherwise CSV.

    None is an empty cell in CSV, which pandas reads as missing.
    """
    if path.suffix.lower() == ".parquet":
        save(path, _parquet(columns, lines))
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(lines)
    save(path, text.getvalue().encode())


def write_rows(path: Path, found: Sequence[Mapping[str, Cell]]) -> None:
    """Write what `tables.rows` returned."""
    columns = list(found[0]) if found else []
    write_table(path, columns, [[row[name] for name in columns] for row in found])


def check_table(path: Path | None) -> None:
    """Raise `OptionError` if the file could not be written for want of a library; call it before long work."""
    if path is not None and path.suffix.lower() == ".parquet":
        _parquet(("column",), [(1,)])


def _parquet(columns: Sequence[str], lines: Iterable[Sequence[Cell]]) -> bytes:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise OptionError("Parquet needs pyarrow: run pip install 'tengen[parquet]', or write CSV") from None
    kept = list(lines)
    data = io.BytesIO()
    table = pyarrow.table({name: [line[at] for line in kept] for at, name in enumerate(columns)})
    parquet.write_table(table, data)
    return data.getvalue()
