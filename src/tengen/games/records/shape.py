"""Making a tree fit for formats that have nothing but moves."""

from __future__ import annotations

from dataclasses import replace

from tengen.games.records.errors import RecordError
from tengen.games.records.replay import start_with
from tengen.games.records.tree import NO_PROPERTIES, Node, Record


def absorb_set_up(record: Record) -> Record:
    """The record whose game starts with the stones that were set up before the first move, where it can."""
    if all(node.set_up is None for node in record.root.walk()):
        return record
    root = record.root.copy()
    before: list[Node] = []  # the nodes that set stones up, before there is a move or a choice of lines
    node = root
    while True:
        if node.set_up is not None:
            before.append(node)
        if node.move is not None or len(node.children) != 1:
            break
        node = node.children[0]
        if node.move is not None and node.set_up is not None:
            break
    mover = next((node.player for node in record.nodes() if node.move is not None), None)
    try:
        game = start_with(record.game, [node.set_up for node in before if node.set_up is not None], mover)
    except RecordError:
        return record
    for node in before:
        node.set_up = None
    return replace(record, game=game, root=root)


def ends_early(node: Node) -> bool:
    """Whether the main line ends at this node though other lines go on: its first child is an empty one.

    So a tree says that moves were taken back.
    """
    return len(node.children) > 1 and node.children[0].is_blank and not node.children[0].children


def beyond_the_end(record: Record) -> int:
    """How many lines go on after the end of the main line: formats without empty nodes cannot keep them."""
    return sum(
        len(node.children) - 1 for node in record.root.walk() if len(node.children) > 1 and ends_early(node)
    )


def with_free_root(record: Record) -> Record:
    """The record with a root without a move: what is said of the game stays there, the rest goes with the move."""
    if record.root.move is None:
        return record
    first = record.root.copy()
    root = Node()
    root.properties, first.properties = first.properties, NO_PROPERTIES
    root.add(first)
    return replace(record, root=root)


def moves_only(record: Record) -> Record:
    """The record with a move in every node but the root: the others' remarks go to the node before them."""
    if record.root.move is None and all(
        child.move is not None for node in record.root.walk() for child in node.children
    ):
        return record
    root = with_free_root(record).root.copy()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if ends_early(node):
            node.children = []
        else:
            _adopt(node, splice(node))
        waiting.extend(node.children)
    return replace(record, root=root)


def _adopt(node: Node, blanks: list[Node]) -> None:
    """Take over the remarks of nodes without a move."""
    if blanks:
        node.comment = "\n".join(one.comment for one in (node, *blanks) if one.comment)
        if node.value is None:
            node.value = next((one.value for one in blanks if one.value is not None), None)


def splice(node: Node, keep_end: bool = False) -> list[Node]:
    """Put the children of nodes without a move in their place, and return those nodes in order.

    With `keep_end` an empty node stays that says that the game ended here (see `ends_early`). Takes linear time:
    files have thousands of such nodes, beside or below each other.
    """
    if all(child.move is not None for child in node.children):
        return []
    kept: list[Node] = []
    removed = []
    waiting = node.children[::-1]
    while waiting:
        child = waiting.pop()
        is_end = keep_end and not kept and bool(waiting) and child.is_blank and not child.children
        if child.move is not None or is_end:
            kept.append(child)
        else:
            removed.append(child)
            waiting.extend(reversed(child.children))
    node.children = kept
    return removed
