"""Game records: a tree of moves with annotations, for all formats.

A `Record` has the rules, the players and a tree of `Node`s, whose first children are the main line. The tree
reflects the file; `replay` computes positions. Trees may be thousands of moves deep, so nothing here recurses.
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
    """A mark on the board: at one point, or from one point to another. `text` is that of a label."""

    kind: MarkKind
    points: tuple[Point, ...]
    text: str = ""


class SetUp(NamedTuple):
    """Stones added or removed without a move, and the player to move afterwards."""

    first: tuple[Point, ...] = ()
    second: tuple[Point, ...] = ()
    empty: tuple[Point, ...] = ()
    to_move: int | None = None


class Node:
    """A move with annotations; the root usually has no move.

    `player` (0, 1, or None for the player to move) made the `move`. `value` is an evaluation after the move in
    points for player 0; `seconds` is the time spent. `properties` are unknown properties in their format's syntax.
    """

    # Defaults are class attributes, because most nodes have only a move: this saves memory in collections.
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
        """A chain of nodes for at least one move; returns the first and the last node."""
        # Built from the end, without a constructor call per node, for speed.
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
        """Whether the node has no annotations; may be False for a node without any."""
        return len(self.__dict__) == 3  # only move, player and children

    @property
    def is_blank(self) -> bool:
        """Whether the node has neither a move nor annotations."""
        return self.move is None and (self.is_plain or self.own() == (None, self.player, *_NOTHING))

    def add(self, child: Node) -> Node:
        """Append a child and return it."""
        self.children.append(child)
        return child

    def own(self) -> tuple[object, ...]:
        """Everything except the children, for comparison."""
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

    __hash__ = None  # type: ignore[assignment]  # nodes are mutable

    def __repr__(self) -> str:
        return f"<Node move={self.move} player={self.player} children={len(self.children)}>"

    def walk(self) -> Iterator[Node]:
        """The node and all its descendants in preorder, main line first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            while len(node.children) == 1:  # the most common case
                node = node.children[0]
                yield node
            waiting.extend(reversed(node.children))

    def copy(self) -> Node:
        """A deep copy of the subtree."""

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

    Names and ratings are those of players 0 and 1. `result` is in SGF notation: `B+3.5` or `B+R`, B for player 0
    and W for player 1, `0` for a draw, `Void`, `?`. `date` is like `2024-01-31`, or the file's text. Unknown
    properties of the game are in the root, in the syntax of the format `source`. `notes` list corrections made by
    the reader, `assumed` the options of a Go game that the file does not state: scoring, komi.
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
    assumed: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def nodes(self, branches: Sequence[int] = ()) -> list[Node]:
        """The nodes from the root along a line, by default the main line.

        At each node with several children, the next number of `branches` selects one (0 is the main line).
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
        """The moves of a line, including passes that the file omits."""
        from tengen.games.records.replay import played_moves

        return played_moves(self, self.nodes(branches))

    def positions(self, branches: Sequence[int] = (), max_moves: int | None = None) -> list[Position]:
        """The positions of a line, from the start, with its first `max_moves` moves, or all.

        Raises `RecordError` at an illegal move.
        """
        from tengen.games.records.replay import positions

        nodes = self.nodes(branches)
        if max_moves is None:
            return positions(self, nodes)
        moves = 0
        for end, node in enumerate(nodes):
            if moves >= max_moves and (moves or node.move is not None):
                nodes = nodes[:end]  # without stones that are set up after the last move
                break
            moves += node.move is not None
        return positions(self, nodes)

    def check(self) -> None:
        """Raise `RecordError` if a move of the main line is illegal."""
        from tengen.games.records.replay import check

        check(self)

    def follow(self, moves: Sequence[Move]) -> Node:
        """Make these moves the main line, adding missing nodes; returns the last node. Other lines stay.

        Passes that the tree omits are not added. If the main line continued after the last move, an empty node is
        inserted before the continuation, which becomes a variation.
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
                    del node.children[0]  # the former end of the line
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
        """The record of the moves that led to a position."""
        record = cls(position.game, **fields)  # type: ignore[arg-type]
        node = record.root
        for step in position.line():
            if step.parent is not None:
                node = node.add(Node(step.move, step.parent.to_move))
        return record
