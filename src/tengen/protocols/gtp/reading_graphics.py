"""Results of reading and influence as GoGui graphics and boards of numbers or text.

`MENU` has their lines for GoGui's analyze menu; `%p` is the point that the user clicks on.
"""

from __future__ import annotations

from collections.abc import Iterable

from tengen.core.diagram import Point
from tengen.engines.go.influence import overlays
from tengen.engines.go.reading.eyes import eyes
from tengen.engines.go.reading.life import LifeReader
from tengen.engines.go.reading.status import Status, StatusTracker, StringStatus, dead_stones
from tengen.engines.go.reading.tactics import ReadResult, Result, TacticalReader
from tengen.protocols.gtp.gfx import format_dboard
from tengen.protocols.gtp.session import Session
from tengen.protocols.gtp.string_commands import StringCommands
from tengen.protocols.gtp.syntax import Arguments, command

MENU = (
    "gfx/Status of strings/tengen-status",
    "sboard/Signs of status/tengen-status_signs",
    "sboard/Groups/tengen-groups",
    "gfx/Unconditional life/tengen-unconditional",
    "gfx/Catch a string/tengen-catch %p",
    "gfx/Save a string/tengen-save %p",
    "gfx/Kill a group/tengen-kill %p",
    "gfx/Let a group live/tengen-live %p",
    "dboard/Territory/tengen-territory",
    "dboard/Moyo/tengen-moyo",
    "dboard/Area/tengen-area",
    "string/Score by influence/estimate_score",
    "string/Attack/attack %p",
    "string/Defend/defend %p",
    "string/Ladder/ladder_attack %p",
    "string/Attack a group/owl_attack %p",
    "string/Defend a group/owl_defend %p",
    "string/Life and death/dragon_status %p",
    "string/Unconditional status/unconditional_status %p",
)

_COLOURS = {
    Status.UNCONDITIONALLY_ALIVE: "#006400",
    Status.ALIVE: "#32cd32",
    Status.SEKI: "#87ceeb",
    Status.ESCAPED: "#98fb98",
    Status.URGENT: "#ffa500",
    Status.DEAD: "#ff4500",
    Status.UNCONDITIONALLY_DEAD: "#8b0000",
}
# Short, in characters available in every font.
_SIGNS = {
    Status.UNCONDITIONALLY_ALIVE: "A!",
    Status.ALIVE: "A",
    Status.SEKI: "=",
    Status.ESCAPED: ">",
    Status.URGENT: "!",
    Status.DEAD: "D",
    Status.UNCONDITIONALLY_DEAD: "D!",
}
_RESULTS = {
    Result.WORKS: "works",
    Result.GOOD_KO: "works by a ko for which the other side needs the first threat",
    Result.BAD_KO: "works by a ko for which this side needs the first threat",
}


class ReadingGraphics(StringCommands):
    """Commands that draw results of reading."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._status_board: StatusTracker | None = None

    def _string_statuses(self) -> list[StringStatus]:
        if self._status_board is None or self._status_board.geometry is not self._geometry:
            self._status_board = StatusTracker(self._game)
        return self._status_board.update(self.session.position)

    def _list(self, points: Iterable[Point]) -> str:
        return " ".join(map(self._write, sorted(points)))

    @command("tengen-status")
    def status(self) -> str:
        """Strings coloured by status, with numbered moves that urgent strings depend on.

        Circles mark eyes, crosses false eyes.
        """
        lines: list[str] = []
        urgent: list[str] = []
        for string in self._string_statuses():
            if string.status in _COLOURS:
                lines.append(f"COLOR {_COLOURS[string.status]} {self._list(string.stones)}")
            if string.status is Status.URGENT:
                urgent += [self._write(line[0]) for line in (string.attack_line, string.defence_line) if line]
        labels = [f"{vertex} {rank}" for rank, vertex in enumerate(dict.fromkeys(urgent), 1)]
        if labels:
            lines.append("LABEL " + " ".join(labels))
        for sign, false in (("CIRCLE", False), ("MARK", True)):
            marked = [point for eye in eyes(self.session.position) if eye.false is false for point in eye.points]
            if marked:
                lines.append(f"{sign} {self._list(marked)}")
        return "\n".join(lines)

    @command("tengen-status_signs")
    def status_signs(self) -> str:
        """A sign for the status of each stone's string, `?` if unknown; empty elsewhere."""
        return self._string_board(
            {
                point: _SIGNS.get(string.status, "?")
                for string in self._string_statuses()
                for point in string.stones
            }
        )

    @command("tengen-groups")
    def groups(self) -> str:
        """The number of each stone's group: strings that the opponent cannot cut apart as far as was read."""
        groups = sorted({string.group for string in self._string_statuses()}, key=min)
        return self._string_board(
            {point: str(number) for number, group in enumerate(groups, 1) for point in group}
        )

    def _string_board(self, texts: dict[Point, str]) -> str:
        """A text for each point, row by row; empty where there is none."""
        width, height = self.session.notation.width, self.session.notation.height
        return "\n".join(
            " ".join(texts.get((column, row), '""') for column in range(width)) for row in range(height)
        )

    @command("tengen-unconditional")
    def unconditional(self) -> str:
        """Points that belong to a side even if it always passes: living stones and what they enclose."""
        owners = self._life_reader(self.session.position).safe_points()
        found = []
        for name, owner in (("BLACK", 1), ("WHITE", 2)):
            points = [self._vertex(point) for point, whose in sorted(owners.items()) if whose == owner]
            if points:
                found.append(f"{name} {' '.join(points)}")
        return "\n".join(found)

    # ---- variations

    @command("tengen-catch")
    def catch(self, arguments: Arguments) -> str:
        """The line by which the opponent, moving first, captures a string."""
        return self._attack(arguments, self._tactical_reader(self.session.position))

    @command("tengen-save")
    def save(self, arguments: Arguments) -> str:
        """The line by which the owner, moving first, saves a string."""
        return self._defence(arguments, self._tactical_reader(self.session.position))

    @command("tengen-kill")
    def kill(self, arguments: Arguments) -> str:
        """The line by which the opponent, moving first, kills the group of a string."""
        return self._attack(arguments, self._life_reader(self.session.position))

    @command("tengen-live")
    def live(self, arguments: Arguments) -> str:
        """The line by which the owner, moving first, makes the group of a string live."""
        return self._defence(arguments, self._life_reader(self.session.position))

    def _attack(self, arguments: Arguments, reader: TacticalReader | LifeReader) -> str:
        point, owner = self._read_string(arguments, last=True)
        return self._line(reader.attack(point), 1 - owner)

    def _defence(self, arguments: Arguments, reader: TacticalReader | LifeReader) -> str:
        """The defence of a string, if it can be attacked at all. Readers expect a string that needs one."""
        point, owner = self._read_string(arguments, last=True)
        if reader.attack(point).result is Result.FAILS:
            return "TEXT Safe: no attack was found"
        return self._line(reader.defend(point), owner)

    def _line(self, answer: ReadResult, player: int) -> str:
        """The variation up to the first pass, which cannot be drawn, and its result."""
        side = ("Black", "White")[player]
        if answer.result is Result.FAILS:
            return f"TEXT {side} first: no success was found"
        moves = []
        for ply, point in enumerate(answer.line or (answer.move,)):
            if point == 0:
                break
            moves.append(f"{'bw'[(player + ply) % 2]} {self._vertex(point)}")
        variation = [f"VAR {' '.join(moves)}"] if moves else []
        return "\n".join([*variation, f"TEXT {side} first: {_RESULTS[answer.result]}"])

    # ---- influence

    @command("tengen-territory")
    def territory(self) -> str:
        return self._influence("territory")

    @command("tengen-moyo")
    def moyo(self) -> str:
        return self._influence("moyo")

    @command("tengen-area")
    def area(self) -> str:
        return self._influence("area")

    def _influence(self, name: str) -> str:
        """Values from 1 (Black) to -1 (White), with dead stones removed."""
        drawn = overlays(self.session.position, dead_stones(self._string_statuses()))
        points = next(overlay.points for overlay in drawn if overlay.name == name)
        return format_dboard(self.session, {(column, row): float(what) for column, row, what in points})
