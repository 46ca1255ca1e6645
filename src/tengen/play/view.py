"""What people look at in a record's tree: one place, and the line that leads there and goes on from it."""

from __future__ import annotations

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games.records import Node
from tengen.play.game_tree import MatchError, Place, remove_child


class View:
    """A place that is looked at. It changes nothing in the game, and in the tree only variations.

    The line and where one is on it change together, in one assignment: whoever reads in another thread sees
    either what was or what is.
    """

    def __init__(self, place: Place) -> None:
        self.show(place)

    @property
    def place(self) -> Place:
        line, at = self._shown
        return line[at]

    @property
    def line(self) -> list[Position]:
        """The positions from the start to the end of the line, beyond the place that is looked at as well."""
        return [place.position for place in self._shown[0]]

    def show(self, place: Place) -> None:
        """Look at a place, on the line by which it was reached and then always the first move."""
        path = place.path()
        self._shown = [*path, *place.onwards()], len(path) - 1

    def go_to(self, move: int) -> None:
        """Look at the place after so many moves of the line, all of which stays."""
        line, _ = self._shown
        if not 0 <= move < len(line):
            raise MatchError(f"there is no move {move} here: the line has moves 0 to {len(line) - 1}")
        self._shown = line, move

    def enter(self, variation: int) -> None:
        """Look at the place after one of the moves that the tree has from here, 0 being the first."""
        found = self.place.variations()
        if not 0 <= variation < len(found):
            raise MatchError(f"there is no variation {variation} here, of {len(found)} that are counted from 0")
        self.show(self.place.enter(found[variation]))

    def vary(self, move: Move | str) -> Place:
        """Look at the place after a move from here, which the tree has from now on; returns where it was made."""
        here = self.place
        position = here.position.play(move)
        assert position.move is not None
        child = here.child(position.move)
        if child is None:
            child = here.node.add(Node(position.move, here.position.to_move))
        self.show(Place(child, position, here))
        return here

    def remove(self) -> None:
        """Take the move looked at out of the tree, with all that follows it; the place before is looked at."""
        here = self.place
        assert here.parent is not None
        remove_child(here.parent.node, here.node)
        self.show(here.parent)
