"""Training positions from self-play games: what the network sees, and what it should predict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tengen.engines.go.board import geometry_for_size
from tengen.engines.go.mcts.feature_weights import load_feature_weights, policy_data
from tengen.engines.go.network.files import SHAPE, untrained
from tengen.engines.go.network.kernels.inputs import FEATURES, INPUTS, ExtractedSamples, extract_game
from tengen.engines.go.training.network_games import NetworkGame
from tengen.games.go import PASS
from tengen.search.network.evaluator import evaluator, rectangle_neighbourhoods
from tengen.search.network.samples import Array, Samples

MIN_VISIT_SHARE = 0.02  # of the most visited move's; less visited ones are noise of the search
RESULT_SHARE = 0.7  # of the game's result in the value to predict; the rest is the search's win rate


def game_samples(game: NetworkGame) -> Samples:
    """The positions of a game that were searched fully."""
    size, area, count = game.size, game.size**2, len(game.searched)
    geometry = geometry_for_size(size, size)
    found = ExtractedSamples(
        features=np.zeros((count, area, FEATURES), np.int8),
        inputs=np.zeros((count, INPUTS), np.float32),
        known_logits=np.zeros((count, area + 1), np.float32),
        moves=np.zeros(geometry.points, np.int64),
    )
    extract_game(
        (geometry.empty_board(), geometry.new_board()),
        geometry.tables,
        policy_data(geometry, load_feature_weights()),
        float(game.komi),
        evaluator(untrained(SHAPE), rectangle_neighbourhoods(size, size)),
        geometry.from_rules[game.moves].astype(np.int64),
        game.searched.astype(np.int64),
        found,
    )
    black = np.where(game.searched % 2 == 0, 1.0, -1.0)
    result = 0.5 + 0.5 * np.sign(game.score) * black
    wins = RESULT_SHARE * result + (1 - RESULT_SHARE) * game.values
    return Samples(
        size,
        size,
        features=found.features,
        inputs=found.inputs,
        known_logits=found.known_logits.astype(np.float16),
        policy=_policy(game),
        wins=wins.astype(np.float32),
        scores=(game.score * black).astype(np.float32),
        owners=(game.owners[None, :] * black[:, None]).astype(np.int8),
    )


def _policy(game: NetworkGame) -> Array:
    """float16[searches, area + 1]: the shares of visits, the pass last."""
    geometry, area = geometry_for_size(game.size, game.size), game.size**2
    index = np.full(geometry.points, area)
    index[geometry.inside] = np.arange(area)
    visits = np.where(game.visits >= MIN_VISIT_SHARE * game.visits.max(axis=1, keepdims=True), game.visits, 0)
    columns = np.where(game.choices == PASS, area, index[geometry.from_rules[game.choices]])
    policy = np.zeros((len(visits), area + 1))
    np.add.at(policy, (np.arange(len(visits))[:, None], columns), visits)
    return np.asarray(policy / policy.sum(axis=1, keepdims=True), np.float16)


def all_samples(games: Sequence[NetworkGame]) -> list[Samples]:
    """The positions of all games, by board size."""
    return Samples.join([game_samples(game) for game in games if len(game.searched) > 0])
