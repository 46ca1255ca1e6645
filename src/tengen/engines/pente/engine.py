"""The strong player for Pente and its family: patterns, threat-space search, principal variation search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from tengen.core.game import Game
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.pente import opening
from tengen.engines.pente.overlays import threat_overlays
from tengen.engines.pente.root_position import RootPosition
from tengen.engines.pente.search.searcher import MAX_DEPTH, PenteSearcher
from tengen.engines.pente.search.weights import Weights, load_weights
from tengen.engines.pente.search_threads import SharedState
from tengen.engines.pente.small.solver import is_small, solve_small
from tengen.games.pente.game import Pente
from tengen.search.driver import deepen
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag, root_moves
from tengen.search.report import Report
from tengen.search.solve import solve_by_search
from tengen.search.threads import KernelThreads
from tengen.search.tunables import VISION, Tunable

OPENING_NODES_PER_POINT = 1000
"""Nodes for each candidate point of an opening stone."""


class PenteEngine(Engine):
    """Principal variation search on incremental patterns; wins by fours and threes are found and proved."""

    name: ClassVar[str] = "pente"
    summary: ClassVar[str] = mark("patterns, threat-space search, principal variation search")
    max_threads: ClassVar[int] = 64
    max_depth: ClassVar[int | None] = MAX_DEPTH
    weaknesses: ClassVar[tuple[Tunable, ...]] = (VISION,)
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("table", 64, 1, 65536, mark("megabytes for the transposition table"), megabytes=True),
        Tunable("width", 40, 2, 361, mark("moves searched per node near the root; twice as many at the root")),
        Tunable(
            "leaf_nodes",
            60,
            1,
            100_000,
            mark("node budget of the threat search at a leaf"),
            former_names=("leaf",),
        ),
        Tunable(
            "inner_nodes",
            400,
            1,
            1_000_000,
            mark("node budget of the threat search inside the tree"),
            former_names=("inner",),
        ),
        Tunable(
            "threes_divisor",
            16,
            1,
            1000,
            mark("at the root, the search for wins by threes gets 1/N of all nodes"),
            former_names=("share",),
        ),
        Tunable("captures", 100, 0, 400, mark("weight of captured stones, in per cent of the learned weight")),
        Tunable("learned", True, 0, 1, mark("use weights learned from games instead of hand-set ones")),
        Tunable("error", 0, 0, 5000, mark("largest random error of the evaluation, in hundredths of a point")),
        Tunable("fours", True, 0, 1, mark("search for wins by fours")),
        Tunable("threes", True, 0, 1, mark("search for wins by threes")),
        Tunable("zones", True, 0, 1, mark("against a win by fours, search only moves that can prevent it")),
        Tunable("reductions", True, 0, 1, mark("late move reductions")),
        Tunable("hashing", True, 0, 1, mark("use the transposition table")),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._threads = KernelThreads(self.threads, "pente")
        self._shared = SharedState(self.settings["table"], self.threads, self._threads.stop)
        self.weights: Weights | None = None  # used instead of the bundled ones, if set
        self._table_game: Game | None = None  # game the table entries are valid for

    @classmethod
    def plays(cls, game: Game) -> bool:
        """All variants but two stones per turn with captures, and rows of six that must not be longer."""
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
        assert isinstance(position.game, Pente)
        if position.game.is_offering(position):
            named = tuple(map(position.game.write_move, moves))
            return self.search(opening.after_opening(position), replace(limits, moves=named, lines=1), stop=stop)
        if opening.is_pick(position):
            share = (
                Limits(nodes=OPENING_NODES_PER_POINT)
                if limits.nodes is None
                else replace(limits, nodes=max(1, limits.nodes // len(moves)), moves=None, lines=1)
            )
            return opening.pick(position, moves, lambda after: self.search(after, share, stop=stop))
        if fifth := opening.fifth_stones(position):
            lines = replace(limits, moves=None, lines=fifth)
            return opening.choose_fifth(position, self.search(opening.after_opening(position), lines, stop=stop))
        if opening.has_choice(position):
            single_line = replace(limits, moves=None, lines=1)
            return opening.choose(position, self.search(opening.after_opening(position), single_line, stop=stop))
        if opening.is_opening(position):
            point_limits = Limits(nodes=min(limits.nodes or OPENING_NODES_PER_POINT, OPENING_NODES_PER_POINT))
            return opening.place_evenly(
                position, moves, self.seed, lambda after: self.search(after, point_limits, stop=stop)
            )
        if self._table_game not in (None, position.game):
            self._shared.clear()
        self._table_game = position.game
        weights = self.weights
        if weights is None:
            assert isinstance(position.game, Pente)
            weights = load_weights(position.game, self.settings["captures"], self.settings["learned"])
        root = RootPosition(position, weights)
        seed = self.seed + (position.ply if self.settings["error"] else 0)
        self._shared.prepare(self.settings | self.weak, seed, weights)
        searcher = PenteSearcher(self._shared, root, self._threads, node_limit=limits.nodes)

        def finish(report: Report) -> Report:
            return _with_reasons(report, position, root, searcher)

        def show(report: Report) -> None:
            if on_progress is not None:
                on_progress(finish(report))

        try:
            report = deepen(self.name, position, limits, searcher, stop=stop, on_progress=show)
        finally:
            searcher.stop_kernels()
        nodes = int(self._shared.works["nodes"].sum())  # including those for a shorter win at the end
        return replace(finish(report), nodes=nodes, overlays=threat_overlays(position, root))

    def solve(
        self,
        position: Position,
        *,
        wld: bool = False,
        every_move: bool = False,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        """Small boards have their own solver, which also proves draws; others prove wins by search."""
        if is_small(position.game):
            return solve_small(
                position, self.settings["table"], every_move=every_move, stop=stop, on_progress=on_progress
            )
        return solve_by_search(self, position, wld=wld, every_move=every_move, stop=stop, on_progress=on_progress)


def _with_reasons(report: Report, position: Position, root: RootPosition, searcher: PenteSearcher) -> Report:
    """Add "wins in N", or "wins in at most N", or the same of a loss, to candidates with a proved result."""
    candidates = []
    for candidate in report.candidates:
        plies = searcher.win_lengths.get(position.game.read_move(candidate.move, position))
        if plies is not None and abs(candidate.value.amount) == 1:
            won = candidate.value.amount > 0
            if root.stones_per_turn == 2:  # count turns: the rest of this one, then two stones each
                plies = 1 if plies <= root.stones_left else 1 + (plies - root.stones_left + 1) // 2
            count = (plies + 1) // 2
            if searcher.is_shortest(count, won=won):
                template = mark("wins in {count}") if won else mark("loses in {count}")
            else:
                template = mark("wins in at most {count}") if won else mark("loses in at most {count}")
            candidate = replace(candidate, reason=template.format(count=count))
        candidates.append(candidate)
    return replace(report, candidates=tuple(candidates))
