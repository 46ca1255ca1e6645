"""The rows of a move list: the game in pairs of moves, comments, and variations indented below.

A `MoveListRows` follows its `GameTree` edit by edit: a new move at the end of the game or of a variation changes
one row, and only other edits rebuild the rows. Row dictionaries are replaced, never changed, and a move keeps
its id, so a display can find out which rows it has to send (see `elements.MoveList`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tengen.app.review import ReviewSummary
from tengen.app.value_graph import Loss, written_losses
from tengen.core.game import Game
from tengen.games.records import Node
from tengen.play.game_tree import GameTree, TreeNode

MAX_NODES = 5000  # files with whole opening repertoires in one tree have more than anyone can read

Row = dict[str, Any]


class Annotation(NamedTuple):
    """What the list shows beside a move of the game: the class of a mistake, its sign, and the loss."""

    mark: str = ""
    sign: str = ""
    value: str = ""


class _VariationEnd(NamedTuple):
    """The last move of a variation's row: where the next move of that variation is added."""

    row: int
    ply: int


class MoveListRows:
    """The rows of one tree. Moves are numbered from 0 as they are first listed; the root is -1."""

    def __init__(self, tree: GameTree, game: Game, annotations: Mapping[int, Annotation] | None = None) -> None:
        self._game = game
        self._nodes: list[tuple[int, Node]] = []  # by number: the parent's number, and the node
        self._numbers: dict[int, int] = {}  # by the id of a node, which `_nodes` keeps alive
        self._annotations: Mapping[int, Annotation] = annotations or {}
        self._rebuild(tree)

    @property
    def rows(self) -> list[Row]:
        return self._rows

    def number(self, node: Node) -> int:
        return self._numbers.get(id(node), -1)

    def find(self, number: int) -> TreeNode:
        """The tree node with this number. Raises a `MoveError` if a move on the way is illegal."""
        path = []
        while 0 <= number < len(self._nodes):
            number, node = self._nodes[number]
            path.append(node)
        found = self._tree.root
        for node in reversed(path):
            found = found.enter(node)
        return found

    def update(self, tree: GameTree, annotations: Mapping[int, Annotation] | None = None) -> None:
        """Bring the rows up to date with the tree, and annotate the moves of the game, by ply."""
        additions = tree.additions_since(self._version) if tree is self._tree else None
        if additions is None or not all(self._append(parent, child) for parent, child in additions):
            self._annotations = annotations or {}
            self._rebuild(tree)
            return
        self._version += len(additions)
        before, self._annotations = self._annotations, annotations or {}
        if before != self._annotations:
            for ply in before.keys() | self._annotations.keys():
                if before.get(ply) != self._annotations.get(ply):
                    self._annotate(ply)

    # ---- one edit

    def _append(self, parent: Node, child: Node) -> bool:
        """Add a new leaf to its row; False if that takes more than changing or adding one row."""
        if id(child) in self._numbers or self._is_full:
            return True
        if len(parent.children) != 1 or parent.children[0] is not child or child.comment:
            return False
        if parent is self._main_end:
            self._add_main(child, parent)
            return True
        end = self._variation_ends.pop(id(parent), None)
        if end is None:
            return False
        row = self._rows[end.row]
        self._rows[end.row] = {**row, "moves": [*row["moves"], self._variation_move(child, parent, end.ply + 1)]}
        self._variation_ends[id(child)] = _VariationEnd(end.row, end.ply + 1)
        return True

    def _annotate(self, ply: int) -> None:
        """Write the annotation of a move of the game again."""
        if not 1 <= ply <= len(self._main_rows):
            return
        index = self._main_rows[ply - 1]
        row = self._rows[index]
        moves = list(row["moves"])
        at = ply - row["number"]
        moves[at] = {"id": moves[at]["id"], "text": moves[at]["text"], **self._annotation(ply)}
        self._rows[index] = {**row, "moves": moves}

    def _annotation(self, ply: int) -> dict[str, str]:
        annotation = self._annotations.get(ply)
        return {} if annotation is None else {name: text for name, text in annotation._asdict().items() if text}

    # ---- all rows

    @property
    def _is_full(self) -> bool:
        return self._listed >= MAX_NODES

    def _rebuild(self, tree: GameTree) -> None:
        self._tree, self._version = tree, tree.version
        self._rows: list[Row] = []
        self._listed = 0
        self._main_rows: list[int] = []  # by ply - 1: the row of a move of the game
        self._pair: int | None = None  # the row of the last pair, if it is complete or ends the rows
        self._variation_ends: dict[int, _VariationEnd] = {}  # by the id of a node
        node = self._main_end = tree.root.node
        self._numbers[id(node)] = -1
        if node.comment:
            self._add_comment(node, 0)
        late: list[tuple[Node, Node, int]] = []  # variations to list after the current pair
        while not self._is_full:
            children = [child for child in node.children if child.move is not None]
            if not children:
                break
            ply = len(self._main_rows) + 1
            if node.children[0].move is None:  # an end mark: only variations follow
                late += [(child, node, ply) for child in children]
                break
            if late:
                self._add_late(late)
            self._add_main(children[0], node)
            late += [(child, node, ply) for child in children[1:]]
            node = children[0]
            if node.comment:
                self._add_comment(node, 0)
                self._pair = None
        if late:
            self._add_late(late)

    def _add(self, node: Node, parent: Node) -> Row:
        number = self._numbers.get(id(node))
        if number is None:
            number = self._numbers[id(node)] = len(self._nodes)
            self._nodes.append((self._numbers[id(parent)], node))
        self._listed += 1
        assert node.move is not None
        return {"id": number, "text": self._game.write_move(node.move)}

    def _add_main(self, node: Node, parent: Node) -> None:
        """List the next move of the game: in the last pair, or in a new one."""
        ply = len(self._main_rows) + 1
        move = self._add(node, parent) | self._annotation(ply)
        pair = None if self._pair is None else self._rows[self._pair]
        if self._pair is None or pair is None or len(pair["moves"]) == 2:
            self._pair = len(self._rows)
            self._rows.append({"kind": "pair", "key": f"p{ply}", "number": ply, "moves": [move]})
        else:
            self._rows[self._pair] = {**pair, "moves": [*pair["moves"], move]}
        self._main_rows.append(self._pair)
        self._main_end = node

    def _add_late(self, late: list[tuple[Node, Node, int]]) -> None:
        for child, parent, ply in late:
            self._add_variation(child, parent, ply)
        late.clear()
        self._pair = None

    def _add_variation(self, first: Node, parent: Node, ply: int) -> None:
        """List a variation in a row, with its own variations below. Not recursive: trees can be deep."""
        stack = [(first, parent, ply, 1)]
        while stack and not self._is_full:
            node, parent, ply, depth = stack.pop()
            row: Row | None = None
            below = []
            while True:
                if row is None:
                    row = {"kind": "variation", "depth": depth, "moves": []}
                    self._rows.append(row)
                move = self._variation_move(node, parent, ply, is_first=not row["moves"])
                row.setdefault("key", f"v{move['id']}")
                row["moves"].append(move)
                at = len(self._rows) - 1
                if node.comment:
                    self._add_comment(node, depth)
                    row = None
                children = [child for child in node.children if child.move is not None]
                below += [(child, node, ply + 1, depth + 1) for child in children[1:]]
                if not children or self._is_full:
                    if row is not None and not children:
                        self._variation_ends[id(node)] = _VariationEnd(at, ply)
                    break
                parent, node, ply = node, children[0], ply + 1
            stack += reversed(below)

    def _variation_move(self, node: Node, parent: Node, ply: int, *, is_first: bool = False) -> Row:
        move = self._add(node, parent)
        return move | {"number": f"{ply}."} if is_first or ply % 2 == 1 else move

    def _add_comment(self, node: Node, depth: int) -> None:
        key = f"c{self._numbers[id(node)]}"
        self._rows.append({"kind": "comment", "key": key, "depth": depth, "text": node.comment})


def annotate_moves(summary: ReviewSummary) -> dict[int, Annotation]:
    """The mistakes and losses of a review, by ply."""
    found = {ply: Annotation(value=loss.short) for ply, loss in written_losses(summary).items()}
    for one in summary.mistakes:
        before = found.get(one.number, Annotation())
        found[one.number] = before._replace(mark=str(one.judgement), sign=one.judgement.sign)
    return found


def annotate_losses(lost: Mapping[int, Loss]) -> dict[int, Annotation]:
    return {ply: Annotation(value=loss.short) for ply, loss in lost.items()}
