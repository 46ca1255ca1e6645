"""The tree of a Monte-Carlo search: its memory, what it says, and how it outlives a move."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.search.kernels import mcts
from tengen.search.report import Value

BYTES_PER_NODE = sum(np.dtype(kind).itemsize for _, kind in mcts.TREE_FIELDS) + 8  # and the scratch to copy it


class Tree:
    """Node 0 stands for `position`. At most `capacity` nodes, taken from the system as they are used."""

    def __init__(self, position: Position, capacity: int) -> None:
        self.position = position
        self.arrays = tuple(np.zeros(capacity, kind) for _, kind in mcts.TREE_FIELDS)
        self.used = np.ones(1, np.int32)
        for (name, _), array in zip(mcts.TREE_FIELDS, self.arrays, strict=True):
            setattr(self, name, array)

    move: np.ndarray[Any, Any]
    mover: np.ndarray[Any, Any]
    first: np.ndarray[Any, Any]
    count: np.ndarray[Any, Any]
    visits: np.ndarray[Any, Any]
    wins: np.ndarray[Any, Any]
    proof: np.ndarray[Any, Any]
    status: np.ndarray[Any, Any]

    @property
    def capacity(self) -> int:
        return len(self.move)

    def children(self, node: int) -> range:
        if self.status[node] != mcts.INNER:
            return range(0)
        return range(int(self.first[node]), int(self.first[node] + self.count[node]))

    def advanced(self, position: Position) -> Tree | None:
        """The part of this tree that lies below a later position, as a tree of its own; None if there is none."""
        moves: list[Move] = []
        later: Position | None = position
        while later is not None and later != self.position:
            if later.move is None or later.ply <= self.position.ply:
                return None
            moves.append(later.move)
            later = later.parent
        node = 0
        for move in reversed(moves):
            found = [child for child in self.children(node) if self.move[child] == move]
            if not found:
                return None
            node = found[0]
        if not self.children(node) or self.proof[node] != mcts.OPEN:
            return (
                None  # nothing to go on with: a new tree is as good, and a proof must be of the root's own moves
            )
        tree = Tree(position, self.capacity)
        scratch = np.empty(self.capacity, np.int64)
        tree.used[0] = mcts.copy_subtree(node, self.arrays, tree.arrays, scratch)
        return tree

    def best_first(self, node: int) -> list[int]:
        """Children from best to worst: proved wins, then by visits, proved losses last."""
        children = self.children(node)
        if not children:
            return []
        block = slice(children.start, children.stop)
        proof, won = self.proof[block], self.mover[block] + 1
        standing = np.where(proof == won, 1, np.where((proof == mcts.OPEN) | (proof == mcts.DRAWN), 0, -1))
        order = np.lexsort((self.wins[block], self.visits[block], standing))
        return [int(index) + children.start for index in order[::-1]]

    def value(self, node: int) -> Value:
        """What a node is worth to the player who made its move."""
        proof, mover = int(self.proof[node]), int(self.mover[node])
        if proof != mcts.OPEN and self.position.game.proofs_hold:
            return Value.exact(0 if proof == mcts.DRAWN else 1 if proof == mover + 1 else -1, "wins")
        return Value.heuristic(self.win_rate(node), "win rate")

    def win_rate(self, node: int) -> float:
        """Wins for the node's mover; what is not known counts as even."""
        visits = int(self.visits[node])
        return 0.5 if visits == 0 else float(self.wins[node]) / (2 * visits)

    def line(self, node: int) -> list[Move]:
        """The moves from a node on, by best children that were visited, the node's own first."""
        line = [Move(int(self.move[node]))]
        while best := self.best_first(node)[:1]:
            node = best[0]
            if self.visits[node] == 0:
                break
            line.append(Move(int(self.move[node])))
        return line

    def to_dict(self, *, depth: int = 2, least_visits: int = 1) -> dict[str, Any]:
        """The top of the tree, for people who look for a fault; it fits into JSON."""
        return self._to_dict(0, depth, least_visits)

    def _to_dict(self, node: int, depth: int, least_visits: int) -> dict[str, Any]:
        data: dict[str, Any] = {
            "move": "" if node == 0 else self.position.game.write_move(Move(int(self.move[node]))),
            "visits": int(self.visits[node]),
            "win rate": round(self.win_rate(node), 4),
            "proof": ("open", "first wins", "second wins", "drawn")[int(self.proof[node])],
        }
        if depth > 0:
            data["children"] = [
                self._to_dict(child, depth - 1, least_visits)
                for child in self.best_first(node)
                if self.visits[child] >= least_visits
            ]
        return data
