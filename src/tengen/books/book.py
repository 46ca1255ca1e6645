"""The valued book: positions with values that are verifiably consistent, for any game.

A position that was played is a *branch*, with the value of its best successor in the book; one that was only
searched is a *leaf* with an engine's value; near the end of the game it is *solved*. Each branch stores its best
unplayed move, so every move that is not in the book is known to be no better. Values are for the player to move,
in units of `value_unit` thousandths of a point: whole discs in Othello. See docs/guide/books.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from tengen.books.book_move import BookMove
from tengen.books.errors import BookError
from tengen.books.nodes import ALL_PLAYED, MAX_VALUE, NO_VALUE, ROOT, UNKNOWN, NodeKind, Nodes
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.search.report import Value

_KINDS = tuple(NodeKind)


class Entry(NamedTuple):
    """A position in the book: kind, value for the player to move in the book's units, best unplayed move."""

    kind: NodeKind
    value: int | None
    move: Move | None = None
    all_played: bool = False


class ValuedBook:
    """Positions of one game after up to `horizon` moves, passes not counted.

    `value_unit` is the unit of values in thousandths of a point. `proved` says that positions marked as solved are
    proved; otherwise, in games that cannot be solved at the horizon, they have an engine's final estimate.
    """

    def __init__(
        self, game: Game, *, horizon: int | None = None, value_unit: int | None = None, proved: bool = True
    ) -> None:
        # Books are about the standard start: drop a set-up board, except in Clobber, where it is the game.
        if game.options().get("board") and not type(game).create().options()["board"]:
            game = type(game).create(**{**game.options(), "board": ""})
        self.game = game
        self.horizon = game.book_horizon if horizon is None else horizon
        self.value_unit = default_value_unit(game) if value_unit is None else value_unit
        self.proved = proved
        if not 0 < self.horizon < 4096:
            raise BookError(f"a book holds positions after 1 to 4095 moves, not {self.horizon}")
        if self.value_unit < 1 or game.max_score // self.value_unit > MAX_VALUE:
            raise BookError(f"{self.value_unit} thousandths is not a valid unit for values of {game.title}")
        self.nodes = Nodes(game)
        self.solver: Callable[[Position], int] | None = None  # values positions beyond the horizon

    def __len__(self) -> int:
        return len(self.nodes)

    def parameters(self) -> dict[str, Any]:
        """Parameters that books must share to be merged."""
        return {
            "game": self.game.name,
            "options": self.game.options(),
            "horizon": self.horizon,
            "grain": self.value_unit,
            "proved": self.proved,
        }

    def fits(self, game: Game) -> bool:
        """Whether the book covers this game, regardless of its start position."""
        options = game.options()
        if options.get("board"):
            if not self.nodes.has_move_count:
                return False
            options["board"] = ""
        return game.name == self.game.name and options == self.game.options()

    # ---- lookup

    def lookup(self, position: Position) -> Entry | None:
        """The entry of a position, after a forced pass; the score if the game is over; None if unknown."""
        found = self.nodes.find(position)
        if found.score_thousandths is not None:
            return Entry(NodeKind.SOLVED, found.score_thousandths // self.value_unit)
        if found.node < 0:
            if self.solver is not None and self.nodes.made(position) > self.horizon:
                return Entry(NodeKind.SOLVED, self.solver(position))
            return None
        return self._entry(found.node, found.image, found.sign)

    def _entry(self, index: int, image: int, sign: int) -> Entry:
        _, _, _, value, move, _, _, number = self.nodes.array[index].item()
        kind = _KINDS[number]
        mover_value = None if value == NO_VALUE else sign * value
        if kind is not NodeKind.BRANCH:
            return Entry(kind, mover_value)
        unplayed = Move(int(self.nodes.images.back[image, move])) if move >= 0 else None
        return Entry(kind, mover_value, unplayed, move == ALL_PLAYED)

    def value_of(self, entry: Entry) -> Value | None:
        """The value of an entry in points, as in reports."""
        if entry.value is None:
            return None
        amount = entry.value * self.value_unit / 1000
        if entry.kind is NodeKind.SOLVED and self.proved:
            return Value.exact(amount, self.game.unit)
        return Value.heuristic(amount, self.game.unit)

    def options(self, position: Position) -> tuple[BookMove, ...]:
        """Moves of a position that lead to a valued position of the book, best first."""
        options = []
        for move in position.legal_moves if self.fits(position.game) else ():
            after = position.play(move)
            entry = self.lookup(after)
            if entry is None or entry.value is None:
                continue
            sign = 1 if after.to_move == position.to_move else -1
            for_mover = Entry(entry.kind, sign * entry.value)
            options.append(
                BookMove(
                    move,
                    position.game.write_move(move),
                    "ended" if after.is_over else entry.kind.name.lower(),
                    self.value_of(for_mover),
                )
            )
        return tuple(sorted(options, key=lambda one: (-one.value.amount if one.value else 0, one.move)))

    def move(self, position: Position, *, solves: bool = False) -> tuple[Move, Value] | None:
        """The move to play without search, with the position's value; None if a search is needed.

        None for a leaf, for a branch if the engine would solve the position anyway (`solves`), and for a position
        without a successor in the book that has its value.
        """
        if position.is_over or not self.fits(position.game):
            return None
        entry = self.lookup(position)
        if entry is None or entry.value is None or entry.kind is NodeKind.LEAF:
            return None
        if entry.kind is NodeKind.BRANCH and solves:
            return None
        value = self.value_of(entry)
        assert value is not None
        for move in position.legal_moves:
            after = position.play(move)
            known = self.lookup(after)
            if known is not None and known.value is not None:
                sign = 1 if after.to_move == position.to_move else -1
                if sign * known.value == entry.value:
                    return move, value
        return None

    # ---- adding

    def add(self, line: Iterable[Position]) -> list[int]:
        """Add the positions of a game, in order, as branches; returns nodes that are new or were leaves."""
        nodes = self.nodes
        changed = []
        before, via = ROOT, 0
        for position in line:
            if not self.fits(position.game):
                raise BookError(f"the book is about {self.game.describe()}, not {position.game.describe()}")
            if position.is_over:
                break
            found = nodes.find(position)
            if found.score_thousandths is not None:
                break
            if found.sign < 0:
                continue  # forced passes are not stored: the position after the pass follows
            stage = nodes.made(position)
            if stage > self.horizon:
                break
            if before >= 0:
                via = self._canonical(position)
            elif not nodes.has_move_count and position.ply:
                raise BookError(f"a game enters a book of {self.game.title} from its first move on")
            index = found.node
            if index < 0:
                index = nodes.add(found.key, stage, NodeKind.BRANCH, NO_VALUE, parent=before, via=via)
                changed.append(index)
            elif nodes.array[index]["kind"] == NodeKind.LEAF:
                self.make_branch(index)
                changed.append(index)
            before = index
        return changed

    def _canonical(self, position: Position) -> int:
        """The move that led to a position, ignoring a pass after it, on the canonical image of its parent."""
        assert position.parent is not None
        if self.nodes.find(position.parent).sign < 0:  # a pass led here: use the move before it
            return self._canonical(position.parent)
        return int(self.nodes.images.forward[self.nodes.find(position.parent).image, position.move])

    def make_branch(self, index: int) -> None:
        """Turn a leaf into a branch without a known best unplayed move."""
        node = self.nodes.array[index]
        node["kind"], node["move"] = NodeKind.BRANCH, UNKNOWN

    def put(self, position: Position, kind: NodeKind, value: int) -> int:
        """Store a value for the player to move. A solved position is not changed; another proof must agree."""
        found = self.nodes.find(position)
        if found.score_thousandths is not None:
            raise BookError("the game is over: its value needs no book")
        value *= found.sign
        if abs(value) > MAX_VALUE:
            raise BookError(f"{value} is no value for a position of {self.game.title}")
        if found.node < 0:
            if not self.nodes.has_move_count:
                raise BookError(f"positions of {self.game.title} enter a book by a game")
            stage = self.nodes.made(position)
            return self.nodes.add(found.key, stage, kind, value, parent=ROOT, via=0)
        self.set_value(found.node, kind, value)
        return found.node

    def set_value(self, index: int, kind: NodeKind, value: int) -> None:
        """Set the value of a leaf or solved node, for its own player to move."""
        node = self.nodes.array[index]
        if node["kind"] == NodeKind.SOLVED:
            if kind is NodeKind.SOLVED and node["value"] != value:
                raise BookError(
                    f"a solved position has two different values, {int(node['value'])} and {value}: one is wrong"
                )
            return
        if node["kind"] == NodeKind.BRANCH and kind is not NodeKind.SOLVED:
            return
        node["kind"], node["value"], node["move"] = kind, value, UNKNOWN

    def negamax(self) -> int:
        """Recompute all branch values from their successors; returns the number of changed values."""
        return self.nodes.negamax_all(self.value_unit)

    def copy(self) -> ValuedBook:
        twin = ValuedBook(self.game, horizon=self.horizon, value_unit=self.value_unit, proved=self.proved)
        twin.nodes.fill(self.nodes.array[: len(self)].copy())
        return twin


def default_value_unit(game: Game) -> int:
    """Unit of values in thousandths: whole discs, half points, or thousandths of a win."""
    return {"discs": 1000, "points": 500}.get(game.unit, 1)
