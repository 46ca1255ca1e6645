"""Conversion of a record from any file format into the form that a match uses (see `game_tree`)."""

from __future__ import annotations

from dataclasses import replace

from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.records import Node, Record, RecordError
from tengen.games.records.replay import implied_pass
from tengen.games.records.tree_transforms import absorb_set_up, splice, with_free_root


def normalize_record(record: Record) -> Record:
    """Return a copy in which every node is a move, with passes that the file left out written as moves.

    Illegal variations are dropped with a note in `Record.notes`. Raises `RecordError` if the main line is illegal.
    """
    record = with_free_root(absorb_set_up(record))
    record = replace(record, root=record.root.copy(), notes=list(record.notes))
    root = record.root
    no_move = Move(implied_pass(record.game))
    stack = [(root, record.game.start(), True)]
    while stack:
        node, position, is_game = stack.pop()
        if node.set_up is not None and is_game:
            raise RecordError(
                mark("stones are set up after move {ply}: this game cannot be played on").format(ply=position.ply)
            )
        _splice(node)
        children = []
        for index, child in enumerate(node.children):
            before, first = position, child
            if child.move is not None:
                main = is_game and index == 0
                if child.move != no_move and _omits_pass(position, child, no_move):
                    first = Node(no_move, position.to_move)
                    first.add(child)
                    before = position.play(no_move)
                try:
                    stack.append((child, before.play(child.move), main))
                except TengenError as error:
                    if main:
                        raise RecordError(f"move {before.ply + 1}: {error}") from None
                    record.notes.append(mark("illegal variation dropped: {error}").format(error=error))
                    continue
            children.append(first)
        node.children = children
    return record


def _omits_pass(position: Position, child: Node, no_move: Move) -> bool:
    assert child.move is not None
    if child.player is not None and child.player != position.to_move:
        return position.is_legal(no_move)
    return not position.is_legal(child.move) and position.legal_moves == (no_move,)


def _splice(node: Node) -> None:
    """Replace children without a move by their own children, and merge their annotations into `node`.

    An end mark stays.
    """
    blanks = splice(node, keep_end=True)
    if not blanks:
        return
    node.comment = "\n".join(one.comment for one in (node, *blanks) if one.comment)
    node.marks = tuple(mark for one in (node, *blanks) for mark in one.marks)
    for blank in blanks:
        if node.value is None and blank.value is not None:
            node.value = blank.value
    if any(blank.properties for blank in blanks):
        properties: dict[str, tuple[str, ...]] = {}
        for one in (*reversed(blanks), node):
            properties.update(one.properties)
        node.properties = properties
