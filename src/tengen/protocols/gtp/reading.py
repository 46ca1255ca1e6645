"""What becomes of strings: the questions that GNU Go answers, by the same names and in the same form.

An answer is a result, and the move that brings it: 0 fails, 1 works, 2 works by a ko for which the other side has
to find the first threat, 3 by a ko for which this side has to.
"""

from __future__ import annotations

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.engines.go.board import Geometry, geometry_for
from tengen.engines.go.reading.tactics import Answer, Result, Tactics
from tengen.games.go import Go
from tengen.protocols.gtp.session import Session
from tengen.protocols.gtp.syntax import Arguments, GtpError, command
from tengen.protocols.gtp.vertices import read_vertex, write_vertex

_OTHER_SIDE = {
    Result.FAILS: Result.WORKS,
    Result.WORKS: Result.FAILS,
    Result.GOOD_KO: Result.BAD_KO,
    Result.BAD_KO: Result.GOOD_KO,
}


class ReadingCommands:
    """Questions to the readers."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._tactics: Tactics | None = None

    # ---- points in and out

    @property
    def _geometry(self) -> Geometry:
        assert isinstance(self.session.game, Go)
        return geometry_for(self.session.game)

    def _point(self, point: Point) -> int:
        return self._geometry.stride * (point[1] + 1) + point[0] + 1

    def _vertex(self, point: int) -> str:
        if point == 0:
            return "PASS"
        row, column = divmod(point, self._geometry.stride)
        return write_vertex((column - 1, row - 1), self._geometry.width, self._geometry.height)

    def _read(self, arguments: Arguments) -> Point:
        word = arguments.word("a vertex")
        return read_vertex(word, self.session.notation.width, self.session.notation.height)

    def _read_string(self, arguments: Arguments) -> tuple[int, int]:
        """A point with a stone on it, and whose it is."""
        point = self._read(arguments)
        stones = self.session.stones()
        if point not in stones:
            raise GtpError("vertex must not be empty")
        return self._point(point), int(stones[point]) - 1

    def _read_move(self, arguments: Arguments) -> Point:
        point = self._read(arguments)
        if point in self.session.stones():
            raise GtpError("vertex must be empty")
        return point

    def _answer(self, answer: Answer) -> str:
        return "0" if answer.result is Result.FAILS else f"{int(answer.result)} {self._vertex(answer.move)}"

    # ---- the readers

    def _tactics_of(self, position: Position) -> Tactics:
        if self._tactics is None or self._tactics.geometry is not self._geometry:
            self._tactics = Tactics(self._geometry)
        self._tactics.load(position)
        return self._tactics

    def _after(self, player: int, point: Point) -> Position:
        """The position after a move of either side."""
        position = self.session.with_turn(player)
        assert isinstance(self.session.game, Go)
        move = self.session.game.point(point)
        if move not in position.legal_moves:
            raise GtpError("illegal move")
        return position.play(move)

    @command("attack")
    def attack(self, arguments: Arguments) -> str:
        """Whether a string can be caught by its enemy, who moves first."""
        point, _ = self._read_string(arguments)
        arguments.finish()
        return self._answer(self._tactics_of(self.session.position).attack(point))

    @command("defend")
    def defend(self, arguments: Arguments) -> str:
        """Whether a string can be saved by its owner, who moves first."""
        point, _ = self._read_string(arguments)
        arguments.finish()
        return self._answer(self._tactics_of(self.session.position).defend(point))

    @command("ladder_attack")
    def ladder_attack(self, arguments: Arguments) -> str:
        """Whether a string with two liberties is caught by atari after atari."""
        point, _ = self._read_string(arguments)
        arguments.finish()
        tactics = self._tactics_of(self.session.position)
        if tactics.liberties(point) != 2:
            raise GtpError("string must have exactly 2 liberties")
        return self._answer(tactics.attack(point, loose=0))

    @command("does_attack")
    def does_attack(self, arguments: Arguments) -> str:
        """The result of a move against a string."""
        move = self._read_move(arguments)
        point, owner = self._read_string(arguments)
        arguments.finish()
        position = self._after(1 - owner, move)
        tactics = self._tactics_of(position)
        if not tactics.colour(point):
            return "1"
        return str(int(_OTHER_SIDE[tactics.defend(point).result]))

    @command("does_defend")
    def does_defend(self, arguments: Arguments) -> str:
        """The result of a move that is to save a string."""
        move = self._read_move(arguments)
        point, owner = self._read_string(arguments)
        arguments.finish()
        tactics = self._tactics_of(self._after(owner, move))
        return str(int(_OTHER_SIDE[tactics.attack(point).result]))

    @command("accuratelib")
    def accurate_liberties(self, arguments: Arguments) -> str:
        """The liberties that a stone of a colour would have on an empty point."""
        player = arguments.colour()
        point = self._read_move(arguments)
        arguments.finish()
        tactics = self._tactics_of(self._after(player, point))
        return " ".join(map(self._vertex, tactics.liberty_points(self._point(point))))
