"""One tree of moves with annotations, for all formats.

A `Record` is a game that was played or analysed: the rules, who played, and a tree of `Node`s, whose first
children are the main line. The tree says what the file said; `replay` makes positions of it. Trees may be
thousands of moves deep, so nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from tengen.core.diagram import Point
from tengen.core.game import Game, Move
from tengen.games.records.errors import RecordError

if TYPE_CHECKING:
    from tengen.core.position import Position

Properties = Mapping[str, tuple[str, ...]]
NO_PROPERTIES: Properties = MappingProxyType({})

MarkKind = Literal[
    "label",
    "triangle",
    "square",
    "circle",
    "cross",
    "selected",
    "first territory",
    "second territory",
    "arrow",
    "line",
]


class Mark(NamedTuple):
    """Something drawn on the board: at one point, or from one point to another. `text` is a label's."""

    kind: MarkKind
    points: tuple[Point, ...]
    text: str = ""


class SetUp(NamedTuple):
    """Stones put on the board or taken off it without a move, and who is to move after that."""

    first: tuple[Point, ...] = ()
    second: tuple[Point, ...] = ()
    empty: tuple[Point, ...] = ()
    to_move: int | None = None


class Node:
    """A move and what is said of it; the root usually has no move.

    `player` (0, 1, or None for whoever is to move) made the `move`. `value` is an evaluation after the move in
    points, good for player 0 if positive; `seconds` is the time spent on it. `properties` are those that were not
    understood, as their format writes them.
    """

    # Most nodes have a move and no more: what is not set is read from the class, which makes collections light.
    comment: str = ""
    value: float | None = None
    seconds: float | None = None
    marks: tuple[Mark, ...] = ()
    set_up: SetUp | None = None
    properties: Properties = NO_PROPERTIES

    def __init__(self, move: Move | None = None, player: int | None = None) -> None:
        self.move = move
        self.player = player
        self.children: list[Node] = []

    @classmethod
    def chain(cls, moves: Sequence[Move], players: Sequence[int | None]) -> tuple[Node, Node]:
        """Plain moves one after the other, at least one: the first node and the last."""
        # From the end, and without a call for each: collections are millions of these.
        make = cls.__new__
        last = node = cls(moves[-1], players[-1])
        for index in range(len(moves) - 2, -1, -1):
            before = make(cls)
            before.move = moves[index]
            before.player = players[index]
            before.children = [node]
            node = before
        return node, last

    @property
    def is_plain(self) -> bool:
        """Whether this is a move at most, and surely nothing is said of it."""
        return len(self.__dict__) == 3  # what is set is there, besides the three that always are

    @property
    def is_blank(self) -> bool:
        """Whether nothing is said here, not even a move."""
        return self.move is None and (self.is_plain or self.own() == (None, self.player, *_NOTHING))

    def add(self, child: Node) -> Node:
        """Append a child and return it."""
        self.children.append(child)
        return child

    def own(self) -> tuple[object, ...]:
        """All but the children, to compare."""
        return (
            *(self.move, self.player, self.comment, self.value, self.seconds, self.marks, self.set_up),
            dict(self.properties),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        waiting = [(self, other)]
        while waiting:
            one, two = waiting.pop()
            if one.own() != two.own() or len(one.children) != len(two.children):
                return False
            waiting.extend(zip(one.children, two.children, strict=True))
        return True

    __hash__ = None  # type: ignore[assignment]  # nodes change

    def __repr__(self) -> str:
        return f"<Node move={self.move} player={self.player} children={len(self.children)}>"

    def walk(self) -> Iterator[Node]:
        """The node itself and all below it, the main line first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            while len(node.children) == 1:  # most of a tree
                node = node.children[0]
                yield node
            waiting.extend(reversed(node.children))

    def copy(self) -> Node:
        """A copy of the whole tree below."""

        def single(node: Node) -> Node:
            made = Node()
            made.__dict__.update(node.__dict__)
            return made

        root = single(self)
        waiting = [(self, root)]
        while waiting:
            original, made = waiting.pop()
            made.children = [single(child) for child in original.children]
            waiting.extend(zip(original.children, made.children, strict=True))
        return root


_NOTHING = Node().own()[2:]


@dataclass
class Record:
    """A game with its tree.

    Names and ratings are those of players 0 and 1. `result` is written as SGF does: `B+3.5` or `B+R` where B is
    player 0 and W player 1, `0` for a draw, `Void`, `?`. `date` is `2024-01-31`, or what the file said. Properties
    of the whole game that were not understood are the root's, in the language of the format `source`. `notes` say
    what a reader had to make up for.
    """

    game: Game
    root: Node = field(default_factory=Node)
    names: tuple[str, str] = ("", "")
    ratings: tuple[str, str] = ("", "")
    event: str = ""
    round: str = ""
    place: str = ""
    date: str = ""
    time: str = ""
    result: str = ""
    source: str = field(default="", compare=False)
    notes: list[str] = field(default_factory=list, compare=False, repr=False)

    def nodes(self, branches: Sequence[int] = ()) -> list[Node]:
        """The nodes from the root along the main line.

        Where a node has several children, the next number of `branches` says which to follow (0 is the main line).
        """
        choices = iter(branches)
        node = self.root
        line = [node]
        while node.children:
            if len(node.children) == 1:
                node = node.children[0]
            else:
                choice = next(choices, 0)
                if not 0 <= choice < len(node.children):
                    raise RecordError(f"there are variations 0 to {len(node.children) - 1} here, not {choice}")
                node = node.children[choice]
            line.append(node)
        return line

    def moves(self, branches: Sequence[int] = ()) -> list[Move]:
        """The moves of a line as they are played: passes that the file left out are there."""
        from tengen.games.records.replay import played_moves

        return played_moves(self, self.nodes(branches))

    def positions(self, branches: Sequence[int] = ()) -> list[Position]:
        """The positions of a line, the start first. Raises `RecordError` where a move is illegal."""
        from tengen.games.records.replay import positions

        return positions(self, self.nodes(branches))

    def check(self) -> None:
        """Raise `RecordError` if a move of the main line is illegal."""
        from tengen.games.records.replay import check

        check(self)

    def follow(self, moves: Sequence[Move]) -> Node:
        """Make these moves the main line, adding what is missing; returns the last node. The rest is kept.

        Moves are as they are played: a pass that the tree leaves out is not added to it. Where the main line went
        on after the last of them, an empty node takes its place, and it stays as another line.
        """
        from tengen.games.records.replay import implied_pass

        no_move = implied_pass(self.game)
        node = self.root
        index = 0
        if node.move is not None and moves and node.move == moves[0]:
            index = 1
        while index < len(moves):
            while node.children and node.children[0].move is None:
                if node.children[0].is_blank and not node.children[0].children:
                    del node.children[0]  # where the line ended till now
                else:
                    node = node.children[0]
            known = {child.move: child for child in reversed(node.children)}
            move = moves[index]
            following = moves[index + 1] if index + 1 < len(moves) else None
            index += 1
            if move == no_move and move not in known and following in known:
                continue
            child = known.get(move)
            if child is None:
                child = Node(move)
            else:
                node.children = [other for other in node.children if other is not child]
            node.children.insert(0, child)
            node = child
        later = node
        while later.children and later.children[0].move is None:
            later = later.children[0]
        if later.children:
            node.children.insert(0, Node())
        return node

    @classmethod
    def of(cls, position: Position, **fields: object) -> Record:
        """The record of how a position came about."""
        record = cls(position.game, **fields)  # type: ignore[arg-type]
        node = record.root
        for step in position.line():
            if step.parent is not None:
                node = node.add(Node(step.move, step.parent.to_move))
        return record
