"""The strong player of Pente and its family: patterns, forced wins, and principal variation search."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, ClassVar

from tengen.core.game import Game
from tengen.core.position import Position
from tengen.engines.pente import opening
from tengen.engines.pente.overlays import threat_overlays
from tengen.engines.pente.search.searcher import DEEPEST, PenteSearcher
from tengen.engines.pente.search_threads import Memory, Root
from tengen.engines.pente.small.solver import is_small, solve_small
from tengen.games.pente.game import Pente
from tengen.search.driver import deepen
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag, root_moves
from tengen.search.report import Report
from tengen.search.solve import solve_by_search
from tengen.search.tunables import VISION, Tunable

FAIR_NODES = 1000
"""Positions for each place that a stone of an opening might go to."""


class PenteEngine(Engine):
    """Principal variation search over patterns, with wins by fours and threes found and proved."""

    name: ClassVar[str] = "pente"
    summary: ClassVar[str] = "patterns, forced wins by fours and threes, principal variation search"
    most_threads: ClassVar[int] = 64
    deepest: ClassVar[int | None] = DEEPEST
    weaknesses: ClassVar[tuple[Tunable, ...]] = (VISION,)
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("table", 64, 1, 65536, "megabytes for the transposition table", megabytes=True),
        Tunable("width", 40, 2, 361, "promising moves looked at near the root; half as many again at it"),
        Tunable("leaf", 60, 1, 100_000, "positions that a forced win may cost at a leaf"),
        Tunable("inner", 400, 1, 1_000_000, "positions that a forced win may cost inside the tree"),
        Tunable("share", 16, 1, 1000, "one part in so many positions may go to wins by threes at the root"),
        Tunable("captures", 100, 0, 400, "what captured stones are worth, in hundredths of what was learned"),
        Tunable("learned", True, 0, 1, "weigh positions as learned from games, not as set by hand"),
        Tunable("error", 0, 0, 5000, "misjudgement of a position at most, in hundredths of a point"),
        Tunable("fours", True, 0, 1, "look for wins by fours at the leaves"),
        Tunable("threes", True, 0, 1, "look for wins by threes inside the tree"),
        Tunable("zones", True, 0, 1, "against a win by fours look only at moves that can disturb it"),
        Tunable("reductions", True, 0, 1, "search late quiet moves less deeply"),
        Tunable("hashing", True, 0, 1, "remember positions in the table"),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._memory = Memory(self.settings["table"], self.threads)
        self._pool = ThreadPoolExecutor(self.threads, "pente")
        self._last: Game | None = None  # what the table is about

    @classmethod
    def plays(cls, game: Game) -> bool:
        """All, but two stones a turn only where nothing is captured, and no row of six that must not be longer."""
        if not isinstance(game, Pente) or (game.row == 6 and game.exact):
            return False
        return game.stones == 1 or game.captures == "none"

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        moves = root_moves(position, limits)
        if opening.has_choice(position):
            every = replace(limits, moves=None, lines=1)
            return opening.choose(position, self.search(opening.settled(position), every, stop=stop))
        if opening.is_opening(position):
            short = Limits(nodes=min(limits.nodes or FAIR_NODES, FAIR_NODES))
            return opening.place_fairly(
                position, moves, self.seed, lambda after: self.search(after, short, stop=stop)
            )
        if self._last not in (None, position.game):
            self._memory.forget()
        self._last = position.game
        root = Root(position)
        seed = self.seed + (position.ply if self.settings["error"] else 0)
        self._memory.set_up(self.settings | self.weak, seed, root.stones)
        searcher = PenteSearcher(self._memory, root, self._pool, most_nodes=limits.nodes)

        def finish(report: Report) -> Report:
            return _with_reasons(report, position, root, searcher)

        def show(report: Report) -> None:
            if on_progress is not None:
                on_progress(finish(report))

        try:
            report = deepen(self.name, position, limits, searcher, stop=stop, on_progress=show)
        finally:
            searcher.close()
        return replace(finish(report), overlays=threat_overlays(position, root))

    def solve(
        self,
        position: Position,
        *,
        wld: bool = False,
        every_move: bool = False,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        """Small boards have a solver of their own, which proves draws, too; else wins that the search proves."""
        if is_small(position.game):
            return solve_small(
                position, self.settings["table"], every_move=every_move, stop=stop, on_progress=on_progress
            )
        return solve_by_search(self, position, wld=wld, every_move=every_move, stop=stop, on_progress=on_progress)


def _with_reasons(report: Report, position: Position, root: Root, searcher: PenteSearcher) -> Report:
    """How soon a proved end comes, for each candidate."""
    candidates = []
    for candidate in report.candidates:
        plies = searcher.lengths.get(position.game.read_move(candidate.move, position))
        if plies is not None and abs(candidate.value.amount) == 1:
            won = candidate.value.amount > 0
            if root.stones == 2:  # in turns: what is left of this one, then two stones each
                plies = 1 if plies <= root.left else 1 + (plies - root.left + 1) // 2
            reason = f"wins in {(plies + 1) // 2}" if won else f"loses in {(plies + 1) // 2}"
            candidate = replace(candidate, reason=reason)
        candidates.append(candidate)
    return replace(report, candidates=tuple(candidates))
