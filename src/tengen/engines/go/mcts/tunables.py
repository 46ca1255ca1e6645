"""All tunables of the Go engine, and their form for the kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tengen.core.translation import mark
from tengen.engines.go.board import Array
from tengen.engines.go.mcts.kernels.search import SETTINGS
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
        mark("priors: virtual games, half of them won, per move"),
        former_names=("even",),
    ),
    Tunable(
        "policy_games",
        140.0,
        0.0,
        10000.0,
        mark("priors: virtual wins of a move with probability 1"),
        former_names=("likely",),
    ),
    Tunable("reading", True, 0, 1, mark("read strings at the root, for priors and for replies in playouts")),
    Tunable("width", 0.0, 0.0, 1000.0, mark("progressive widening: moves considered at first, by prior; 0: all")),
)

TREE: tuple[Tunable, ...] = (
    Tunable("exploration", 0.0, 0.0, 10.0, mark("weight of the UCB exploration term")),
    Tunable("rave", 3500.0, 0.0, 1e6, mark("visits at which RAVE and real results weigh the same; 0: no RAVE")),
    Tunable("expand_after", 4, 1, 1000, mark("visits before a leaf is expanded")),
    Tunable(
        "margin",
        0.04,
        0.0,
        0.5,
        mark("rate of counting the narrowest win or loss as a draw, to favour clear wins"),
    ),
    Tunable("memory", 256, 1, 65536, mark("megabytes for the tree"), megabytes=True),
    Tunable("reuse", True, 0, 1, mark("keep the tree between moves")),
)

NETWORK: tuple[Tunable, ...] = (
    Tunable("network", True, 0, 1, mark("use the network for priors and values")),
    Tunable("network_from", 9, 1, 100, mark("network: used on boards whose shorter side is at least this")),
    Tunable("network_after", 20, 0, 1000000, mark("network: visits before it evaluates a node")),
    Tunable("network_games", 6, 0, 1000, mark("network: playouts that its value counts as")),
)

PLAY: tuple[Tunable, ...] = (
    Tunable("resign", 0.0, 0.0, 0.5, mark("resign below this win rate in three consecutive searches; 0: never")),
    Tunable("error", 0.0, 0.0, 1.0, mark("standard deviation of the noise added to win rates, for weaker play")),
)

TUNABLES = (*TREE, *PRIORS, *NETWORK, *PLAYOUT_TUNABLES, *PLAY)
DEFAULT_SETTINGS = {tunable.name: tunable.default for tunable in TUNABLES}


def kernel_settings(settings: Mapping[str, Any], game: Go, komi: int, kind: np.dtype[Any] = SETTINGS) -> Array:
    """The settings of the tree search as a record. `komi` is in thousandths and includes handicap compensation."""
    record = np.zeros(1, kind)
    for name in set(kind.names or ()) & set(settings):
        record[name] = settings[name]
    record["komi"] = komi
    record["territory"] = game.scoring == "territory"
    record["superko"] = KO_RULES[game.ko]
    record["close_margin"] = max(4.0, 0.2 * game.area)
    record["playout_length"] = max_playout_length(game)
    return record
