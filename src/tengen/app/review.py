"""Review of a game for its players: how good each move was, accuracy, phases and turning points.

`tengen.play.review` computes what each move lost; this module judges it. A move is judged by one figure only, its
loss in the unit of the game: points or discs where the engine estimates or counts them, otherwise win rate. So a
larger loss never gets a milder mark.

Monte-Carlo searches are noisy, short ones more than long ones. A loss below three standard errors is no mistake,
and one below ten counts only as far as the search after the opponent's reply confirms it.

**Accuracy** of a move, from 0 to 100: `100 * 0.75 ** loss` for points and discs, the curve of KaTrain's game
report, and `103.17 * exp(-4.354 * loss) - 3.17` for win rates, the curve of lichess, each for the loss reduced by
its standard error. A player's accuracy is the mean over the player's moves. Passes and choices of a side are left
out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from tengen.core.game import Game
from tengen.core.position import Position
from tengen.engines import registry
from tengen.play.review import WIN_RATE, GameReview, ReviewedMove, expected_points, review_moves
from tengen.players.config import EngineConfig
from tengen.search.limits import Limits
from tengen.search.report import Kind, Report, Value

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
SIGNIFICANT_ERRORS = 3.0  # smaller losses than this number of standard errors are noise
UNDOUBTED_ERRORS = 10.0  # smaller losses count only as far as they are confirmed


class Phase(StrEnum):
    OPENING = "opening"
    MIDDLE = "middle"
    END = "end"


@dataclass(frozen=True)
class JudgedMove:
    """A move with its judgement. `loss` is in the unit of the summary, as far as confirmed; None if not known.

    `is_exact` says whether the loss is proved; `error` is its standard error, 0 if the engine has none. `weight`
    ranks turning points: the chance to win that the move cost, more for a larger margin.
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
    error: float = 0.0
    weight: float = 0.0

    @property
    def is_significant(self) -> bool:
        """Whether there is a loss, which is not just the noise of two searches."""
        return bool(self.loss) and (self.loss or 0.0) >= SIGNIFICANT_ERRORS * self.error


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
        """The moves that decided the game, most important first: by the chance to win and the margin they cost."""
        found = [
            one
            for one in self.moves
            if one.judgement is not Judgement.GOOD or (one.turned and one.is_exact)  # a draw may cost little
        ]
        return sorted(found, key=lambda one: (-one.weight, one.number))[:count]


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
    judge_move = partial(_judged, review=review, unit=unit, reports=reports)
    moves = tuple(judge_move(one, phases[one.number], by_ply[one.number]) for one in review.moves)
    players = (_player_summary(moves, 0), _player_summary(moves, 1))
    return ReviewSummary(unit, moves, players, review.exact_from())


def _judged(
    one: ReviewedMove,
    phase: Phase,
    after: Position,
    *,
    review: GameReview,
    unit: str,
    reports: Mapping[int, Report],
) -> JudgedMove:
    loss = one.loss if unit == review.unit else one.points
    if after.move is None or not after.game.points(after.move):
        loss = None if not one.turned else loss
    around = [reports[ply] for ply in (one.number - 1, one.number) if ply in reports]
    error = math.hypot(*(standard_error(report, unit) for report in around))
    chance = _lost_chance(one, after.game)
    if loss and loss < UNDOUBTED_ERRORS * error:
        confirmed = min(loss, _confirmed_loss(one.number, unit, reports))
        loss, chance = confirmed, chance * confirmed / loss
    margin = 0.0 if unit == WIN_RATE else (loss or 0.0) / _largest_margin(after.game)
    exact = one.is_exact and one.best_value is not None and one.best_value.kind is Kind.EXACT
    made = JudgedMove(
        one.number,
        one.player,
        one.move,
        one.best,
        loss,
        Judgement.GOOD,
        None if loss is None else accuracy(max(0.0, loss - error), unit),
        one.turned,
        phase,
        exact and unit == review.unit,
        error,
        chance * (1 + 2 * margin),
    )
    return replace(made, judgement=judge(loss, unit)) if loss is not None and made.is_significant else made


def _confirmed_loss(number: int, unit: str, reports: Mapping[int, Report]) -> float:
    """What the mover's estimate has lost once the opponent has replied; infinite if that is not known."""
    before, later = reports.get(number - 1), reports.get(number + 1)
    if before is None or later is None:
        return math.inf
    if unit == WIN_RATE:
        comparable = before.value.unit == later.value.unit == WIN_RATE
        return max(0.0, before.value.amount - later.value.amount) if comparable else math.inf
    earlier, now = expected_points(before), expected_points(later)
    return math.inf if earlier is None or now is None else max(0.0, earlier - now)


# Standard deviation of a result around an estimate, as a share of the largest margin; it only ranks moves.
_MARGIN_SPREAD = 0.07


def _largest_margin(game: Game) -> float:
    return game.max_score / 1000


def _lost_chance(one: ReviewedMove, game: Game) -> float:
    """The decrease of the mover's chance to win by a move."""
    if one.best_value is None or one.loss == 0.0:
        return 0.0
    return max(0.0, _win_chance(one.best_value, game) - _win_chance(one.value, game))


def _win_chance(value: Value, game: Game) -> float:
    """The chance to win, from 0 to 1, with a draw as half a win; 0, ½ or 1 if the value is proved."""
    if value.unit == WIN_RATE:
        return value.amount
    if value.kind is Kind.EXACT:
        return 0.5 * (1 + (value.amount > 0) - (value.amount < 0))
    if value.unit == "wins":
        return 0.5 * (1 + value.amount)
    spread = _MARGIN_SPREAD * _largest_margin(game)
    return 0.5 * (1 + math.erf(value.amount / spread / math.sqrt(2)))


# Variance of an estimate, times its simulations. Measured for the Go engine by searching positions of 9x9 games
# twice with other seeds: more than that of independent playouts, because a search decides early what to look at.
_POINTS_VARIANCE = 65.0  # for each point of the board that is not settled
_WIN_RATE_VARIANCE = 7.0  # times that of one playout


def standard_error(report: Report, unit: str) -> float:
    """The standard error of the value of a report in a unit of losses; 0 unless our engine counts simulations.

    A point is as unsettled as its ownership says: 1 if it is anybody's, 0 if it is always the same player's. What
    a visit of an external program is worth is not known: a hundred of KataGo's tell more than 10,000 playouts.
    """
    if report.value.kind is Kind.EXACT or not any(one.visits for one in report.candidates):
        return 0.0
    if report.engine not in registry.names():
        return 0.0
    simulations = max(1, report.nodes)
    if unit == POINTS:
        owners = [overlay for overlay in report.overlays if overlay.name == "ownership"]
        unsettled = sum(1.0 - float(owner) ** 2 for overlay in owners for _c, _r, owner in overlay.points)
        return math.sqrt(_POINTS_VARIANCE * unsettled / simulations)
    if report.value.unit != WIN_RATE:
        return 0.0
    rate = report.value.amount
    return math.sqrt(_WIN_RATE_VARIANCE * rate * (1.0 - rate) / simulations)


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
_DEEP_SIMULATIONS = 12_000  # takes half a second on a quiet machine
_MAX_DEEP_SECONDS = 2.0  # on a busy one
MAX_DEEP_POSITIONS = 24


def quick_config(config: EngineConfig, positions: int) -> EngineConfig:
    """The engine with the small budget of the first pass over this number of positions."""
    nodes = _QUICK_NODES
    if config.engine in _MONTE_CARLO:
        least, most = _QUICK_SIMULATIONS_PER_POSITION
        nodes = max(least, min(most, _QUICK_SIMULATIONS // max(1, positions)))
    return replace(config, limits=Limits(seconds=_QUICK_SECONDS, nodes=nodes))


def deep_config(config: EngineConfig) -> EngineConfig:
    """The engine with more time, for the positions that matter; a program gets as much as it was given."""
    if config.program is not None:
        return replace(config, limits=Limits(seconds=max(DEEP_SECONDS, config.limits.seconds or 0.0)))
    if config.engine in _MONTE_CARLO:
        return replace(config, limits=Limits(seconds=_MAX_DEEP_SECONDS, nodes=_DEEP_SIMULATIONS))
    return replace(config, limits=Limits(seconds=DEEP_SECONDS))


def critical_positions(
    line: Sequence[Position], reports: Mapping[int, Report], limits: Limits | None = None
) -> list[Position]:
    """The positions around the moves that changed the value most, in the order of the game.

    The change counts even if the move was the engine's own choice: then the search before it saw too little. After
    a move whose loss is uncertain, the position after the reply is searched, too. Positions with a report that
    meets `limits` are left out.
    """
    review = review_moves(line, reports)
    unit = POINTS if any(one.points for one in review.moves) else review.unit
    least = 0.5 * (_WIN_RATE_LIMITS if unit == WIN_RATE else _POINT_LIMITS)[-1][0]
    changes = {one.number: _change(one, unit, reports) for one in review.moves}
    ranked = sorted((number for number, change in changes.items() if change >= least), key=lambda n: -changes[n])
    by_ply = {position.ply: position for position in line}
    chosen: dict[int, Position] = {}
    for number in ranked:
        error = standard_error(reports[number], unit) if number in reports else 0.0
        for ply in (number - 1, number, *([number + 1] if error else [])):
            position, report = by_ply.get(ply), reports.get(ply)
            proved = report is not None and report.value.kind is Kind.EXACT
            if len(chosen) < MAX_DEEP_POSITIONS and position is not None and not position.is_over and not proved:
                chosen[ply] = position
    open_plies = (ply for ply in sorted(chosen) if limits is None or not suffices(reports.get(ply), limits))
    return [chosen[ply] for ply in open_plies]


def suffices(report: Report | None, limits: Limits) -> bool:
    """Whether a report is at least as good as a search within these limits."""
    return report is not None and (
        report.value.kind is Kind.EXACT
        or (limits.nodes is not None and report.nodes >= limits.nodes)
        or (limits.seconds is not None and report.seconds >= 0.9 * limits.seconds)
        or (limits.depth is not None and report.depth >= limits.depth)
    )


def _change(one: ReviewedMove, unit: str, reports: Mapping[int, Report]) -> float:
    """The difference between the values before and after a move, in the unit of losses."""
    if unit == POINTS and one.number in reports and one.number - 1 in reports:
        before, after = expected_points(reports[one.number - 1]), expected_points(reports[one.number])
        if before is not None and after is not None:
            return abs(before + after)  # each for its side to move
    if one.best_value is None:
        return 0.0
    if one.best_value.unit == one.value.unit:
        scale = 0.5 if one.value.unit == "wins" else 1.0
        return scale * abs(one.best_value.amount - one.value.amount)
    return one.loss or 0.0
