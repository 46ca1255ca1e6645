"""The valued book: positions with values that are proved consistent, for any game.

A position that was played is a *branch*, worth what the best of its successors in the book is worth; one that was
only looked at is a *leaf* with an engine's value; near the end of the game it is *solved*. Each branch names the
best move that nobody has played, so that what is left out of the book is known to be no better than that. Values
are for the mover, in *grains*: whole discs in Othello. See docs/guide/books.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from tengen.books.errors import BookError
from tengen.books.nodes import ALL_PLAYED, LARGEST_VALUE, NO_VALUE, ROOT, UNKNOWN, NodeKind, Nodes
from tengen.books.options import Option
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.search.report import Value

MIN_EMPTIES = 20
USUAL_HORIZON = 20
_KINDS = tuple(NodeKind)


class Entry(NamedTuple):
    """What the book says of a position: its kind, its value for the mover in grains, the best unplayed move."""

    kind: NodeKind
    value: int | None
    move: Move | None = None
    all_played: bool = False


class ValuedBook:
    """Positions of one game after up to `horizon` moves, passes not counted.

    `grain` is the unit of values in thousandths of a point. `proved` says that what is called solved was proved;
    in a game that cannot be solved at the horizon it is an engine's last word.
    """

    def __init__(
        self, game: Game, *, horizon: int | None = None, grain: int | None = None, proved: bool = True
    ) -> None:
        # A board that is set up replaces the usual start, of which the book is. A board of Clobber is its start.
        if game.options().get("board") and not type(game).create().options()["board"]:
            game = type(game).create(**{**game.options(), "board": ""})
        self.game = game
        self.horizon = usual_horizon(game) if horizon is None else horizon
        self.grain = usual_grain(game) if grain is None else grain
        self.proved = proved
        if not 0 < self.horizon < 4096:
            raise BookError(f"a book holds positions after 1 to 4095 moves, not {self.horizon}")
        if self.grain < 1 or game.max_score // self.grain > LARGEST_VALUE:
            raise BookError(f"{self.grain} thousandths are no unit for values of {game.title}")
        self.nodes = Nodes(game)
        self.solver: Callable[[Position], int] | None = None  # asked about what comes after the horizon

    def __len__(self) -> int:
        return len(self.nodes)

    def parameters(self) -> dict[str, Any]:
        """What books that belong together share."""
        return {
            "game": self.game.name,
            "options": self.game.options(),
            "horizon": self.horizon,
            "grain": self.grain,
            "proved": self.proved,
        }

    def fits(self, game: Game) -> bool:
        """Whether the book is about this game; where a game began is no matter."""
        options = game.options()
        if options.get("board"):
            if not self.nodes.tells_moves:
                return False
            options["board"] = ""
        return game.name == self.game.name and options == self.game.options()

    # ---- asking

    def lookup(self, position: Position) -> Entry | None:
        """What is known of a position, None if nothing; of an ended game its score. A pass that is due is made."""
        found = self.nodes.find(position)
        if found.score is not None:
            return Entry(NodeKind.SOLVED, found.score // self.grain)
        if found.node < 0:
            if self.solver is not None and self.nodes.made(position) > self.horizon:
                return Entry(NodeKind.SOLVED, self.solver(position))
            return None
        return self._entry(found.node, found.image, found.sign)

    def _entry(self, index: int, image: int, sign: int) -> Entry:
        _, _, _, value, move, _, _, number = self.nodes.array[index].item()
        kind = _KINDS[number]
        worth = None if value == NO_VALUE else sign * value
        if kind is not NodeKind.BRANCH:
            return Entry(kind, worth)
        unplayed = Move(int(self.nodes.images.back[image, move])) if move >= 0 else None
        return Entry(kind, worth, unplayed, move == ALL_PLAYED)

    def value_of(self, entry: Entry) -> Value | None:
        """An entry's value as reports have it."""
        if entry.value is None:
            return None
        amount = entry.value * self.grain / 1000
        if entry.kind is NodeKind.SOLVED and self.proved:
            return Value.exact(amount, self.game.unit)
        return Value.heuristic(amount, self.game.unit)

    def options(self, position: Position) -> tuple[Option, ...]:
        """The moves that the book knows here, the best first."""
        options = []
        for move in position.legal_moves if self.fits(position.game) else ():
            after = position.play(move)
            entry = self.lookup(after)
            if entry is None or entry.value is None:
                continue
            sign = 1 if after.to_move == position.to_move else -1
            worth = Entry(entry.kind, sign * entry.value)
            options.append(
                Option(
                    move,
                    position.game.write_move(move),
                    "ended" if after.is_over else entry.kind.name.lower(),
                    self.value_of(worth),
                )
            )
        return tuple(sorted(options, key=lambda one: (-one.value.amount if one.value else 0, one.move)))

    def move(self, position: Position, *, solves: bool = False) -> tuple[Move, Value] | None:
        """The move to play at once, with the position's value, or None where there is to be thought.

        A leaf gives none, nor does a branch if the engine would solve the position anyway (`solves`), nor a
        position none of whose successors in the book is worth as much as it is.
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
        """The positions of a game, first to last, as branches; returns the nodes that are new or were leaves."""
        nodes = self.nodes
        changed = []
        before, via = ROOT, 0
        for position in line:
            if not self.fits(position.game):
                raise BookError(f"the book is about {self.game.describe()}, not {position.game.describe()}")
            if position.is_over:
                break
            found = nodes.find(position)
            if found.score is not None:
                break
            if found.sign < 0:
                continue  # who must pass is not stored; the next position of the game is the one after the pass
            stage = nodes.made(position)
            if stage > self.horizon:
                break
            if before >= 0:
                via = self._canonical(position)
            elif not nodes.tells_moves and position.ply:
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
        """The move that led to a position, a pass after it left out, on the least image of where it was made."""
        assert position.parent is not None
        if self.nodes.find(position.parent).sign < 0:  # a pass led here: the move is the one before
            return self._canonical(position.parent)
        return int(self.nodes.images.forward[self.nodes.find(position.parent).image, position.move])

    def make_branch(self, index: int) -> None:
        """A leaf is played."""
        node = self.nodes.array[index]
        node["kind"], node["move"] = NodeKind.BRANCH, UNKNOWN

    def put(self, position: Position, kind: NodeKind, value: int) -> int:
        """A value for a position, in grains for its mover. A solved one stays; another proof must agree."""
        found = self.nodes.find(position)
        if found.score is not None:
            raise BookError("the game is over: its value needs no book")
        value *= found.sign
        if abs(value) > LARGEST_VALUE:
            raise BookError(f"{value} is no value for a position of {self.game.title}")
        if found.node < 0:
            if not self.nodes.tells_moves:
                raise BookError(f"positions of {self.game.title} enter a book by a game")
            stage = self.nodes.made(position)
            return self.nodes.add(found.key, stage, kind, value, parent=ROOT, via=0)
        self.set_value(found.node, kind, value)
        return found.node

    def set_value(self, index: int, kind: NodeKind, value: int) -> None:
        """A leaf's or a solved value for a node, for its own mover."""
        node = self.nodes.array[index]
        if node["kind"] == NodeKind.SOLVED:
            if kind is NodeKind.SOLVED and node["value"] != value:
                raise BookError(f"a solved position is worth {int(node['value'])}, and now {value}: one is wrong")
            return
        if node["kind"] == NodeKind.BRANCH and kind is not NodeKind.SOLVED:
            return
        node["kind"], node["value"], node["move"] = kind, value, UNKNOWN

    def negamax(self) -> int:
        """Value all branches anew from their successors; returns how many values changed."""
        return self.nodes.negamax_all(self.grain)

    def copy(self) -> ValuedBook:
        twin = ValuedBook(self.game, horizon=self.horizon, grain=self.grain, proved=self.proved)
        twin.nodes.fill(self.nodes.array[: len(self)].copy())
        return twin


def usual_horizon(game: Game) -> int:
    """In Othello down to 20 empty squares, on small boards to 8; in other games 20 moves."""
    options = game.options()
    if game.name == "othello":
        squares = int(options["size"]) ** 2 - 4
        return squares - MIN_EMPTIES if squares > 40 else max(1, squares - 8)
    return USUAL_HORIZON


def usual_grain(game: Game) -> int:
    """Whole discs; half points where there are points; thousandths of a win where there are only wins."""
    return {"discs": 1000, "points": 500}.get(game.unit, 1)
