"""`tengen book …`: opening books."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from tengen.cli.book_options import GAME_HELP, BookFile, BookOptions, GameWords
from tengen.cli.console import console, errors
from tengen.cli.inputs import check_folders
from tengen.cli.option_groups import Workers, command_group, grouped
from tengen.cli.options import Seed
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.books.book import ValuedBook
    from tengen.core.position import Position

app = command_group("Opening books: add games, evaluate, grow, inspect.")

Depth = Annotated[int, typer.Option(min=1, help="search depth for each position")]
Loss = Annotated[float, typer.Option(help="maximum loss of a line, both sides added, in points of the game")]


@app.callback()
def _announce_compilation(context: typer.Context) -> None:
    from tengen.core.compiled.cache import compile_listener

    compiled: list[str] = []

    def on_compile(kernel: str) -> None:
        if not compiled:
            errors.print("Preparing (first time only) …")
        compiled.append(kernel)

    context.with_resource(compile_listener(on_compile))


def _print_level(book: ValuedBook, path: Path) -> None:
    from tengen.books.consistency import check

    console.print(f"{path}: {len(book)} positions, {check(book).level.name.lower()}")


@app.command()
def add(
    files: Annotated[
        list[Path], typer.Argument(metavar="[GAME] FILE...", help="game records in any known format")
    ],
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

    check_folders(book)
    which, words = BookOptions(book=book).split([str(file) for file in files])
    files = [Path(word) for word in words]
    if not files:
        raise OptionError("give a file of games (see: tengen book add --help)")
    skipped: list[str] = []
    found = [
        record
        for file in files
        for record in records.stream(file, on_bad=lambda number, error: skipped.append(f"game {number}: {error}"))
    ]
    if not found:
        reason = f": {skipped[0]}" if skipped else ""
        raise OptionError(f"these files contain no readable games{reason}")
    which.check(found[0].game, files[0], "has games")
    if statistics:
        path, positions = count_games(found, book)
        console.print(f"{path}: {len(found)} games added, {positions} positions")
    else:
        game = found[0].game
        path = book or installed.valued_path(game)
        shipped = installed.load_editable(game) if book is None and horizon is None and not path.exists() else None
        valued, unfit = add_games(found, path, shipped, horizon)
        skipped += unfit
        _print_level(valued, path)
    for reason in skipped[:5]:
        console.print(f"skipped: {reason}")
    if len(skipped) > 5:
        console.print(f"skipped: {len(skipped) - 5} more")


@app.command()
@grouped
def value(
    which: BookOptions,
    workers: Workers,
    words: GameWords = None,
    depth: Depth = 12,
    solve_from: Annotated[int | None, typer.Option(help="solve exactly all positions from this ply on")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="search all branches again, for example with a greater depth")
    ] = False,
) -> None:
    """Evaluate the positions that have no value yet. Run the same command again to continue after an interruption.

    With --again, values found by earlier searches are replaced; solved positions stay.

    Example: tengen book value othello --depth 14

    Example: tengen book value othello --again --depth 18
    """
    from tengen.app.book_building import is_evaluated
    from tengen.books import operations

    which = which.named(words, "value")
    known, where = which.read()
    if solve_from is None and not again and is_evaluated(known):
        console.print(f"{where}: all positions are evaluated; `tengen book grow` adds more")
        return
    with which.edit() as (found, path):
        if again:
            operations.forget_searches(found)
        _evaluate(found, path, depth, workers, solve_from)


def _evaluate(book: ValuedBook, path: Path, depth: int, workers: Workers, solve_from: int | None = None) -> None:
    from tengen.app.book_building import evaluator_for
    from tengen.books.evaluation import evaluate_and_write
    from tengen.jobs import ProgressBar

    evaluator = evaluator_for(book, depth)
    with workers.open() as executor, ProgressBar("Positions searched") as bar:
        searched = evaluate_and_write(
            path, book, evaluator, solve_from=solve_from, executor=executor, on_progress=bar
        )
    console.print(f"{searched} positions searched")
    _print_level(book, path)


@app.command()
@grouped
def negamax(which: BookOptions, words: GameWords = None) -> None:
    """Recompute the value of every branch from its best successor.

    Example: tengen book negamax othello
    """
    from tengen.app.book_building import save_book

    which = which.named(words, "negamax")
    with which.edit() as (found, path):
        changed = found.negamax()
        save_book(found, path)
    console.print(f"{changed} values changed")
    _print_level(found, path)


@app.command()
@grouped
def check(which: BookOptions, words: GameWords = None) -> None:
    """Check the consistency of a book. The exit code is 1 if it is not fully evaluated (negamaxed).

    Example: tengen book check othello

    Example: tengen book check --book my.book
    """
    from tengen.books.consistency import ConsistencyLevel
    from tengen.books.consistency import check as check_book

    found, path = which.named(words, "check").read()
    result = check_book(found)
    console.print(f"{path}: {result.level.name.lower()}")
    if result.level is not ConsistencyLevel.NEGAMAXED and result.offender is not None:
        console.print(f"not {ConsistencyLevel(result.level + 1).name.lower()}: {result.reason}")
        console.print(str(found.nodes.position(result.offender)))
        raise typer.Exit(1)


@app.command()
@grouped
def grow(
    which: BookOptions,
    workers: Workers,
    words: GameWords = None,
    loss: Loss = 2.0,
    max_ply: Annotated[
        int | None, typer.Option("--max-ply", "--last", min=1, help="only extend positions before this ply")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="number of rounds; each extends lines by one move")] = 1,
    max_branches: Annotated[
        int | None,
        typer.Option("--max-branches", "--most", min=1, help="maximum number of new branches per round"),
    ] = None,
    free_plies: Annotated[
        int, typer.Option(min=0, help="losses in the first moves up to this ply do not count")
    ] = 0,
    fill: Annotated[int | None, typer.Option(min=1, help="instead extend all leaves up to this ply")] = None,
    depth: Depth = 12,
) -> None:
    """Extend a book by unplayed moves that lose little, and evaluate the new positions.

    A game without a book gets a new one. Run the same command again to continue after an interruption.

    Example: tengen book grow othello --loss 2 --rounds 3 --max-branches 200
    """
    from tengen.app.book_building import add_branches, is_evaluated
    from tengen.books import operations

    which = which.named(words, "grow")
    with which.edit(create=True) as (found, path):
        if not is_evaluated(found):  # results of an interrupted round may exist
            _evaluate(found, path, depth, workers)
        for _ in range(rounds):
            if fill is not None:
                added = len(operations.fill(found, fill))
            else:
                added = add_branches(
                    found, max_loss=loss, max_ply=max_ply, max_branches=max_branches, free_plies=free_plies
                )
            console.print(f"{added} new branches")
            if not added:
                break
            _evaluate(found, path, depth, workers)


@app.command()
@grouped
def prune(which: BookOptions, words: GameWords = None, loss: Loss = 8.0) -> None:
    """Remove the positions after moves that lose too much. The book stays evaluated.

    Example: tengen book prune othello --loss 8
    """
    from tengen.app.book_building import loss_in_value_units, save_book
    from tengen.books import operations

    which = which.named(words, "prune")
    with which.edit() as (found, path):
        removed = operations.prune(found, loss_in_value_units(found, loss))
        save_book(found, path)
    console.print(f"{removed} positions removed")
    _print_level(found, path)


@app.command()
@grouped
def merge(
    which: BookOptions,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME] [FILE]", help="the game; and another book, default: the shipped one"),
    ] = None,
) -> None:
    """Add the positions and values of another book. Evaluate the book next (`tengen book value`).

    Example: tengen book merge other.book
    """
    from tengen.app.book_building import save_book
    from tengen.books import operations
    from tengen.books.book_file import read_book
    from tengen.books.installed import shipped_path

    which, files = which.split(words)
    if len(files) > 1:
        raise OptionError("give one other book (see: tengen book merge --help)")
    other = Path(files[0]) if files else None
    if other is None:
        game = which.create_game()
        other = shipped_path(game)
        if not other.exists():
            raise OptionError(f"no book is shipped for {game.describe()}: give the file of a book")
    theirs = read_book(other)
    with which.edit() as (found, path):
        merged = operations.merge(found, theirs)
        save_book(found, path)
    console.print(f"{merged.added} positions added, {merged.improved} improved")
    _print_level(found, path)


@app.command()
@grouped
def make(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME [OPTION=VALUE]...", help="othello, pente or go; Go also with a size, such as size=13"
        ),
    ],
    workers: Workers,
    folder: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="output folder")] = Path(),
    seed: Seed = 1,
    games: Annotated[
        int | None, typer.Option(min=0, help="number of games; default: as for the shipped book")
    ] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Othello: search depth for each position")] = None,
    positions: Annotated[
        int | None,
        typer.Option(min=1, help="Othello, Go: then go on until the book has about this many positions"),
    ] = None,
    games_of: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER", help="Go: also count the games of the `tengen train go` run in this folder"
        ),
    ] = None,
) -> None:
    """Make a book from games that a game's engine plays against itself: the shipped one again, or one of Go.

    For Othello this is a valued book, for Go a statistics book (9x9 unless another size is given), for Pente the
    games from which the statistics book is built. Run the same command again to continue after an interruption.
    `tengen book grow` extends a valued book, `tengen book import` adds the result to your own books.

    Example: tengen book make othello --output books

    Example: tengen book make othello --output books --depth 16 --positions 100000

    Example: tengen book make go size=13 --games 500 --output books

    Example: tengen book make go --games 0 --games-of FOLDER --output books
    """
    from tengen.arena.book_makers import MAKERS, BookRequest
    from tengen.arena.shipped_books import GAMES
    from tengen.jobs import ProgressBar

    game = words[0]
    if game not in MAKERS:
        raise OptionError(
            f"no book is shipped for {game}: choose {', '.join(MAKERS)} (see: tengen book make --help)"
        )
    given = {"--depth": depth, "--positions": positions, "--games-of": games_of, "a size": words[1:]}
    for name, value in given.items():
        if value and name not in MAKERS[game].options:
            raise OptionError(f"the book of {game} is made without {name}: omit it")
    count = GAMES[game] if games is None else games
    if not folder.is_dir():
        raise OptionError(f"{folder}: folder not found")
    if count == 0 and (not games_of or positions is not None):
        raise OptionError("--games 0 needs --games-of FOLDER and no --positions")
    request = BookRequest(folder, seed, count, depth, positions, words[1:], games_of or ())
    with workers.open() as executor:
        output = MAKERS[game].make(request, executor, ProgressBar)
    console.print(f"{output}: {output.stat().st_size:,} bytes")
    console.print(output.with_suffix(".json").read_text().strip())


@app.command("import")
def import_book(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[GAME] FILE",
            help="a book of Tengen (.book, .stats), Novello (.nbb), Edax (.dat) or Egaroucid (.egbk3)",
        ),
    ],
    book: BookFile = None,
) -> None:
    """Import a book, merging it into the existing one if there is one. Evaluate it next (`tengen book value`).

    A statistics book (.stats) needs no evaluation; one that is already part of yours is not counted again.

    Example: tengen book import book.nbb

    Example: tengen book import book.dat --book edax.book

    Example: tengen book import books/go.stats
    """
    from tengen.app.book_building import import_statistics, merge_into, read_any_book
    from tengen.books.statistics_file import SUFFIX

    which, file = _file_argument(BookOptions(book=book), words, "import")
    check_folders(book)
    if file.suffix == SUFFIX:
        added, counts, path = import_statistics(file, book)
        console.print(f"{path}: {len(counts)} positions{'' if added else ', nothing new'}")
        return
    with errors.status(f"Reading {file} …"):
        theirs = read_any_book(file)
        which.check(theirs.game, file)
        found, path = merge_into(theirs, book)
    _print_level(found, path)


@app.command()
@grouped
def export(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[GAME] FILE",
            help="the game; and the file to write: .nbb for Novello, .dat for Edax, .egbk3 for Egaroucid, "
            "otherwise Tengen's format",
        ),
    ],
    which: BookOptions,
) -> None:
    """Write a book to another file.

    Example: tengen book export othello book.nbb
    """
    from tengen.books.formats import dump_book
    from tengen.games.records.atomic_files import save

    which, file = _file_argument(which, words, "export")
    check_folders(file)
    found, _ = which.read()
    with errors.status(f"Writing {file} …"):
        data = dump_book(found, file)
    save(file, data)
    console.print(f"{file}: {len(data):,} bytes")


def _file_argument(which: BookOptions, words: list[str], command: str) -> tuple[BookOptions, Path]:
    """The book, and the file among a command's arguments."""
    which, files = which.split(words)
    if len(files) != 1:
        raise OptionError(f"give one file, not {len(files)} (see: tengen book {command} --help)")
    return which, Path(files[0])


@app.command()
@grouped
def show(
    which: BookOptions,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME] [OPTION=VALUE]... [MOVES]", help=f"{GAME_HELP}; then moves from the start"),
    ] = None,
) -> None:
    """Show the entries of a position in the valued book and in the statistics book.

    Example: tengen book show f5 d6

    Example: tengen book show pente K10
    """
    which, moves = which.split(words)
    position = which.create_game().start().play_all(" ".join(moves).split())
    if name := position.game.opening_name(position):
        console.print(f"Opening: {name}")
    found = _show_valued(position, which.book)
    if which.book is None:
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
            console.print(f"{entry.kind.name.lower()}, {'not evaluated' if value is None else value}")
            if entry.move is not None:
                console.print(f"best unplayed move: {position.game.write_move(entry.move)}")
        table = Table("move", "value", "kind", box=None)
        for option in options:
            table.add_row(option.text, str(option.value), option.kind)
        console.print(table)
        return True
    return False


def _show_statistics(position: Position) -> bool:
    from tengen.app.live_books import count_shipped_games
    from tengen.books.installed import statistics

    with errors.status("Counting the shipped games (first time only) …"):
        count_shipped_games(position.game.name)
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
@grouped
def stats(which: BookOptions, words: GameWords = None) -> None:
    """Show the size of a book: positions by kind and ply.

    Example: tengen book stats othello
    """
    from tengen.books.summary import summarise

    found, path = which.named(words, "stats").read()
    counted = summarise(found)
    console.print(f"{path}: {path.stat().st_size:,} bytes, {counted.checked.level.name.lower()}")
    console.print(
        f"{counted.positions} positions: {counted.branches} branches, {counted.leaves} leaves, "
        f"{counted.solved} solved; {counted.unvalued} not evaluated"
    )
    table = Table("moves", "branches", "leaves", "solved", box=None)
    for row in counted.stages:
        table.add_row(*map(str, (row.stage, row.branches, row.leaves, row.solved)))
    console.print(table)
