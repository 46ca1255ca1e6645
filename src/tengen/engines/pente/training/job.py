"""`tengen train pente`: generations of self-play games, and the weights learned from them.

The first generation is played with hand-set weights, so that the same command makes the same weights whatever
ships, the next with what was learned from it. The last weights are learned from all games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from tengen.engines.pente.search.weights import Parts, hand_set_weights, write_weights
from tengen.engines.pente.training.examples import extract
from tengen.engines.pente.training.fitting import cross_entropy_bits, fit_order, fit_values, share_in_first
from tengen.engines.pente.training.selfplay import SelfPlayGame, play_game, training_opening
from tengen.games.pente.game import Pente
from tengen.jobs import Checkpoint, ProgressBar, Task, collect, run

DEFAULT_GAME = Pente.create(variant="tournament")
"""The game to train for by default."""
GENERATION_SHARES = (0.3, 0.7)
"""The share of the games that each generation plays."""
HOLDOUT_EVERY = 10
"""One game in this many is held out to measure the result."""


def play_games(
    path: Path,
    game: Pente,
    parts: Parts | None,
    *,
    seed: int,
    count: int,
    nodes: int,
    executor: Executor | None = None,
) -> list[SelfPlayGame]:
    """Play `count` games with these weights; games already in the file are not played again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    checkpoint = Checkpoint(path, f"self-play of {game.describe()}, seed {seed}, {nodes} nodes a move")
    rng = np.random.default_rng(seed)
    tasks = []
    for number in range(count):
        own, opening = int(rng.integers(2**31)), training_opening(game, rng).moves
        arguments = (game, own, tuple(int(move) for move in opening), nodes, parts)
        tasks.append(Task(f"game {number}", play_game, arguments))
    with ProgressBar("Games") as bar:
        played = collect(run(tasks, executor=executor, checkpoint=checkpoint, on_progress=bar))
    return [played[task.id] for task in tasks]


def learn(
    game: Pente, games: Sequence[SelfPlayGame], log: Callable[[str], None]
) -> tuple[Parts, dict[str, float]]:
    """Weights learned from games, and how well they fit those held out."""
    initial = hand_set_weights(game.stones)
    kept = [one for number, one in enumerate(games) if number % HOLDOUT_EVERY]
    examples, choices = extract(game, kept or games)
    holdout, holdout_choices = extract(game, games[::HOLDOUT_EVERY])
    log(f"{len(examples.results)} positions of {len(games)} games")
    values, counts, threats = fit_values(examples, initial)
    order, captures = fit_order(choices, initial)
    learned = values, order, counts, captures, threats
    figures: dict[str, float] = {"positions": len(examples.results) + len(holdout.results)}
    for name, parts in (("by hand", initial), ("learned", learned)):
        figures[f"surprise in bits, {name}"] = round(cross_entropy_bits(holdout, parts), 4)
        figures[f"best move among the first five, {name}"] = round(share_in_first(holdout_choices, parts, 5), 4)
    log(", ".join(f"{name}: {figure}" for name, figure in figures.items()))
    return learned, figures


def train(
    folder: Path,
    output: Path,
    game: Pente,
    *,
    seed: int,
    games: int,
    nodes: int,
    executor: Executor | None = None,
    log: Callable[[str], None] = print,
) -> None:
    """Play games, resuming from `folder`; fit the weights; and write them with their provenance."""
    played: list[SelfPlayGame] = []
    parts: Parts | None = None
    figures: dict[str, float] = {}
    for generation, share in enumerate(GENERATION_SHARES):
        count = max(1, round(games * share))
        name = f"{generation}-after-{len(played)}.games"  # other weights follow from other earlier games
        played += play_games(
            folder / name, game, parts, seed=seed + generation, count=count, nodes=nodes, executor=executor
        )
        parts, figures = learn(game, played, log)
    assert parts is not None
    provenance = {
        "command": f"tengen train pente --seed {seed} --games {games} --nodes {nodes}{_command_options(game)}",
        **figures,
    }
    write_weights(output, parts, provenance)


def _command_options(game: Pente) -> str:
    """Options of a game other than the default one, as on the command line."""
    if game == DEFAULT_GAME:
        return ""
    named = game.variant is not None and game == Pente.create(variant=game.variant)
    return f" variant={game.variant}" if named else f" {game.describe().removeprefix('pente ')}"
