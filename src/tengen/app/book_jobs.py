"""Long-running jobs on the user's books: inspecting, learning a game, growing by one round.

They run in helper processes and report their progress (see `book_manager`). Books are written atomically, so such
a process may be killed at any time.

A growth runs in rounds. Its plan and progress are saved in a file beside the book, so that it can be resumed.
Results of an interrupted round are in the book's checkpoint, as for `tengen book value`; the repeated round
creates the same branches and reuses them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tengen import games
from tengen.app.book_building import add_branches, evaluator_for, is_evaluated
from tengen.books import installed
from tengen.books.book import ValuedBook
from tengen.books.book_file import SUFFIX, read_book, write_book
from tengen.books.container import book_lock
from tengen.books.evaluation import OnProgress, evaluate_and_write, evaluate_book
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import SUFFIX as STATISTICS
from tengen.books.statistics_file import read_statistics
from tengen.books.summary import summarise
from tengen.core.errors import OptionError, TengenError
from tengen.core.folders import data_folder
from tengen.core.translation import mark
from tengen.engines.book_evaluator import DEPTH
from tengen.games.records.atomic_files import save as save_file
from tengen.jobs import LocalExecutor, Progress
from tengen.jobs.processes import available_cores
from tengen.jobs.worker import report_progress

PLAN_SUFFIX = ".growth"
PROGRESS_INTERVAL_S = 0.25  # between two progress messages

_RANGES = {"loss": (0, 64), "last": (1, 400), "most": (1, 100_000), "rounds": (1, 1000), "depth": (1, 40)}


@dataclass(frozen=True)
class Growth:
    """Plan of growing a book (`tengen book grow`). `done` rounds are finished; if `stopped`, it is not resumed."""

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
                raise OptionError(
                    mark("{name} should be from {low} to {high}, not {number}").format(
                        name=name, low=low, high=high, number=number
                    )
                )

    @property
    def book(self) -> Path:
        """The file of the book."""
        return installed.valued_path(games.game(self.game, **self.options))

    @property
    def has_book(self) -> bool:
        """Whether there is a book to grow: the user's, or one shipped with the program."""
        return self.book.exists() or (installed.SHIPPED_FOLDER / self.book.name).exists()

    @property
    def checkpoint(self) -> Path:
        return self.book.with_suffix(".jobs")

    def save(self) -> None:
        """Save the plan beside the book."""
        self.book.parent.mkdir(parents=True, exist_ok=True)
        save_file(self.book.with_suffix(PLAN_SUFFIX), json.dumps(asdict(self)).encode())

    def delete(self) -> None:
        """Delete the plan and its checkpoint, after the growth has finished or was discarded."""
        self.book.with_suffix(PLAN_SUFFIX).unlink(missing_ok=True)
        self.checkpoint.unlink(missing_ok=True)

    @classmethod
    def saved(cls) -> Iterator[Growth]:
        """All saved plans."""
        for path in sorted(_folder().glob(f"*{PLAN_SUFFIX}")):
            with suppress(OSError, ValueError, TypeError, TengenError):  # from another version, or damaged
                yield cls(**json.loads(path.read_text("utf-8")))


@dataclass(frozen=True)
class BookSummary:
    """Counts of a book. `kind` is valued or statistics; `error` is set if the book cannot be read.

    `stages` are rows of [moves, branches, leaves, solved positions], or [stones, positions] for statistics.
    `level`, `reason` and `offender` (a board) are the results of checking a valued book.
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


# ---- inspecting


def inspect_books() -> list[BookSummary]:
    """Summaries of all books, one per section of a statistics book; levels are verified."""
    found: list[BookSummary] = []
    for path in book_files(SUFFIX):
        try:
            found.append(_summarise_valued(read_book(path), path))
        except TengenError as error:
            found.append(BookSummary("valued", path.name, error=str(error)))
    for path in book_files(STATISTICS):
        try:
            found += _summarise_statistics(read_statistics(path), path)
        except TengenError as error:
            found.append(BookSummary("statistics", path.name, error=str(error)))
    return found


def book_files(suffix: str) -> list[Path]:
    """The user's books, and shipped books that the user has not replaced."""
    files = {
        path.name: path
        for folder in (installed.SHIPPED_FOLDER, _folder())
        for path in sorted(folder.glob(f"*{suffix}"))
    }
    return list(files.values())


def _folder() -> Path:
    return data_folder() / "books"


def _summarise_valued(book: ValuedBook, path: Path) -> BookSummary:
    stats = summarise(book)
    offender = stats.checked.offender
    return BookSummary(
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


def _summarise_statistics(book: StatisticsBook, path: Path) -> Iterator[BookSummary]:
    for name, section in sorted(book.sections.items(), key=lambda item: -len(item[1])):
        counts: dict[int, int] = {}
        for key in section:
            stones = (len(key) - 8) // 3  # three bytes each, and eight for the rest: see `shapes`
            counts[stones] = counts.get(stones, 0) + 1
        stages = [list(row) for row in sorted(counts.items())]
        size = path.stat().st_size
        yield BookSummary("statistics", path.name, size, book.game, json.loads(name), len(section), stages=stages)


# ---- learning and growing


@dataclass(frozen=True)
class BookChange:
    """Result of a job that changed a book: all positions, new positions, new branches of a growth."""

    positions: int
    added: int
    grown: int = 0


def learn(game_name: str, options: dict[str, Any], moves: list[str], depth: int = DEPTH) -> BookChange:
    """Add a game to the valued book, which is created if necessary, and evaluate the changed positions."""
    game = games.game(game_name, **options)
    path = installed.valued_path(game)
    with book_lock(path):
        # A book holds proved values only if positions at its end can be solved.
        book = installed.load_editable(game) or ValuedBook(game, proved=game.is_solvable_after_book)
        before = len(book)
        valuer = replace(evaluator_for(book, depth), batch=1)  # so that progress counts positions
        book.add(game.start().play_all(moves).line())
        evaluate_book(book, valuer, on_progress=_progress_reporter())
        write_book(book, path)
    return BookChange(len(book), len(book) - before)


def grow_one_round(plan: Growth) -> BookChange:
    """Run one round of a growth. If there was nothing to add, no branches are grown.

    If the process is killed after writing the book but before saving the plan, the round is repeated.
    """
    cores = max(1, available_cores() - 1)  # leave one to games
    with book_lock(plan.book), LocalExecutor(cores) as executor:
        book = installed.load_editable(games.game(plan.game, **plan.options))
        if book is None:
            raise OptionError(mark("there is no book of {game} yet: learn a game first").format(game=plan.game))
        valuer, on_progress = evaluator_for(book, plan.depth), _progress_reporter()
        if not is_evaluated(book):  # results of an interrupted round may exist
            evaluate_and_write(plan.book, book, valuer, executor=executor, on_progress=on_progress)
        before = len(book)
        grown = add_branches(book, max_loss=plan.loss, max_ply=plan.last, max_branches=plan.most)
        if grown:
            evaluate_and_write(plan.book, book, valuer, executor=executor, on_progress=on_progress)
        replace(plan, done=plan.done + 1).save()
    return BookChange(len(book), len(book) - before, grown)


def _progress_reporter() -> OnProgress:
    """A callback that reports progress to the process that started the job, but not too often."""
    sent_at = 0.0

    def on_progress(progress: Progress) -> None:
        nonlocal sent_at
        is_last = progress.total is not None and progress.done + progress.failed >= progress.total
        if is_last or time.monotonic() - sent_at >= PROGRESS_INTERVAL_S:
            sent_at = time.monotonic()
            report_progress(progress)

    return on_progress
