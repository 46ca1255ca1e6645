"""Calibration of the built-in opponents of a game: each plays the next stronger one, and an engine reviews moves.

Elo is relative to the weakest, which has `BASE_ELO` by convention: the sum of the differences between neighbours,
so errors add up too. The mean loss, in the game's own unit, is the value of the best move minus that of the move
played, over a random sample of moves. Matches are resumed like all others.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tengen.arena import statistics
from tengen.arena.engine_match import EngineMatch
from tengen.arena.game_runner import PlayedGame
from tengen.arena.match_score import MatchScore
from tengen.core.errors import OptionError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.engines import registry
from tengen.play.review import review_moves
from tengen.players.player import EnginePlayer
from tengen.search.engine import Engine
from tengen.search.limits import Limits
from tengen.store.store import Store

EVALUATION_DEPTH = 10  # plies
EVALUATION_NODES = {"clobber": 20_000, "go": 3000, "pente": 20_000}  # where a search of all moves takes too long
DEFAULT_EVALUATION_NODES = 3000
MAX_SEARCHED_MOVES = 64
BASE_ELO = 600.0


@dataclass(frozen=True)
class LevelStrength:
    """The measured strength of a player.

    `step` is the Elo difference to the level below. Errors are half of 95 % intervals: `error` of the difference
    to the weakest player, `step_error` of `step`, `loss_error` of the mean loss. `seconds` is the mean thinking
    time of a move, `slowest` the largest mean of a game.
    """

    name: str
    elo: float
    error: float
    step: float
    step_error: float
    games: int
    loss: float | None
    loss_error: float
    seconds: float
    slowest: float

    def __str__(self) -> str:
        step = f"; {self.step:+.0f} ± {self.step_error:.0f} over the one before" if self.step_error else ""
        loss = "" if self.loss is None else f"; loses {self.loss:.3f} ± {self.loss_error:.3f} a move"
        time = f"; {1000 * self.seconds:.0f} ms a move, at most {1000 * self.slowest:.0f} in a game"
        return f"{self.name:12s} {self.elo:5.0f} ± {self.error:.0f}{step}{loss}{time}; {self.games} games"


def measure_levels(
    game: Game,
    players: Sequence[EnginePlayer],
    games: int,
    *,
    moves: int = 100,
    seed: int = 1,
    concurrency: int | None = None,
    on_game: Callable[[MatchScore], None] = lambda tally: None,
    on_level: Callable[[LevelStrength], None] = lambda level: None,
) -> list[LevelStrength]:
    """Play `games` games between neighbours, and evaluate `moves` moves of each player."""
    if len(players) < 2:
        raise OptionError("calibration needs at least two players")
    if moves < 1:
        raise OptionError(f"at least 1 move of each player is evaluated, not {moves}")
    levels: list[LevelStrength] = []
    elo, error, step, step_error = BASE_ELO, 0.0, 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder, Store.open(str(Path(folder) / "calibration.db")) as store:
        for place, player in enumerate(players):
            weaker, stronger = players[max(0, place - 1)], players[max(1, place)]
            match = EngineMatch(game, (stronger, weaker), games, seed=seed)
            tally = match.play(store, concurrency=concurrency, on_game=lambda tally, _: on_game(tally))
            if place:
                step, step_error = _elo(tally)
                elo, error = elo + step, math.hypot(error, step_error)
            contestant = 0 if place else 1
            losses = sample_losses(game, tally, contestant, moves, random.Random(seed))
            seconds = [_seconds_per_move(played, contestant) for played in tally.counted()]
            mean = sum(seconds) / len(seconds)
            strength = (elo, error, step, step_error, games)
            levels.append(LevelStrength(player.name, *strength, *_mean(losses), mean, max(seconds)))
            on_level(levels[-1])
    return levels


def sample_losses(game: Game, tally: MatchScore, contestant: int, moves: int, rng: random.Random) -> list[float]:
    """The losses of a random sample of one contestant's moves."""
    made = []
    for played in tally.counted():
        side = 0 if played.first == contestant else 1
        end = game.start().play_all(Move(code) for code in played.moves)
        line = list(end.line())
        made += [
            (before, after)
            for before, after in pairwise(line[played.opening :])
            if before.to_move == side and len(before.legal_moves) > 1
        ]
    expert = registry.create(registry.default_engine(game))
    searches_all = expert.deepens and game.max_legal_moves <= MAX_SEARCHED_MOVES
    loss_of = _searched_loss if searches_all else _simulated_loss
    found = (loss_of(expert, before, after) for before, after in rng.sample(made, min(moves, len(made))))
    return [loss for loss in found if loss is not None]


def _searched_loss(expert: Engine, before: Position, after: Position) -> float:
    """The loss by one search that evaluates every move."""
    report = expert.search(before, Limits(depth=EVALUATION_DEPTH, lines=len(before.legal_moves)))
    values = {candidate.move: candidate.value.amount for candidate in report.candidates}
    return max(values.values()) - values[before.game.write_move(after.moves[-1])]


def _simulated_loss(expert: Engine, before: Position, after: Position) -> float | None:
    """The loss by searches before and after the move, in points if the engine estimates them; None at the end."""
    if after.is_over:
        return None
    line = list(after.line())
    nodes = EVALUATION_NODES.get(before.game.name, DEFAULT_EVALUATION_NODES)
    reports = {place.ply: expert.search(place, Limits(nodes=nodes)) for place in (before, after)}
    (reviewed,) = review_moves(line[-2:], reports).moves
    return reviewed.points if reviewed.points is not None else reviewed.loss


def _seconds_per_move(played: PlayedGame, contestant: int) -> float:
    """The mean thinking time of a contestant in a game."""
    made = len(played.moves) - played.opening
    return played.thinking[contestant] / max(1, made // 2)


def _elo(tally: MatchScore) -> tuple[float, float]:
    counts = tally.counts()
    games = 2 * sum(counts)
    # One more game, drawn: a player who won all games is not infinitely stronger.
    low, score, high = (
        statistics.elo_of((games * share + 0.5) / (games + 1))
        for share in (statistics.interval(counts)[0], statistics.score(counts), statistics.interval(counts)[1])
    )
    return score, (high - low) / 2


def _mean(losses: Sequence[float]) -> tuple[float | None, float]:
    if not losses:
        return None, 0.0
    mean = sum(losses) / len(losses)
    spread = math.sqrt(sum((loss - mean) ** 2 for loss in losses) / max(1, len(losses) - 1))
    return mean, 1.96 * spread / math.sqrt(len(losses))
