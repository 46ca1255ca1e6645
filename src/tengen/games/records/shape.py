"""Making a tree fit for formats that have nothing but moves."""

from __future__ import annotations

from dataclasses import replace

from tengen.games.records.errors import RecordError
from tengen.games.records.replay import with_set_up
from tengen.games.records.tree import NO_PROPERTIES, Node, Record


def absorb_set_up(record: Record) -> Record:
    """The record whose game starts with the stones that were set up before the first move, where it can."""
    if all(node.set_up is None for node in record.root.walk()):
        return record
    root = record.root.copy()
    game, node = record.game, root
    while True:
        if node.set_up is not None:
            try:
                game = with_set_up(game, node.set_up)
            except RecordError:
                break
            node.set_up = None
        if node.move is not None or len(node.children) != 1:
            break
        node = node.children[0]
        if node.move is not None and node.set_up is not None:
            break
    return replace(record, game=game, root=root)


def moves_only(record: Record) -> Record:
    """The record with a move in every node but the root: the others' remarks go to the node before them."""
    if record.root.move is None and all(
        child.move is not None for node in record.root.walk() for child in node.children
    ):
        return record
    root = record.root.copy()
    if root.move is not None:
        first = root
        root = Node()
        root.properties, first.properties = first.properties, NO_PROPERTIES
        root.add(first)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        index = 0
        while index < len(node.children):
            child = node.children[index]
            if child.move is not None:
                index += 1
                continue
            node.children[index : index + 1] = child.children
            node.comment = "\n".join(text for text in (node.comment, child.comment) if text)
            if node.value is None:
                node.value = child.value
        waiting.extend(node.children)
    return replace(record, root=root)
