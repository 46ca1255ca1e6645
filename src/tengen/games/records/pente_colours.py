"""Conversion between players and stone colours for the Pente family in SGF.

In many files White moves first, while player 0 always moves first here, so players are swapped on reading. With an
opening protocol, colours are chosen during the game, while player 0 remains the one who placed the first stone: B
and W are converted to players on reading and back on writing. The choice itself is stored in a private property,
because SGF has no move for it. PB, PW and RE refer to the colours at the end of the main line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from tengen.core.game import Game, Move
from tengen.games.pente import TAKE_BLACK, TAKE_WHITE, TWO_MORE
from tengen.games.records.replay import start_position
from tengen.games.records.results import swap_result
from tengen.games.records.tree import Mark, MarkKind, Node, Properties, Record, SetUp

CHOICE = "TAKE"  # private property: black, white or more
CHOICES = (TAKE_BLACK, TAKE_WHITE, TWO_MORE)

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
    """State of an opening protocol; its rules are in `pente.rules`. A *seat* is a player, whatever the colour."""

    left: int  # stones that the seat to move still has to place
    turn: int = 0  # that seat, or the one that chooses; unused afterwards
    choosing: bool = False
    placed: int = 0
    black: int = 0  # the seat that plays Black

    def colour(self) -> int:
        return self.placed % 2

    def seat(self) -> int:
        """The seat to move."""
        return self.turn if self.left or self.choosing else self.colour() ^ self.black

    def after(self, move: Move) -> Phase:
        if move in CHOICES:
            if move == TWO_MORE:
                return self._replace(choosing=False, left=2)
            return self._replace(choosing=False, black=self.turn if move == TAKE_BLACK else 1 - self.turn)
        after = self._replace(placed=self.placed + 1, left=max(0, self.left - 1))
        return after._replace(turn=1 - self.turn, choosing=True) if self.left == 1 else after


def has_opening(game: Game) -> bool:
    """Whether the game has an opening protocol in which players choose colours."""
    return bool(game.options().get("opening", "none") != "none")


def _phases(record: Record) -> Iterator[tuple[Node, Phase, Phase]]:
    """Every node with the phases before and after its move, parents first; callers may change children."""
    waiting = [(record.root, Phase(int(start_position(record.game).state.left)))]
    while waiting:
        node, before = waiting.pop()
        after = before if node.move is None else before.after(node.move)
        yield node, before, after
        waiting.extend((child, after) for child in node.children)


def _black(record: Record) -> int:
    """The player of Black at the end of the main line."""
    phase = Phase(int(start_position(record.game).state.left))
    for node in record.nodes():
        phase = phase if node.move is None else phase.after(node.move)
    return phase.black


def assume_choices(record: Record) -> None:
    """Insert missing choices of colour, assuming that First takes Black, and add a note."""
    assumed = False
    for node, _, phase in _phases(record):
        if not phase.choosing:
            continue
        choice = Node(TAKE_WHITE if phase.turn else TAKE_BLACK)
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
        if node.move in CHOICES:
            node.player = before.seat()
        elif node.move is not None:
            # A stone of the wrong colour becomes one of the wrong player, to be rejected later.
            node.player = before.seat() ^ (node.player != before.colour())
        if node.value is not None and after.black:
            node.value = -node.value
    if _black(record):
        _swap_names(record)


def to_colours(record: Record) -> Record:
    """A copy of a record with colours instead of players, for writing."""
    record = replace(record, root=record.root.copy())
    for node, before, after in _phases(record):
        if node.move is not None and node.move not in CHOICES:
            node.player = before.colour() ^ (node.player != before.seat())
        if node.value is not None and after.black:
            node.value = -node.value
    if _black(record):
        _swap_names(record)
    return record
