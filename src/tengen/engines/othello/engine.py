"""The Othello player: pattern-based search in the midgame, exact in the endgame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from tengen.books.probe import BOOK_PROBE_PLIES, ProbeTable
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.othello.human_errors import choose_with_human_errors
from tengen.engines.othello.kernels.book_probe import store_book_values
from tengen.engines.othello.midgame.kernels.probcut import NO_SELECTIVITY
from tengen.engines.othello.root_position import RootPosition
from tengen.engines.othello.search_memory import SWITCH_BITS, SearchMemory
from tengen.engines.othello.searcher import OthelloSearcher
from tengen.search.driver import deepen
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report
from tengen.search.solve import in_wins
from tengen.search.threads import KernelThreads
from tengen.search.tunables import Tunable

SOLVED_EMPTIES = 20
"""From this many empty squares on the game is practically solved; no clock time is reserved for later moves."""
SHARES_PER_PLY = 0.35
"""With a clock, shares of the time for each ply before that. Half of the plies are ours, but few moves use their
whole share, because ...
"""
LATEST_START = 0.4
"""... no iteration starts after this part of it: the next one takes about twice as long as all before."""


class OthelloEngine(Engine):
    """Principal variation search with pattern evaluation and Multi-ProbCut, exact to the end when in reach."""

    name: ClassVar[str] = "othello"
    summary: ClassVar[str] = mark("pattern evaluation and selective search, exact in the endgame")
    max_threads: ClassVar[int] = 64
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("table", 64, 1, 65536, mark("megabytes for the transposition table"), megabytes=True),
        Tunable(
            "selectivity",
            0,
            0,
            NO_SELECTIVITY,
            mark("confidence of midgame cuts: 0 is 73 %, 4 never cuts selectively"),
        ),
        Tunable(
            "contempt",
            0.0,
            -0.99,
            0.99,
            mark("how much worse than an even game a draw is to the engine, in discs"),
        ),
        Tunable("error", 0.0, 0.0, 64.0, mark("standard deviation of random errors in move values, in discs")),
        Tunable("greed", 0.0, 0.0, 8.0, mark("bonus for each flipped disc, in discs; imitates beginners")),
        Tunable("hashing", True, 0, 1, mark("use the transposition table")),
        Tunable("ordering", True, 0, 1, mark("order moves by how promising they are")),
        Tunable("stability", True, 0, 1, mark("cut by bounds from stable discs")),
        Tunable(
            "etc",
            True,
            0,
            1,
            mark("enhanced transposition cutoffs: probe the table for each move before searching it"),
        ),
        Tunable("probcut", True, 0, 1, mark("Multi-ProbCut: cut when a shallow search is far outside the window")),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._memory = SearchMemory(self.settings["table"], KernelThreads(self.threads, "othello"))
        self._table_context: tuple[Game, int] | None = None  # game and contempt side of the table entries
        self._random = np.random.default_rng(self.seed % (1 << 64))  # any whole number is a seed
        self.book: ProbeTable | None = None  # probed for positions near the root
        self.weights: np.ndarray[Any, Any] | None = None  # of the evaluation; None: the shipped ones

    @classmethod
    def plays(cls, game: Game) -> bool:
        return game.name == "othello"

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        if not self.settings["error"] and not self.settings["greed"]:
            return self._search(position, limits, stop=stop, on_progress=on_progress)
        all_moves = replace(limits, lines=len(position.legal_moves))
        report = self._search(position, all_moves, stop=stop, on_progress=None)
        return choose_with_human_errors(
            report, position, self.settings["error"], self.settings["greed"], self._random
        )

    def solve(
        self,
        position: Position,
        *,
        wld: bool = False,
        every_move: bool = False,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        """Prove the result; see `tengen.search.engine.Solver`."""
        limits = Limits(lines=len(position.legal_moves) if every_move else 1)
        if not wld:
            return self._search(position, limits, stop=stop, on_progress=on_progress)

        def show(report: Report) -> None:
            if on_progress is not None:
                on_progress(in_wins(report))

        return in_wins(self._search(position, limits, wld=True, stop=stop, on_progress=show))

    def _search(
        self,
        position: Position,
        limits: Limits,
        *,
        wld: bool = False,
        stop: StopFlag | None,
        on_progress: OnProgress | None,
    ) -> Report:
        root = RootPosition.from_position(position)
        contempt = round(100 * self.settings["contempt"])
        # With contempt, table values depend on the side to move at the root.
        context = (position.game, position.to_move if contempt else 0)
        if self._table_context not in (None, context):
            self._memory.clear()
        self._table_context = context
        switches = sum(bit for name, bit in SWITCH_BITS.items() if self.settings[name])
        self._memory.prepare(root, switches, -contempt, self.weights)
        if self.book is not None and root.size == 8 and not contempt:
            book_arrays = self.book.nodes, self.book.slots
            store_book_values(
                *root.boards,
                np.int64(BOOK_PROBE_PLIES),
                np.int64(self._memory.age),
                *book_arrays,
                self._memory.table,
            )
        if limits.clock is not None and limits.clock.moves_to_go is None:
            moves_left = max(2, int(SHARES_PER_PLY * (root.empty_count - SOLVED_EMPTIES)) + 2)
            limits = replace(limits, clock=replace(limits.clock, moves_to_go=moves_left))
        searcher = OthelloSearcher(
            self._memory,
            root,
            selectivity=self.settings["selectivity"],
            node_limit=limits.nodes,
            win_loss_only=wld,
        )
        try:
            return deepen(
                self.name,
                position,
                limits,
                searcher,
                stop=stop,
                on_progress=on_progress,
                latest_start=LATEST_START,
            )
        finally:
            searcher.stop_kernels()
