"""Solve with several processes: many positions at once, or one position split at its first moves.

A worker keeps its solver between tasks, so results for one position help with the next. Workers share nothing:
processes that split a position may solve the same sums twice.
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

FIRST_NODES = 4000  # node budget of a move at the first attempt; doubled each time
POLL_S = 0.05


@dataclass(frozen=True)
class SolverConfig:
    """Configuration of the solver of a worker."""

    solver_options: SolverOptions = field(default_factory=SolverOptions)
    megabytes: int = 1024


@cache
def _worker_solver(config: SolverConfig) -> Solver:
    return Solver(config.solver_options, megabytes=config.megabytes)


def find_outcomes(boards: list[str], config: SolverConfig, seconds: float) -> tuple[list[str | None], int]:
    """Task: the outcomes of some boards, and the number of nodes searched."""
    solver = _worker_solver(config)
    before = solver.nodes
    return [solver.outcome(board, SearchLimits(seconds=seconds)) for board in boards], solver.nodes - before


@dataclass
class _Reply:
    """The position after a first move, with the opponent to move."""

    board: str
    nodes: int = FIRST_NODES
    wins: bool | None = None  # whether the opponent wins
    disproof: int = 0  # disproof number of the opponent's win


def try_reply(board: str, mover: str, config: SolverConfig, nodes: int) -> tuple[bool | None, int, int]:
    """Task: whether the mover wins (None if unknown after `nodes`), the disproof number, and the nodes
    searched.
    """
    solver = _worker_solver(config)
    before = solver.nodes
    wins = solver.mover_wins(board, mover, SearchLimits(nodes=nodes))
    disproof = 0
    if wins is None:
        own = board if mover == "X" else colour_swapped(board)
        disproof = solver.proof_numbers(solver.workspace.subgames_of(own))[1]
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
    """Whether the player to move wins (None if unknown), and the number of nodes searched.

    The moves closest to a proof are searched in parallel, each with a growing node budget.
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
    """Boards without duplicates, which have the same subgames up to reflection."""
    found: dict[tuple[str, ...], str] = {}
    for board in boards:
        parts = tuple(sorted(min(part, part[::-1]) if "/" not in part else part for part in subgames(board)))
        found.setdefault(parts, board)
    return list(found.values())
