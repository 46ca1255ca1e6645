"""Generates the statistics book of Go that ships with the package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from hashlib import blake2b
from pathlib import Path
from typing import Any

import tengen
from tengen.arena.go_games import (
    DECIDED_WIN_RATE,
    MIN_VISITS,
    NODES,
    OPENING_NODES,
    OPENING_PLIES,
    BookGame,
    game_tasks,
    line_of,
    training_games,
)
from tengen.arena.shipped_books import Bar, checkpoint_path, write_provenance
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import SUFFIX, dump, write_statistics
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs
from tengen.games.go import Go
from tengen.jobs import Checkpoint, collect, run

DEPTH = 10  # plies of a game that are counted
KEPT_GAMES = 4  # positions of fewer games are left out
PLAYED_GAMES = 20  # engines play no move of fewer games
GROWTH_GAMES = 100  # at a time, until the book has the positions asked for


def board(options: list[str]) -> Go:
    """The board of a book, from options such as `size=13`; 9x9 without any."""
    game = Go.create(**pairs(options or ["size=9"]))
    if game != Go(width=game.width, height=game.height):
        raise OptionError(
            f"a book of Go is made for the usual rules and komi: give only a size, not {' '.join(options)}"
        )
    return game


def make_go(
    folder: Path,
    game: Go,
    *,
    seed: int,
    count: int,
    executor: Executor,
    bar: Bar,
    positions: int | None = None,
    games_of: Sequence[Path] = (),
) -> Path:
    """Write a statistics book of `count` self-play games, and of the games of training runs in these folders.

    With `positions`, more games are played until the book has that many positions. Returns its path.
    """
    output = folder / f"go{SUFFIX}"
    given = [one for run_folder in games_of for one in training_games(run_folder, game)]
    style = f"nodes {OPENING_NODES} {OPENING_PLIES} {NODES}, drawn {MIN_VISITS}, decided {DECIDED_WIN_RATE}"
    checkpoint = Checkpoint(
        checkpoint_path(output, "games"), f"tengen {tengen.__version__}: {game.describe()}, {style}, seed {seed}"
    )
    while True:
        book = statistics_of(game, [*given, *_play(game, seed, count, executor, bar, checkpoint)])
        if positions is None or len(book) >= positions:
            break
        count += GROWTH_GAMES
    write_statistics(book, output)
    facts: dict[str, Any] = {"positions": len(book)}
    options = _options(game)
    if games_of:
        options += " --games-of FOLDER" * len(games_of)
        facts["games_of_training"] = len(given)
    write_provenance(output, seed, count, options, facts)
    return output


def _play(
    game: Go, seed: int, count: int, executor: Executor, bar: Bar, checkpoint: Checkpoint
) -> Iterable[BookGame]:
    tasks = game_tasks(game, seed, count)
    if not tasks:
        return []
    with bar("Games played") as show:
        found = collect(run(tasks, executor=executor, checkpoint=checkpoint, on_progress=show))
    return [found[task.id] for task in tasks]


def statistics_of(game: Go, played: Iterable[BookGame]) -> StatisticsBook:
    """The statistics of these games, without rare positions."""
    book = StatisticsBook(game.name, depth=DEPTH, min_games=PLAYED_GAMES)
    games = 0
    for one in played:
        book.add(line_of(game, one, DEPTH), one.winner)
        games += 1
    book.remove_rare(KEPT_GAMES)
    book.progress = {f"go{SUFFIX} {blake2b(dump(book), digest_size=8).hexdigest()}": games}
    return book


def _options(game: Go) -> str:
    """The size as an option of the command that makes the book, unless it is the usual one."""
    size = f"{game.width}" if game.width == game.height else f"{game.width}x{game.height}"
    return "" if size == "9" else f" size={size}"
