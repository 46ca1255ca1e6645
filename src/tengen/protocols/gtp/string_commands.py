"""Base class of commands about strings: reads points and provides readers loaded with the position."""

from __future__ import annotations

from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.engines.go.board import Geometry, geometry_for
from tengen.engines.go.reading.connections import ConnectionReader
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.tactics import ReadResult, Result, TacticalReader
from tengen.protocols.gtp.session import GoGroup, Session
from tengen.protocols.gtp.syntax import Arguments, GtpError


class StringCommands(GoGroup):
    """Base class of command groups about strings."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._tactics: TacticalReader | None = None
        self._life: LifeReader | None = None
        self._connections: ConnectionReader | None = None

    # ---- points

    @property
    def _geometry(self) -> Geometry:
        return geometry_for(self._game)

    def _point(self, point: Point) -> int:
        return self._geometry.point(point)

    def _vertex(self, point: int) -> str:
        return "PASS" if point == 0 else self.session.notation.write_point(self._coordinates(point))

    def _coordinates(self, point: int) -> Point:
        return self._geometry.coordinates(point)

    def _read_string(self, arguments: Arguments, *, last: bool = False) -> tuple[int, int]:
        """Read an occupied point; returns it with its owner."""
        point = self._read(arguments, last=last)
        stones = self.session.stones()
        if point not in stones:
            raise GtpError("vertex must not be empty")
        return self._point(point), int(stones[point]) - 1

    def _answer(self, answer: ReadResult) -> str:
        return "0" if answer.result is Result.FAILS else f"{int(answer.result)} {self._vertex(answer.move)}"

    def _read_move(self, arguments: Arguments, *, last: bool = False) -> Point:
        point = self._read(arguments, last=last)
        if point in self.session.stones():
            raise GtpError("vertex must be empty")
        return point

    # ---- readers

    def _tactical_reader(self, position: Position) -> TacticalReader:
        if self._tactics is None or self._tactics.geometry is not self._geometry:
            self._tactics = TacticalReader(self._geometry)
        self._tactics.load(position)
        return self._tactics

    def _connection_reader(self, position: Position) -> ConnectionReader:
        tactics = self._tactical_reader(position)
        if self._connections is None or self._connections.tactics is not tactics:
            self._connections = ConnectionReader(tactics)
        return self._connections

    def _life_reader(self, position: Position) -> LifeReader:
        tactics = self._tactical_reader(position)
        if self._life is None or self._life.tactics is not tactics:
            self._life = LifeReader(tactics)
        return self._life

    def _after(self, player: int, point: Point) -> Position:
        """The position after a move of either player."""
        position = self.session.with_turn(player)
        move = self._game.point(point)
        if move not in position.legal_moves:
            raise GtpError("illegal move")
        return position.play(move)
