"""Alpha-beta engine for every game, using the game's own evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.search.driver import Found, Step, deepen
from tengen.search.engine import Engine, OnProgress
from tengen.search.kernels import alphabeta as kernel
from tengen.search.kernels.table import make_table
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report
from tengen.search.tunables import Tunable

MAX_PLIES = 240


class AlphaBeta(Engine):
    """Principal variation search with transposition table, killer moves and history heuristic."""

    name: ClassVar[str] = "alphabeta"
    summary: ClassVar[str] = "principal variation search; exact where it sees the end"
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("table", 64, 1, 65536, "megabytes for the transposition table", megabytes=True),
        Tunable(
            "aspiration",
            0.05,
            0.001,
            1.0,
            "half-width of the aspiration window, as a share of the maximum score",
        ),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._table = make_table(self.settings["table"])
        self._game: Game | None = None

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        # A proof is valid only for the history it was found with, so clear the table where history matters.
        if self._game != position.game or position.game.can_repeat:
            for array in self._table:
                array.fill(0)
            self._game = position.game
        window = max(1, int(self.settings["aspiration"] * position.game.max_score))
        searcher = _Searcher(position, self._table, window)
        return deepen(self.name, position, limits, searcher, stop=stop, on_progress=on_progress)


class _Searcher:
    """The generic kernel, set up at a root."""

    def __init__(
        self, position: Position, table: tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]], window: int
    ) -> None:
        game = position.game
        self.top = game.max_score
        self._window = window
        self.nodes = 0
        self._done = False
        self._floor = 0
        self._table = table
        self._stack = np.zeros(MAX_PLIES + 1, game.record)
        self._stack[0] = position.state
        self._frames = np.zeros((MAX_PLIES + 1, kernel.FRAME_SIZE), np.int64)
        self._moves = np.zeros((MAX_PLIES + 1, game.max_legal_moves), np.int32)
        self._order = np.zeros((MAX_PLIES + 1, game.max_legal_moves), np.int64)
        self._lines = np.zeros((MAX_PLIES + 2, MAX_PLIES + 2), np.int32)
        self._lengths = np.zeros(MAX_PLIES + 2, np.int64)
        self._killers = np.full((MAX_PLIES + 1, 2), -1, np.int32)
        self._history = np.zeros((2, game.move_codes), np.int64)
        past = position.repeat_keys
        self._path = np.concatenate([past, np.zeros(MAX_PLIES + 1, np.uint64)])
        self._control = np.zeros(kernel.CONTROL_SIZE, np.int64)
        self._control[kernel.PROVER] = position.to_move
        self._control[kernel.TOP] = self.top
        self._control[kernel.PAST] = len(past)
        self._control[kernel.ROOT_MOVES] = len(position.legal_moves)

    def steps(self, depth: int | None) -> Iterable[Step]:
        return (Step(plies, self._window) for plies in range(1, min(depth or MAX_PLIES, MAX_PLIES - 1) + 1))

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        self._floor = alpha
        self._done = False
        self._moves[0, : len(moves)] = moves
        self._frames[0, kernel.ALPHA] = alpha
        self._frames[0, kernel.BETA] = beta
        self._frames[0, kernel.DEPTH] = step.depth
        self._frames[0, kernel.COUNT] = len(moves)
        self._frames[0, kernel.BEST_MOVE] = -1
        self._control[kernel.PLY] = 0
        self._control[kernel.ENTERING] = 1

    def run(self, nodes: int, stop: StopFlag) -> bool:
        self._control[kernel.NODE_LIMIT] = self.nodes + nodes
        self._done = kernel.search(
            self._stack,
            self._frames,
            self._moves,
            self._order,
            self._path,
            self._lines,
            self._lengths,
            *self._table,
            self._killers,
            self._history,
            self._control,
            stop.array,
        )
        self.nodes = int(self._control[kernel.NODES])
        return self._done

    def found(self) -> Found | None:
        frame = self._frames[0]
        if frame[kernel.BEST_MOVE] < 0 or not (self._done or frame[kernel.BEST] > self._floor):
            return None
        line = tuple(Move(int(move)) for move in self._lines[0, : self._lengths[0]])
        if self._done:
            low, high = bool(self._control[kernel.LOW]), bool(self._control[kernel.HIGH])
        else:
            low, high = bool(frame[kernel.BEST_LOW]), False
        return Found(int(frame[kernel.BEST]), low, high, line)
