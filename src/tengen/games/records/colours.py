"""Players and colours of the Pente family in SGF, where B and W are the colours of stones.

Two things set them apart. In many files White begins: here player 0 is who begins, so the two are exchanged. And
with an opening protocol colours are chosen in mid-game, while player 0 stays who placed the first stone: there B
and W become players when a file is read, and colours again when it is written. SGF has no move for a choice: it is
in a property of our own. PB, PW and RE are about who has the colour at the end of the main line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from tengen.core.game import Game, Move
from tengen.games.pente import TAKE_BLACK, TAKE_WHITE, TWO_MORE
from tengen.games.records.replay import start_of
from tengen.games.records.results import swapped
from tengen.games.records.tree import Mark, MarkKind, Node, Properties, Record, SetUp

CHOICE = "TAKE"  # the property: black, white or more
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


def exchange(record: Record) -> None:
    """White moved first, as the Pente family often has it: here player 0 is who moves first."""
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
            node.properties = _exchanged(node.properties)
    _exchange_names(record)
    record.notes.append("White moves first in the file: the players are exchanged")


def _exchanged(properties: Properties) -> Properties:
    """Properties that were not understood, with those that name a colour naming the other one."""
    found = {_NAMES.get(name, name): values for name, values in properties.items()}
    if "RE" in found:
        found["RE"] = tuple(map(swapped, found["RE"]))
    return found


def _exchange_names(record: Record) -> None:
    record.names = record.names[::-1]
    record.ratings = record.ratings[::-1]
    record.result = swapped(record.result)


# ---- opening protocols


class Phase(NamedTuple):
    """Where a line stands in an opening protocol; the rules themselves are in `pente.rules`."""

    left: int  # stones that the seat on turn has still to place
    turn: int = 0  # that seat, or the one that chooses; of no matter later
    choosing: bool = False
    placed: int = 0
    black: int = 0  # the seat that has Black

    def colour(self) -> int:
        return self.placed % 2

    def seat(self) -> int:
        """Who acts."""
        return self.turn if self.left or self.choosing else self.colour() ^ self.black

    def after(self, move: Move) -> Phase:
        if move in CHOICES:
            if move == TWO_MORE:
                return self._replace(choosing=False, left=2)
            return self._replace(choosing=False, black=self.turn if move == TAKE_BLACK else 1 - self.turn)
        after = self._replace(placed=self.placed + 1, left=max(0, self.left - 1))
        return after._replace(turn=1 - self.turn, choosing=True) if self.left == 1 else after


def has_opening(game: Game) -> bool:
    """Whether the players choose their colours."""
    return bool(game.options().get("opening", "none") != "none")


def _phases(record: Record) -> Iterator[tuple[Node, Phase, Phase]]:
    """Every node with the phases before and after its move, parents first; children may be changed on the way."""
    waiting = [(record.root, Phase(int(start_of(record.game).state.left)))]
    while waiting:
        node, before = waiting.pop()
        after = before if node.move is None else before.after(node.move)
        yield node, before, after
        waiting.extend((child, after) for child in node.children)


def _black(record: Record) -> int:
    """The player who has Black at the end of the main line."""
    phase = Phase(int(start_of(record.game).state.left))
    for node in record.nodes():
        phase = phase if node.move is None else phase.after(node.move)
    return phase.black


def assume_choices(record: Record) -> None:
    """Where a file goes on without saying who chose which side, let First have Black; a note says so."""
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
        record.notes.append("who chose which side is not said: First is taken to have Black")


def to_players(record: Record) -> None:
    """The colours of a file that was read become players."""
    for node, before, after in _phases(record):
        if node.move in CHOICES:
            node.player = before.seat()
        elif node.move is not None:
            # A stone of the other colour is as wrong as one of the other player.
            node.player = before.seat() ^ (node.player != before.colour())
        if node.value is not None and after.black:
            node.value = -node.value
    if _black(record):
        _exchange_names(record)


def to_colours(record: Record) -> Record:
    """The same record with colours for players, to be written."""
    record = replace(record, root=record.root.copy())
    for node, before, after in _phases(record):
        if node.move is not None and node.move not in CHOICES:
            node.player = before.colour() ^ (node.player != before.seat())
        if node.value is not None and after.black:
            node.value = -node.value
    if _black(record):
        _exchange_names(record)
    return record
