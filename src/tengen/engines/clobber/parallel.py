"""Several processes: many positions at once, or one position split at its first moves.

A worker keeps its solver between tasks, so what it found for one position serves the next. Solvers share nothing:
processes that split a position may find the same sums twice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from functools import cache

from tengen.engines.clobber.solver import SearchLimits, Solver, after_moves
from tengen.engines.clobber.solver_options import SolverOptions
from tengen.games.clobber.board import colour_swapped, subgames
from tengen.search.limits import StopFlag

FIRST_NODES = 4000  # that a move gets at first; twice as many each time after
POLL_S = 0.05


@dataclass(frozen=True)
class SolverConfig:
    """How workers solve."""

    solver_options: SolverOptions = field(default_factory=SolverOptions)
    megabytes: int = 1024


@cache
def _worker_solver(config: SolverConfig) -> Solver:
    return Solver(config.solver_options, megabytes=config.megabytes)


def find_outcomes(boards: list[str], config: SolverConfig, seconds: float) -> tuple[list[str | None], int]:
    """A task: the outcomes of some boards, and the nodes that took."""
    solver = _worker_solver(config)
    before = solver.nodes
    return [solver.outcome(board, SearchLimits(seconds=seconds)) for board in boards], solver.nodes - before


@dataclass
class _Reply:
    """A position after a first move, where the opponent is to move."""

    board: str
    nodes: int = FIRST_NODES
    wins: bool | None = None  # the opponent
    disproof: int = 0  # what is missing to show that he loses


def try_reply(board: str, mover: str, config: SolverConfig, nodes: int) -> tuple[bool | None, int, int]:
    """A task: whether the mover wins, if so many nodes tell; his disproof number; the nodes it took."""
    solver = _worker_solver(config)
    before = solver.nodes
    wins = solver.mover_wins(board, mover, SearchLimits(nodes=nodes))
    disproof = 0
    if wins is None:
        own = board if mover == "X" else colour_swapped(board)
        disproof = solver.numbers(solver.workspace.subgames_of(own))[1]
    return wins, disproof, solver.nodes - before


def split(
    executor: Executor,
    workers: int,
    board: str,
    mover: str,
    config: SolverConfig,
    *,
    seconds: float = math.inf,
    stop: StopFlag | None = None,
) -> tuple[bool | None, int]:
    """Whether the player to move wins (None if that was not found), and how many nodes were searched.

    The moves that seem nearest to a proof are tried at the same time, each for a growing number of nodes.
    """
    deadline = time.perf_counter() + seconds
    opponent = "O" if mover == "X" else "X"
    replies = [_Reply(after) for after in _different(after_moves(board, mover).values())]
    running: dict[Future[tuple[bool | None, int, int]], _Reply] = {}
    nodes = 0
    try:
        while True:
            busy = list(running.values())
            free = [reply for reply in replies if reply.wins is None and reply not in busy]
            for reply in sorted(free, key=lambda reply: (reply.disproof, reply.nodes))[: workers - len(busy)]:
                running[executor.submit(try_reply, reply.board, opponent, config, reply.nodes)] = reply
            if not running:
                return False, nodes
            done, _ = wait(running, POLL_S, FIRST_COMPLETED)
            if time.perf_counter() >= deadline or (stop is not None and stop.is_set):
                return None, nodes
            for future in done:
                reply = running.pop(future)
                reply.wins, reply.disproof, spent = future.result()
                reply.nodes *= 2
                nodes += spent
                if reply.wins is False:
                    return True, nodes
    finally:
        for future in running:
            future.cancel()


def _different(boards: Iterable[str]) -> list[str]:
    """Boards of which no two have the same parts, mirrored or not."""
    found: dict[tuple[str, ...], str] = {}
    for board in boards:
        parts = tuple(sorted(min(part, part[::-1]) if "/" not in part else part for part in subgames(board)))
        found.setdefault(parts, board)
    return list(found.values())
