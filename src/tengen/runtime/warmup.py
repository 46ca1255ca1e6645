"""Kernels that a game needs, and their compilation in advance.

The lists are not written down anywhere: `needed_kernels` plays a few moves as plain Python, with tiny budgets, and
records the kernels that are called. That takes a fraction of a second, and the lists are always up to date. Any
number of processes can compile the kernels of a list together, because a kernel is locked while it is compiled.
"""

from __future__ import annotations

import functools
import logging
import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tengen import games
from tengen.books import book_file
from tengen.books.book import ValuedBook
from tengen.books.explorer import explore_books
from tengen.books.probe import ProbeTable
from tengen.books.shapes import shape_of
from tengen.core.compiled.cache import compile_listener
from tengen.core.compiled.fingerprint import code_size
from tengen.core.compiled.kernel import Kernel, Signature, missing_kernel_listener, record_kernels
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.go.reading.status import compile_kernels
from tengen.games.go import Go
from tengen.games.records import Record
from tengen.games.records.replay import check
from tengen.jobs.processes import available_cores
from tengen.players.config import EngineConfig
from tengen.runtime.kernel_groups import BOOK, KernelGroup
from tengen.runtime.preparing import announce
from tengen.runtime.turn import create_engine, valued_candidates
from tengen.search.engine import Engine
from tengen.search.limits import Limits
from tengen.search.perft import perft

SECONDS_PER_CODE_BYTE = 0.00015  # rough compile time, for the estimates shown to users
POLL_S = 0.05
_TINY = Limits(nodes=2)
_TINY_MEMORY_MB = 64

_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class NeededKernel:
    """A kernel with its argument types. `seconds` is an estimate of its compile time."""

    kernel: Kernel
    signature: Signature
    seconds: float

    @property
    def is_ready(self) -> bool:
        return self.kernel.is_ready(self.signature)


@functools.cache
def needed_kernels(group: KernelGroup) -> tuple[NeededKernel, ...]:
    """The kernels of a group that this process has not loaded yet, those with the longest compile time first."""
    # Small boards are faster as plain Python. The engine of Go uses other kernels without its network.
    options = [{"size": 9}, {"size": 7}] if group.game == Go.name else [{}]
    game = games.game(group.game, **options[0])
    with record_kernels() as recorded:
        try:
            if group.config is not None:
                for one in options:
                    _use_engine(games.game(group.game, **one), group.config)
            elif group.part == BOOK:
                _use_book(game)
            else:
                _use_rules(game)
        except Exception:  # of another package's engine, for example: what is not listed is compiled when called
            _log.debug("kernels of %s, %s", group.game, group.part, exc_info=True)
    found = [
        NeededKernel(kernel, signature, SECONDS_PER_CODE_BYTE * code_size(kernel.py_func, signature))
        for kernel, signature in recorded
    ]
    return tuple(sorted(found, key=lambda one: -one.seconds))


def _use_rules(game: Game) -> None:
    start = game.start()
    perft(start, 1)
    record = Record.of(start.play(start.legal_moves[0]))
    check(record)
    record.positions()
    game.compile_kernels()
    if isinstance(game, Go):
        compile_kernels()


def _use_book(game: Game) -> None:
    # Not an installed book: as plain Python, reading it would take minutes.
    with record_kernels():
        content = book_file.dump(ValuedBook(game))
    book = book_file.load(content, "book")
    book.lookup(game.start())
    valued_candidates(book, game.start())
    ProbeTable.from_book(book)
    shape_of(game.start())  # the key of a statistics book


def _use_engine(game: Game, config: EngineConfig) -> None:
    engine = create_engine(config, game, max_threads=1, max_memory_mb=_TINY_MEMORY_MB)
    position = game.start()
    position = position.play(position.legal_moves[0])
    for _ in range(2):  # the second search starts from the tree or table of the first
        if not position.is_over:
            position = position.play(engine.search(position, _TINY).best)


def missing_kernels(group: KernelGroup) -> list[NeededKernel]:
    """The kernels of a group that have to be compiled, those with the longest compile time first."""
    return [one for one in needed_kernels(group) if not (one.is_ready or one.kernel.runs_uncompiled)]


def compile_next(group: KernelGroup) -> bool:
    """Compile one kernel of a group; returns False if all are ready or being compiled by other processes."""
    return any(one.kernel.try_compile(one.signature) for one in missing_kernels(group))


def compile_group(group: KernelGroup) -> None:
    """Compile what is missing of a group, together with other processes that do the same."""
    announced = ""
    while missing := missing_kernels(group):
        # Several processes share the work, but one of them has to compile the largest kernel.
        seconds = max(missing[0].seconds, sum(one.seconds for one in missing) / available_cores())
        if (text := preparing_text(group.title, seconds)) != announced:
            announce(text)
            announced = text
        if not compile_next(group):
            time.sleep(POLL_S)


def seconds_left(groups: Iterable[KernelGroup]) -> float:
    """Estimated time until all kernels of these groups are compiled, on all cores."""
    needed = {(one.kernel, one.signature): one for group in groups for one in needed_kernels(group)}
    return sum(one.seconds for one in needed.values() if not one.is_ready) / available_cores()


# ---- while a user waits


def preparing_text(title: str, seconds: float = 0.0) -> str:
    """Text for a user who waits for kernels; `seconds` is the estimated time left, if known."""
    if seconds <= 0:
        return mark("Preparing {title} (first time only)").format(title=title)
    return mark("Preparing {title} (first time only), {seconds} s left").format(
        title=title, seconds=math.ceil(seconds)
    )


@contextmanager
def compiling_together(game: Game, config: EngineConfig) -> Iterator[None]:
    """Within this block, an engine that lacks a kernel compiles all its kernels, together with other processes."""
    if config.program is not None:
        yield
        return
    group = KernelGroup.of_engine(game.name, config)
    is_compiling_group = False

    def on_missing(kernel: Kernel, signature: Signature) -> None:
        nonlocal is_compiling_group
        is_compiling_group = True
        if any(one.kernel is kernel for one in needed_kernels(group)):
            compile_group(group)
        is_compiling_group = False

    def on_compile(kernel: str) -> None:
        if not is_compiling_group:
            announce(preparing_text(game.title))

    with missing_kernel_listener(on_missing), compile_listener(on_compile):
        yield


def prepare(engine: Engine, position: Position) -> Position:
    """Compile everything that a game from `position` with this engine needs; returns the position."""
    if not position.is_over:
        position.play(engine.search(position, Limits(nodes=50)).best)
    position.game.compile_kernels()
    explore_books(position)
    return position
