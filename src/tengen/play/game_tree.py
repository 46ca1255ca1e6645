"""Where one can be in a record's tree, and the tree in the form in which a match keeps it.

In a match's tree every node but the root is one move as it is played, passes included, with one exception: the
*end mark*, an empty node that comes before its siblings; there is one at most. It says that the game itself ends
(or stands) at its parent, and that what follows there are variations: moves taken back, or tried after the end. So
the main line is always exactly the game, in every format that knows variations (see `ends_early` of records).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games.records import Node, Record, RecordError
from tengen.games.records.replay import implied_pass
from tengen.games.records.shape import absorb_set_up, splice, with_free_root


class MatchError(TengenError):
    """Something that cannot be done in this state of a match."""


@dataclass(frozen=True, eq=False)
class Place:
    """A node of the tree, with the position there and the way back."""

    node: Node
    position: Position
    parent: Place | None = None

    def variations(self) -> list[Node]:
        """The moves in the tree from here, the game's own first."""
        return [child for child in self.node.children if child.move is not None]

    def child(self, move: Move) -> Node | None:
        return next((child for child in self.node.children if child.move == move), None)

    def enter(self, child: Node) -> Place:
        """The place after a child's move. Raises a `MoveError` if a file's variation is against the rules."""
        assert child.move is not None
        return Place(child, self.position.play(child.move), self)

    def path(self) -> list[Place]:
        """The places from the root to here."""
        places = [self]
        while places[-1].parent is not None:
            places.append(places[-1].parent)
        return places[::-1]

    def onwards(self) -> Iterator[Place]:
        """The places that follow, always by the first move, as far as the rules allow."""
        place = self
        while found := place.variations():
            try:
                place = place.enter(found[0])
            except TengenError:
                return
            yield place

    def game_end(self) -> Place:
        """The end of the main line from here. Raises `RecordError` if a move of it is illegal."""
        place = self
        while place.node.children and place.node.children[0].move is not None:
            try:
                place = place.enter(place.node.children[0])
            except TengenError as error:
                raise RecordError(f"move {place.position.ply + 1}: {error}") from None
        return place


def extend(live: Place, after: Position) -> Place:
    """The game's next place: its move becomes the first child, with what the tree had for it as variations."""
    assert after.move is not None
    node, child = live.node, live.child(after.move)
    if child is None:
        child = Node(after.move, live.position.to_move)
    else:
        remove_child(node, child)
        set_end_mark(child)
    remove_end_mark(node)
    node.children.insert(0, child)
    return Place(child, after, live)


def remove_child(node: Node, child: Node) -> None:
    """Take a node out by its identity: others may be equal to it."""
    node.children = [other for other in node.children if other is not child]
    if len(node.children) == 1:
        remove_end_mark(node)


def set_end_mark(node: Node) -> None:
    """Let the game end at this node; what follows are variations."""
    if node.children and not is_end_mark(node.children[0]):
        node.children.insert(0, Node())


def remove_end_mark(node: Node) -> None:
    if node.children and is_end_mark(node.children[0]):
        del node.children[0]


def is_end_mark(node: Node) -> bool:
    return node.is_blank and not node.children


# ---- the place that is looked at, as JSON


def write_path(place: Place) -> dict[str, Any]:
    """The way to a place: how many moves, and where a child other than the first is taken."""
    places = place.path()
    branches = []
    for number, (one, two) in enumerate(pairwise(places)):
        index = next(index for index, node in enumerate(one.variations()) if node is two.node)
        if index:
            branches.append([number, index])
    return {"moves": len(places) - 1, "branches": branches}


def read_path(root: Place, data: Mapping[str, Any]) -> Place:
    """The place that `write_path` wrote down, or the last one on the way that there is."""
    place = root
    branches = dict(data["branches"])
    for number in range(data["moves"]):
        found = place.variations()
        index = branches.get(number, 0)
        if index >= len(found):
            break
        try:
            place = place.enter(found[index])
        except TengenError:  # against the rules that hold now
            break
    return place


# ---- from any file


def as_played(record: Record) -> Record:
    """The record in a match's form, from any format: nothing but moves, and every pass that was played.

    Raises `RecordError` if the game itself cannot be played by the rules.
    """
    record = with_free_root(absorb_set_up(record))
    record = replace(record, root=record.root.copy(), notes=list(record.notes))
    root = record.root
    no_move = Move(implied_pass(record.game))
    waiting = [(root, record.game.start(), True)]
    while waiting:
        node, position, is_game = waiting.pop()
        if node.set_up is not None and is_game:
            raise RecordError(f"stones are set up after move {position.ply}: such a record cannot be played on")
        _splice(node)
        kept = []
        for index, child in enumerate(node.children):
            before, first = position, child
            if child.move is not None:
                main = is_game and index == 0
                if child.move != no_move and _pass_is_left_out(position, child, no_move):
                    first = Node(no_move, position.to_move)
                    first.add(child)
                    before = position.play(no_move)
                try:
                    waiting.append((child, before.play(child.move), main))
                except TengenError as error:
                    if main:
                        raise RecordError(f"move {before.ply + 1}: {error}") from None
                    record.notes.append(f"a variation that is against the rules was left out: {error}")
                    continue
            kept.append(first)
        node.children = kept
    return record


def _pass_is_left_out(position: Position, child: Node, no_move: Move) -> bool:
    assert child.move is not None
    if child.player is not None and child.player != position.to_move:
        return position.is_legal(no_move)
    return not position.is_legal(child.move) and position.legal_moves == (no_move,)


def _splice(node: Node) -> None:
    """Put the children of nodes without a move in their place, their remarks to this node; keep an end mark."""
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
