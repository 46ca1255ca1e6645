"""How strong the ready-made opponents of a game are: each plays the next, and a strong player judges their moves.

Elo counts from the weakest: the differences of neighbours, added up, so that the errors add up too. The mean loss
is in the game's own unit, over moves of those games that are drawn by lot: what the best move is worth to the
judge less what the chosen one is.
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
from tengen.arena.match_score import MatchScore
from tengen.core.errors import OptionError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.engines import registry
from tengen.play.review import judge
from tengen.players.player import EnginePlayer
from tengen.search.engine import Engine
from tengen.search.limits import Limits
from tengen.store.store import Store

JUDGE_DEPTH = 10
"""Plies; what ends the game within them is exact."""
JUDGE_NODES = 3000
"""Simulations, where a judge has no depth."""


@dataclass(frozen=True)
class Rung:
    """A player's strength. `error` is half a 95 % interval of its Elo over the rung below; losses have theirs."""

    name: str
    elo: float
    error: float
    loss: float | None
    loss_error: float

    def __str__(self) -> str:
        elo = f"{self.elo:5.0f}" + (f" ({self.error:.0f} either way over the one before)" if self.error else "")
        loss = "" if self.loss is None else f"; loses {self.loss:.2f} ± {self.loss_error:.2f} a move"
        return f"{self.name:36s} {elo}{loss}"


def climb(
    game: Game,
    players: Sequence[EnginePlayer],
    games: int,
    *,
    moves: int = 100,
    seed: int = 1,
    on_game: Callable[[MatchScore], None] = lambda tally: None,
    on_rung: Callable[[Rung], None] = lambda rung: None,
) -> list[Rung]:
    """Let neighbours play so many games, and judge so many moves of each."""
    if len(players) < 2:
        raise OptionError("a ladder has two players or more")
    if moves < 1:
        raise OptionError(f"at least 1 move of each player is judged, not {moves}")
    rungs: list[Rung] = []
    elo, error = 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder, Store.open(str(Path(folder) / "ladder.db")) as store:
        for place, player in enumerate(players):
            weaker, stronger = players[max(0, place - 1)], players[max(1, place)]
            series = EngineMatch(game, (stronger, weaker), games, seed=seed)
            tally = series.play(store, on_game=lambda tally, _: on_game(tally))
            if place:
                difference, error = _elo(tally)
                elo += difference
            losses = losses_of(game, tally, 0 if place else 1, moves, random.Random(seed))
            rungs.append(Rung(player.name, elo, error, *_mean(losses)))
            on_rung(rungs[-1])
    return rungs


def losses_of(game: Game, tally: MatchScore, contestant: int, moves: int, lot: random.Random) -> list[float]:
    """What some moves of one of the two contestants, drawn by lot, lost."""
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
    weigh = _searched if expert.deepens else _simulated
    found = (weigh(expert, before, after) for before, after in lot.sample(made, min(moves, len(made))))
    return [loss for loss in found if loss is not None]


def _searched(expert: Engine, before: Position, after: Position) -> float:
    """By one search that values every move."""
    report = expert.search(before, Limits(depth=JUDGE_DEPTH, lines=len(before.legal_moves)))
    worth = {candidate.move: candidate.value.amount for candidate in report.candidates}
    return max(worth.values()) - worth[before.game.write_move(after.moves[-1])]


def _simulated(expert: Engine, before: Position, after: Position) -> float | None:
    """By a search before the move and one after it: in points, if the expert guesses at them; None at the end."""
    if after.is_over:
        return None
    line = list(after.line())
    reports = {place.ply: expert.search(place, Limits(nodes=JUDGE_NODES)) for place in (before, after)}
    (judged,) = judge(line[-2:], reports).moves
    return judged.points if judged.points is not None else judged.loss


def _elo(tally: MatchScore) -> tuple[float, float]:
    counts = tally.counts()
    games = 2 * sum(counts)
    # Half a game drawn on top: who won all games of a match is not infinitely stronger.
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
