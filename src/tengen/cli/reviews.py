"""`tengen review`: reviews with explanations, of files and of stored games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, errors
from tengen.cli.inputs import check_folders, check_game, open_store
from tengen.cli.library import FilterOptions
from tengen.cli.option_groups import grouped
from tengen.cli.options import Cluster, OnlyGame
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.app.bulk_review import GameReview
    from tengen.app.review_document import ReviewDocument
    from tengen.games.records import Record
    from tengen.runtime.host import EngineHost
    from tengen.store.store import Store

GRACE_S = 300.0  # loading kernels at low priority on a busy machine


@grouped
def review(
    which: FilterOptions,
    source: Annotated[
        str, typer.Argument(metavar="FILE|ID", help="a file of games, or a stored game (its id, or last)")
    ] = "",
    number: Annotated[
        int, typer.Option("--number", "-n", min=0, help="only this game of the file, counting from 1")
    ] = 0,
    save: Annotated[
        Path | None, typer.Option(help="write the games with comments, values and better lines to this file")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write a page to print or share: one HTML file")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="only the quick pass, which takes seconds")] = False,
    deck: Annotated[
        bool, typer.Option("--deck", help="add the mistakes to your deck (see tengen puzzles)")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="stored games reviewed at once on this machine")] = 1,
    cluster: Cluster = "",
) -> None:
    """Review games: accuracy, turning points, and each mistake with a better line and the reasons.

    Without FILE or ID, all stored games that the options select are reviewed and the reviews are stored with them.
    Games that are reviewed already are skipped, so the same command continues after an interruption.

    Example: tengen review game.sgf --page review.html

    Example: tengen review --game go --player Ann

    Example: tengen review --game othello --cluster tcp://127.0.0.1:8786
    """
    from tengen.app.bulk_review import BulkReview
    from tengen.app.explanations import register_reasons
    from tengen.app.go_groups import find_group_reasons

    register_reasons("go", find_group_reasons)
    check_folders(save, page)
    if save is not None and save.exists():
        raise OptionError(f"{save} exists: choose another file")
    if not source and (save is not None or page is not None or number or quick or deck):
        raise OptionError("these options are for one file or game: name it")
    with _open_host(workers, cluster) as host:
        if source:
            _review_games(host, source, number, save, page, quick, deck)
            return
        with open_store() as store, errors.status("Looking for games …") as status:
            bulk = BulkReview(
                store,
                host,
                which.filter(store),
                at_once=host.workers,
                on_progress=lambda done: status.update(f"{done.done:,} of {done.total:,} games: {done.current} …"),
            )
            done = bulk.run()
        console.print(
            f"{done.done - done.known - done.failed:,} games reviewed, {done.known:,} were reviewed before"
            + (f", {done.failed:,} failed" if done.failed else "")
        )


def _open_host(workers: int, cluster: str) -> EngineHost:
    """Engines on this machine, or on a cluster."""
    from tengen.runtime.cluster.host import ClusterHost
    from tengen.runtime.host import EngineHost

    return ClusterHost(cluster, grace_s=GRACE_S) if cluster else EngineHost(workers, grace_s=GRACE_S)


def _review_games(
    host: EngineHost, source: str, number: int, save: Path | None, page: Path | None, quick: bool, deck: bool
) -> None:
    from tengen.games import records
    from tengen.terminal import record_files

    if record_files.is_record(source):
        if deck:
            raise OptionError("only stored games fill a deck: import the file first (tengen library import)")
        bad: dict[int, records.RecordError] = {}
        documents = []
        games = record_files.numbered_records(errors, Path(source), number, bad)
        if page is not None and len(chosen := list(games)) != 1:
            if not chosen and len(bad) == 1:
                raise next(iter(bad.values()))
            raise OptionError("a page is for one game: choose it with --number")
        for which, record in games if page is None else chosen:
            documents.append(_review(host, record, f"Game {which}", quick=quick))
        for error in bad.values():
            errors.print(f"skipped: {error}")
    else:
        from tengen.terminal.stored_games import find_game

        with open_store() as store:
            entry = find_game(store, source)
            documents = [_review(host, entry.record, "Game", entry.id, store, quick=quick)]
            if deck:
                _fill_deck(store, host, documents[0], entry.id)
    if save is not None:
        record_files.report_dropped(errors, save, records.write((one.annotated() for one in documents), save))
    if page is not None:
        page.write_text(documents[0].html(), encoding="utf-8")
        console.print(f"{page}")


def _review(
    host: EngineHost, record: Record, title: str, game_id: str = "game", store: Store | None = None, *, quick: bool
) -> ReviewDocument:
    """Review one game and print the review. Ctrl-C shows what is known so far."""
    from tengen.app.bulk_review import GameReview
    from tengen.app.review_document import ReviewDocument
    from tengen.terminal.progress import run_with_progress

    line = run_with_progress(errors, record.positions)
    running = GameReview(host, line, game_id, store, deep=not quick)
    _wait(running, title)
    document = run_with_progress(errors, lambda: ReviewDocument(record, line, running.reports))
    console.print(document.text(), markup=False)
    return document


def _wait(running: GameReview, title: str) -> None:
    try:
        with errors.status(f"{title} …") as status:
            while not running.wait(0.1):
                part, done, total = running.progress
                status.update(f"{title}, pass {part}: {done} of {total} positions …")
    except KeyboardInterrupt:
        running.stop()
        errors.print("stopped: this is what is known so far")


def _fill_deck(store: Store, host: EngineHost, document: ReviewDocument, game_id: str) -> None:
    from tengen.app.deck import find_solver
    from tengen.app.mistakes import collect_mistakes, mistakes

    seats = store.seats(game_id)
    solver = find_solver(store)
    own = [] if seats is None else sorted(seats.sides(solver))
    sides = own if len(own) == 1 else [0, 1]
    with errors.status("Searching alternatives …"):
        found = mistakes(document.line, document.summary, sides)
        added = collect_mistakes(store, host, found, solver, game_id)
    console.print(f"{added} positions added to the deck")


def report(
    player: Annotated[str, typer.Argument(help="a player's name (its first letters suffice)")],
    game: OnlyGame = "",
    since: Annotated[str, typer.Option(help="first date, such as 2024-01-31")] = "",
    until: Annotated[str, typer.Option(help="last date")] = "",
) -> None:
    """Add up a player's reviewed games: accuracy by game, phase, opening, time and month, and kinds of mistakes.

    The latest 500 games count, as far as they are reviewed: see `tengen review`.

    Example: tengen report Ann --game go
    """
    from rich.table import Table

    from tengen.app.player_report import departure_rows, player_report, sides_of_player, tables, theme_name
    from tengen.store.listing import Filter

    check_game(game)
    which = Filter(game=game.lower() or None, name=player, since=since or None, until=until or None)
    with open_store() as store, errors.status("Reading games …") as status:
        found = player_report(
            store, which, sides_of_player("", player), lambda count: status.update(f"{count:,} games read …")
        )
    departures = departure_rows(found)
    if not found.total.games and not departures:
        raise OptionError(f"there is no reviewed game of {player!r}: review some with tengen review --name NAME")
    for title, rows in tables(found):
        table = Table(
            title, "games", "moves", "accuracy", "mistakes per 100 moves", "wins or draws given away (proved)"
        )
        for name, one in rows:
            accuracy = "" if one.accuracy is None else f"{one.accuracy:.0f} %"
            per_100 = "" if one.mistakes_per_100 is None else f"{one.mistakes_per_100:.1f}"
            table.add_row(name, str(one.games or ""), str(one.moves), accuracy, per_100, str(one.proved))
        console.print(table)
    if departures:
        table = Table("leaves the repertoire after", "usual move", "played", "games")
        for row in departures:
            table.add_row(*row)
        console.print(table)
    if found.themes:
        table = Table("mistakes", "count")
        for (what, theme), count in found.themes.most_common():
            table.add_row(theme_name(what, theme), str(count))
        console.print(table)
    if found.unreviewed:
        console.print(f"{found.unreviewed:,} games are not reviewed yet and do not count")
