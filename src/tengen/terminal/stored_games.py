"""Stored games on the command line: lookup, listing, import, export."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tengen.app.table_files import check_table, is_table, write_rows
from tengen.core.errors import OptionError, TengenError
from tengen.games import records
from tengen.games.records import Record
from tengen.store.game_entry import GameEntry
from tengen.store.import_export import ImportResult
from tengen.store.listing import Filter
from tengen.store.rows import ListedGame
from tengen.store.store import Store
from tengen.terminal.progress import run_with_progress
from tengen.terminal.record_files import report_dropped

SHORT_ID_LENGTH = 8  # enough to distinguish games
MAX_REPORTED = 10  # unreadable games reported individually


def find_game(store: Store, text: str, *, unfinished: bool = False, deleted: bool = False) -> GameEntry:
    """The game whose id starts with `text`, or for `last` the most recently changed (`unfinished`) game."""
    if text.lower() == "last":
        which = Filter(finished=False if unfinished else None, imported=False, deleted=deleted)
        page = store.list_games(which, order="changed", limit=1)
        if not page.games:
            raise OptionError(
                f"there is no {'unfinished ' if unfinished else ''}game: start one with `tengen play`"
            )
        return store.load(page.games[0].id)
    return store.load(find_id(store, text, deleted=deleted))


def find_id(store: Store, text: str, *, deleted: bool = False) -> str:
    """The full id of the game whose id starts with `text`."""
    found = store.ids_with_prefix(text.lower(), deleted=deleted)
    if not found:
        raise OptionError(f"there is no game {text!r}: `tengen library list` shows the ids")
    if len(found) > 1:
        raise OptionError(f"several ids start with {text!r}: give more characters")
    return found[0]


def show_list(console: Console, store: Store, which: Filter, *, order: str, descending: bool, limit: int) -> None:
    """Print a table of games."""
    page = store.list_games(which, order=order, descending=descending, limit=limit)
    table = Table()
    for title in ("id", "date", "game", "board", "first", "second", "result", "moves"):
        table.add_column(title, no_wrap=title not in ("first", "second"))
    for game in page.games:
        table.add_row(*_cells(game))
    console.print(table)
    total = store.count_games(which)
    console.print(f"{len(page.games):,} of {total:,} games")


def _cells(game: ListedGame) -> tuple[str, ...]:
    result = game.result or ("" if game.finished else "unfinished")
    return (game.id[:SHORT_ID_LENGTH], game.date, game.game, game.board, *game.names, result, str(game.moves))


def import_file(console: Console, errors: Console, store: Store, path: Path) -> bool:
    """Import the games of a file; returns whether all were readable."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror}") from None
    done = ImportResult()
    notes: dict[str, None] = {}

    def note(news: ImportResult) -> None:
        nonlocal done
        done = news

    done = run_with_progress(
        errors, lambda: store.import_records(_with_bad(path, notes), note), lambda: f"{path.name}: {done}"
    )
    console.print(f"{path}: {done}")
    for remark in [*notes][:MAX_REPORTED]:
        errors.print(f"  {remark}")
    for number, reason in done.bad[:MAX_REPORTED]:
        errors.print(f"  game {number}: {reason}")
    if len(done.bad) > MAX_REPORTED:
        errors.print(f"  and {len(done.bad) - MAX_REPORTED:,} more")
    return not done.bad


def _with_bad(path: Path, notes: dict[str, None]) -> Iterator[Record | TengenError]:
    """The games of a file, with an error in place of each unreadable game. Notes of the readers go to `notes`."""
    bad: list[TengenError] = []
    for record in records.stream(path, check=False, on_bad=lambda number, error: bad.append(error)):
        yield from bad
        bad.clear()
        notes.update(dict.fromkeys(record.notes))
        yield record
    yield from bad


def export_file(console: Console, errors: Console, store: Store, path: Path, which: Filter, to: str) -> None:
    """Write games to a file."""
    if path.exists():
        raise OptionError(f"{path} exists: choose another file")
    count = 0

    def counted() -> Iterator[Record]:
        nonlocal count
        for record in store.export_records(which):
            count += 1
            yield record

    def write() -> list[str]:
        if is_table(path) and not to:
            from tengen.app.tables import rows  # loads engines

            check_table(path)
            write_rows(path, rows(counted()))
            return []
        return list(records.write(counted(), path, to))

    dropped = run_with_progress(errors, write, lambda: f"Writing {path.name}: {count:,} games")
    report_dropped(errors, path, dropped)
    console.print(f"{path}: {count:,} games written")
