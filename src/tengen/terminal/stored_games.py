"""`tengen library`: the games that are kept, on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tengen.core.errors import OptionError, TengenError
from tengen.games import records
from tengen.games.records import Record
from tengen.store.game_entry import GameEntry
from tengen.store.import_export import ImportResult
from tengen.store.listing import Filter
from tengen.store.rows import ListedGame
from tengen.store.store import Store
from tengen.terminal.progress import run_with_progress

SHORT = 8  # characters of an id: enough to tell games apart
MOST_BAD = 10  # bad records that are shown one by one


def find_game(store: Store, text: str, *, unfinished: bool = False, deleted: bool = False) -> GameEntry:
    """A game by how its id begins, or the `last` one: that was changed last, and is unfinished if so asked."""
    if text.lower() == "last":
        which = Filter(finished=False if unfinished else None, imported=False, deleted=deleted)
        page = store.list_games(which, order="changed", limit=1)
        if not page.games:
            raise OptionError(f"there is no {'unfinished ' if unfinished else ''}game: tengen play starts one")
        return store.load(page.games[0].id)
    return store.load(find_id(store, text, deleted=deleted))


def find_id(store: Store, text: str, *, deleted: bool = False) -> str:
    """The id of a game by how it begins."""
    found = store.ids_with_prefix(text.lower(), deleted=deleted)
    if not found:
        raise OptionError(f"there is no game {text!r}: tengen library list shows the ids")
    if len(found) > 1:
        raise OptionError(f"{text!r} begins the ids of several games: give more of it")
    return found[0]


def show_list(console: Console, store: Store, which: Filter, *, order: str, descending: bool, limit: int) -> None:
    """A table of games."""
    page = store.list_games(which, order=order, descending=descending, limit=limit)
    table = Table()
    for title in ("id", "date", "game", "board", "first", "second", "result", "moves"):
        table.add_column(title, no_wrap=title not in ("first", "second"))
    for game in page.games:
        table.add_row(*(Text(cell) for cell in _cells(game)))
    console.print(table)
    total = store.count_games(which)
    console.print(f"{len(page.games):,} of {total:,} games", highlight=False)


def _cells(game: ListedGame) -> tuple[str, ...]:
    result = game.result or ("" if game.finished else "unfinished")
    return (game.id[:SHORT], game.date, game.game, game.board, *game.names, result, str(game.moves))


def import_file(console: Console, errors: Console, store: Store, path: Path) -> bool:
    """Store the games of a file; returns whether all of them could be."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror}") from None
    done = ImportResult()
    remarks: dict[str, None] = {}

    def note(news: ImportResult) -> None:
        nonlocal done
        done = news

    done = run_with_progress(
        errors,
        lambda: store.import_records(_with_bad(path, remarks), note),
        lambda: f"{path.name}: {done}",
    )
    console.print(f"{path}: {done}", highlight=False, markup=False, soft_wrap=True)
    for remark in [*remarks][:MOST_BAD]:
        errors.print(f"  {remark}", highlight=False, markup=False, soft_wrap=True)
    for number, reason in done.bad[:MOST_BAD]:
        errors.print(f"  game {number}: {reason}", highlight=False, markup=False, soft_wrap=True)
    if len(done.bad) > MOST_BAD:
        errors.print(f"  and {len(done.bad) - MOST_BAD:,} more", highlight=False)
    return not done.bad


def _with_bad(path: Path, remarks: dict[str, None]) -> Iterator[Record | TengenError]:
    """The games of a file, an error in the place of each that cannot be read; what readers remark is noted."""
    bad: list[TengenError] = []
    for record in records.stream(path, check=False, on_bad=lambda number, error: bad.append(error)):
        yield from bad
        bad.clear()
        remarks.update(dict.fromkeys(record.notes))
        yield record
    yield from bad


def export_file(console: Console, errors: Console, store: Store, path: Path, which: Filter, to: str) -> None:
    """Write games into a file."""
    if path.exists():
        raise OptionError(f"{path} exists: choose another file")
    count = 0

    def counted() -> Iterator[Record]:
        nonlocal count
        for record in store.export_records(which):
            count += 1
            yield record

    dropped = run_with_progress(
        errors, lambda: records.write(counted(), path, to), lambda: f"Writing {path.name}: {count:,} games"
    )
    if dropped:
        errors.print(f"{path}: not kept: {', '.join(dropped)}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"{path}: {count:,} games written", highlight=False, markup=False, soft_wrap=True)
