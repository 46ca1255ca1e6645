"""Long work on the user's books, in a process of its own: looking them through, learning a game, growing.

`python -m tengen.app.book_jobs` reads an order, a line of JSON, from its standard input, and writes lines of JSON:
its `progress`, and at last what was `done` or the `error`. It gives way to everything else, and ends at once when
its input does: nobody waits for it any more. A book is written whole or not at all, so it may be killed at any
time.

A growth is done round by round. What it is, and how far it has come, is kept in a file beside the book: whoever
finds that file can go on. Results of a round that was broken off are in the book's checkpoint, as those of `tengen
book value`; the round makes the same branches again, and so finds them.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tengen import games
from tengen.books import installed
from tengen.books.book import ValuedBook
from tengen.books.book_file import SUFFIX, read_book, write_book
from tengen.books.consistency import ConsistencyLevel, check
from tengen.books.container import book_lock
from tengen.books.evaluation import OnProgress, evaluate_and_write, evaluate_book
from tengen.books.operations import deviate
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import SUFFIX as STATISTICS
from tengen.books.statistics_file import read_statistics
from tengen.books.summary import summarise
from tengen.core.errors import OptionError, TengenError
from tengen.core.folders import data_folder
from tengen.core.game import Game
from tengen.engines.valuer import DEPTH, Valuer
from tengen.games.records.saving import save
from tengen.jobs import LocalExecutor, Progress
from tengen.jobs.processes import available_cores, give_way

PLAN = ".growth"
LEAST_PAUSE = 0.25  # seconds between two words of progress

_RANGES = {"loss": (0, 64), "last": (1, 400), "most": (1, 100_000), "rounds": (1, 1000), "depth": (1, 40)}


@dataclass(frozen=True)
class Growth:
    """By what a book grows: see `tengen book grow`. `done` rounds are in the book; a stopped one is left alone."""

    game: str
    options: dict[str, Any] = field(default_factory=dict)
    loss: float = 2.0
    last: int | None = None
    most: int = 100
    rounds: int = 1
    depth: int = DEPTH
    done: int = 0
    stopped: bool = False

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            number = getattr(self, name)
            if not (number is None and name == "last") and not low <= number <= high:
                raise OptionError(f"{name} should be from {low} to {high}, not {number}")

    @property
    def book(self) -> Path:
        """The file of the book that grows."""
        return installed.valued_path(games.game(self.game, **self.options))

    @property
    def has_book(self) -> bool:
        """Whether there is something to grow: the user's book, or one that comes with the program."""
        return self.book.exists() or (installed.SHIPPED_FOLDER / self.book.name).exists()

    @property
    def checkpoint(self) -> Path:
        return self.book.with_suffix(".jobs")

    def keep(self) -> None:
        """Write it down beside the book."""
        self.book.parent.mkdir(parents=True, exist_ok=True)
        save(self.book.with_suffix(PLAN), json.dumps(asdict(self)).encode())

    def forget(self) -> None:
        """It has come to its end, or is given up."""
        self.book.with_suffix(PLAN).unlink(missing_ok=True)
        self.checkpoint.unlink(missing_ok=True)

    @classmethod
    def kept(cls) -> Iterator[Growth]:
        """Those that have not come to their end."""
        for path in sorted(_folder().glob(f"*{PLAN}")):
            with suppress(OSError, ValueError, TypeError, TengenError):  # of another version, or damaged
                yield cls(**json.loads(path.read_text("utf-8")))


@dataclass(frozen=True)
class Looked:
    """What is in a book, counted. `kind` is valued or statistics; of a book that cannot be read `error` says why.

    `stages` are rows: after so many moves, branches, leaves and solved positions; of statistics: with so many
    stones, positions. `level`, `reason` and `offender`, a board, are those of a valued book's check.
    """

    kind: str
    file: str
    bytes: int = 0
    game: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    positions: int = 0
    branches: int = 0
    leaves: int = 0
    solved: int = 0
    unvalued: int = 0
    level: str = ""
    reason: str = ""
    offender: str = ""
    stages: list[list[int]] = field(default_factory=list)
    error: str = ""


# ---- looking


def look() -> list[Looked]:
    """All of the user's books, each section of a book of statistics on its own; levels are proved."""
    found: list[Looked] = []
    for path in book_files(SUFFIX):
        try:
            found.append(_look_at(read_book(path), path))
        except TengenError as error:
            found.append(Looked("valued", path.name, error=str(error)))
    for path in book_files(STATISTICS):
        try:
            found += _look_through(read_statistics(path), path)
        except TengenError as error:
            found.append(Looked("statistics", path.name, error=str(error)))
    return found


def book_files(suffix: str) -> list[Path]:
    """The user's books, and those that come with the program, as long as they are no user's own."""
    files = {
        path.name: path
        for folder in (installed.SHIPPED_FOLDER, _folder())
        for path in sorted(folder.glob(f"*{suffix}"))
    }
    return list(files.values())


def _folder() -> Path:
    return data_folder() / "books"


def _look_at(book: ValuedBook, path: Path) -> Looked:
    stats = summarise(book)
    offender = stats.checked.offender
    return Looked(
        "valued",
        path.name,
        path.stat().st_size,
        book.game.name,
        book.game.options(),
        stats.positions,
        stats.branches,
        stats.leaves,
        stats.solved,
        stats.unvalued,
        stats.checked.level.name.lower(),
        stats.checked.reason,
        "" if offender is None else str(book.nodes.position(offender)),
        [[row.stage, row.branches, row.leaves, row.solved] for row in stats.stages],
    )


def _look_through(book: StatisticsBook, path: Path) -> Iterator[Looked]:
    for name, section in sorted(book.sections.items(), key=lambda item: -len(item[1])):
        counts: dict[int, int] = {}
        for key in section:
            stones = (len(key) - 8) // 3  # three bytes each, and eight for the rest: see `shapes`
            counts[stones] = counts.get(stones, 0) + 1
        stages = [list(row) for row in sorted(counts.items())]
        size = path.stat().st_size
        yield Looked("statistics", path.name, size, book.game, json.loads(name), len(section), stages=stages)


# ---- learning and growing


def learn(game: Game, moves: list[str], depth: int, tell: OnProgress) -> dict[str, Any]:
    """Add a game to the valued book, which begins with it if there is none, and value what it changes."""
    path = installed.valued_path(game)
    with book_lock(path):
        # Other games than Othello cannot be solved after 20 moves.
        book = installed.load_editable(game) or ValuedBook(game, proved=game.is_solvable_after_book)
        before = len(book)
        valuer = replace(_valuer(book, depth), batch=1)  # so that each position is a step
        book.add(game.start().play_all(moves).line())
        searched = evaluate_book(book, valuer, on_progress=tell)
        write_book(book, path)
    return {"positions": len(book), "added": len(book) - before, "searched": searched}


def grow(plan: Growth, tell: OnProgress) -> dict[str, Any]:
    """A round of a growth; `grown` is 0 if there was nothing to follow. Should this be killed after the book is
    written and before that is noted, the round is made once more, from where the book is then.
    """
    cores = max(1, available_cores() - 1)  # one is left to games
    with book_lock(plan.book), LocalExecutor(cores) as executor:
        book = installed.load_editable(games.game(plan.game, **plan.options))
        if book is None:
            raise OptionError(f"there is no book of {plan.game} yet: one begins with a game that is learned")
        valuer = _valuer(book, plan.depth)
        if (
            check(book).level is not ConsistencyLevel.NEGAMAXED
        ):  # else there may be results of a round that was killed
            evaluate_and_write(plan.book, book, valuer, executor=executor, on_progress=tell)
        before = len(book)
        grown = deviate(book, round(1000 * plan.loss / book.value_unit), depth=plan.last, most=plan.most)
        if grown:
            evaluate_and_write(plan.book, book, valuer, executor=executor, on_progress=tell)
        replace(plan, done=plan.done + 1).keep()
    return {"grown": len(grown), "added": len(book) - before, "positions": len(book)}


def _valuer(book: ValuedBook, depth: int) -> Valuer:
    return Valuer.of(book.game, book.value_unit, proves=book.proved, depth=depth)


# ---- the process


def order_learning(game: Game, moves: list[str], depth: int = DEPTH) -> dict[str, Any]:
    return {"do": "learn", "game": game.name, "options": game.options(), "moves": moves, "depth": depth}


def order_growing(plan: Growth) -> dict[str, Any]:
    return {"do": "grow", "plan": asdict(plan)}


def order_looking() -> dict[str, Any]:
    return {"do": "look"}


def obey(order: dict[str, Any], tell: OnProgress) -> Any:
    """Do what an order says."""
    if order["do"] == "learn":
        return learn(games.game(order["game"], **order["options"]), order["moves"], order["depth"], tell)
    if order["do"] == "grow":
        return grow(Growth(**order["plan"]), tell)
    return [asdict(one) for one in look()]


def _main() -> None:
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_input, daemon=True).start()
    give_way()
    try:
        answer = obey(order, _teller(_say))
    except TengenError as error:
        _say({"error": str(error)})
    else:
        _say({"done": answer})


def _say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


def _teller(say: Callable[[dict[str, Any]], None]) -> OnProgress:
    told_at = 0.0

    def tell(progress: Progress) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= LEAST_PAUSE:
            told_at = time.monotonic()
            say({"progress": asdict(progress)})

    return tell


def _end_with_input() -> None:
    while sys.stdin.readline():
        pass
    os._exit(1)  # its own workers end with it


if __name__ == "__main__":
    _main()
