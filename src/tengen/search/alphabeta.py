"""Alpha-beta engine for every game, using the game's own evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.search.driver import Found, Step, deepen
from tengen.search.engine import Engine, OnProgress
from tengen.search.kernels import alphabeta as kernel
from tengen.search.kernels.transposition_table import Table, clear_table, make_table
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report
from tengen.search.tunables import Tunable

MAX_PLIES = 240


class AlphaBeta(Engine):
    """Principal variation search with transposition table, killer moves and history heuristic."""

    name: ClassVar[str] = "alphabeta"
    summary: ClassVar[str] = mark("principal variation search; exact where it sees the end")
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("table", 64, 1, 65536, mark("megabytes for the transposition table"), megabytes=True),
        Tunable(
            "aspiration",
            0.05,
            0.001,
            1.0,
            mark("half-width of the aspiration window, as a share of the maximum score"),
        ),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._table = make_table(self.settings["table"] << 20)
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
            clear_table(self._table)
            self._game = position.game
        window = max(1, int(self.settings["aspiration"] * position.game.max_score))
        searcher = _Searcher(position, self._table, window)
        return deepen(self.name, position, limits, searcher, stop=stop, on_progress=on_progress)


class _Searcher:
    """The generic kernel, set up at a root."""

    def __init__(self, position: Position, table: Table, window: int) -> None:
        game = position.game
        self.top = game.max_score
        self._window = window
        self._done = False
        self._alpha = 0
        past = position.repeat_keys
        plies = MAX_PLIES + 2
        self._stack = np.zeros(plies, game.record)
        self._stack[0] = position.state
        self._workspace = kernel.Workspace(
            control=np.zeros(1, kernel.CONTROL),
            frames=np.zeros(plies, kernel.FRAME),
            moves=np.zeros((plies, game.max_legal_moves), np.int32),
            order=np.zeros((plies, game.max_legal_moves), np.int64),
            path=np.concatenate([past, np.zeros(plies, np.uint64)]),
            lines=np.zeros((plies, plies), np.int32),
            history=np.zeros((2, game.move_codes), np.int64),
            table=table,
        )
        self._workspace.frames["killers"] = -1
        self._control: Any = self._workspace.control[0]
        self._root: Any = self._workspace.frames[0]
        self._control["prover"] = position.to_move
        self._control["top"] = self.top
        self._control["past"] = len(past)
        self._control["root_moves"] = len(position.legal_moves)

    @property
    def nodes(self) -> int:
        return int(self._control["nodes"])

    def steps(self, depth: int | None) -> Iterable[Step]:
        return (Step(plies, self._window) for plies in range(1, min(depth or MAX_PLIES, MAX_PLIES - 1) + 1))

    def begin(self, moves: Sequence[Move], alpha: int, beta: int, step: Step) -> None:
        self._alpha = alpha
        self._done = False
        self._workspace.moves[0, : len(moves)] = moves
        self._root["alpha"] = alpha
        self._root["beta"] = beta
        self._root["depth"] = step.depth
        self._root["count"] = len(moves)
        self._root["best_move"] = -1
        self._control["ply"] = 0
        self._control["entering"] = True

    def run(self, nodes: int, stop: StopFlag) -> bool:
        self._control["node_limit"] = self.nodes + nodes
        self._done = kernel.search(self._stack, self._workspace, stop.array)
        return self._done

    def found(self) -> Found | None:
        root = self._root
        if root["best_move"] < 0 or not (self._done or root["best"] > self._alpha):
            return None
        line = tuple(Move(int(move)) for move in self._workspace.lines[0, : root["line_length"]])
        if self._done:
            low, high = bool(self._control["low"]), bool(self._control["high"])
        else:
            low, high = bool(root["best_low"]), False
        return Found(int(root["best"]), low, high, line)
