"""Life-and-death queries about groups, with the names and response formats of GNU Go (see `reading`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tengen.core.position import Position
from tengen.engines.go.groups.board_life import Life, read_life
from tengen.engines.go.groups.group_life import GroupLife
from tengen.engines.go.groups.semeai import Race, read_semeai, read_tactical_semeai
from tengen.engines.go.reading.point_sets import list_points
from tengen.engines.go.reading.tactics import ReadResult, Result
from tengen.protocols.gtp.session import Session
from tengen.protocols.gtp.string_commands import StringCommands
from tengen.protocols.gtp.syntax import COLOURS, Arguments, GtpError, command

MAX_THREAT_DISTANCE = 2  # of the first of two moves in a row from the group


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
        return str(int(groups.defend(point).result.for_other_side))

    @command("owl_does_defend")
    def owl_does_defend(self, arguments: Arguments) -> str:
        """The result of a move that defends the group of a string."""
        move = self._read_move(arguments)
        point, owner = self._read_string(arguments, last=True)
        return str(int(self._group_life(self._after(owner, move)).attack(point).result.for_other_side))

    @command("owl_connection_defends")
    def owl_connection_defends(self, arguments: Arguments) -> str:
        """The result of a move that saves two strings by connecting them."""
        move = self._read_move(arguments)
        one, owner = self._read_string(arguments)
        other, other_owner = self._read_string(arguments, last=True)
        if owner != other_owner:
            raise GtpError("vertices must have same color")
        after = self._after(owner, move)
        if self._connection_reader(after).disconnect(one, other).result is not Result.FAILS:
            return "0"
        return str(int(self._group_life(after).attack(one).result.for_other_side))

    @command("owl_threaten_attack")
    def owl_threaten_attack(self, arguments: Arguments) -> str:
        """Two moves in a row that kill the group of a string, or 0."""
        point, owner = self._read_string(arguments, last=True)
        return self._threat(point, 1 - owner, GroupLife.attack)

    @command("owl_threaten_defense")
    def owl_threaten_defense(self, arguments: Arguments) -> str:
        """Two moves in a row that save the group of a string, or 0."""
        point, owner = self._read_string(arguments, last=True)
        return self._threat(point, owner, GroupLife.defend)

    def _threat(self, point: int, player: int, read: Callable[[GroupLife, int], ReadResult]) -> str:
        """The first of the nearest moves of a player after which another one reaches the goal."""
        groups = self._group_life(self.session.position)
        near = list_points(groups.zone(point))
        distances = {move: self._distance(move, groups.life.regions.group(point)) for move in near}
        legal = set(self.session.with_turn(player).legal_moves)
        self._groups = None  # their reader is about to be used for other positions
        for move in sorted(near, key=lambda move: (distances[move], move)):
            at = self._coordinates(move)
            if self._game.point(at) in legal and distances[move] <= MAX_THREAT_DISTANCE:
                after = GroupLife(passed := self._after(player, at), self._life_reader(passed))
                if not after.is_stone(point):
                    return f"1 {self._vertex(move)} PASS"
                found = read(after, point)
                if found.result is Result.WORKS:
                    return f"1 {self._vertex(move)} {self._vertex(found.move)}"
        return "0"

    def _distance(self, point: int, stones: Iterable[int]) -> int:
        """The number of steps to the nearest of some stones."""
        stride = self._geometry.stride
        return min(abs(point // stride - at // stride) + abs(point % stride - at % stride) for at in stones)

    @command("dragon_stones")
    def dragon_stones(self, arguments: Arguments) -> str:
        """The stones of the group of a string, or of each group of a colour or of both, one per line."""
        groups = self._group_life(self.session.position)
        return "\n".join(" ".join(map(self._vertex, group)) for group in self._groups_of(groups, arguments))

    @command("dragon_data")
    def dragon_data(self, arguments: Arguments) -> str:
        """Size, status and results of reading of a group, or of all: those of GNU Go's fields that exist."""
        groups = self._group_life(self.session.position)
        return "\n".join(self._data(groups, group) for group in self._groups_of(groups, arguments))

    def _data(self, groups: GroupLife, group: Sequence[int]) -> str:
        point = group[0]
        attack = groups.attack(point)
        defence = (
            groups.defend(point)
            if attack.result is not Result.FAILS
            else ReadResult(Result.WORKS, conclusive=attack.conclusive)
        )
        status = self._status(groups, point).split()[0]
        certain = {True: "YES", False: "NO"}
        fields = {
            "color": ("black", "white")[groups.life.tactics.colour(point) - 1],
            "origin": self._vertex(point),
            "size": len(group),
            "owl_status": status,
            "status": status,
            "owl_attack_code": int(attack.result),
            "owl_attack_point": self._vertex(attack.move),
            "owl_attack_certain": certain[attack.conclusive],
            "owl_defense_code": int(defence.result),
            "owl_defense_point": self._vertex(defence.move),
            "owl_defense_certain": certain[defence.conclusive],
            "stones": " ".join(map(self._vertex, group)),
        }
        lines = [f"{name:<24}{value}" for name, value in fields.items()]
        return "\n".join([f"{self._vertex(point)}:", *lines])

    def _groups_of(self, groups: GroupLife, arguments: Arguments) -> list[list[int]]:
        """The stones of the group of a vertex, of the groups of a colour, or of all."""
        stones = {self._point(point): int(stone) - 1 for point, stone in self.session.stones().items()}
        if arguments.left and arguments.peek().lower() in COLOURS:
            player = arguments.colour(last=True)
            stones = {stone: owner for stone, owner in stones.items() if owner == player}
        elif arguments.left:
            return [sorted(groups.life.regions.group(self._read_string(arguments, last=True)[0]))]
        found: list[list[int]] = []
        seen: set[int] = set()
        for stone in sorted(stones):
            if stone not in seen:
                found.append(sorted(groups.life.regions.group(stone)))
                seen.update(found[-1])
        return found

    @command("dragon_status")
    def dragon_status(self, arguments: Arguments) -> str:
        """alive, dead, or critical with the killing and saving moves; without a vertex, for every group."""
        groups = self._group_life(self.session.position)
        if arguments.left:
            point, _ = self._read_string(arguments)
            arguments.finish()
            return self._status(groups, point)
        return "\n".join(
            f"{self._vertex(group[0])}: {self._status(groups, group[0])}"
            for group in self._groups_of(groups, arguments)
        )

    def _status(self, groups: GroupLife, point: int) -> str:
        life, attack, defence = read_life(groups, point)
        if defence is None or life is Life.DEAD:
            return life.value
        return f"critical {self._vertex(attack.move)} {self._vertex(defence.move)}"  # by a ko, too

    @command("analyze_semeai")
    def analyze_semeai(self, arguments: Arguments) -> str:
        """The capturing race of two groups if the owner of the first moves first.

        The first number tells whether the first group lives, the second whether the second group is captured.
        """
        return self._race(read_semeai(self._group_life(self.session.position), *self._read_rivals(arguments)))

    @command("analyze_semeai_after_move")
    def analyze_semeai_after_move(self, arguments: Arguments) -> str:
        """The same after a move of a colour."""
        player, move = arguments.colour(), self._read_move(arguments)
        rivals = self._read_rivals(arguments)
        groups = self._group_life(self._after(player, move))
        if not all(map(groups.is_stone, rivals)):
            raise GtpError("the move captures one of the strings")
        return self._race(read_semeai(groups, *rivals))

    @command("tactical_analyze_semeai")
    def tactical_analyze_semeai(self, arguments: Arguments) -> str:
        """The same by tactical reading alone."""
        tactics = self._tactical_reader(self.session.position)
        return self._race(read_tactical_semeai(tactics, *self._read_rivals(arguments)))

    def _read_rivals(self, arguments: Arguments) -> tuple[int, int]:
        one, owner = self._read_string(arguments)
        other, other_owner = self._read_string(arguments, last=True)
        if owner == other_owner:
            raise GtpError("vertices must have different colors")
        return one, other

    def _race(self, race: Race) -> str:
        return f"{int(race.defence)} {int(race.attack)} {self._vertex(race.move)}"
