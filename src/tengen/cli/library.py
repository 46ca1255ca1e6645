"""`tengen library …`: stored games."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, errors
from tengen.cli.inputs import check_game, open_store
from tengen.cli.option_groups import command_group, grouped
from tengen.cli.options import MoveNumber, OnlyGame
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.store.listing import Filter
    from tengen.store.store import Store

app = command_group("Stored games: list, show, import, export, delete.")

Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="ids of games; the first characters suffice")]

WINNERS = {"": None, "first": 0, "second": 1, "draw": "draw", "unknown": "unknown"}


@dataclass(frozen=True)
class FilterOptions:
    """Which games."""

    game: OnlyGame = ""
    player: Annotated[str, typer.Option("--player", "-p", help="only games of this player: name or id")] = ""
    name: Annotated[str, typer.Option(help="only games with a player whose name starts with this")] = ""
    board: Annotated[str, typer.Option(help="only this board size, such as 9x9")] = ""
    winner: Annotated[str, typer.Option(help="only games won by: first, second, draw or unknown")] = ""
    since: Annotated[str, typer.Option(help="first date, such as 2024-01-31")] = ""
    until: Annotated[str, typer.Option(help="last date")] = ""
    unfinished: Annotated[bool, typer.Option("--unfinished", help="only unfinished games")] = False

    def filter(self, store: Store, *, deleted: bool = False) -> Filter:
        from tengen.store.listing import Filter

        if self.winner not in WINNERS:
            raise OptionError(f"--winner must be first, second, draw or unknown, not {self.winner!r}")
        check_game(self.game)
        player = None
        if self.player:
            from tengen.play.player_lookup import find_player

            player = find_player(store, self.player, self.game).id
        return Filter(
            game=self.game.lower() or None,
            player=player,
            name=self.name or None,
            board=self.board or None,
            winner=WINNERS[self.winner],  # type: ignore[arg-type]
            since=self.since or None,
            until=self.until or None,
            finished=False if self.unfinished else None,
            deleted=deleted,
        )


@app.command("list")
@grouped
def list_games(
    which: FilterOptions,
    deleted: Annotated[bool, typer.Option("--deleted", help="list deleted games instead")] = False,
    sort: Annotated[
        str, typer.Option(help="column: date, first, second, size, rules, result, moves or changed")
    ] = "date",
    ascending: Annotated[bool, typer.Option("--ascending", help="ascending order")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", help="maximum number of games")] = 20,
) -> None:
    """List stored games, newest first.

    Example: tengen library list --game othello --sort first --ascending
    """
    from tengen.terminal.stored_games import show_list

    with open_store() as store:
        games = which.filter(store, deleted=deleted)
        show_list(console, store, games, order=sort, descending=not ascending, limit=limit)


@app.command()
def show(
    game: Annotated[
        str, typer.Argument(metavar="ID", help="id of the game (its first characters suffice), or last")
    ],
    move: MoveNumber = None,
) -> None:
    """Show a position of a stored game.

    Example: tengen library show last 12
    """
    from tengen.terminal.progress import run_with_progress
    from tengen.terminal.record_files import show as show_record
    from tengen.terminal.stored_games import find_game

    with open_store() as store:
        entry = find_game(store, game)
    run_with_progress(errors, lambda: entry.record.positions())
    show_record(console, entry.record, move, ())
    if entry.end:
        console.print(f"Ended: {entry.end}")


@app.command("import")
def import_games(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="game records in any known format")],
) -> None:
    """Import games from files. Duplicates are recognised; unreadable games are reported and skipped.

    Example: tengen library import games.sgf WTH_2001.wtb
    """
    from tengen.terminal.stored_games import import_file

    with open_store() as store:
        complete = [import_file(console, errors, store, path) for path in files]
    if not all(complete):
        raise typer.Exit(1)


@app.command()
@grouped
def export(
    which: FilterOptions,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="new file; its suffix determines the format")],
    to: Annotated[str, typer.Option(help="format, if not determined by the suffix")] = "",
) -> None:
    """Write stored games to a file.

    A table for pandas or a spreadsheet, one line per game, is written to *.csv and *.parquet.

    Example: tengen library export mine.sgf --game go --since 2024-01-01

    Example: tengen library export games.csv
    """
    from tengen.terminal.stored_games import export_file

    with open_store() as store:
        export_file(console, errors, store, file, which.filter(store), to)


@app.command()
def delete(games: Ids) -> None:
    """Delete games; `tengen library undelete` restores them.

    Example: tengen library delete 3f2a91c0
    """
    from tengen.terminal.stored_games import SHORT_ID_LENGTH, find_id

    with open_store() as store:
        found = [find_id(store, text) for text in games]
        store.delete(*found)
    short = " ".join(identity[:SHORT_ID_LENGTH] for identity in found)
    console.print(f"{len(found)} deleted. To undo: tengen library undelete {short}")


@app.command()
def undelete(games: Ids) -> None:
    """Restore deleted games.

    Example: tengen library undelete 3f2a91c0
    """
    from tengen.terminal.stored_games import find_id

    with open_store() as store:
        found = [find_id(store, text, deleted=True) for text in games]
        store.restore(*found)
    console.print(f"{len(found)} restored")


@app.command()
def purge(
    everything: Annotated[bool, typer.Option("--all", help="also games deleted less than 30 days ago")] = False,
) -> None:
    """Remove deleted games permanently.

    Example: tengen library purge
    """
    from datetime import UTC, datetime

    with open_store() as store:
        count = store.purge(datetime.now(UTC) if everything else None)
    console.print(f"{count:,} games removed permanently")


@app.command()
def where() -> None:
    """Show the location and size of the library.

    Example: tengen library where
    """
    from tengen.store.listing import Filter

    with open_store() as store:
        total, open_games = store.count_games(), store.count_games(Filter(finished=False))
        console.print(store.name)
        console.print(f"{total:,} games, {open_games:,} of them unfinished")
