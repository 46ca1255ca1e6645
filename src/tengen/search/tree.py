"""The tree of a Monte-Carlo search: its memory, evaluation, and reuse after a move."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.search.kernels import mcts
from tengen.search.report import Value

Records = np.ndarray[Any, Any]
BYTES_PER_NODE = mcts.NODE.itemsize + 8  # including scratch space for copying


class Tree:
    """A search tree whose node 0 is `position`, with up to `capacity` nodes. Memory is allocated on first use.

    In Python, `nodes["visits"][node]` is ten times as fast as `nodes[node].visits`.
    """

    def __init__(self, position: Position, capacity: int) -> None:
        self.position = position
        self.nodes: Records = np.zeros(capacity, mcts.NODE)
        self.nodes[0].mover = 1 - position.to_move  # like every node, the root counts wins of the last mover
        self.used = np.ones(1, np.int32)

    @property
    def capacity(self) -> int:
        return len(self.nodes)

    def children(self, node: int) -> range:
        if self.nodes["status"][node] < mcts.INNER:
            return range(0)
        first = int(self.nodes["first_child"][node])
        return range(first, first + int(self.nodes["child_count"][node]))

    def move(self, node: int) -> Move:
        """The move that led to a node."""
        return Move(int(self.nodes["move"][node]))

    def root_column(self, field: str) -> np.ndarray[Any, Any]:
        """A field of all children of the root."""
        children = self.children(0)
        return np.asarray(self.nodes[field][children.start : children.stop])

    @property
    def is_finished(self) -> bool:
        """Whether more simulations are useless: the root is proved, or its counters are at their maximum."""
        return bool(self.nodes[0].proof != mcts.OPEN or self.nodes[0].visits >= mcts.MAX_VISITS)

    def advanced(self, position: Position, capacity: int) -> Tree | None:
        """The subtree of a later position as a new tree; None if there is none.

        `capacity` must be at least the number of nodes used in this tree.
        """
        moves: list[Move] = []
        later: Position | None = position
        while later is not None and later != self.position:
            if later.move is None or later.ply <= self.position.ply:
                return None
            moves.append(later.move)
            later = later.parent
        node = 0
        for move in reversed(moves):
            found = [child for child in self.children(node) if self.move(child) == move]
            if not found:
                return None
            node = found[0]
        if not self.children(node) or self.nodes[node].proof != mcts.OPEN:
            return None  # there is nothing to reuse, and a proof must come from the root's own moves
        tree = Tree(position, capacity)
        scratch = np.empty(int(self.used[0]), np.int64)
        tree.used[0] = mcts.copy_subtree(node, self.nodes, tree.nodes, scratch)
        return tree

    def best_first(self, node: int) -> list[int]:
        """Children from best to worst: proved wins, then by visits, proved losses last."""
        children = self.children(node)
        if not children:
            return []
        block = self.nodes[children.start : children.stop]
        proof, won = block["proof"], block["mover"] + 1
        rank = np.where(proof == won, 1, np.where((proof == mcts.OPEN) | (proof == mcts.DRAWN), 0, -1))
        # Stable order among equals: games list moves to avoid, such as a pass, last.
        order = np.lexsort((-block["wins"], -block["visits"], -rank))
        return [int(index) + children.start for index in order]

    def value(self, node: int) -> Value:
        """The value of a node for the player who made its move."""
        proof, mover = int(self.nodes[node].proof), int(self.nodes[node].mover)
        if proof != mcts.OPEN and self.position.game.proofs_hold:
            return Value.exact(0 if proof == mcts.DRAWN else 1 if proof == mover + 1 else -1, "wins")
        return Value.heuristic(self.win_rate(node), "win rate")

    def win_rate(self, node: int) -> float:
        """Win rate of the node's mover; 0.5 without visits."""
        visits = int(self.nodes["visits"][node])
        return 0.5 if visits == 0 else float(self.nodes["wins"][node]) / (2 * visits)

    def line(self, node: int) -> list[Move]:
        """The principal variation starting with the move of `node`, along visited children."""
        line = [self.move(node)]
        while children := self.children(node):
            block = self.nodes[children.start : children.stop]
            if block["proof"].any():
                node = self.best_first(node)[0]
            else:
                node = children.start + int(block["visits"].argmax())
            if self.nodes["visits"][node] == 0:
                break
            line.append(self.move(node))
        return line

    def to_dict(self, *, depth: int = 2, least_visits: int = 1) -> dict[str, Any]:
        """The upper part of the tree as JSON-compatible data, for debugging."""
        return self._to_dict(0, depth, least_visits)

    def _to_dict(self, node: int, depth: int, least_visits: int) -> dict[str, Any]:
        data: dict[str, Any] = {
            "move": "" if node == 0 else self.position.game.write_move(self.move(node)),
            "visits": int(self.nodes[node].visits),
            "win rate": round(self.win_rate(node), 4),
            "proof": ("open", "first wins", "second wins", "drawn")[int(self.nodes[node].proof)],
        }
        if depth > 0:
            data["children"] = [
                self._to_dict(child, depth - 1, least_visits)
                for child in self.best_first(node)
                if self.nodes[child].visits >= least_visits
            ]
        return data
