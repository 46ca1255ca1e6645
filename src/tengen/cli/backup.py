"""`tengen backup` and `tengen restore`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tengen.cli.console import console, errors
from tengen.cli.inputs import open_store


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="file to write; an existing one is replaced")],
) -> None:
    """Save games, players, ratings, puzzles, books and settings in one file. A server may keep running.

    Example: tengen backup tengen-monday.zip
    """
    from tengen.app.backup import make_backup

    with open_store() as store, _progress() as show:
        made = make_backup(store, file.expanduser(), show)
    size = file.expanduser().stat().st_size / 1e6
    console.print(f"{made.games:,} games and {made.books} books saved in {file} ({size:,.1f} MB)")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a file written by `tengen backup`")],
    force: Annotated[bool, typer.Option("--force", help="replace existing data; a copy of it is made")] = False,
) -> None:
    """Replace games, players, ratings, puzzles, books and settings by those of a backup.

    The backup is verified first. A running server uses the old data until the new data are complete; games that
    are open there must be opened again.

    Example: tengen restore tengen-monday.zip
    """
    from tengen.app.backup import restore_backup

    with open_store() as store, _progress() as show:
        made, replaced = restore_backup(store, file.expanduser(), force=force, on_progress=show)
        name = store.name
    console.print(f"{made.games:,} games and {made.books} books from {made.created} restored into {name}")
    if replaced is not None:
        console.print(f"The previous data are in {replaced}")


@contextmanager
def _progress() -> Iterator[Callable[[str, float], None]]:
    from rich.progress import Progress

    with Progress(console=errors, transient=True) as progress:
        task = progress.add_task("", total=1.0)
        yield lambda what, done: progress.update(task, description=what, completed=done)
