"""Tactical queries, with the names and response formats of GNU Go.

A response is a result and the move that achieves it: 0 fails, 1 succeeds, 2 succeeds with a ko for which the
opponent must find the first threat, 3 with a ko for which this side must.
"""

from __future__ import annotations

from tengen.engines.go.positions import list_strings
from tengen.engines.go.reading.combination import attack_either, combination, combination_defences, defend_both
from tengen.engines.go.reading.connected_groups import find_group
from tengen.engines.go.reading.connections import ConnectionReader
from tengen.engines.go.reading.eye_values import eye_value
from tengen.engines.go.reading.kernels.connection import MAX_DISTANCE
from tengen.engines.go.reading.tactics import Result
from tengen.protocols.gtp.string_commands import StringCommands
from tengen.protocols.gtp.syntax import Arguments, GtpError, command

SAME_GROUP_NODES = 200_000  # a connection that takes more to read is no reason to treat two strings as one group


class ReadingCommands(StringCommands):
    """Queries to the tactical and life-and-death readers."""

    @command("attack")
    def attack(self, arguments: Arguments) -> str:
        """Whether the opponent, moving first, can capture a string."""
        point, _ = self._read_string(arguments, last=True)
        return self._answer(self._tactical_reader(self.session.position).attack(point))

    @command("defend")
    def defend(self, arguments: Arguments) -> str:
        """Whether the owner, moving first, can save a string."""
        point, _ = self._read_string(arguments, last=True)
        return self._answer(self._tactical_reader(self.session.position).defend(point))

    @command("ladder_attack")
    def ladder_attack(self, arguments: Arguments) -> str:
        """Whether a string with two liberties can be captured in a ladder."""
        point, _ = self._read_string(arguments, last=True)
        tactics = self._tactical_reader(self.session.position)
        if tactics.liberties(point) != 2:
            raise GtpError("string must have exactly 2 liberties")
        return self._answer(tactics.attack(point, max_budget=0))

    @command("does_attack")
    def does_attack(self, arguments: Arguments) -> str:
        """The result of a move that attacks a string."""
        move = self._read_move(arguments)
        point, owner = self._read_string(arguments, last=True)
        position = self._after(1 - owner, move)
        tactics = self._tactical_reader(position)
        if not tactics.colour(point):
            return "1"
        return str(int(tactics.defend(point).result.for_other_side))

    @command("does_defend")
    def does_defend(self, arguments: Arguments) -> str:
        """The result of a move that defends a string."""
        move = self._read_move(arguments)
        point, owner = self._read_string(arguments, last=True)
        tactics = self._tactical_reader(self._after(owner, move))
        return str(int(tactics.attack(point).result.for_other_side))

    @command("accuratelib", "accurate_approxlib")
    def accurate_liberties(self, arguments: Arguments) -> str:
        """The liberties of a stone of this colour placed on an empty point."""
        player = arguments.colour()
        point = self._read_move(arguments, last=True)
        tactics = self._tactical_reader(self._after(player, point))
        return " ".join(map(self._vertex, tactics.liberty_points(self._point(point))))

    @command("combination_attack")
    def combination_attack(self, arguments: Arguments) -> str:
        """The move that captures something by a double threat when no string can be captured directly."""
        player = arguments.colour(last=True)
        position = self.session.position
        heads = [self._point(stones[0]) for _, stones in list_strings(position)]
        return self._vertex(combination(self._tactical_reader(position), player + 1, heads))

    @command("combination_defend")
    def combination_defend(self, arguments: Arguments) -> str:
        """The moves that the opponent of a colour can play against its double threat."""
        player = arguments.colour(last=True)
        position = self.session.position
        heads = [self._point(stones[0]) for _, stones in list_strings(position)]
        found = combination_defences(self._tactical_reader(position), player + 1, heads)
        return " ".join(map(self._vertex, found))

    @command("attack_either")
    def attack_either(self, arguments: Arguments) -> str:
        """Whether the opponent, moving first, captures one of two strings of one colour; 2 or 3 by a ko."""
        one, other = self._read_pair(arguments)
        return str(int(attack_either(self._tactical_reader(self.session.position), one, other)))

    @command("defend_both")
    def defend_both(self, arguments: Arguments) -> str:
        """Whether the owner, moving first, saves two strings; 2 or 3 by a ko."""
        one, other = self._read_pair(arguments)
        return str(int(defend_both(self._tactical_reader(self.session.position), one, other)))

    # ---- connections

    @command("connect")
    def connect(self, arguments: Arguments) -> str:
        """Whether the owner, moving first, can connect two strings of one colour."""
        one, other = self._read_pair(arguments)
        return self._answer(self._connection_reader(self.session.position).connect(one, other))

    @command("disconnect")
    def disconnect(self, arguments: Arguments) -> str:
        """Whether the opponent, moving first, can disconnect two strings of one colour."""
        one, other = self._read_pair(arguments)
        return self._answer(self._connection_reader(self.session.position).disconnect(one, other))

    def _read_pair(self, arguments: Arguments) -> tuple[int, int]:
        one, owner = self._read_string(arguments)
        other, other_owner = self._read_string(arguments, last=True)
        if owner != other_owner:
            raise GtpError("vertices must have same color")
        return one, other

    # ---- groups

    @command("same_dragon")
    def same_dragon(self, arguments: Arguments) -> str:
        """Whether two strings belong to one group: 1 if the opponent cannot separate them, otherwise 0.

        Distant strings belong to one group if a chain of such connections leads from one to the other.
        """
        first, owner = self._read_string(arguments)
        second, other_owner = self._read_string(arguments, last=True)
        if owner != other_owner:
            return "0"
        connections = ConnectionReader(self._tactical_reader(self.session.position), SAME_GROUP_NODES)
        cut = connections.disconnect(first, second)
        if cut.conclusive and connections.distance(first, second) <= MAX_DISTANCE:
            return str(int(cut.result is Result.FAILS))
        return str(int(second in find_group(connections.tactics, first)))

    @command("eval_eye")
    def eval_eye(self, arguments: Arguments) -> str:
        """The fewest and the most eyes of an eye space; if they differ, also the moves."""
        point = self._point(self._read(arguments, last=True))
        value = eye_value(self._tactical_reader(self.session.position), point)
        if value is None:
            return "-1"
        moves = f" {self._vertex(value.attack)} {self._vertex(value.defence)}" if value.fewest < value.most else ""
        return f"{value.fewest} {value.most}{moves}"

    @command("unconditional_status")
    def unconditional_status(self, arguments: Arguments) -> str:
        """alive, dead, undecided, or the owner of an empty point, even if that side always passes."""
        point = self._read(arguments, last=True)
        owner = self._life_reader(self.session.position).safe_points().get(self._point(point), 0) - 1
        if owner < 0:
            return "undecided"
        stone = self.session.stones().get(point)
        if stone is None:
            return ("black_territory", "white_territory")[owner]
        return "alive" if int(stone) - 1 == owner else "dead"
