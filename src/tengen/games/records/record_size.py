"""Limits on the size of a game, enforced while it is read, to protect the memory.

The limits of `core.resource_limits` apply to each game. Callers of `files.parse` may limit whole files.
"""

from __future__ import annotations

from tengen.core.resource_limits import resource_limits
from tengen.core.translation import mark
from tengen.games.records.errors import RecordTooLarge
from tengen.games.records.tree import Node


class RecordSize:
    """Counts nodes, moves and marks of one game. Methods raise `RecordTooLarge` beyond the limits."""

    def __init__(self) -> None:
        limits = resource_limits()
        self._most_moves = limits.record_moves
        self._most_nodes = limits.record_nodes
        self._most_marks = limits.record_marks
        self._moves = 0
        self._nodes = 0
        self._marks = 0

    def add_nodes(self, count: int = 1) -> None:
        """Count nodes anywhere in the tree, or properties that may become nodes."""
        self._nodes += count
        if self._nodes > self._most_nodes:
            raise RecordTooLarge(_message(self._most_nodes, "nodes", "record_nodes"))

    def add_move(self) -> None:
        """Count a move of a format without variations."""
        self._moves += 1
        if self._moves > self._most_moves:
            raise RecordTooLarge(_message(self._most_moves, "moves", "record_moves"))

    def add_marks(self, count: int) -> None:
        """Count marked or set-up points; one rectangle can stand for hundreds."""
        self._marks += count
        if self._marks > self._most_marks:
            raise RecordTooLarge(_message(self._most_marks, mark("marks and set-up stones"), "record_marks"))

    def check_moves(self, root: Node) -> None:
        """Check the longest line of a complete tree."""
        if self._nodes > self._most_moves and longest_line(root) > self._most_moves:
            raise RecordTooLarge(_message(self._most_moves, "moves", "record_moves"))


def longest_line(root: Node) -> int:
    """Number of moves of the longest line."""
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


GAME_COST = 10  # overhead of a game, in nodes


def node_cost(root: Node) -> int:
    """Cost of a game for the limit on a file: its nodes, and its marked or set-up points."""
    total = GAME_COST
    for node in root.walk():
        total += 1
        if not node.is_plain:
            total += len(node.marks)
            if node.set_up is not None:
                total += sum(map(len, node.set_up[:3]))
    return total


def _message(most: int, what: str, limit: str) -> str:
    return mark("a game may have at most {most:,} {what}: split it, or raise {limit} in limits.toml").format(
        most=most, what=what, limit=limit
    )
