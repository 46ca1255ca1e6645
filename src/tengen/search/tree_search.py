"""Simulations on one tree by several threads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from tengen.core.compiled.rng import make_rng, mix
from tengen.search.kernels.mcts import SearchBase, simulate
from tengen.search.limits import StopFlag
from tengen.search.threads import KernelThreads
from tengen.search.tree import Tree

Array = np.ndarray[Any, Any]

MAX_PLIES = 512  # of a simulation inside the tree


@dataclass(frozen=True)
class Resources:
    """What a search runs on: threads, the seed of their random numbers, and the flag that stops them."""

    threads: int = 1
    seed: int = 0
    stop: StopFlag = field(default_factory=StopFlag)


class TreeSearch:
    """Simulations on one tree. A root without children is expanded by the first call of `run`."""

    def __init__(self, threads: Sequence[Any]) -> None:
        """`threads` has the data of each thread: see `kernels.mcts`."""
        self.threads = threads
        self._runner = KernelThreads(len(threads), "tree search")

    def expand_root(self) -> None:
        simulate(self.threads[0], 0, 0)

    def run(self, simulations: int, only_root_child: int = 0) -> int:
        """Run about `simulations` simulations on all threads together; return the actual number.

        With `only_root_child`, all of them go through that child of the root.
        """
        share = -(-simulations // len(self.threads))
        calls = [partial(simulate, thread, share, only_root_child) for thread in self.threads]
        return sum(self._runner.run(calls))


def base_data(
    tree: Tree,
    settings: Array,
    root_moves: Array,
    resources: Resources,
    *,
    playout_length: int,
    ignored_move: int | None = None,
) -> list[SearchBase]:
    """The data of each thread that all searches have. `settings` is one record."""
    position = tree.position
    game, past = position.game, position.repeat_keys
    seed = int(mix(resources.seed ^ position.key))
    return [
        SearchBase(
            tree=tree.nodes,
            used=tree.used,
            settings=settings,
            stop=resources.stop.array,
            root_moves=root_moves,
            moves=np.zeros(game.max_legal_moves, root_moves.dtype),
            keys=np.concatenate([past, np.zeros(MAX_PLIES + 1, np.uint64)]),
            past=len(past),
            path=np.zeros(MAX_PLIES, np.int64),
            played=np.zeros(MAX_PLIES + playout_length, np.int32),
            first_players=np.zeros(game.move_codes + 2, np.int64),
            ignored_move=game.move_codes if ignored_move is None else ignored_move,
            rng=make_rng(int(mix(seed + number))),
        )
        for number in range(max(1, min(resources.threads, os.cpu_count() or 1)))
    ]
