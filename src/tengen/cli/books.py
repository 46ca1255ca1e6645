"""`tengen book …`: opening books."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from tengen.cli.console import errors
from tengen.cli.console import unwrapped as console
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs
from tengen.jobs.arguments import Cluster

if TYPE_CHECKING:
    from tengen.books.book import ValuedBook
    from tengen.core.game import Game
    from tengen.core.position import Position

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

GameName = Annotated[str, typer.Option("--game", "-g", help="clobber, go, othello or pente")]
Options = Annotated[list[str] | None, typer.Option("--rules", help="an option of the game, such as size=6")]
BookFile = Annotated[Path | None, typer.Option("--book", "-b", help="book file; default: the user's book")]
Depth = Annotated[int, typer.Option(help="search depth for each position")]
Processes = Annotated[int | None, typer.Option(help="number of worker processes; default: one per core")]
Loss = Annotated[float, typer.Option(help="maximum loss of a line, both sides added, in points of the game")]


@app.callback()
def _book(context: typer.Context) -> None:
    """Opening books: add games, evaluate, grow, inspect."""
    from tengen.core.compiled.cache import compile_listener

    compiled: list[str] = []

    def on_compile(kernel: str) -> None:
        if not compiled:
            errors.print("Compiling for this machine (first time only) …", highlight=False)
        compiled.append(kernel)

    context.with_resource(compile_listener(on_compile))


def _check_positive(**given: int | None) -> None:
    for name, number in given.items():
        if number is not None and number < 1:
            raise OptionError(f"--{name.replace('_', '-')} must be 1 or more, not {number}")


def _print(text: str) -> None:
    console.print(text, highlight=False, markup=False)


def _game(name: str, rules: list[str] | None) -> Game:
    from tengen.games import game

    return game(name, **pairs(rules))


def _open(name: str, rules: list[str] | None, book: Path | None) -> tuple[ValuedBook, Path]:
    from tengen.app.book_building import find_book
    from tengen.books.book_file import read_book

    path = find_book(_game(name, rules), book)
    return read_book(path), path


def _print_level(book: ValuedBook, path: Path) -> None:
    from tengen.books.consistency import check

    _print(f"{path}: {len(book)} positions, {check(book).level.name.lower()}")


@app.command()
def add(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="game records in any known format")],
    book: BookFile = None,
    statistics: Annotated[bool, typer.Option("--statistics", help="add to the statistics book instead")] = False,
    horizon: Annotated[
        int | None, typer.Option("--max-ply", "--horizon", help="new book only: store positions up to this ply")
    ] = None,
) -> None:
    """Add games to a book. A new book starts as a copy of the shipped one. Evaluate it next (`tengen book value`).

    Example: tengen book add games.wtb
    """
    from tengen.app.book_building import add_games
    from tengen.books import installed
    from tengen.games import records
    from tengen.runtime.book_updates import count_games

    skipped: list[str] = []
    found = [
        record
        for file in files
        for record in records.stream(file, on_bad=lambda number, error: skipped.append(f"game {number}: {error}"))
    ]
    if not found:
        raise OptionError("these files contain no games")
    if statistics:
        path, positions = count_games(found, book)
        _print(f"{path}: {len(found)} games added, {positions} positions")
    else:
        game = found[0].game
        path = book or installed.valued_path(game)
        shipped = installed.load_editable(game) if book is None and horizon is None and not path.exists() else None
        valued, unfit = add_games(found, path, shipped, horizon)
        skipped += unfit
        _print_level(valued, path)
    for reason in skipped[:5]:
        _print(f"skipped: {reason}")
    if len(skipped) > 5:
        _print(f"skipped: {len(skipped) - 5} more")


@app.command()
def value(
    game: GameName = "othello",
    rules: Options = None,
    book: BookFile = None,
    depth: Depth = 12,
    solve_from: Annotated[int | None, typer.Option(help="solve exactly all positions from this ply on")] = None,
    processes: Processes = None,
    cluster: Cluster = "",
) -> None:
    """Evaluate the positions that have no value yet. Run the same command again to continue after an interruption.

    Example: tengen book value --depth 14
    """
    from tengen.app.book_building import edit_book, is_evaluated

    _check_positive(depth=depth, processes=processes)
    known, where = _open(game, rules, book)
    if solve_from is None and is_evaluated(known):
        _print(f"{where}: all positions are evaluated; `tengen book grow` adds more")
        return
    with edit_book(_game(game, rules), book) as (found, path):
        _evaluate(found, path, depth, solve_from, processes, cluster)


def _evaluate(
    book: ValuedBook, path: Path, depth: int, solve_from: int | None, processes: int | None, cluster: str
) -> None:
    from tengen.app.book_building import evaluator_for
    from tengen.books.evaluation import evaluate_and_write
    from tengen.jobs import ProgressBar, open_executor

    valuer = evaluator_for(book, depth)
    with open_executor(processes, cluster) as executor, ProgressBar("Evaluating the book") as bar:
        searched = evaluate_and_write(
            path, book, valuer, solve_from=solve_from, executor=executor, on_progress=bar
        )
    _print(f"{searched} positions searched")
    _print_level(book, path)


@app.command()
def negamax(game: GameName = "othello", rules: Options = None, book: BookFile = None) -> None:
    """Recompute the value of every branch from its best successor.

    Example: tengen book negamax
    """
    from tengen.app.book_building import edit_book, save_book

    with edit_book(_game(game, rules), book) as (found, path):
        changed = found.negamax()
        save_book(found, path)
    _print(f"{changed} values changed")
    _print_level(found, path)


@app.command()
def check(game: GameName = "othello", rules: Options = None, book: BookFile = None) -> None:
    """Check the consistency of a book. The exit code is 1 if it is not fully evaluated (negamaxed).

    Example: tengen book check --book my.book
    """
    from tengen.books.consistency import ConsistencyLevel
    from tengen.books.consistency import check as check_book

    found, path = _open(game, rules, book)
    result = check_book(found)
    _print(f"{path}: {result.level.name.lower()}")
    if result.level is not ConsistencyLevel.NEGAMAXED and result.offender is not None:
        _print(f"not {ConsistencyLevel(result.level + 1).name.lower()}: {result.reason}")
        _print(str(found.nodes.position(result.offender)))
        raise typer.Exit(1)


@app.command()
def grow(
    game: GameName = "othello",
    rules: Options = None,
    book: BookFile = None,
    loss: Loss = 2.0,
    max_ply: Annotated[
        int | None, typer.Option("--max-ply", "--last", help="only extend positions before this ply")
    ] = None,
    rounds: Annotated[int, typer.Option(help="number of rounds; each extends lines by one move")] = 1,
    max_branches: Annotated[
        int | None,
        typer.Option("--max-branches", "--most", help="maximum number of new branches per round"),
    ] = None,
    fill: Annotated[int | None, typer.Option(help="instead extend all leaves up to this ply")] = None,
    depth: Depth = 12,
    processes: Processes = None,
    cluster: Cluster = "",
) -> None:
    """Extend a book by unplayed moves that lose little, and evaluate the new positions.

    Run the same command again to continue after an interruption.

    Example: tengen book grow --loss 2 --rounds 3 --max-branches 200
    """
    from tengen.app.book_building import add_branches, edit_book, is_evaluated
    from tengen.books import operations

    _check_positive(
        depth=depth, processes=processes, rounds=rounds, max_branches=max_branches, fill=fill, max_ply=max_ply
    )
    with edit_book(_game(game, rules), book) as (found, path):
        if not is_evaluated(found):  # results of an interrupted round may exist
            _evaluate(found, path, depth, None, processes, cluster)
        for _ in range(rounds):
            if fill is not None:
                added = len(operations.fill(found, fill))
            else:
                added = add_branches(found, max_loss=loss, max_ply=max_ply, max_branches=max_branches)
            _print(f"{added} new branches")
            if not added:
                break
            _evaluate(found, path, depth, None, processes, cluster)


@app.command()
def prune(game: GameName = "othello", rules: Options = None, book: BookFile = None, loss: Loss = 8.0) -> None:
    """Remove the positions after moves that lose too much. The book stays evaluated.

    Example: tengen book prune --loss 8
    """
    from tengen.app.book_building import edit_book, loss_in_value_units, save_book
    from tengen.books import operations

    with edit_book(_game(game, rules), book) as (found, path):
        removed = operations.prune(found, loss_in_value_units(found, loss))
        save_book(found, path)
    _print(f"{removed} positions removed")
    _print_level(found, path)


@app.command()
def merge(
    other: Annotated[Path | None, typer.Argument(help="another book; default: the shipped one")] = None,
    game: GameName = "othello",
    rules: Options = None,
    book: BookFile = None,
) -> None:
    """Add the positions and values of another book. Evaluate the book next (`tengen book value`).

    Example: tengen book merge other.book
    """
    from tengen.app.book_building import edit_book, save_book
    from tengen.books import operations
    from tengen.books.book_file import read_book
    from tengen.books.installed import shipped_path

    if other is None:
        other = shipped_path(_game(game, rules))
        if not other.exists():
            raise OptionError(f"no book is shipped for {_game(game, rules).describe()}: give the file of a book")
    theirs = read_book(other)
    with edit_book(_game(game, rules), book) as (found, path):
        merged = operations.merge(found, theirs)
        save_book(found, path)
    _print(f"{merged.added} positions added, {merged.improved} improved")
    _print_level(found, path)


@app.command()
def make(
    game: Annotated[str, typer.Argument(help="othello or pente")],
    folder: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="output folder")] = Path(),
    seed: Annotated[int, typer.Option(help="random seed")] = 1,
    games: Annotated[int | None, typer.Option(help="number of games; default: as for the shipped book")] = None,
    depth: Annotated[int | None, typer.Option(help="Othello: search depth for each position")] = None,
    processes: Processes = None,
    cluster: Cluster = "",
) -> None:
    """Make the shipped book of a game again, from games that its engine plays against itself.

    For Othello this is a valued book, for Pente the games from which the statistics book is built. Run the same
    command again to continue after an interruption. `tengen book grow` extends a book.

    Example: tengen book make othello --output books
    """
    from tengen.arena import shipped_books
    from tengen.jobs import ProgressBar, open_executor

    if game not in shipped_books.GAMES:
        raise OptionError(f"no book is shipped for {game}: choose {' or '.join(shipped_books.GAMES)}")
    _check_positive(games=games, depth=depth, processes=processes)
    count = shipped_books.GAMES[game] if games is None else games
    if not folder.is_dir():
        raise OptionError(f"{folder}: folder not found")
    if game == "pente" and depth is not None:
        raise OptionError("the book of Pente needs no search: omit --depth")
    with open_executor(processes, cluster) as executor:
        if game == "othello":
            searched = shipped_books.DEPTH if depth is None else depth
            output = shipped_books.make_othello(
                folder, seed=seed, count=count, depth=searched, executor=executor, bar=ProgressBar
            )
        else:
            output = shipped_books.make_pente(folder, seed=seed, count=count, executor=executor, bar=ProgressBar)
    _print(f"{output}: {output.stat().st_size:,} bytes")
    _print(output.with_suffix(".json").read_text().strip())


@app.command("import")
def import_book(
    file: Annotated[Path, typer.Argument(help="a book of Novello (.nbb) or Tengen (.book)")],
    book: BookFile = None,
) -> None:
    """Import a book, merging it into the existing one if there is one.

    Example: tengen book import book.nbb
    """
    from tengen.app import book_building

    with errors.status(f"Reading {file} …"):
        found, path = book_building.import_book(file, book)
    _print_level(found, path)


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="file to write: .nbb for Novello's format, otherwise Tengen's")],
    game: GameName = "othello",
    rules: Options = None,
    book: BookFile = None,
) -> None:
    """Write a book to another file.

    Example: tengen book export book.nbb
    """
    from tengen.books.book_file import dump
    from tengen.books.nbb import dump_nbb
    from tengen.games.records.atomic_files import save

    if not file.absolute().parent.is_dir():
        raise OptionError(f"{file.absolute().parent}: folder not found")
    found, _ = _open(game, rules, book)
    with errors.status(f"Writing {len(found)} positions …"):
        data = dump_nbb(found) if file.suffix.lower() == ".nbb" else dump(found)
    save(file, data)
    _print(f"{file}: {len(found)} positions")


@app.command()
def show(
    moves: Annotated[str, typer.Argument(help="moves from the start, separated by spaces")] = "",
    game: GameName = "othello",
    rules: Options = None,
    book: BookFile = None,
) -> None:
    """Show the entries of a position in the valued book and in the statistics book.

    Example: tengen book show "f5 d6"
    """
    position = _game(game, rules).start().play_all(moves.split())
    found = _show_valued(position, book)
    if book is None:
        found |= _show_statistics(position)
    if not found:
        raise OptionError("this position is in no book")


def _show_valued(position: Position, book: Path | None) -> bool:
    from tengen.books.book_file import read_book
    from tengen.books.installed import valued_books

    books = valued_books(position.game) if book is None else (read_book(book),)
    for found in books:
        entry = found.lookup(position) if found.fits(position.game) else None
        options = found.options(position)
        if entry is None and not options:
            continue
        if entry is not None:
            value = found.value_of(entry)
            _print(f"{entry.kind.name.lower()}, {'not evaluated' if value is None else value}")
            if entry.move is not None:
                _print(f"best unplayed move: {position.game.write_move(entry.move)}")
        table = Table("move", "value", "kind", box=None)
        for option in options:
            table.add_row(option.text, str(option.value), option.kind)
        console.print(table)
        return True
    return False


def _create_statistics(name: str) -> None:
    """Create the statistics book from the shipped games, unless it exists."""
    from tengen.app.live_books import shipped_source
    from tengen.books import installed
    from tengen.books.live_statistics import LiveBook

    games, path = installed.shipped_games_path(name), installed.statistics_path(name)
    if games.exists() and not path.exists():
        with errors.status("Counting the shipped games (first time only) …"):
            live = LiveBook(name, path)
            try:
                live.feed(*shipped_source(name, games))
                live.wait(600)
            finally:
                live.close()


def _show_statistics(position: Position) -> bool:
    from tengen.books.installed import statistics

    _create_statistics(position.game.name)
    found = statistics.book(position.game)
    options = found.options(position) if found is not None else ()
    table = Table("move", "games", "won", "lost", "drawn", "best rating", box=None)
    for option in options:
        counts = (option.games, option.wins, option.losses, option.draws, round(option.best))
        table.add_row(option.text, *map(str, counts))
    if options:
        console.print(table)
    return bool(options)


@app.command()
def stats(game: GameName = "othello", rules: Options = None, book: BookFile = None) -> None:
    """Show the size of a book: positions by kind and ply.

    Example: tengen book stats
    """
    from tengen.books.summary import summarise

    found, path = _open(game, rules, book)
    counted = summarise(found)
    _print(f"{path}: {path.stat().st_size:,} bytes, {counted.checked.level.name.lower()}")
    _print(
        f"{counted.positions} positions: {counted.branches} branches, {counted.leaves} leaves, "
        f"{counted.solved} solved; {counted.unvalued} not evaluated"
    )
    table = Table("moves", "branches", "leaves", "solved", box=None)
    for row in counted.stages:
        table.add_row(*map(str, (row.stage, row.branches, row.leaves, row.solved)))
    console.print(table)
