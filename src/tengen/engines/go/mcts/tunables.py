"""Everything that the Go player can be tuned by, and how kernels take it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tengen.engines.go.board import Array
from tengen.engines.go.mcts.kernels import search
from tengen.engines.go.mcts.playouts import RULES, longest_playout
from tengen.games.go import Go
from tengen.games.go.game import KO_RULES
from tengen.search.tunables import Tunable

PRIORS: tuple[Tunable, ...] = (
    Tunable("even", 10.0, 1.0, 1000.0, "priors: even games that every move begins with"),
    Tunable("likely", 140.0, 0.0, 10000.0, "priors: games won by a move whose looks leave no doubt"),
    Tunable("reading", True, 0, 1, "read strings: this tells how likely moves are, and playouts know answers"),
    Tunable("width", 0.0, 0.0, 1000.0, "moves that are tried at first, the likeliest ones; 0: all"),
)

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
    settings[search.EVEN] = given["even"]
    settings[search.LIKELY] = given["likely"]
    settings[search.WIDTH] = given["width"]
    settings[search.READING] = given["reading"]
    return settings
