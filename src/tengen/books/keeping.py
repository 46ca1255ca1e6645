"""Valuing the book in a file: what a kill may interrupt at any moment, and the same call goes on with."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path

from tengen.books.book import ValuedBook
from tengen.books.file import write_book
from tengen.books.valuing import BookEngine, OnProgress, value
from tengen.jobs import Checkpoint


def value_into(
    path: Path,
    book: ValuedBook,
    engine: BookEngine,
    *,
    solve_from: int | None = None,
    executor: Executor | None = None,
    on_progress: OnProgress | None = None,
) -> int:
    """Value a book and write it to its file; returns how many positions were searched.

    Results are kept beside the file until then. Until then, too, the file is what it was: who grows a book again
    after a kill begins with the same book, comes to the same positions, and finds the results there.
    """
    kept = path.with_suffix(".jobs")
    searched = value(
        book,
        engine,
        solve_from=solve_from,
        executor=executor,
        checkpoint=Checkpoint(kept, engine.name),
        on_progress=on_progress,
    )
    write_book(book, path)
    kept.unlink(missing_ok=True)
    return searched
