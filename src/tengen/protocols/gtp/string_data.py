"""Facts about strings, called worms in GNU Go, with its names and response formats."""

from __future__ import annotations

from tengen.engines.go.reading.point_sets import list_points
from tengen.engines.go.reading.tactics import Result
from tengen.protocols.gtp.string_commands import StringCommands
from tengen.protocols.gtp.syntax import COLOURS, Arguments, command


class StringData(StringCommands):
    """Stones, liberties and results of tactical reading."""

    @command("color")
    def color(self, arguments: Arguments) -> str:
        """black, white or empty."""
        stone = self.session.stones().get(self._read(arguments, last=True))
        return "empty" if stone is None else ("black", "white")[int(stone) - 1]

    @command("worm_stones")
    def worm_stones(self, arguments: Arguments) -> str:
        """The stones of a string, or of each string of a colour or of both, one string per line."""
        board = self._tactical_reader(self.session.position).snapshot
        return "\n".join(
            " ".join(map(self._vertex, list_points(board.string(head)))) for head in self._heads(arguments)
        )

    @command("worm_cutstone")
    def worm_cutstone(self, arguments: Arguments) -> str:
        """2 for a string that separates two enemy strings without a common liberty, 1 if they have one, else 0."""
        return str(self._cutstone(self._read_string(arguments, last=True)[0]))

    @command("worm_data")
    def worm_data(self, arguments: Arguments) -> str:
        """Size, liberties and results of reading of a string, or of all: those of GNU Go's fields that exist."""
        return "\n".join(map(self._data, self._heads(arguments)))

    def _data(self, head: int) -> str:
        tactics = self._tactical_reader(self.session.position)
        attack, defence = tactics.attack(head), None
        if attack.result is not Result.FAILS:
            defence = tactics.defend(head)
        fields = {
            "origin": self._vertex(head),
            "color": ("black", "white")[tactics.colour(head) - 1],
            "size": tactics.snapshot.string(head).bit_count(),
            "liberties": tactics.liberties(head),
            "attack_code": int(attack.result),
            "attack_point": self._vertex(attack.move),
            "defense_code": int(defence.result) if defence else 0,
            "defense_point": self._vertex(defence.move if defence else 0),
            "cutstone": self._cutstone(head),
        }
        return "\n".join([f"{self._vertex(head)}:", *(f"{name:<21}{value}" for name, value in fields.items())])

    def _cutstone(self, stone: int) -> int:
        board = self._tactical_reader(self.session.position).snapshot
        enemies = board.adjacent(board.string(stone)) & board.by_colour[3 - board.colours[stone]]
        heads = list(board.strings(enemies))
        pairs = [(one, other) for one in heads for other in heads if one < other]
        if any(not board.liberties(one) & board.liberties(other) for one, other in pairs):
            return 2
        return 1 if pairs else 0

    def _heads(self, arguments: Arguments) -> list[int]:
        """One stone of the string of a vertex, of each string of a colour, or of every string."""
        board = self._tactical_reader(self.session.position).snapshot
        if arguments.left and arguments.peek().lower() not in COLOURS:
            return [self._read_string(arguments, last=True)[0]]
        colours = [arguments.colour(last=True) + 1] if arguments.left else [1, 2]
        return [head for colour in colours for head in board.strings(board.by_colour[colour])]
