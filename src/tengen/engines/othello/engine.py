"""The Othello player: search by patterns in the midgame, exact at the end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from tengen.books.probe import PLIES, ProbeTable
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.engines.othello.human_errors import choose_like_a_person
from tengen.engines.othello.kernels.book_probe import remember_book
from tengen.engines.othello.midgame.kernels.probcut import EXACT
from tengen.engines.othello.search_threads import SWITCHES, Memory, Root
from tengen.engines.othello.searcher import OthelloSearcher
from tengen.search.driver import deepen
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report
from tengen.search.solve import in_wins
from tengen.search.tunables import Tunable

EARLY_END = 20
"""With so many empty squares the game is as good as solved: no time need be kept for the moves after."""


class OthelloEngine(Engine):
    """Principal variation search with patterns and Multi-ProbCut, then exact to the end of the game."""

    name: ClassVar[str] = "othello"
    summary: ClassVar[str] = "patterns and selective search, exact in the endgame"
    most_threads: ClassVar[int] = 64
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("table", 64, 1, 65536, "megabytes for the transposition table", megabytes=True),
        Tunable(
            "selectivity", 0, 0, EXACT, "how little the midgame search leaves out: 0 is 73 %, 4 leaves out nothing"
        ),
        Tunable(
            "contempt", 0.0, -0.99, 0.99, "discs that a draw is worse than an even game, to the side that thinks"
        ),
        Tunable("error", 0.0, 0.0, 64.0, "mean misjudgement of a move in discs, as people have it"),
        Tunable("greed", 0.0, 0.0, 8.0, "discs that each disc turned over seems to be worth, as to beginners"),
        Tunable("hashing", True, 0, 1, "remember positions in the table"),
        Tunable("ordering", True, 0, 1, "look at promising moves first"),
        Tunable("stability", True, 0, 1, "cut by discs that cannot be turned"),
        Tunable("etc", True, 0, 1, "cut by what the table knows of the positions after a move"),
        Tunable("probcut", True, 0, 1, "cut by shallow searches"),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._memory = Memory(self.settings["table"], self.threads)
        self._pool = ThreadPoolExecutor(self.threads, "othello")
        self._last: tuple[Game, int] | None = None  # what the table is about
        self._random = np.random.default_rng(self.seed)
        self.book: ProbeTable | None = None  # asked about positions near the root

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
        every = replace(limits, lines=len(position.legal_moves))
        report = self._search(position, every, stop=stop, on_progress=None)
        return choose_like_a_person(report, position, self.settings["error"], self.settings["greed"], self._random)

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
        root = Root.of(position)
        contempt = round(100 * self.settings["contempt"])
        # A draw that is worth something to one side makes another table of it for the other.
        about = (position.game, position.to_move if contempt else 0)
        if self._last not in (None, about):
            self._memory.forget()
        self._last = about
        switches = sum(bit for name, bit in SWITCHES.items() if self.settings[name])
        self._memory.set_up(root, switches, -contempt)
        if self.book is not None and root.size == 8 and not contempt:
            known = self.book.nodes, self.book.slots
            remember_book(*root.boards, np.int64(PLIES), np.int64(self._memory.age), *known, self._memory.table)
        if limits.clock is not None and limits.clock.moves_to_go is None:
            to_come = max(2, (root.count - EARLY_END) // 2 + 2)
            limits = replace(limits, clock=replace(limits.clock, moves_to_go=to_come))
        searcher = OthelloSearcher(
            self._memory,
            root,
            self._pool,
            level=self.settings["selectivity"],
            most_nodes=limits.nodes,
            only_result=wld,
        )
        try:
            return deepen(self.name, position, limits, searcher, stop=stop, on_progress=on_progress)
        finally:
            searcher.close()
