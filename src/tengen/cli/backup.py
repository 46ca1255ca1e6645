"""`tengen backup` and `tengen restore`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tengen.cli.console import errors, say


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="the backup to write; an older one is replaced")],
) -> None:
    """Write games, players, ratings, puzzles, books and settings into one file. Servers may go on running.

    Example: tengen backup tengen-monday.zip
    """
    from tengen.app.backup import make_backup
    from tengen.store.store import Store

    with Store.open() as store, _progress() as show:
        made = make_backup(store, file.expanduser(), show)
    size = file.expanduser().stat().st_size / 1e6
    say(f"{made.games:,} games and {made.books} books are in {file} ({size:,.1f} MB)")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a backup that `tengen backup` has written")],
    force: Annotated[bool, typer.Option("--force", help="replace what is there; a copy of it is kept")] = False,
) -> None:
    """Put a backup in the place of games, players, ratings, puzzles, books and settings.

    The backup is checked first. A running server sees the old store until the new one is complete; games that are
    open there have to be opened again.

    Example: tengen restore tengen-monday.zip
    """
    from tengen.app.backup import restore_backup
    from tengen.store.store import Store

    with Store.open() as store, _progress() as show:
        made, replaced = restore_backup(store, file.expanduser(), force=force, on_progress=show)
        name = store.name
    say(f"{made.games:,} games and {made.books} books of {made.created} are restored into {name}")
    if replaced is not None:
        say(f"What was there before is in {replaced}")


@contextmanager
def _progress() -> Iterator[Callable[[str, float], None]]:
    from rich.progress import Progress

    with Progress(console=errors, transient=True) as progress:
        task = progress.add_task("", total=1.0)
        yield lambda what, done: progress.update(task, description=what, completed=done)
