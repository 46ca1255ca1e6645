"""How large a game may be: counted while it is read, so that no file can fill the memory.

The limits are those of `core.resource_limits`, for every game of a file by itself. What a whole file may hold is
up to the caller of `files.parse`: a collection on the disk may be as large as it likes.
"""

from __future__ import annotations

from tengen.core.resource_limits import resource_limits
from tengen.games.records.errors import RecordTooLarge
from tengen.games.records.tree import Node


class RecordSize:
    """Counts what was read of one game. Its methods raise `RecordTooLarge` when that is too much."""

    def __init__(self) -> None:
        limits = resource_limits()
        self._most_moves = limits.record_moves
        self._most_nodes = limits.record_nodes
        self._most_marks = limits.record_marks
        self._moves = 0
        self._nodes = 0
        self._marks = 0

    def add_nodes(self, count: int = 1) -> None:
        """Nodes anywhere in the tree, or properties that may become some."""
        self._nodes += count
        if self._nodes > self._most_nodes:
            raise RecordTooLarge(_message(self._most_nodes, "nodes", "record_nodes"))

    def add_move(self) -> None:
        """A move of a format that has no variations: every move makes the game longer."""
        self._moves += 1
        if self._moves > self._most_moves:
            raise RecordTooLarge(_message(self._most_moves, "moves", "record_moves"))

    def add_marks(self, count: int) -> None:
        """Points that are marked or set up. One rectangle of a file stands for hundreds of them."""
        self._marks += count
        if self._marks > self._most_marks:
            raise RecordTooLarge(_message(self._most_marks, "marks and set-up stones", "record_marks"))

    def check_moves(self, root: Node) -> None:
        """Check the length of the longest line of a tree that was read."""
        if self._nodes > self._most_moves and longest_line(root) > self._most_moves:
            raise RecordTooLarge(_message(self._most_moves, "moves", "record_moves"))


def longest_line(root: Node) -> int:
    """The number of moves from the start to the end of the longest line."""
    longest = 0
    waiting = [(root, 0)]
    while waiting:
        node, moves = waiting.pop()
        moves += node.move is not None
        while len(node.children) == 1:
            node = node.children[0]
            moves += node.move is not None
        longest = max(longest, moves)
        waiting.extend((child, moves) for child in node.children)
    return longest


GAME_WEIGHT = 10  # nodes: what a game costs besides its own


def weight(root: Node) -> int:
    """What a game counts towards the nodes of a file: its nodes, and the points that are marked or set up."""
    total = GAME_WEIGHT
    for node in root.walk():
        total += 1
        if not node.is_plain:
            total += len(node.marks)
            if node.set_up is not None:
                total += sum(map(len, node.set_up[:3]))
    return total


def _message(most: int, what: str, limit: str) -> str:
    return f"a game may have at most {most:,} {what}: split it, or raise {limit} in limits.toml"
