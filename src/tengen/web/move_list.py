"""Rows of the move list: the moves of a game in pairs, with variations and comments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tengen.app.value_graph import FAULTS, Loss
from tengen.core.game import Game
from tengen.games.records import Node
from tengen.play.game_tree import TreeNode

MAX_NODES = 5000  # shown; files with whole openings in one tree have more than anybody reads


class MoveListRows:
    """The moves of a record's tree, numbered from 0 in display order; the root is -1."""

    def __init__(
        self,
        root: Node,
        game: Game,
        faults: Mapping[int, str] | None = None,
        losses: Mapping[int, Loss] | None = None,
    ) -> None:
        self.rows: list[dict[str, Any]] = []
        self._game = game
        self._nodes: list[tuple[int, Node]] = []  # by number: the parent's number and the node
        self._numbers: dict[int, int] = {id(root): -1}
        self._faults = faults or {}
        self._losses = losses or {}
        self._root = root
        self._build()

    def number(self, node: Node) -> int:
        return self._numbers.get(id(node), -1)

    def find(self, number: int, root: TreeNode) -> TreeNode:
        """The tree node with this number; `root` is that of the tree."""
        path = []
        while 0 <= number < len(self._nodes):
            number, node = self._nodes[number]
            path.append(node)
        found = root
        for node in reversed(path):
            found = found.enter(node)
        return found

    def _add(self, node: Node, parent: Node) -> dict[str, Any]:
        number = len(self._nodes)
        self._nodes.append((self._numbers[id(parent)], node))
        self._numbers[id(node)] = number
        assert node.move is not None
        return {"id": number, "text": self._game.write_move(node.move)}

    def _build(self) -> None:
        node, ply = self._root, 0
        if node.comment:
            self._add_comment(node, 0)
        pair: dict[str, Any] | None = None
        pending: list[tuple[Node, Node, int]] = []  # variations to list after the pair
        while True:
            children = [child for child in node.children if child.move is not None]
            is_main = bool(node.children) and node.children[0].move is not None
            if not children or len(self._nodes) >= MAX_NODES:
                break
            if not is_main:  # the game ended here: the rest are variations
                pending += [(child, node, ply + 1) for child in children]
                break
            main, ply = children[0], ply + 1
            move = self._add(main, node)
            fault = self._faults.get(ply)
            if fault:
                move |= {"mark": fault, "sign": next(sign for _, name, sign in FAULTS if name == fault)}
            if ply in self._losses:
                move["value"] = self._losses[ply].short
            if pair is None or len(pair["moves"]) == 2 or pending:
                self._flush(pending)
                pair = {"kind": "pair", "key": f"p{ply}", "number": ply, "moves": []}
                self.rows.append(pair)
            pair["moves"].append(move)
            pending += [(child, node, ply) for child in children[1:]]
            if main.comment:
                self._add_comment(main, 0)
                pair = None
            node = main
        self._flush(pending)

    def _flush(self, pending: list[tuple[Node, Node, int]]) -> None:
        for child, parent, ply in pending:
            self._add_variation(child, parent, ply, 1)
        pending.clear()

    def _add_variation(self, first: Node, parent: Node, ply: int, depth: int) -> None:
        """Add a variation as a row, its own variations below it. Iterative, because trees can be deep."""
        stack = [(first, parent, ply, depth)]
        while stack and len(self._nodes) < MAX_NODES:
            node, parent, ply, depth = stack.pop()
            row: dict[str, Any] = {"kind": "variation", "depth": depth, "moves": []}
            self.rows.append(row)
            below = []
            while True:
                move = self._add(node, parent)
                if not row["moves"] or ply % 2 == 1:
                    move["number"] = f"{ply}."
                row["moves"].append(move)
                row["key"] = f"v{move['id']}"
                if node.comment:
                    self._add_comment(node, depth)
                    row = {"kind": "variation", "depth": depth, "moves": [], "key": f"w{move['id']}"}
                    self.rows.append(row)
                children = [child for child in node.children if child.move is not None]
                below += [(child, node, ply + 1, depth + 1) for child in children[1:]]
                if not children or len(self._nodes) >= MAX_NODES:
                    break
                parent, node, ply = node, children[0], ply + 1
            if not row["moves"]:
                self.rows.pop()
            stack += reversed(below)

    def _add_comment(self, node: Node, depth: int) -> None:
        key = f"c{self._numbers[id(node)]}"
        self.rows.append({"kind": "comment", "key": key, "depth": depth, "text": node.comment})
