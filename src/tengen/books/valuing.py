"""Valuing a book: searching what is not known yet, from the end of the game to its start.

At each stage the branches that need it are searched side by side: one without a best unplayed move, one whose best
unplayed move was played since, and near the end every one of them, for good. All of a stage are searched with the
book as it was before that stage, and taken in by their order in the book. So the result does not depend on who was
first, and learning one game comes to the same as valuing the whole book again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from hashlib import blake2b
from typing import NamedTuple, Protocol

import numpy as np

from tengen.books.book import ValuedBook
from tengen.books.errors import BookError
from tengen.books.kernels import nodes as kernels
from tengen.books.nodes import ALL_PLAYED, LARGEST_VALUE, Array, NodeKind
from tengen.books.probe import PLIES, ProbeTable
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.jobs import Checkpoint, Progress, Result, Task, run
from tengen.jobs.progress import Meter

OnProgress = Callable[[Progress], None]
_Found = list[tuple[int, int, int]]


class BookEngine(Protocol):
    """Who values positions: values are in the book's grains, for the mover. It is sent to worker processes.

    `name` tells all that its values depend on. `batch` is how many positions make a task of a second or more.
    `known` has what the book knows of the next three plies: values to be used where a search meets them.
    """

    @property
    def name(self) -> str: ...

    @property
    def batch(self) -> int: ...

    def solve(self, position: Position, known: ProbeTable) -> int:
        """The value of a position for good."""

    def best(self, position: Position, moves: tuple[Move, ...], known: ProbeTable) -> tuple[Move, int]:
        """The best of these moves, and its value."""


class _Job(NamedTuple):
    """A node to search: its state as an array of one, and the moves to look at; none to solve it.

    `canonical` are the moves as nodes keep them: what a result means must not depend on how the board lay.
    """

    node: int
    state: Array
    moves: tuple[Move, ...] = ()
    canonical: tuple[int, ...] = ()


def value(
    book: ValuedBook,
    engine: BookEngine,
    *,
    solve_from: int | None = None,
    changed: Iterable[int] | None = None,
    executor: Executor | None = None,
    checkpoint: Checkpoint | None = None,
    on_progress: OnProgress | None = None,
) -> int:
    """Make a consistent book negamaxed; returns how many positions were searched.

    solve_from: after so many moves, branches are solved; at the book's horizon at the latest.
    changed: nodes that are new or were leaves. Then only they, and what depends on them, are looked into.
    executor, checkpoint: by jobs, to be resumed; without either, the work is done in this thread.
    """
    solve_from = book.horizon if solve_from is None else min(solve_from, book.horizon)
    stages = book.nodes.by_stage()
    flags = np.zeros(len(book), np.int8)
    if changed is None:
        flags[:] = 1
        total = sum(_batches(_needy(book, order, solve_from), engine) for order in stages.values())
    else:
        flags[np.fromiter(changed, np.int64)] = 1
        total = None
    meter = Meter(total)
    tell = on_progress or (lambda progress: None)
    tell(meter.snapshot())
    searched = 0
    for stage, order in stages.items():
        near = order if changed is None else book.nodes.touched(order, flags)
        needy = _needy(book, near, solve_from)
        if len(needy):
            known = ProbeTable.of(book, stage + 1, stage + PLIES)
            tasks = list(_tasks(book, engine, stage, needy, solve_from, known))
            for _ in range(_batches(needy, engine) - len(tasks)):
                meter.resume()  # there is nothing to search in these
            results = _results(tasks, executor, checkpoint, meter, tell)
            flags = _take_in(book, needy, results, flags)
            searched += len(needy)
            if changed is not None:
                near = book.nodes.touched(order, flags)
        book.nodes.negamax(near, book.grain, flags)
    tell(meter.snapshot())
    return searched


def learn(book: ValuedBook, line: Iterable[Position], engine: BookEngine, *, solve_from: int | None = None) -> int:
    """Add a game to a valued book and value what it changes; returns how many positions were searched."""
    return value(book, engine, solve_from=solve_from, changed=book.add(line))


def _batches(needy: Array, engine: BookEngine) -> int:
    return -(-len(needy) // engine.batch)


def _needy(book: ValuedBook, order: Array, solve_from: int) -> Array:
    """Those of these nodes that are to be searched, in their order."""
    verdicts = book.nodes.inspect(order, book.horizon, book.grain) & ~kernels.WRONG_VALUE
    nodes = book.nodes.array[order]
    branches = nodes["kind"] == NodeKind.BRANCH
    wrong = (verdicts != kernels.FINE) & (verdicts != kernels.NOT_VALUED) & (verdicts != kernels.DEVIATION_PLAYED)
    if np.any(wrong):
        raise BookError("the book is not consistent: `check` tells what is wrong with it")
    needy: Array = order[branches & ((verdicts != kernels.FINE) | (nodes["stage"] >= solve_from))]
    return needy


def _tasks(
    book: ValuedBook, engine: BookEngine, stage: int, needy: Array, solve_from: int, known: ProbeTable
) -> Iterator[Task[_Found]]:
    digest = known.digest()
    for first in range(0, len(needy), engine.batch):
        jobs = []
        for index in needy[first : first + engine.batch].tolist():
            if stage >= solve_from:
                jobs.append(_Job(index, book.nodes.load(index).copy()))
                continue
            after = book.nodes.after(index)
            absent = [one for one in after if one.node < 0 and one.score is None and not one.twin]
            if absent:
                moves, canonical = tuple(one.move for one in absent), tuple(one.canonical for one in absent)
                jobs.append(_Job(index, book.nodes.load(index).copy(), moves, canonical))
        name = blake2b(digest, digest_size=16)
        for job in jobs:
            key = book.nodes.array[job.node][["high", "low"]].tolist()
            name.update(f"{key} {sorted(job.canonical)}".encode())
        if jobs:  # else all that comes after these is known, and there is nothing to tell such tasks apart by
            yield Task(f"{stage}/{name.hexdigest()}", _search, (engine, book.game, jobs, known))


def _search(engine: BookEngine, game: Game, jobs: list[_Job], known: ProbeTable) -> _Found:
    """(place among the jobs, move as nodes keep it, value) of each; the move is -1 where it was solved."""
    found = []
    for place, job in enumerate(jobs):
        position = Position(game, job.state, None, None)
        canonical = -1
        if job.moves:
            move, worth = engine.best(position, job.moves, known)
            if move not in job.moves:
                raise BookError(f"{engine.name} was not asked about {game.write_move(move)}")
            canonical = job.canonical[job.moves.index(move)]
        else:
            worth = engine.solve(position, known)
        if abs(worth) > LARGEST_VALUE:
            raise BookError(f"{engine.name} gave the value {worth}")
        found.append((place, canonical, int(worth)))
    return found


def _results(
    tasks: list[Task[_Found]],
    executor: Executor | None,
    checkpoint: Checkpoint | None,
    meter: Meter,
    tell: OnProgress,
) -> dict[int, tuple[int, int]]:
    """Move and value by node, whichever task ended first."""
    found: dict[int, tuple[int, int]] = {}
    nodes = {task.id: [job.node for job in task.args[2]] for task in tasks}  # type: ignore[attr-defined]
    meter.work_starts()
    results: Iterable[Result[_Found]] = (
        Result(task.id, task.function(*task.args), resumed=False) for task in tasks
    )
    if executor is not None or checkpoint is not None:
        results = run(tasks, executor=executor, checkpoint=checkpoint)
    for result in results:
        found |= {nodes[result.id][place]: (move, worth) for place, move, worth in result.value}
        if result.resumed:
            meter.resume()
        else:
            meter.finish(done=1, failed=0)
        tell(meter.snapshot())
    return found


def _take_in(book: ValuedBook, needy: Array, results: dict[int, tuple[int, int]], flags: Array) -> Array:
    """Write what was found into the book; returns the flags, with those of new leaves."""
    nodes = book.nodes
    order: list[int] = needy.tolist()
    for index in order:
        if index not in results:
            continue  # there was nothing left to search
        move, worth = results[index]
        if move < 0:
            book.set_value(index, NodeKind.SOLVED, worth)
        else:
            _add_leaf(book, index, move, worth)
    whole = np.zeros(len(book), np.int8)
    whole[: len(flags)] = flags
    whole[len(flags) :] = 1
    whole[needy] = 1
    for index in order:
        if nodes.array[index]["kind"] == NodeKind.BRANCH:
            nodes.array[index]["move"] = best_leaf(book, index)
    return whole


def _add_leaf(book: ValuedBook, index: int, move: int, worth: int) -> None:
    """The position after a move of a node as a leaf, if nobody else has added it."""
    (after,) = (one for one in book.nodes.after(index) if one.canonical == move)
    if after.node < 0:
        stage = int(book.nodes.array[index]["stage"]) + 1
        leaf = after.sign * worth
        book.nodes.add(after.key, stage, NodeKind.LEAF, leaf, parent=index, via=after.canonical)


def best_leaf(book: ValuedBook, index: int) -> int:
    """The move to the best leaf after a node, as nodes keep it; ALL_PLAYED if there is none."""
    best: tuple[int, int] | None = None
    for one in book.nodes.after(index):
        if one.node >= 0 and book.nodes.array[one.node]["kind"] == NodeKind.LEAF:
            worth = one.sign * int(book.nodes.array[one.node]["value"])
            if best is None or (-worth, one.canonical) < best:
                best = (-worth, one.canonical)
    return ALL_PLAYED if best is None else best[1]
