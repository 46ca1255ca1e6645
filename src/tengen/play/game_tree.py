"""The move tree of a match: the game itself as its main line, and variations.

Every node except the root is one move, passes included. The only exception is the *end mark*: an empty first
child. It means that the game ends, or currently stands, at its parent, so that the moves after it are variations:
moves taken back, or tried after the end. The main line is therefore always exactly the game, in every file format
that has variations (see `ends_early` of records).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.records import Node, RecordError

MAX_LOGGED_ADDITIONS = 256  # displays that are further behind rebuild their tree


class MatchError(TengenError):
    """An operation that the current state of a match does not allow."""


@dataclass(frozen=True, eq=False)
class TreeNode:
    """A node of the tree with its position and the path that leads to it."""

    node: Node
    position: Position
    parent: TreeNode | None = None

    def moves(self) -> list[Node]:
        """The children that are moves, without an end mark; the game's own move is the first."""
        return [child for child in self.node.children if child.move is not None]

    def child(self, move: Move) -> Node | None:
        return next((child for child in self.node.children if child.move == move), None)

    def enter(self, child: Node) -> TreeNode:
        """The tree node of a child. Raises a `MoveError` if its move is illegal, as in a variation of a file."""
        assert child.move is not None
        return TreeNode(child, self.position.play(child.move), self)

    def path(self) -> list[TreeNode]:
        """The nodes from the root to this one, both included."""
        nodes = [self]
        while nodes[-1].parent is not None:
            nodes.append(nodes[-1].parent)
        return nodes[::-1]

    def continuation(self) -> Iterator[TreeNode]:
        """The nodes that follow by the first move of each, up to an illegal move or the end."""
        node = self
        while moves := node.moves():
            try:
                node = node.enter(moves[0])
            except TengenError:
                return
            yield node

    def main_line_end(self) -> TreeNode:
        """The end of the main line from here. Raises `RecordError` if one of its moves is illegal."""
        node = self
        while node.node.children and node.node.children[0].move is not None:
            try:
                node = node.enter(node.node.children[0])
            except TengenError as error:
                raise RecordError(f"move {node.position.ply + 1}: {error}") from None
        return node


class GameTree:
    """The tree of one match and its edits, each of which keeps the form described above.

    One thread at a time may edit it. Others may read at any moment: `version` changes after each edit, so a reader
    that finds another version than before reads again.
    """

    def __init__(self, root: Node, game: Game) -> None:
        """Raises `RecordError` if the main line is illegal under the rules of `game`."""
        self.root = TreeNode(root, game.start())
        self.current = self.root.main_line_end()
        # The version before the first logged addition, and the additions (parent, child) since. One attribute, so
        # that readers in other threads see both or neither.
        self._log: tuple[int, tuple[tuple[Node, Node], ...]] = (0, ())

    @property
    def version(self) -> int:
        first, additions = self._log
        return first + len(additions)

    def additions_since(self, version: int) -> tuple[tuple[Node, Node], ...] | None:
        """The (parent, child) pairs added since `version`; None if the tree has changed in any other way."""
        first, additions = self._log
        return None if version < first else additions[version - first :]

    def is_main_line(self, node: TreeNode) -> bool:
        """Whether this is the root or a move of the game itself."""
        return any(step.node is node.node for step in self.current.path())

    def contains(self, node: TreeNode) -> bool:
        """Whether the node is still part of the tree: another view may have deleted it."""
        path = node.path()
        return path[0].node is self.root.node and all(
            any(child is after.node for child in before.node.children) for before, after in pairwise(path)
        )

    def moves_since_turn_of(self, player: int) -> int | None:
        """The number of moves of the game since `player` was to move last; None if that never was."""
        live = self.current.position
        position = live.parent
        while position is not None and position.to_move != player:
            position = position.parent
        return None if position is None else live.ply - position.ply

    def count_last_passes(self) -> int:
        """The number of moves without a point at the end of the game."""
        position, count = self.current.position, 0
        while position.parent is not None and position.move is not None:
            if position.game.points(position.move):
                break
            position, count = position.parent, count + 1
        return count

    def under_rules(self, game: Game) -> GameTree:
        """The same tree under other rules of the game. Raises a `TengenError` if its moves do not fit them."""
        name = self.root.position.game.name
        if game.name != name:
            raise MatchError(
                mark("a game of {name} cannot become one of {other}").format(name=name, other=game.name)
            )
        tree = GameTree(self.root.node, game)
        if [step.to_move for step in tree.current.position.line()] != [
            step.to_move for step in self.current.position.line()
        ]:
            raise MatchError(mark("under these rules the moves would belong to the other players"))
        return tree

    # ---- edits

    def play(self, after: Position) -> None:
        """Make the move that led to `after` the game's next move; a variation with that move becomes the game."""
        assert after.move is not None
        parent, child = self.current.node, self.current.child(after.move)
        is_plain = not parent.children
        if child is None:
            child = Node(after.move, self.current.position.to_move)
        else:
            remove_child(parent, child)
            set_end_mark(child)
        remove_end_mark(parent)
        parent.children.insert(0, child)
        self.current = TreeNode(child, after, self.current)
        if is_plain:
            self._log_addition(parent, child)
        else:
            self._log_change()

    def take_back(self, count: int) -> None:
        """Let the game stand `count` moves earlier; the moves taken back become a variation."""
        remove_end_mark(self.current.node)
        for _ in range(count):
            assert self.current.parent is not None
            self.current = self.current.parent
        set_end_mark(self.current.node)
        self._log_change()

    def add_variation(self, at: TreeNode, move: Move | str) -> tuple[TreeNode, bool]:
        """Add a move after `at`. Returns its node, and whether it is new: the tree may have that move already."""
        self._check_contains(at)
        position = at.position.play(move)
        assert position.move is not None
        child = at.child(position.move)
        is_new = child is None
        if child is None:
            child = at.node.add(Node(position.move, at.position.to_move))
            if at.node is self.current.node:
                set_end_mark(at.node)
            self._log_addition(at.node, child)
        return TreeNode(child, position, at), is_new

    def delete_variation(self, node: TreeNode) -> None:
        """Delete a move and everything after it. Raises `MatchError` for a move of the game itself."""
        if self.is_main_line(node):
            raise MatchError(mark("this move is part of the game: only variations can be deleted"))
        self._check_contains(node)
        assert node.parent is not None
        remove_child(node.parent.node, node.node)
        self._log_change()

    def set_comment(self, node: TreeNode, text: str) -> None:
        self._check_contains(node)
        node.node.comment = text
        self._log_change()

    def _check_contains(self, node: TreeNode) -> None:
        if not self.contains(node):
            raise MatchError(mark("this variation has been deleted"))

    def _log_addition(self, parent: Node, child: Node) -> None:
        first, additions = self._log
        if len(additions) >= MAX_LOGGED_ADDITIONS:
            first, additions = first + 1, additions[1:]
        self._log = first, (*additions, (parent, child))

    def _log_change(self) -> None:
        self._log = self.version + 1, ()

    # ---- paths as JSON

    def find(self, path: Mapping[str, Any]) -> TreeNode:
        """The node at a path written by `write_path`, or the last node on the way that exists and is legal."""
        node = self.root
        branches = dict(path["branches"])
        for number in range(path["moves"]):
            moves = node.moves()
            index = branches.get(number, 0)
            if index >= len(moves):
                break
            try:
                node = node.enter(moves[index])
            except TengenError:
                break
        return node


def write_path(node: TreeNode) -> dict[str, Any]:
    """The path to a node: the number of moves, and `[move, child]` wherever it does not take the first child."""
    path = node.path()
    branches = []
    for number, (before, after) in enumerate(pairwise(path)):
        index = next(index for index, child in enumerate(before.moves()) if child is after.node)
        if index:
            branches.append([number, index])
    return {"moves": len(path) - 1, "branches": branches}


def remove_child(node: Node, child: Node) -> None:
    """Remove a child by identity: its siblings may be equal to it."""
    node.children = [other for other in node.children if other is not child]
    if len(node.children) == 1:
        remove_end_mark(node)


def set_end_mark(node: Node) -> None:
    """Let the game end at this node: all moves after it are variations."""
    if node.children and not is_end_mark(node.children[0]):
        node.children.insert(0, Node())


def remove_end_mark(node: Node) -> None:
    if node.children and is_end_mark(node.children[0]):
        del node.children[0]


def is_end_mark(node: Node) -> bool:
    return node.is_blank and not node.children
