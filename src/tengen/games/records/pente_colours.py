"""Conversion between players and stone colours for the Pente family in SGF.

In many files White moves first, while player 0 always moves first here, so players are swapped on reading. With an
opening protocol, colours are chosen during the game, while player 0 remains the one who placed the first stone: B
and W are converted to players on reading and back on writing. The choice itself is stored in a private property,
and so is an offer of a fifth stone, because SGF has no moves for them. PB, PW and RE refer to the colours at the
end of the main line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from tengen.core.errors import MoveError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.games.pente import TAKE_BLACK, TAKE_WHITE, Pente
from tengen.games.pente.game import CHOICES
from tengen.games.pente.record import SIDE, SIDE_OR_MORE, SIDE_OR_TEN
from tengen.games.records.replay import start_position
from tengen.games.records.results import swap_result
from tengen.games.records.tree import Mark, MarkKind, Node, Properties, Record, SetUp

CHOICE = "TAKE"  # private property: black, white, more, offer-3, or the point of an offered stone

_NAMES = {
    name: other
    for pair in ("PB PW", "BR WR", "BT WT", "BL WL", "OB OW", "GB GW", "TB TW", "BS WS", "BC WC", "AB AW", "B W")
    for name, other in (pair.split(), pair.split()[::-1])
}
_TERRITORY: dict[MarkKind, MarkKind] = {
    "first territory": "second territory",
    "second territory": "first territory",
}


def swap_players(record: Record) -> None:
    """Swap the players of a record in which White moved first: player 0 always moves first here."""
    for node in record.root.walk():
        if node.player is not None:
            node.player = 1 - node.player
        if node.value is not None:
            node.value = -node.value
        if node.set_up is not None:
            up = node.set_up
            to_move = None if up.to_move is None else 1 - up.to_move
            node.set_up = SetUp(up.second, up.first, up.empty, to_move)
        if node.marks:
            node.marks = tuple(Mark(_TERRITORY.get(kind, kind), points, text) for kind, points, text in node.marks)
        if node.properties:
            node.properties = _swap_properties(node.properties)
    _swap_names(record)
    record.notes.append("White moves first in the file: the players were swapped")


def _swap_properties(properties: Properties) -> Properties:
    """Unknown properties with their colours swapped."""
    found = {_NAMES.get(name, name): values for name, values in properties.items()}
    if "RE" in found:
        found["RE"] = tuple(map(swap_result, found["RE"]))
    return found


def _swap_names(record: Record) -> None:
    record.names = record.names[::-1]
    record.ratings = record.ratings[::-1]
    record.result = swap_result(record.result)


# ---- opening protocols


class Phase(NamedTuple):
    """The position in an opening protocol. A *seat* is a player, whatever the colour."""

    position: Position

    @property
    def _state(self) -> Any:
        return self.position.state

    @property
    def choosing(self) -> bool:
        """Whether a side is to be chosen."""
        return bool(self._state.choice in (SIDE, SIDE_OR_MORE, SIDE_OR_TEN))

    def colour(self) -> int:
        return int(self._state.colour)

    def seat(self) -> int:
        """The seat to move."""
        return self.position.to_move

    def black(self) -> int:
        """The seat that plays Black."""
        return int(self._state.swapped)

    def is_stone(self, move: Move) -> bool:
        """Whether a move places a stone: it is no choice and offers none."""
        game = self.position.game
        assert isinstance(game, Pente)
        return move not in CHOICES and not game.is_offering(self.position)

    def after(self, move: Move) -> Phase:
        """The phase after a move; the same after an illegal one, which is rejected later."""
        try:
            return Phase(self.position.play(move))
        except MoveError:
            return self


def has_opening(game: Game) -> bool:
    """Whether the game has an opening protocol in which players choose colours."""
    return bool(game.options().get("opening", "none") != "none")


def _phases(record: Record) -> Iterator[tuple[Node, Phase, Phase]]:
    """Every node with the phases before and after its move, parents first; callers may change children."""
    waiting = [(record.root, Phase(start_position(record.game)))]
    while waiting:
        node, before = waiting.pop()
        after = before if node.move is None else before.after(node.move)
        yield node, before, after
        waiting.extend((child, after) for child in node.children)


def _black(record: Record) -> int:
    """The player of Black at the end of the main line."""
    phase = Phase(start_position(record.game))
    for node in record.nodes():
        phase = phase if node.move is None else phase.after(node.move)
    return phase.black()


def assume_choices(record: Record) -> None:
    """Insert missing choices of colour, assuming that First takes Black, and add a note."""
    assumed = False
    for node, _, phase in _phases(record):
        if not phase.choosing:
            continue
        choice = Node(TAKE_WHITE if phase.seat() else TAKE_BLACK)
        others: list[Node] = []
        for child in node.children:
            is_stone = child.move is not None and child.move not in CHOICES
            (choice.children if is_stone else others).append(child)
        if choice.children:
            node.children = [choice, *others] if node.children[0] is choice.children[0] else [*others, choice]
            assumed = True
    if assumed:
        record.notes.append("the choice of colours is missing: assuming that First plays Black")


def to_players(record: Record) -> None:
    """Convert the colours of a record just read into players."""
    for node, before, after in _phases(record):
        if node.move is not None and not before.is_stone(node.move):
            node.player = before.seat()
        elif node.move is not None:
            # A stone of the wrong colour becomes one of the wrong player, to be rejected later.
            node.player = before.seat() ^ (node.player != before.colour())
        if node.value is not None and after.black():
            node.value = -node.value
    if _black(record):
        _swap_names(record)


def to_colours(record: Record) -> tuple[Record, frozenset[int]]:
    """A copy of a record with colours instead of players, and the ids of its nodes without a stone."""
    record = replace(record, root=record.root.copy())
    without_stone = set()
    for node, before, after in _phases(record):
        if node.move is not None and before.is_stone(node.move):
            node.player = before.colour() ^ (node.player != before.seat())
        elif node.move is not None:
            without_stone.add(id(node))
        if node.value is not None and after.black():
            node.value = -node.value
    if _black(record):
        _swap_names(record)
    return record, frozenset(without_stone)
