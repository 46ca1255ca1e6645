"""Review of a game for its players: how good each move was, accuracy, phases and turning points.

`tengen.play.review` computes what each move lost; this module judges it. A move is judged by one figure only, its
loss in the unit of the game: points or discs where the engine estimates or counts them, otherwise win rate. So a
larger loss never gets a milder mark.

**Accuracy** of a move, from 0 to 100: `100 * 0.75 ** loss` for points and discs, the curve of KaTrain's game
report, and `103.17 * exp(-4.354 * loss) - 3.17` for win rates, the curve of lichess. A player's accuracy is the
mean over the player's moves. Passes and choices of a side are left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tengen.core.game import Game
from tengen.core.position import Position
from tengen.play.review import WIN_RATE, GameReview, ReviewedMove, review_moves
from tengen.players.config import EngineConfig
from tengen.search.limits import Limits
from tengen.search.report import Kind, Report

POINTS = "points"


class Judgement(StrEnum):
    """What a loss is called."""

    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"

    @property
    def sign(self) -> str:
        """The usual annotation sign."""
        return {"good": "", "inaccuracy": "?!", "mistake": "?", "blunder": "??"}[self]


# Smallest loss of each kind: as a share of a win, or in points or discs.
_WIN_RATE_LIMITS = ((0.30, Judgement.BLUNDER), (0.20, Judgement.MISTAKE), (0.10, Judgement.INACCURACY))
_POINT_LIMITS = ((8.0, Judgement.BLUNDER), (4.0, Judgement.MISTAKE), (2.0, Judgement.INACCURACY))


class Phase(StrEnum):
    OPENING = "opening"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True)
class JudgedMove:
    """A move with its judgement. `loss` is in the unit of the summary; None if it is not known.

    `is_exact` says whether the loss is proved.
    """

    number: int
    player: int
    move: str
    best: str | None
    loss: float | None
    judgement: Judgement
    accuracy: float | None
    turned: bool
    phase: Phase
    is_exact: bool


@dataclass(frozen=True)
class Figures:
    """Figures of some moves of a player; None if no loss is known."""

    moves: int
    accuracy: float | None
    mean_loss: float | None
    counts: Mapping[Judgement, int]


@dataclass(frozen=True)
class PlayerSummary:
    total: Figures
    phases: Mapping[Phase, Figures]


@dataclass(frozen=True)
class ReviewSummary:
    """The judged moves of a game. `unit` is the unit of losses; `known` counts the moves with a known loss."""

    unit: str
    moves: tuple[JudgedMove, ...]
    players: tuple[PlayerSummary, PlayerSummary]
    exact_from: int | None

    @property
    def known(self) -> int:
        return sum(one.loss is not None for one in self.moves)

    @property
    def mistakes(self) -> list[JudgedMove]:
        """Inaccuracies, mistakes and blunders, in the order of the game."""
        return [one for one in self.moves if one.judgement is not Judgement.GOOD]

    @property
    def first_mistake(self) -> JudgedMove | None:
        """The first mistake or blunder; if there is none, the first inaccuracy."""
        serious = [one for one in self.mistakes if one.judgement is not Judgement.INACCURACY]
        return next(iter(serious or self.mistakes), None)

    def turning_points(self, count: int = 3) -> list[JudgedMove]:
        """The moves that decided the game, most important first.

        Moves that gave away a win or a draw come before other mistakes, and larger losses before smaller ones.
        """
        found = [
            one
            for one in self.moves
            if one.judgement is not Judgement.GOOD or (one.turned and one.is_exact)  # a draw may cost little
        ]
        return sorted(found, key=lambda one: (not one.turned, -(one.loss or 0.0), one.number))[:count]


# ---- judging


def judge(loss: float, unit: str) -> Judgement:
    """What a loss is called. It depends on nothing else, so that equal losses have equal marks."""
    limits = _WIN_RATE_LIMITS if unit == WIN_RATE else _POINT_LIMITS
    return next((name for least, name in limits if loss >= least), Judgement.GOOD)


def accuracy(loss: float, unit: str) -> float:
    """Accuracy of a move, from 0 to 100; see the module's description."""
    if unit == WIN_RATE:
        return max(0.0, min(100.0, 103.1668 * math.exp(-4.354 * loss) - 3.1669))
    return float(100 * 0.75**loss)


def summarise(line: Sequence[Position], reports: Mapping[int, Report]) -> ReviewSummary:
    """Judge the moves of a line, given reports on its positions by ply."""
    review = review_moves(line, reports)
    unit = POINTS if any(one.points for one in review.moves) else review.unit
    phases = _phases(line)
    by_ply = {position.ply: position for position in line}
    moves = tuple(_judged(one, review, unit, phases[one.number], by_ply[one.number]) for one in review.moves)
    players = (_player_summary(moves, 0), _player_summary(moves, 1))
    return ReviewSummary(unit, moves, players, review.exact_from())


def _judged(one: ReviewedMove, review: GameReview, unit: str, phase: Phase, after: Position) -> JudgedMove:
    loss = one.loss if unit == review.unit else one.points
    if after.move is None or not after.game.points(after.move):
        loss = None if not one.turned else loss
    exact = one.is_exact and one.best_value is not None and one.best_value.kind is Kind.EXACT
    return JudgedMove(
        one.number,
        one.player,
        one.move,
        one.best,
        loss,
        Judgement.GOOD if loss is None else judge(loss, unit),
        None if loss is None else accuracy(loss, unit),
        one.turned,
        phase,
        exact and unit == review.unit,
    )


def _player_summary(moves: Sequence[JudgedMove], player: int) -> PlayerSummary:
    own = [one for one in moves if one.player == player]
    phases = {phase: _figures([one for one in own if one.phase is phase]) for phase in Phase}
    return PlayerSummary(_figures(own), phases)


def _figures(moves: Sequence[JudgedMove]) -> Figures:
    losses = [one.loss for one in moves if one.loss is not None]
    accuracies = [one.accuracy for one in moves if one.accuracy is not None]
    counts: Counter[Judgement] = Counter(one.judgement for one in moves if one.judgement is not Judgement.GOOD)
    return Figures(len(losses), _mean(accuracies), _mean(losses), counts)


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


# ---- phases

# Last move of the opening and of the middle game: a number, or a share of the points of the board.
_PHASE_ENDS: dict[str, tuple[float, float]] = {"go": (0.2, 0.6), "othello": (20 / 64, 40 / 64), "pente": (10, 30)}


def _phases(line: Sequence[Position]) -> dict[int, Phase]:
    """The phase of each move. Games not listed above are divided into thirds."""
    if not line:
        return {}
    opening, middle = _phase_ends(line[0].game, line[-1].ply)
    return {
        position.ply: Phase.OPENING
        if position.ply <= opening
        else Phase.MIDDLE
        if position.ply <= middle
        else Phase.END
        for position in line
    }


def _phase_ends(game: Game, length: int) -> tuple[float, float]:
    if game.name not in _PHASE_ENDS:
        return length / 3, 2 * length / 3
    opening, middle = _PHASE_ENDS[game.name]
    if opening >= 1:
        return opening, middle
    diagram = game.start().diagram()
    points = len(diagram.columns) * len(diagram.rows)
    return opening * points, middle * points


# ---- choosing positions to search

# The first pass: simulations of Monte-Carlo engines for the whole game, and nodes of others per position.
_MONTE_CARLO = ("go", "uct")
_QUICK_SIMULATIONS = 70_000
_QUICK_SIMULATIONS_PER_POSITION = (300, 3_000)
_QUICK_NODES = 20_000
_QUICK_SECONDS = 0.3  # per position, for engines that ignore nodes
DEEP_SECONDS = 0.5
MAX_DEEP_POSITIONS = 24


def quick_config(config: EngineConfig, positions: int) -> EngineConfig:
    """The engine with the small budget of the first pass over this number of positions."""
    nodes = _QUICK_NODES
    if config.engine in _MONTE_CARLO:
        least, most = _QUICK_SIMULATIONS_PER_POSITION
        nodes = max(least, min(most, _QUICK_SIMULATIONS // max(1, positions)))
    return replace(config, limits=Limits(seconds=_QUICK_SECONDS, nodes=nodes))


def deep_config(config: EngineConfig) -> EngineConfig:
    """The engine with more time, for the positions that matter."""
    return replace(config, limits=Limits(seconds=DEEP_SECONDS))


def critical_positions(line: Sequence[Position], reports: Mapping[int, Report]) -> list[Position]:
    """The positions before and after moves that changed the value most, in the order of the game.

    The change counts even if the move was the engine's own choice: then the search before it saw too little.
    """
    review = review_moves(line, reports)
    noise = 0.5 * (_WIN_RATE_LIMITS if review.unit == WIN_RATE else _POINT_LIMITS)[-1][0]
    changes = {one.number: _change(one) for one in review.moves}
    ranked = sorted((number for number, change in changes.items() if change >= noise), key=lambda n: -changes[n])
    by_ply = {position.ply: position for position in line}
    chosen: dict[int, Position] = {}
    for number in ranked:
        for ply in (number - 1, number):
            position, report = by_ply[ply], reports.get(ply)
            proved = report is not None and report.value.kind is Kind.EXACT
            if len(chosen) < MAX_DEEP_POSITIONS and not position.is_over and not proved:
                chosen[ply] = position
    return [chosen[ply] for ply in sorted(chosen)]


def _change(one: ReviewedMove) -> float:
    """The difference between the values before and after a move, in the unit of the review."""
    if one.best_value is None:
        return 0.0
    if one.best_value.unit == one.value.unit:
        scale = 0.5 if one.value.unit == "wins" else 1.0
        return scale * abs(one.best_value.amount - one.value.amount)
    return one.loss or 0.0
