"""Solving many positions: as resumable tasks for worker processes, with a time limit and verified lines."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from tengen.core.errors import OptionError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.results_version import RESULTS_VERSION
from tengen.engines import registry
from tengen.jobs import Checkpoint, Result, Task, run
from tengen.jobs.progress import Meter
from tengen.jobs.progress_bar import ProgressBar
from tengen.players.config import EngineConfig
from tengen.players.configure import for_game
from tengen.players.syntax import with_items, write_config
from tengen.runtime.turn import create_engine
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import StopFlag
from tengen.search.report import Kind, Report
from tengen.search.solve import solve

BATCH = 8  # positions per task


class SolvedPosition(NamedTuple):
    """The report on a position. `line_holds`: whether the end of its line has its value; None if not known."""

    report: Report
    line_holds: bool | None = None


@dataclass(frozen=True)
class SolvingMethod:
    """How positions are solved.

    config: an engine, by default that of each game. table: megabytes of its transposition table or tree.
    seconds: time limit for each position, and again for checking its line. verify: check the lines of solved ones.
    """

    config: EngineConfig
    wld: bool = False
    every_move: bool = False
    table: int | None = None
    seconds: float | None = None
    verify: bool = False

    def name(self, games: Iterable[Game]) -> str:
        """Everything that results for positions of these games depend on."""
        configs = {write_config(self.config_for(game)): None for game in games}
        goal = f"wld {self.wld}, all {self.every_move}, {self.seconds} s, verify {self.verify}"
        return f"solving by {' '.join(configs)} of tengen {RESULTS_VERSION}: {goal}"

    def config_for(self, game: Game) -> EngineConfig:
        """The engine and all of its settings. Raises `OptionError` if `table` does not apply to it."""
        config = for_game(self.config, game)
        if self.table is None:
            return config
        settings = [one.name for one in registry.engine_class(config.engine).tunables if one.megabytes]
        if not settings:
            raise OptionError(f"{config.engine} has no table with an adjustable size")
        return with_items(config, dict.fromkeys(settings, self.table))

    def solve(
        self, engine: Engine, position: Position, stop: StopFlag, on_progress: OnProgress | None = None
    ) -> SolvedPosition:
        """Solve a position; without proof if `stop` is set or the time is over."""
        with _stopped_after(self.seconds, stop):
            report = solve(
                engine, position, wld=self.wld, every_move=self.every_move, stop=stop, on_progress=on_progress
            )
        if not self.verify or report.value.kind is not Kind.EXACT:
            return SolvedPosition(report)
        with _stopped_after(self.seconds, stop):
            return SolvedPosition(report, line_holds(engine, position, report, stop))


@contextmanager
def _stopped_after(seconds: float | None, stop: StopFlag) -> Iterator[None]:
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def line_holds(engine: Engine, position: Position, report: Report, stop: StopFlag | None = None) -> bool | None:
    """Whether the line of a solved position is legal, and the position at its end has the same value.

    None if `stop` was set before that was known.
    """
    end = position.play_all(report.line)
    if end.is_over:
        amount = (1 if end.to_move == 0 else -1) * end.final_score / 1000
        value = (amount > 0) - (amount < 0) if report.value.unit == "wins" != position.game.unit else amount
    else:
        found = solve(engine, end, wld=report.value.unit == "wins" != position.game.unit, stop=stop)
        if found.value.kind is not Kind.EXACT:
            return None
        value = found.value.amount
    return bool(value == (1 if end.to_move == position.to_move else -1) * report.value.amount)


@lru_cache(maxsize=2)
def _engine(config: EngineConfig, game: Game) -> Engine:
    """An engine of this process: allocating its tables takes longer than solving an easy position."""
    return create_engine(config, game)


def solve_batch(method: SolvingMethod, positions: Sequence[tuple[Game, tuple[Move, ...]]]) -> list[SolvedPosition]:
    """Solve positions, each given by its game and moves, in a worker process."""
    found = []
    for game, moves in positions:
        engine = _engine(method.config_for(game), game.without_setup() if game.can_set_up else game)
        found.append(method.solve(engine, game.start().play_all(moves), StopFlag()))
    return found


def solve_positions(
    method: SolvingMethod,
    positions: Iterable[tuple[int, Position]],
    *,
    executor: Executor,
    checkpoint: Checkpoint | None = None,
    bar: ProgressBar | None = None,
) -> Iterator[tuple[int, Position, SolvedPosition]]:
    """Solve numbered positions in worker processes; yields results in their order. Progress counts positions."""
    numbered = list(positions)
    meter = Meter(len(numbered))
    rest = iter(numbered)
    batches = {}
    tasks = []
    while batch := list(islice(rest, BATCH)):
        given = [(position.game, position.moves) for _, position in batch]
        digest = blake2b(repr([(game.describe(), moves) for game, moves in given]).encode(), digest_size=8)
        task = Task(f"{batch[0][0]} {digest.hexdigest()}", solve_batch, (method, given))
        batches[task.id] = batch
        tasks.append(task)
    waiting: dict[str, Result[list[SolvedPosition]]] = {}
    order = iter(tasks)
    following = next(order, None)
    meter.work_starts()
    for result in run(tasks, executor=executor, checkpoint=checkpoint):
        waiting[result.id] = result
        if result.resumed:
            meter.resume(len(result.value))
        else:
            meter.finish(done=len(result.value), failed=0)
        if bar is not None:
            bar(meter.snapshot())
        while following is not None and following.id in waiting:
            done = waiting.pop(following.id)
            for (number, position), solved in zip(batches.pop(done.id), done.value, strict=True):
                yield number, position, solved
            following = next(order, None)
