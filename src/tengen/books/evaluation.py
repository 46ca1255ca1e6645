"""Evaluation of a book: searching positions without a value, from the last stage to the first.

Branches of a stage are searched in parallel if they have no best unplayed move, if that move was played meanwhile,
or, near the end, in order to solve them. Searches of a stage see the book as it was before that stage, and
results are stored in book order. Therefore the result does not depend on timing, and adding one game gives the
same book as evaluating the whole book again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from tengen.books.book import ValuedBook
from tengen.books.book_file import write_book
from tengen.books.errors import BookError
from tengen.books.kernels import nodes as kernels
from tengen.books.nodes import ALL_PLAYED, MAX_VALUE, Array, NodeKind
from tengen.books.probe import BOOK_PROBE_PLIES, ProbeTable
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.jobs import Checkpoint, Progress, Result, Task, run
from tengen.jobs.progress import Meter

OnProgress = Callable[[Progress], None]
_Found = list[tuple[int, int, int]]


class BookEngine(Protocol):
    """Engine that evaluates positions, in the book's value units, for the player to move. Must be picklable.

    `name` identifies everything that values depend on. `batch` is the number of positions per task, such that a
    task takes a second or more. `known` has the book's values of the next plies, to be used by the search.
    """

    @property
    def name(self) -> str: ...

    @property
    def batch(self) -> int: ...

    def solve(self, position: Position, known: ProbeTable) -> int:
        """Final value of a position."""

    def best(self, position: Position, moves: tuple[Move, ...], known: ProbeTable) -> tuple[Move, int]:
        """The best of `moves` and its value."""


class _Job(NamedTuple):
    """A node to search: its state as an array of one, and the moves to search; without moves, it is solved.

    `canonical` are the moves on the canonical image, so that results do not depend on the board's orientation.
    """

    node: int
    state: Array
    moves: tuple[Move, ...] = ()
    canonical: tuple[int, ...] = ()


def evaluate_book(
    book: ValuedBook,
    engine: BookEngine,
    *,
    solve_from: int | None = None,
    changed: Iterable[int] | None = None,
    executor: Executor | None = None,
    checkpoint: Checkpoint | None = None,
    on_progress: OnProgress | None = None,
) -> int:
    """Raise a consistent book to level NEGAMAXED; returns the number of searched positions.

    solve_from: branches after at least this many moves are solved; at the latest at the book's horizon.
    changed: nodes that are new or were leaves; only they and nodes that depend on them are processed.
    executor, checkpoint: run as resumable jobs; without either, everything runs in this thread.
    on_progress: progress is counted in positions.
    """
    solve_from = book.horizon if solve_from is None else min(solve_from, book.horizon)
    stages = book.nodes.by_stage()
    flags = np.zeros(len(book), np.int8)
    if changed is None:
        flags[:] = 1
        total = sum(len(_pending_nodes(book, order, solve_from)) for order in stages.values())
    else:
        flags[np.fromiter(changed, np.int64)] = 1
        total = None
    meter = Meter(total)
    report_progress = on_progress or (lambda progress: None)
    report_progress(meter.snapshot())
    searched = 0
    for stage, order in stages.items():
        near = order if changed is None else book.nodes.touched(order, flags)
        pending = _pending_nodes(book, near, solve_from)
        if len(pending):
            known = ProbeTable.from_book(book, stage + 1, stage + BOOK_PROBE_PLIES)
            tasks = list(_tasks(book, engine, stage, pending, solve_from, known))
            meter.resume(len(pending) - sum(map(_positions, tasks)))  # nothing is left to search there
            results = _results(tasks, executor, checkpoint, meter, report_progress)
            flags = _store_results(book, pending, results, flags)
            searched += len(pending)
            if changed is not None:
                near = book.nodes.touched(order, flags)
        book.nodes.negamax(near, book.value_unit, flags)
    report_progress(meter.snapshot())
    return searched


def add_and_evaluate(
    book: ValuedBook, line: Iterable[Position], engine: BookEngine, *, solve_from: int | None = None
) -> int:
    """Add a game to a book and evaluate what it changes; returns the number of searched positions."""
    return evaluate_book(book, engine, solve_from=solve_from, changed=book.add(line))


def evaluate_and_write(
    path: Path,
    book: ValuedBook,
    engine: BookEngine,
    *,
    solve_from: int | None = None,
    executor: Executor | None = None,
    on_progress: OnProgress | None = None,
) -> int:
    """Evaluate a book and write it to its file; returns the number of searched positions.

    Results are stored in a checkpoint beside the file, which is not changed before the end. Growing the same book
    again after a crash leads to the same positions and finds their results in the checkpoint.
    """
    checkpoint_path = path.with_suffix(".jobs")
    if path == checkpoint_path:
        raise BookError(f"{path}: a book's name cannot end in .jobs, which is the name of its checkpoint")
    searched = evaluate_book(
        book,
        engine,
        solve_from=solve_from,
        executor=executor,
        checkpoint=Checkpoint(checkpoint_path, engine.name),
        on_progress=on_progress,
    )
    write_book(book, path)
    checkpoint_path.unlink(missing_ok=True)
    return searched


def _pending_nodes(book: ValuedBook, order: Array, solve_from: int) -> Array:
    """The nodes of `order` that need a search."""
    verdicts = book.nodes.inspect(order, book.horizon, book.value_unit) & ~kernels.WRONG_VALUE
    nodes = book.nodes.array[order]
    branches = nodes["kind"] == NodeKind.BRANCH
    wrong = (verdicts != kernels.FINE) & (verdicts != kernels.NOT_VALUED) & (verdicts != kernels.DEVIATION_PLAYED)
    if np.any(wrong):
        raise BookError("the book is not consistent: run `tengen book check` for the reason")
    pending: Array = order[branches & ((verdicts != kernels.FINE) | (nodes["stage"] >= solve_from))]
    return pending


def _tasks(
    book: ValuedBook, engine: BookEngine, stage: int, pending: Array, solve_from: int, known: ProbeTable
) -> Iterator[Task[_Found]]:
    digest = known.digest()
    for first in range(0, len(pending), engine.batch):
        jobs = []
        for index in pending[first : first + engine.batch].tolist():
            if stage >= solve_from:
                jobs.append(_Job(index, book.nodes.load(index).copy()))
                continue
            after = book.nodes.after(index)
            absent = [one for one in after if one.node < 0 and one.score_thousandths is None and not one.twin]
            if absent:
                moves, canonical = tuple(one.move for one in absent), tuple(one.canonical for one in absent)
                jobs.append(_Job(index, book.nodes.load(index).copy(), moves, canonical))
        name = blake2b(digest, digest_size=16)
        for job in jobs:
            key = book.nodes.array[job.node][["high", "low"]].tolist()
            name.update(f"{key} {sorted(job.canonical)}".encode())
        if jobs:  # otherwise all successors are known, and the task would have no unique id
            yield Task(f"{stage}/{name.hexdigest()}", _search, (engine, book.game, jobs, known))


def _positions(task: Task[_Found]) -> int:
    return len(task.args[2])  # type: ignore[arg-type]


def _search(engine: BookEngine, game: Game, jobs: list[_Job], known: ProbeTable) -> _Found:
    """(index of the job, canonical move, value) of each job; the move is -1 if the position was solved."""
    found = []
    for place, job in enumerate(jobs):
        position = Position(game, job.state, None, None)
        canonical = -1
        if job.moves:
            move, value = engine.best(position, job.moves, known)
            if move not in job.moves:
                raise BookError(
                    f"{engine.name} returned {game.write_move(move)}, which is not one of the given moves"
                )
            canonical = job.canonical[job.moves.index(move)]
        else:
            value = engine.solve(position, known)
        if abs(value) > MAX_VALUE:
            raise BookError(f"{engine.name} returned the invalid value {value}")
        found.append((place, canonical, int(value)))
    return found


def _results(
    tasks: list[Task[_Found]],
    executor: Executor | None,
    checkpoint: Checkpoint | None,
    meter: Meter,
    report_progress: OnProgress,
) -> dict[int, tuple[int, int]]:
    """Run the tasks; returns move and value by node."""
    found: dict[int, tuple[int, int]] = {}
    nodes = {task.id: [job.node for job in task.args[2]] for task in tasks}  # type: ignore[attr-defined]
    meter.work_starts()
    results: Iterable[Result[_Found]] = (
        Result(task.id, task.function(*task.args), resumed=False) for task in tasks
    )
    if executor is not None or checkpoint is not None:
        results = run(tasks, executor=executor, checkpoint=checkpoint)
    for result in results:
        found |= {nodes[result.id][place]: (move, value) for place, move, value in result.value}
        if result.resumed:
            meter.resume(len(result.value))
        else:
            meter.finish(done=len(result.value), failed=0)
        report_progress(meter.snapshot())
    return found


def _store_results(book: ValuedBook, pending: Array, results: dict[int, tuple[int, int]], flags: Array) -> Array:
    """Store results in the book; returns the flags, extended to new leaves."""
    nodes = book.nodes
    order: list[int] = pending.tolist()
    for index in order:
        if index not in results:
            continue  # nothing was left to search
        move, value = results[index]
        if move < 0:
            book.set_value(index, NodeKind.SOLVED, value)
        else:
            _add_leaf(book, index, move, value)
    whole = np.zeros(len(book), np.int8)
    whole[: len(flags)] = flags
    whole[len(flags) :] = 1
    whole[pending] = 1
    for index in order:
        if nodes.array[index]["kind"] == NodeKind.BRANCH:
            nodes.array[index]["move"] = best_leaf(book, index)
    return whole


def _add_leaf(book: ValuedBook, index: int, move: int, value: int) -> None:
    """Add the position after a move as a leaf, unless it is already in the book."""
    (after,) = (one for one in book.nodes.after(index) if one.canonical == move)
    if after.node < 0:
        stage = int(book.nodes.array[index]["stage"]) + 1
        leaf = after.sign * value
        book.nodes.add(after.key, stage, NodeKind.LEAF, leaf, parent=index, via=after.canonical)


def best_leaf(book: ValuedBook, index: int) -> int:
    """Canonical move to the best leaf after a node; ALL_PLAYED if there is none."""
    best: tuple[int, int] | None = None
    for one in book.nodes.after(index):
        if one.node >= 0 and book.nodes.array[one.node]["kind"] == NodeKind.LEAF:
            value = one.sign * int(book.nodes.array[one.node]["value"])
            if best is None or (-value, one.canonical) < best:
                best = (-value, one.canonical)
    return ALL_PLAYED if best is None else best[1]
