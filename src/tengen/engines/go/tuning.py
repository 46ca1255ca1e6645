"""Everything that the Go player can be tuned by, and how kernels take it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tengen.engines.go.board import Array
from tengen.engines.go.kernels import priors, search
from tengen.engines.go.playouts import RULES, longest_playout
from tengen.games.go import Go
from tengen.games.go.game import KO_RULES
from tengen.search.tunables import Tunable

_CREDIT = 1000.0
PRIORS: tuple[Tunable, ...] = (
    Tunable("even", 10, 1, _CREDIT, "priors: even games that every move begins with"),
    Tunable("near", 1.0, 0.0, 10.0, "priors: weight of the distance to the last move"),
    Tunable("shape", 10, 0, _CREDIT, "priors: games won by a 3x3 shape"),
    Tunable("capture", 15, 0, _CREDIT, "priors: games won by taking a stone, twice as many for more"),
    Tunable("escape", 10, 0, _CREDIT, "priors: games won by saving stones that can be saved"),
    Tunable("caught", 20, 0, _CREDIT, "priors: games lost by running where a ladder catches"),
    Tunable("bad_atari", 15, 0, _CREDIT, "priors: games lost by a bad self-atari"),
    Tunable("edge", 10, 0, _CREDIT, "priors: games lost on the first two lines of an empty side, won on the next"),
)
NEAR = (24, 22, 8)  # games won at distances 1, 2, 3

TREE: tuple[Tunable, ...] = (
    Tunable("exploration", 0.0, 0.0, 10.0, "how much rarely tried moves are favoured"),
    Tunable("rave", 3500.0, 0.0, 1e6, "visits at which moves played later count as much; 0: not at all"),
    Tunable("expand_after", 4, 1, 1000, "visits before a leaf gets children"),
    Tunable("margin", 0.04, 0.0, 0.5, "how often the narrowest win or loss counts as half: wider wins are better"),
    Tunable("memory", 256, 1, 65536, "megabytes for the tree", megabytes=True),
    Tunable("reuse", True, 0, 1, "keep the tree between moves"),
)

PLAY: tuple[Tunable, ...] = (
    Tunable("resign", 0.0, 0.0, 0.5, "win rate below which it gives up, after three such searches; 0: never"),
    Tunable("error", 0.0, 0.0, 1.0, "mean misjudgement of a move's win rate, as people have it"),
)

TUNABLES = (*TREE, *PRIORS, *RULES, *PLAY)


def settings_of(given: Mapping[str, Any], game: Go, komi: int) -> Array:
    """What the tree search goes by; `komi` in thousandths, compensation for handicap stones included."""
    settings = np.zeros(search.SETTINGS)
    settings[search.EXPLORATION] = given["exploration"]
    settings[search.RAVE] = given["rave"]
    settings[search.EXPAND_AFTER] = given["expand_after"]
    settings[search.KOMI] = komi
    settings[search.TERRITORY] = game.scoring == "territory"
    settings[search.SUPERKO] = KO_RULES[game.ko]
    settings[search.MARGIN] = given["margin"]
    settings[search.WIDE] = max(4.0, 0.2 * game.area)
    settings[search.LENGTH] = longest_playout(game)
    return settings


def weights_of(given: Mapping[str, Any]) -> Array:
    """Games on credit for priors."""
    weights = np.zeros(priors.WEIGHTS, np.int64)
    weights[priors.EVEN] = given["even"]
    near = (priors.NEAR_1, priors.NEAR_2, priors.NEAR_3)
    for index, games in zip(near, NEAR, strict=True):
        weights[index] = round(given["near"] * games)
    weights[priors.SHAPED] = given["shape"]
    weights[priors.TAKES_ONE] = given["capture"]
    weights[priors.TAKES_MORE] = 2 * given["capture"]
    weights[priors.RUNS] = given["escape"]
    weights[priors.CAUGHT] = given["caught"]
    weights[priors.SUICIDAL] = given["bad_atari"]
    weights[priors.LOW_LINE] = weights[priors.GOOD_LINE] = given["edge"]
    return weights
