"""Transformations of trees, mostly for formats that store only moves."""

from __future__ import annotations

from dataclasses import replace

from tengen.games.records.errors import RecordError
from tengen.games.records.replay import start_with
from tengen.games.records.tree import NO_PROPERTIES, Node, Record


def absorb_set_up(record: Record) -> Record:
    """Move stones set up before the first move into the game's start position, if possible."""
    if all(node.set_up is None for node in record.root.walk()):
        return record
    root = record.root.copy()
    before: list[Node] = []  # nodes that set up stones, before any move or branching
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
    """Whether the main line ends here although variations continue: the first child is an empty node.

    This is how a tree records that moves were taken back.
    """
    return len(node.children) > 1 and node.children[0].is_blank and not node.children[0].children


def lines_after_end(record: Record) -> int:
    """Number of lines that continue after the end of the main line, which needs empty nodes to be stored."""
    return sum(
        len(node.children) - 1 for node in record.root.walk() if len(node.children) > 1 and ends_early(node)
    )


def with_free_root(record: Record) -> Record:
    """The record with a root without a move; properties of the game stay in the root."""
    if record.root.move is None:
        return record
    first = record.root.copy()
    root = Node()
    root.properties, first.properties = first.properties, NO_PROPERTIES
    root.add(first)
    return replace(record, root=root)


def moves_only(record: Record) -> Record:
    """The record with a move in every node except the root; annotations of others move to their parents."""
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
    """Take over the annotations of nodes without a move."""
    if blanks:
        node.comment = "\n".join(one.comment for one in (node, *blanks) if one.comment)
        if node.value is None:
            node.value = next((one.value for one in blanks if one.value is not None), None)


def splice(node: Node, keep_end: bool = False) -> list[Node]:
    """Replace child nodes without a move by their children; returns the removed nodes in order.

    With `keep_end`, an empty node that marks the end of the game stays (see `ends_early`). Takes linear time,
    because files may have thousands of such nodes.
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
