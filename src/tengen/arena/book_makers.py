"""Makes the book of any game that has a command for it: which options it takes, and the function that makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from tengen.arena import go_book, shipped_books
from tengen.arena.shipped_books import Bar


@dataclass(frozen=True)
class BookRequest:
    """What to make: the folder to write to, the seed, the number of games, and options that not every game has."""

    folder: Path
    seed: int
    count: int
    depth: int | None = None
    positions: int | None = None
    size: Sequence[str] = ()  # options of the game
    games_of: Sequence[Path] = ()


@dataclass(frozen=True)
class BookMaker:
    """How the book of a game is made. `options` are those of `tengen book make` that it takes."""

    options: tuple[str, ...]
    make: Callable[[BookRequest, Executor, Bar], Path]


def _make_othello(request: BookRequest, executor: Executor, bar: Bar) -> Path:
    return shipped_books.make_othello(
        request.folder,
        seed=request.seed,
        count=request.count,
        depth=shipped_books.DEPTH if request.depth is None else request.depth,
        executor=executor,
        bar=bar,
        positions=request.positions,
    )


def _make_pente(request: BookRequest, executor: Executor, bar: Bar) -> Path:
    return shipped_books.make_pente(
        request.folder, seed=request.seed, count=request.count, executor=executor, bar=bar
    )


def _make_go(request: BookRequest, executor: Executor, bar: Bar) -> Path:
    return go_book.make_go(
        request.folder,
        go_book.board(list(request.size)),
        seed=request.seed,
        count=request.count,
        executor=executor,
        bar=bar,
        positions=request.positions,
        games_of=request.games_of,
    )


MAKERS = {
    "othello": BookMaker(("--depth", "--positions"), _make_othello),
    "pente": BookMaker((), _make_pente),
    "go": BookMaker(("--positions", "--games-of", "a size"), _make_go),
}
