"""`tengen book …`: opening books."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
Options = Annotated[list[str] | None, typer.Option("--rules", help="an option of the game, as size=6")]
BookFile = Annotated[Path | None, typer.Option("--book", "-b", help="the book's file; the usual one if left out")]
Depth = Annotated[int, typer.Option(help="how deep positions are searched")]
Processes = Annotated[int | None, typer.Option(help="worker processes; one for each core if left out")]
Loss = Annotated[float, typer.Option(help="what a line may cost both sides together, in the game's points")]


@app.callback()
def _book(context: typer.Context) -> None:
    """Opening books: add games, value, grow, look things up."""
    from tengen.core.compiled.cache import compile_listener

    told: list[str] = []

    def tell(kernel: str) -> None:
        if not told:
            errors.print("Compiling for this machine, once …", highlight=False)
        told.append(kernel)

    context.with_resource(compile_listener(tell))


def _at_least_one(**given: int | None) -> None:
    for name, number in given.items():
        if number is not None and number < 1:
            raise OptionError(f"--{name} is 1 or more, not {number}")


def _print(text: str) -> None:
    console.print(text, highlight=False, markup=False)


def _game(name: str, rules: list[str] | None) -> Game:
    from tengen.games import game

    return game(name, **pairs(rules))


def _place(game: Game, book: Path | None) -> Path:
    from tengen.books.installed import valued_path

    return book or valued_path(game)


def _open(name: str, rules: list[str] | None, book: Path | None) -> tuple[ValuedBook, Path]:
    """The book in this file, or the user's, or else the one that ships; and its file."""
    from tengen.books.book_file import read_book
    from tengen.books.installed import shipped_path

    game = _game(name, rules)
    path = _place(game, book)
    if book is None and not path.exists() and shipped_path(game).exists():
        path = shipped_path(game)
    if not path.exists():
        raise OptionError(f"there is no book at {path}: begin one with `tengen book add` or `tengen book import`")
    return read_book(path), path


@contextmanager
def _changing(name: str, rules: list[str] | None, book: Path | None) -> Iterator[tuple[ValuedBook, Path]]:
    """The book to be changed and the file that it goes to; meanwhile nobody else changes that."""
    from tengen.books.container import book_lock

    path = _place(_game(name, rules), book)
    _open(name, rules, book)  # fails before anything is made for it
    with book_lock(path):
        yield _open(name, rules, book)[0], path


def _save(book: ValuedBook, path: Path) -> None:
    from tengen.books.book_file import write_book

    path.parent.mkdir(parents=True, exist_ok=True)
    write_book(book, path)


def _tell(book: ValuedBook, path: Path) -> None:
    from tengen.books.consistency import check

    _print(f"{path}: {len(book)} positions, {check(book).level.name.lower()}")


@app.command()
def add(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="records of games, in any format")],
    book: BookFile = None,
    statistics: Annotated[bool, typer.Option("--statistics", help="into the book that counts results")] = False,
    horizon: Annotated[int | None, typer.Option(help="of a new book: positions after so many moves")] = None,
) -> None:
    """Add games to a book, which begins with them, or as a copy of the shipped one. Then value it.

    Example: tengen book add games.wtb
    """
    from tengen.books.container import book_lock
    from tengen.core.errors import TengenError
    from tengen.games import records
    from tengen.runtime.book_updates import count_games

    bad: list[str] = []
    found = [
        record
        for file in files
        for record in records.stream(file, on_bad=lambda number, error: bad.append(f"game {number}: {error}"))
    ]
    if not found:
        raise OptionError("there is no game in these files")
    if statistics:
        path, positions = count_games(found, book)
        _print(f"{path}: {len(found)} games added, {positions} positions")
    else:
        path = _place(found[0].game, book)
        with book_lock(path):
            valued = _begin(found[0].game, path, book is None, horizon)
            for number, record in enumerate(found, 1):
                try:
                    valued.add(record.positions())
                except TengenError as error:
                    bad.append(f"game {number}: {error}")
            _save(valued, path)
        _tell(valued, path)
    for reason in bad[:5]:
        _print(f"left out: {reason}")
    if len(bad) > 5:
        _print(f"left out: {len(bad) - 5} more")


def _begin(game: Game, path: Path, usual: bool, horizon: int | None) -> ValuedBook:
    """The book in a file to which games are added. The user's own begins as a copy of the shipped one."""
    from tengen.books import installed
    from tengen.books.book import ValuedBook
    from tengen.books.book_file import read_book

    if path.exists():
        return read_book(path)
    shipped = installed.load_editable(game) if usual and horizon is None else None
    return shipped or ValuedBook(game, horizon=horizon)


@app.command()
def value(
    game: GameName = "othello",
    rules: Options = None,
    book: BookFile = None,
    depth: Depth = 12,
    solve_from: Annotated[int | None, typer.Option(help="solve positions after so many moves or more")] = None,
    processes: Processes = None,
    cluster: Cluster = "",
) -> None:
    """Search what the book does not know yet. Killed or stopped, the same command goes on where it was.

    Example: tengen book value --depth 14
    """
    _at_least_one(depth=depth, processes=processes)
    from tengen.books.consistency import ConsistencyLevel, check

    known, where = _open(game, rules, book)
    if solve_from is None and check(known).level is ConsistencyLevel.NEGAMAXED:
        _print(f"{where}: everything in it is valued; `tengen book grow` makes it larger")
        return
    with _changing(game, rules, book) as (found, path):
        _value(found, path, depth, solve_from, processes, cluster)


def _value(
    book: ValuedBook, path: Path, depth: int, solve_from: int | None, processes: int | None, cluster: str
) -> None:
    from tengen.books.evaluation import evaluate_and_write
    from tengen.engines.book_evaluator import BookEvaluator
    from tengen.jobs import ProgressBar, open_executor

    valuer = BookEvaluator.for_game(book.game, book.value_unit, proves=book.proved, depth=depth)
    with open_executor(processes, cluster) as executor, ProgressBar("Valuing the book") as bar:
        searched = evaluate_and_write(
            path, book, valuer, solve_from=solve_from, executor=executor, on_progress=bar
        )
    _print(f"{searched} positions searched")
    _tell(book, path)


@app.command()
def negamax(game: GameName = "othello", rules: Options = None, book: BookFile = None) -> None:
    """Give every branch the value of its best successor again.

    Example: tengen book negamax
    """
    with _changing(game, rules, book) as (found, path):
        changed = found.negamax()
        _save(found, path)
    _print(f"{changed} values changed")
    _tell(found, path)


@app.command()
def check(game: GameName = "othello", rules: Options = None, book: BookFile = None) -> None:
    """Prove how far a book can be trusted; the exit code is 1 if it is not negamaxed.

    Example: tengen book check --book my.book
    """
    from tengen.books.consistency import ConsistencyLevel
    from tengen.books.consistency import check as prove

    found, path = _open(game, rules, book)
    proved = prove(found)
    _print(f"{path}: {proved.level.name.lower()}")
    if proved.level is not ConsistencyLevel.NEGAMAXED and proved.offender is not None:
        _print(f"what keeps it from being {ConsistencyLevel(proved.level + 1).name.lower()}: {proved.reason}")
        _print(str(found.nodes.position(proved.offender)))
        raise typer.Exit(1)


@app.command()
def grow(
    game: GameName = "othello",
    rules: Options = None,
    book: BookFile = None,
    loss: Loss = 2.0,
    last: Annotated[int | None, typer.Option(help="only after fewer than so many moves")] = None,
    rounds: Annotated[int, typer.Option(help="how many times; each goes a move further")] = 1,
    most: Annotated[int | None, typer.Option(help="at most so many new branches a round, the cheapest")] = None,
    fill: Annotated[int | None, typer.Option(help="all leaves after up to so many moves instead")] = None,
    depth: Depth = 12,
    processes: Processes = None,
    cluster: Cluster = "",
) -> None:
    """Follow moves that nobody played, as far as they cost little, and value what comes of them.

    Killed or stopped, the same command goes on with the round in which it was.

    Example: tengen book grow --loss 2 --rounds 3 --most 200
    """
    from tengen.books import operations
    from tengen.books.consistency import ConsistencyLevel
    from tengen.books.consistency import check as prove

    _at_least_one(depth=depth, processes=processes, rounds=rounds, most=most, fill=fill, last=last)
    with _changing(game, rules, book) as (found, path):
        if (
            prove(found).level is not ConsistencyLevel.NEGAMAXED
        ):  # else there may be results of a round that was killed
            _value(found, path, depth, None, processes, cluster)
        for _ in range(rounds):
            if fill is not None:
                grown = operations.fill(found, fill)
            else:
                grown = operations.deviate(found, _grains(found, loss), depth=last, most=most)
            _print(f"{len(grown)} new branches")
            if not grown:
                break
            _value(found, path, depth, None, processes, cluster)


def _grains(book: ValuedBook, points: float) -> int:
    if points < 0:
        raise OptionError(f"a loss is 0 or more, not {points:g}")
    return round(1000 * points / book.value_unit)


@app.command()
def prune(game: GameName = "othello", rules: Options = None, book: BookFile = None, loss: Loss = 8.0) -> None:
    """Drop what comes after moves that cost too much. The book keeps its level.

    Example: tengen book prune --loss 8
    """
    from tengen.books import operations

    with _changing(game, rules, book) as (found, path):
        gone = operations.prune(found, _grains(found, loss))
        _save(found, path)
    _print(f"{gone} positions dropped")
    _tell(found, path)


@app.command()
def merge(
    other: Annotated[Path | None, typer.Argument(help="another book; the one that ships if left out")] = None,
    game: GameName = "othello",
    rules: Options = None,
    book: BookFile = None,
) -> None:
    """Take over what another book knows. Then value the book.

    Example: tengen book merge other.book
    """
    from tengen.books import operations
    from tengen.books.book_file import read_book
    from tengen.books.installed import shipped_path

    if other is None:
        other = shipped_path(_game(game, rules))
        if not other.exists():
            raise OptionError(f"no book of {_game(game, rules).describe()} ships: name another book")
    theirs = read_book(other)
    with _changing(game, rules, book) as (found, path):
        merged = operations.merge(found, theirs)
        _save(found, path)
    _print(f"{merged.added} positions added, {merged.improved} improved")
    _tell(found, path)


@app.command()
def make(
    game: Annotated[str, typer.Argument(help="othello or pente")],
    folder: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="where the book goes")] = Path(),
    seed: Annotated[int, typer.Option(help="another seed, other games")] = 1,
    games: Annotated[int | None, typer.Option(help="how many; as in the book that ships if left out")] = None,
    depth: Annotated[int | None, typer.Option(help="how deep positions of Othello are searched")] = None,
    processes: Processes = None,
    cluster: Cluster = "",
) -> None:
    """Make the book of a game that ships with this program, by games of its engines against themselves.

    For Othello that is a valued book, for Pente the games that a book of statistics begins with. Killed or
    stopped, the same command goes on where it was. `tengen book grow` makes books larger.

    Example: tengen book make othello --output books
    """
    from tengen.arena import shipped_books
    from tengen.jobs import ProgressBar, open_executor

    if game not in shipped_books.GAMES:
        raise OptionError(f"no book of {game} ships: choose {' or '.join(shipped_books.GAMES)}")
    _at_least_one(games=games, depth=depth, processes=processes)
    count = shipped_books.GAMES[game] if games is None else games
    if not folder.is_dir():
        raise OptionError(f"{folder}: there is no such folder")
    if game == "pente" and depth is not None:
        raise OptionError("positions of Pente are not searched, only counted: leave out --depth")
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
    file: Annotated[Path, typer.Argument(help="a book of Novello (.nbb) or of this program (.book)")],
    book: BookFile = None,
) -> None:
    """Make a book of a file, or merge it into the book that there is.

    Example: tengen book import book.nbb
    """
    from tengen.books import operations
    from tengen.books.book_file import load, read_book
    from tengen.books.container import book_lock, read_bytes
    from tengen.books.nbb import load_nbb

    data = read_bytes(file)
    with errors.status(f"Reading {file} …"):
        found = load_nbb(data, str(file)) if file.suffix.lower() == ".nbb" else load(data, str(file))
    path = _place(found.game, book)
    with book_lock(path):
        if path.exists():
            old = read_book(path)
            operations.merge(old, found)
            found = old
        _save(found, path)
    _tell(found, path)


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="where to: .nbb for Novello's format, else this program's")],
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
        raise OptionError(f"{file.absolute().parent}: there is no such folder")
    found, _ = _open(game, rules, book)
    with errors.status(f"Writing {len(found)} positions …"):
        data = dump_nbb(found) if file.suffix.lower() == ".nbb" else dump(found)
    save(file, data)
    _print(f"{file}: {len(found)} positions")


@app.command()
def show(
    moves: Annotated[str, typer.Argument(help="moves from the start, separated by blanks")] = "",
    game: GameName = "othello",
    rules: Options = None,
    book: BookFile = None,
) -> None:
    """Show what the books know of a position: the valued one and the one that counts results.

    Example: tengen book show "f5 d6"
    """
    position = _game(game, rules).start().play_all(moves.split())
    told = _show_valued(position, book)
    if book is None:
        told |= _show_counted(position)
    if not told:
        raise OptionError("no book knows this position")


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
            worth = found.value_of(entry)
            _print(f"{entry.kind.name.lower()}, {'not valued yet' if worth is None else worth}")
            if entry.move is not None:
                _print(f"best unplayed move: {position.game.write_move(entry.move)}")
        table = Table("move", "value", "kind", box=None)
        for option in options:
            table.add_row(option.text, str(option.value), option.kind)
        console.print(table)
        return True
    return False


def _count_shipped(name: str) -> None:
    """Begin the statistics with the games that ship, unless somebody has."""
    from tengen.app.live_books import shipped_source
    from tengen.books import installed
    from tengen.books.live_statistics import LiveBook

    games, path = installed.shipped_games_path(name), installed.statistics_path(name)
    if games.exists() and not path.exists():
        with errors.status("Counting the games that ship, once …"):
            live = LiveBook(name, path)
            try:
                live.feed(*shipped_source(name, games))
                live.wait(600)
            finally:
                live.close()


def _show_counted(position: Position) -> bool:
    from tengen.books.installed import statistics

    _count_shipped(position.game.name)
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
    """Count a book's positions.

    Example: tengen book stats
    """
    from tengen.books.summary import summarise

    found, path = _open(game, rules, book)
    counted = summarise(found)
    _print(f"{path}: {path.stat().st_size:,} bytes, {counted.checked.level.name.lower()}")
    _print(
        f"{counted.positions} positions: {counted.branches} branches, {counted.leaves} leaves, "
        f"{counted.solved} solved; {counted.unvalued} without a value"
    )
    table = Table("moves", "branches", "leaves", "solved", box=None)
    for row in counted.stages:
        table.add_row(*map(str, (row.stage, row.branches, row.leaves, row.solved)))
    console.print(table)
