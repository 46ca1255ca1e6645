"""All tunables of the Go engine, and their form for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tengen.engines.go.board import Array
from tengen.engines.go.mcts.kernels import search
from tengen.engines.go.mcts.playouts import PLAYOUT_TUNABLES, max_playout_length
from tengen.games.go import Go
from tengen.games.go.game import KO_RULES
from tengen.search.tunables import Tunable

PRIORS: tuple[Tunable, ...] = (
    Tunable(
        "prior_games",
        10.0,
        1.0,
        1000.0,
        "priors: virtual games, half of them won, per move",
        former_names=("even",),
    ),
    Tunable(
        "policy_games",
        140.0,
        0.0,
        10000.0,
        "priors: virtual wins of a move with probability 1",
        former_names=("likely",),
    ),
    Tunable("reading", True, 0, 1, "read strings at the root, for priors and for replies in playouts"),
    Tunable("width", 0.0, 0.0, 1000.0, "progressive widening: moves considered at first, by prior; 0: all"),
)

TREE: tuple[Tunable, ...] = (
    Tunable("exploration", 0.0, 0.0, 10.0, "weight of the UCB exploration term"),
    Tunable("rave", 3500.0, 0.0, 1e6, "visits at which RAVE and real results weigh the same; 0: no RAVE"),
    Tunable("expand_after", 4, 1, 1000, "visits before a leaf is expanded"),
    Tunable(
        "margin", 0.04, 0.0, 0.5, "rate of counting the narrowest win or loss as a draw, to favour clear wins"
    ),
    Tunable("memory", 256, 1, 65536, "megabytes for the tree", megabytes=True),
    Tunable("reuse", True, 0, 1, "keep the tree between moves"),
)

PLAY: tuple[Tunable, ...] = (
    Tunable("resign", 0.0, 0.0, 0.5, "resign below this win rate in three consecutive searches; 0: never"),
    Tunable("error", 0.0, 0.0, 1.0, "standard deviation of the noise added to win rates, for weaker play"),
)

TUNABLES = (*TREE, *PRIORS, *PLAYOUT_TUNABLES, *PLAY)
DEFAULT_SETTINGS = {tunable.name: tunable.default for tunable in TUNABLES}


def kernel_settings(settings: Mapping[str, Any], game: Go, komi: int) -> Array:
    """The settings of the tree search as an array. `komi` is in thousandths and includes handicap compensation."""
    array = np.zeros(search.SETTING_COUNT)
    array[search.EXPLORATION] = settings["exploration"]
    array[search.RAVE] = settings["rave"]
    array[search.EXPAND_AFTER] = settings["expand_after"]
    array[search.KOMI] = komi
    array[search.TERRITORY] = game.scoring == "territory"
    array[search.SUPERKO] = KO_RULES[game.ko]
    array[search.MARGIN] = settings["margin"]
    array[search.CLOSE_MARGIN] = max(4.0, 0.2 * game.area)
    array[search.PLAYOUT_LENGTH] = max_playout_length(game)
    array[search.PRIOR_GAMES] = settings["prior_games"]
    array[search.POLICY_GAMES] = settings["policy_games"]
    array[search.INITIAL_WIDTH] = settings["width"]
    array[search.READING] = settings["reading"]
    return array
