"""Monte-Carlo tree search engine for every game."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tengen.core.game import Move
from tengen.core.translation import mark
from tengen.search.kernels import uct
from tengen.search.tree import Tree
from tengen.search.tree_engine import TreeEngine
from tengen.search.tree_search import Resources, TreeSearch, base_data
from tengen.search.tunables import Tunable


class UCT(TreeEngine[TreeSearch]):
    """Monte-Carlo tree search (UCT) with playouts, optional RAVE and priors, and proofs."""

    name: ClassVar[str] = "uct"
    summary: ClassVar[str] = mark("Monte-Carlo tree search with proved wins and losses")
    max_threads: ClassVar[int] = 256
    tunables: ClassVar[tuple[Tunable, ...]] = (
        Tunable("exploration", 0.7, 0.0, 10.0, mark("weight of exploring rarely visited moves")),
        Tunable(
            "rave", 0.0, 0.0, 1e6, mark("RAVE equivalence: visits at which AMAF statistics count as much; 0: off")
        ),
        Tunable("bias", 0.0, 0.0, 100.0, mark("weight of the game's evaluation; 0: none")),
        Tunable("expand_after", 1, 1, 1000, mark("visits before a leaf is expanded")),
        Tunable("memory", 256, 1, 65536, mark("megabytes for the tree"), megabytes=True),
        Tunable("reuse", True, 0, 1, mark("keep the tree between moves")),
    )

    def start(self, tree: Tree, moves: tuple[Move, ...], resources: Resources) -> TreeSearch:
        game = tree.position.game
        settings = np.zeros(1, uct.SETTINGS)
        for name in ("exploration", "rave", "bias", "expand_after"):
            settings[name] = self.settings[name]
        settings["score_scale"] = game.max_score / 4
        settings["playout_length"] = game.max_playout_length
        root = np.zeros(1, game.record)
        root[0] = tree.position.state
        threads = base_data(
            tree, settings, np.array(moves, np.int32), resources, playout_length=game.max_playout_length
        )
        return TreeSearch([uct.Search(root, np.zeros(2, game.record), base) for base in threads])
