"""Statistics of the search's choices: quality of the move ordering, and how many moves a filter could prune.

`ChoiceCounts` counts, over all searched positions with more than one move: by how many levels the chosen move was
below the best available one, how many moves of each level were available and chosen, and how often the chosen move
was the killer of its ply or the first by history.

`ValueSamples` has the values of all moves in search order, from full-window searches. FT = EXP_BASE ** (CV - BV),
for the value CV of a move and the best value BV so far, is 1 for the best move and near 0 for a bad one, whatever
their signs. A filter stops at the first move with FT below a threshold. The curves show, for each threshold, the
moves rightly pruned, how often the best move was pruned, and the resulting loss of value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from tengen.core.game import Game
from tengen.core.position import Position
from tengen.engines.pente.classic.kernels.counts import LEVELS
from tengen.engines.pente.classic.kernels.utility import FORCED_WIN_VALUE
from tengen.engines.pente.classic.search_state import VALUES_PER_SAMPLE
from tengen.engines.pente.classic.searcher import ClassicSearcher, SearchMemory
from tengen.engines.pente.classic.tunables import BEST_AND_WORST, THRESHOLD
from tengen.search.driver import Step
from tengen.search.limits import StopFlag

LEVEL_NAMES = ("ones", "twos", "threats", "threes", "takes", "fours")
GAME_DEPTH = 2
"""Search depth of the games."""
MAX_GAME_PLIES = 80


def played_positions(game: Game, settings: dict[str, Any], count: int, seed: int) -> Iterator[Position]:
    """Positions of quick self-play games, in which one move in five is random."""
    dice = Random(seed)
    memory = SearchMemory(settings)
    position = game.start()
    while count > 0:
        if position.is_over or position.ply > MAX_GAME_PLIES:
            position = game.start()
        searcher = ClassicSearcher(memory, position, seed=seed, depth=GAME_DEPTH)
        if position.ply > 1:
            yield position
            count -= 1
        if dice.random() < 0.2:
            position = position.play(dice.choice(searcher.listed))
            continue
        searcher.begin(position.legal_moves, -searcher.top, searcher.top, Step(GAME_DEPTH, 0))
        searcher.run(1 << 40, StopFlag())
        found = searcher.found()
        assert found is not None, "a finished search has a best move"
        position = position.play(found.move)


@dataclass
class ChoiceCounts:
    """Counts over positions with a choice; lists are by level, from ones to fours."""

    choices: int = 0
    distance: int = 0
    by_killer: int = 0
    by_history: int = 0
    nodes: int = 0
    available: list[int] = field(default_factory=lambda: [0] * LEVELS)
    chosen: list[int] = field(default_factory=lambda: [0] * LEVELS)

    def add(self, work: Any) -> None:
        """Add the counts of a search, from its record."""
        self.choices += int(work.choices)
        self.distance += int(work.distance)
        self.by_killer += int(work.by_killer)
        self.by_history += int(work.by_history)
        self.nodes += int(work.nodes)
        for level in range(LEVELS):
            self.available[level] += int(work.available[level])
            self.chosen[level] += int(work.chosen[level])

    def share(self, count: int) -> float:
        """Percentage of all choices."""
        return 100 * count / max(1, self.choices)


@dataclass
class ValueSamples:
    """Values of all moves of some positions, as (ply, values in search order)."""

    samples: list[tuple[int, list[float]]] = field(default_factory=list)

    def add(self, rows: np.ndarray[Any, Any]) -> None:
        for row in rows:
            self.samples.append((int(row[0]), [float(value) for value in row[2 : 2 + int(row[1])]]))

    def best_at(self) -> dict[int, list[float]]:
        """By ply: at which index of the order the best value was, in per cent."""
        tables: dict[int, list[float]] = {}
        for ply, values in self.samples:
            counts = tables.setdefault(ply, [0.0] * VALUES_PER_SAMPLE)
            counts[values.index(max(values))] += 1
        return {ply: [100 * count / sum(counts) for count in counts] for ply, counts in sorted(tables.items())}

    def relative(self, base: float) -> dict[int, list[float]]:
        """By ply: mean of EXP_BASE ** (value - best) at each index of the order."""
        sums: dict[int, list[list[float]]] = {}
        for ply, values in self.samples:
            columns = sums.setdefault(ply, [[] for _ in range(VALUES_PER_SAMPLE)])
            for index, value in enumerate(values):
                columns[index].append(value_ratio(value, max(values), base))
        return {
            ply: [sum(column) / len(column) if column else math.nan for column in columns]
            for ply, columns in sorted(sums.items())
        }

    def curve(self, filter_method: int, base: float, thresholds: Sequence[float]) -> list[CurvePoint]:
        """Effect of a filter at each threshold."""
        return [self._point(filter_method, base, threshold) for threshold in thresholds]

    def _point(self, filter_method: int, base: float, threshold: float) -> CurvePoint:
        moves = right = wrong = 0
        shortfalls = []
        for _, values in self.samples:
            stop = first_filtered(values, filter_method, base, threshold)
            best_kept, best = max(values[:stop]), max(values)
            moves += len(values)
            if best_kept < best:
                wrong += 1
            else:
                right += len(values) - stop
            if abs(best_kept) < FORCED_WIN_VALUE and abs(best) < FORCED_WIN_VALUE:
                shortfalls.append(best - best_kept)
        squares = [shortfall**2 for shortfall in shortfalls]
        deviation = math.sqrt(sum(squares) / len(squares)) if squares else 0.0
        return CurvePoint(
            threshold, 100 * right / max(1, moves), 100 * wrong / max(1, len(self.samples)), deviation
        )


@dataclass(frozen=True)
class CurvePoint:
    """At one threshold: per cent of moves rightly pruned, of positions whose best move was, and the deviation."""

    threshold: float
    right: float
    wrong: float
    deviation: float


def value_ratio(value: float, best: float, base: float) -> float:
    """FT: EXP_BASE ** (value - best)."""
    return math.exp(max(-700.0, math.log(base) * (value - best)))


def first_filtered(values: Sequence[float], filter_method: int, base: float, threshold: float) -> int:
    """Number of moves searched before a filter stops; it checks each move after the first, like the search."""
    best = worst = values[0]
    for index, value in enumerate(values[1:], 1):
        if value > best:
            best = value
            continue
        if filter_method == THRESHOLD:
            is_bad = value_ratio(value, best, base) < threshold
        else:
            assert filter_method == BEST_AND_WORST
            is_bad = worst < best and (value - worst) / (best - worst) < threshold
        if is_bad:
            return index + 1
        worst = min(worst, value)
    return len(values)


def collect_statistics(
    positions: Iterable[Position], settings: dict[str, Any], depth: int, *, open_plies: int = 0
) -> tuple[ChoiceCounts, ValueSamples]:
    """Search positions to a depth; the values of all moves of the first `open_plies` plies are sampled."""
    memory, counts, samples = SearchMemory(settings), ChoiceCounts(), ValueSamples()
    for position in positions:
        memory.clear()
        searcher = ClassicSearcher(memory, position, seed=0, depth=depth, open_plies=open_plies)
        for plies in range(1, depth + 1):
            searcher.begin(position.legal_moves, -searcher.top, searcher.top, Step(plies, 0))
            searcher.run(1 << 40, StopFlag())
            searcher.found()
        counts.add(memory.works[0])
        samples.add(searcher.samples)
    return counts, samples
