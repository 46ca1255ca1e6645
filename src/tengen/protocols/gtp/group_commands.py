"""Life-and-death queries about groups, with the names and response formats of GNU Go (see `reading`)."""

from __future__ import annotations

from tengen.core.position import Position
from tengen.engines.go.groups.group_life import GroupLife
from tengen.engines.go.groups.semeai import read_semeai
from tengen.engines.go.reading.tactics import Result
from tengen.protocols.gtp.reading import OTHER_SIDE
from tengen.protocols.gtp.session import Session
from tengen.protocols.gtp.string_commands import StringCommands
from tengen.protocols.gtp.syntax import Arguments, GtpError, command


class GroupCommands(StringCommands):
    """Queries to the group reader."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._groups: GroupLife | None = None

    def _group_life(self, position: Position) -> GroupLife:
        """The reader of a position; it keeps its results while the position stays the same."""
        if self._groups is None or self._groups.position is not position:
            self._groups = GroupLife(position, self._life_reader(position))
        return self._groups

    @command("owl_attack")
    def owl_attack(self, arguments: Arguments) -> str:
        """Whether the opponent, moving first, can kill the group of a string."""
        point, _ = self._read_string(arguments, last=True)
        return self._answer(self._group_life(self.session.position).attack(point))

    @command("owl_defend")
    def owl_defend(self, arguments: Arguments) -> str:
        """Whether the owner, moving first, can save the group of a string; `1 PASS` if it is clearly safe."""
        point, _ = self._read_string(arguments, last=True)
        groups = self._group_life(self.session.position)
        if groups.is_safe(point):
            return "1 PASS"
        defence = groups.defend(point)
        if defence.result is Result.FAILS and groups.attack(point).result is Result.FAILS:
            return "1 PASS"
        return self._answer(defence)

    @command("owl_does_attack")
    def owl_does_attack(self, arguments: Arguments) -> str:
        """The result of a move that attacks the group of a string."""
        move = self._read_move(arguments)
        point, owner = self._read_string(arguments, last=True)
        groups = self._group_life(self._after(1 - owner, move))
        if not groups.is_stone(point):
            return "1"
        return str(int(OTHER_SIDE[groups.defend(point).result]))

    @command("owl_does_defend")
    def owl_does_defend(self, arguments: Arguments) -> str:
        """The result of a move that defends the group of a string."""
        move = self._read_move(arguments)
        point, owner = self._read_string(arguments, last=True)
        return str(int(OTHER_SIDE[self._group_life(self._after(owner, move)).attack(point).result]))

    @command("dragon_status")
    def dragon_status(self, arguments: Arguments) -> str:
        """alive, dead, or critical with the killing and saving moves; without a vertex, for every group."""
        groups = self._group_life(self.session.position)
        if arguments.left:
            point, _ = self._read_string(arguments)
            arguments.finish()
            return self._status(groups, point)
        seen: set[int] = set()
        lines = []
        for stone in map(self._point, self.session.stones()):
            if stone not in seen:
                seen |= groups.life.regions.group(stone)
                lines.append(f"{self._vertex(stone)}: {self._status(groups, stone)}")
        return "\n".join(lines)

    def _status(self, groups: GroupLife, point: int) -> str:
        attack = groups.attack(point)
        if attack.result is Result.FAILS:
            return "alive"
        defence = groups.defend(point)
        if defence.result is Result.FAILS:
            return "dead"
        return f"critical {self._vertex(attack.move)} {self._vertex(defence.move)}"

    @command("analyze_semeai")
    def analyze_semeai(self, arguments: Arguments) -> str:
        """The capturing race of two groups if the owner of the first moves first.

        The first number tells whether the first group lives, the second whether the second group is captured.
        """
        one, owner = self._read_string(arguments)
        other, other_owner = self._read_string(arguments, last=True)
        if owner == other_owner:
            raise GtpError("vertices must have different colors")
        race = read_semeai(self._group_life(self.session.position), one, other)
        return f"{int(race.defence)} {int(race.attack)} {self._vertex(race.move)}"
