"""`tengen library …`: stored games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, errors
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.store.listing import Filter

app = typer.Typer(
    help="Stored games: list, show, import, export, delete.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="ids of games; the first characters suffice")]
Game = Annotated[str, typer.Option("--game", "-g", help="only this game")]
Player = Annotated[str, typer.Option("--player", "-p", help="only games of this player: name or id")]
Name = Annotated[str, typer.Option("--name", help="only games with a player whose name starts with this")]
Board = Annotated[str, typer.Option("--board", help="only this board size, such as 9x9")]
Winner = Annotated[str, typer.Option("--winner", help="only games won by: first, second, draw or unknown")]
Since = Annotated[str, typer.Option("--since", help="first date, such as 2024-01-31")]
Until = Annotated[str, typer.Option("--until", help="last date")]
Unfinished = Annotated[bool, typer.Option("--unfinished", help="only unfinished games")]

WINNERS = {"": None, "first": 0, "second": 1, "draw": "draw", "unknown": "unknown"}


@app.command("list")
def list_games(
    game: Game = "",
    player: Player = "",
    name: Name = "",
    board: Board = "",
    winner: Winner = "",
    since: Since = "",
    until: Until = "",
    unfinished: Unfinished = False,
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
    from tengen.store.store import Store
    from tengen.terminal.stored_games import show_list

    with Store.open() as store:
        which = _filter(store, game, player, name, board, winner, since, until, unfinished, deleted)
        show_list(console, store, which, order=sort, descending=not ascending, limit=limit)


@app.command()
def show(
    game: Annotated[
        str, typer.Argument(metavar="ID", help="id of the game (its first characters suffice), or last")
    ],
    move: Annotated[int | None, typer.Argument(help="move number; default: the end of the game")] = None,
) -> None:
    """Show a position of a stored game.

    Example: tengen library show last 12
    """
    from tengen.store.store import Store
    from tengen.terminal.progress import run_with_progress
    from tengen.terminal.record_files import show as show_record
    from tengen.terminal.stored_games import find_game

    with Store.open() as store:
        entry = find_game(store, game)
    run_with_progress(errors, lambda: entry.record.positions())
    show_record(console, entry.record, move, ())
    if entry.end:
        console.print(f"Ended: {entry.end}", highlight=False, markup=False)


@app.command("import")
def import_games(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="game records in any known format")],
) -> None:
    """Import games from files. Duplicates are recognised; unreadable games are reported and skipped.

    Example: tengen library import games.sgf WTH_2001.wtb
    """
    from tengen.store.store import Store
    from tengen.terminal.stored_games import import_file

    with Store.open() as store:
        complete = [import_file(console, errors, store, path) for path in files]
    if not all(complete):
        raise typer.Exit(1)


@app.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="new file; its suffix determines the format")],
    game: Game = "",
    player: Player = "",
    name: Name = "",
    board: Board = "",
    winner: Winner = "",
    since: Since = "",
    until: Until = "",
    unfinished: Unfinished = False,
    to: Annotated[str, typer.Option(help="format, if not determined by the suffix")] = "",
) -> None:
    """Write stored games to a file.

    Example: tengen library export mine.sgf --game go --since 2024-01-01
    """
    from tengen.store.store import Store
    from tengen.terminal.stored_games import export_file

    with Store.open() as store:
        which = _filter(store, game, player, name, board, winner, since, until, unfinished, False)
        export_file(console, errors, store, file, which, to)


@app.command()
def delete(games: Ids) -> None:
    """Delete games; `tengen library undelete` restores them.

    Example: tengen library delete 3f2a91c0
    """
    from tengen.store.store import Store
    from tengen.terminal.stored_games import SHORT_ID_LENGTH, find_id

    with Store.open() as store:
        found = [find_id(store, text) for text in games]
        store.delete(*found)
    short = " ".join(identity[:SHORT_ID_LENGTH] for identity in found)
    console.print(f"{len(found)} deleted. To undo: tengen library undelete {short}", highlight=False)


@app.command()
def undelete(games: Ids) -> None:
    """Restore deleted games.

    Example: tengen library undelete 3f2a91c0
    """
    from tengen.store.store import Store
    from tengen.terminal.stored_games import find_id

    with Store.open() as store:
        found = [find_id(store, text, deleted=True) for text in games]
        store.restore(*found)
    console.print(f"{len(found)} restored", highlight=False)


@app.command()
def purge(
    everything: Annotated[bool, typer.Option("--all", help="also games deleted less than 30 days ago")] = False,
) -> None:
    """Remove deleted games permanently.

    Example: tengen library purge
    """
    from datetime import UTC, datetime

    from tengen.store.store import Store

    with Store.open() as store:
        count = store.purge(datetime.now(UTC) if everything else None)
    console.print(f"{count:,} games removed permanently", highlight=False)


@app.command()
def where() -> None:
    """Show the location and size of the library.

    Example: tengen library where
    """
    from tengen.store.listing import Filter
    from tengen.store.store import Store

    with Store.open() as store:
        total, open_games = store.count_games(), store.count_games(Filter(finished=False))
        console.print(store.name, highlight=False, markup=False, soft_wrap=True)
        console.print(f"{total:,} games, {open_games:,} of them unfinished", highlight=False)


def _filter(
    store: object,
    game: str,
    player: str,
    name: str,
    board: str,
    winner: str,
    since: str,
    until: str,
    unfinished: bool,
    deleted: bool,
) -> Filter:
    from tengen.games import game_class
    from tengen.play.player_lookup import find_player
    from tengen.store.listing import Filter
    from tengen.store.store import Store

    assert isinstance(store, Store)
    if winner not in WINNERS:
        raise OptionError(f"--winner must be first, second, draw or unknown, not {winner!r}")
    if game:
        game_class(game)  # for its error
    return Filter(
        game=game.lower() or None,
        player=find_player(store, player, game).id if player else None,
        name=name or None,
        board=board or None,
        winner=WINNERS[winner],  # type: ignore[arg-type]
        since=since or None,
        until=until or None,
        finished=False if unfinished else None,
        deleted=deleted,
    )
