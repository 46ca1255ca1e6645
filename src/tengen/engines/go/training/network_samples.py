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
LATER_SHARE = 0.85  # of what follows in the value to predict; the rest is the search's win rate of the position
SHARPNESS = 2.0  # win rates of playouts are too cautious: their log odds times this fit the results best


def game_samples(game: NetworkGame) -> Samples:
    """The positions of a game that were searched. Only full searches give a policy."""
    size, area = game.size, game.size**2
    plies = np.flatnonzero(~np.isnan(game.values))
    count = len(plies)
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
        plies.astype(np.int64),
        found,
    )
    black = np.where(plies % 2 == 0, 1.0, -1.0)
    policy = np.zeros((count, area + 1), np.float16)
    policy[np.searchsorted(plies, game.searched)] = _policy(game)
    return Samples(
        size,
        size,
        features=found.features,
        inputs=found.inputs,
        known_logits=found.known_logits.astype(np.float16),
        policy=policy,
        wins=_expected_results(game, plies),
        scores=np.where(plies > _last_random_ply(game), game.score * black, np.nan).astype(np.float32),
        owners=(game.owners[None, :] * black[:, None]).astype(np.int8),
    )


def _expected_results(game: NetworkGame, plies: Array) -> Array:
    """float32[plies]: the expected result of the side to move, from the searches of this and later positions.

    Later ones weigh less, by a factor of `LATER_SHARE` for each, and the rest is the game's result. What follows a
    move that was played without a search says nothing about the positions before it.
    """
    values = np.clip(game.values[plies].astype(np.float64), 0.001, 0.999)
    odds = (values / (1 - values)) ** SHARPNESS
    black = np.where(plies % 2 == 0, odds / (1 + odds), 1 / (1 + odds))
    later = 0.5 + 0.5 * np.sign(game.score)
    following = np.append(plies[1:], len(game.values))
    for at in range(len(plies) - 1, -1, -1):
        if following[at] > plies[at] + 1:
            later = black[at]
        later = black[at] = LATER_SHARE * later + (1 - LATER_SHARE) * black[at]
    return np.where(plies % 2 == 0, black, 1 - black).astype(np.float32)


def _last_random_ply(game: NetworkGame) -> int:
    """The last ply at which a move was played without a search, -1 if there is none."""
    return int(max(np.flatnonzero(np.isnan(game.values)), default=-1))


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
    return Samples.join([game_samples(game) for game in games if len(game.values) > 0])
