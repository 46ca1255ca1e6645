"""The strings of a Go position for the board: their status, the lines that capture and save them, and influence.

`read_strings` loads compiled code, so it runs in a helper process.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tengen import games
from tengen.core.diagram import Point
from tengen.runtime.messages import Request
from tengen.search.report import Overlay
from tengen.web.board_data import ahead

if TYPE_CHECKING:  # compiled, so loaded by the process that reads
    from tengen.core.position import Position
    from tengen.engines.go.reading.status import StatusTracker, StringStatus
    from tengen.games.go import Go

# By the name of a status: how it is drawn, the sign on its stones, and in words.
_KINDS = {
    "unconditionally alive": ("safe", "✓✓", "alive whatever happens"),
    "alive": ("alive", "✓", "alive"),
    "seki": ("alive", "=", "alive in a seki: do not touch"),
    "escaped": ("escaped", "→", "not caught by what was read"),
    "urgent": ("urgent", "!", "urgent, it depends on who moves first"),
    "dead": ("dead", "†", "dead"),
    "unconditionally dead": ("dead", "††", "dead whatever happens"),
    "unknown": ("unknown", "?", "not known"),
    "undecided": ("unknown", "?", "not read: it has liberties enough"),
}
_ORDER = ("urgent", "dead", "unknown", "escaped", "alive", "safe")
LEGEND = (
    "! urgent, † dead, → not caught, ✓ alive, = seki, ? not known; †† and ✓✓ hold whatever happens, the rest is "
    "as far as was read"
)
MOST_MOVES = 30  # of a line: no ladder is longer on paper


@dataclass(frozen=True)
class Line:
    """What a side that begins can do to a string: `ahead` is the board after it. `ko`: it depends on a ko."""

    player: int
    moves: tuple[str, ...]
    ahead: dict[str, Any]
    ko: bool


@dataclass(frozen=True)
class ReadString:
    name: str  # `3 White stones at D5`
    points: tuple[Point, ...]
    kind: str
    sign: str
    words: str
    proved: bool
    catch: Line | None
    save: Line | None

    def line_for(self, player: int) -> Line | None:
        """The line that this player begins, else the other side's."""
        lines = [line for line in (self.catch, self.save) if line is not None]
        return next((line for line in lines if line.player == player), lines[0] if lines else None)


@dataclass(frozen=True)
class Reading:
    """What was read of a position: urgent strings first. `score` is a guess by influence, in words."""

    strings: tuple[ReadString, ...]
    influence: tuple[Overlay, ...]
    score: str

    def layer(self, player: int, players: tuple[str, ...]) -> dict[str, Any]:
        """The strings as the board draws them, with the line of who is to move on each."""
        drawn = []
        for string in self.strings:
            line = string.line_for(player)
            shown = {} if line is None else line.ahead
            text = f"{string.name}: {string.words}"
            if line is not None:
                text += f". {describe_line(string, line, players)}: {' '.join(line.moves[:10])}"
            drawn.append(
                {"points": string.points, "kind": string.kind, "sign": string.sign, "text": text, **shown}
            )
        return {"strings": drawn, "legend": LEGEND}


def describe_line(string: ReadString, line: Line, players: tuple[str, ...]) -> str:
    """`Black catches it`, `White saves it, by ko`."""
    return (
        f"{players[line.player]} {'catches' if line is string.catch else 'saves'} it{', by ko' if line.ko else ''}"
    )


def read_strings(request: Request) -> Reading:
    """Read all strings of a position of Go."""
    from tengen.engines.go.influence import estimate, overlays
    from tengen.engines.go.reading.status import dead_stones

    position = _position(request)
    game = position.game
    statuses = _board(game).update(position)
    dead = dead_stones(statuses)
    guess = estimate(position, dead)
    found = sorted((_string(position, status) for status in statuses), key=lambda one: _ORDER.index(one.kind))
    score = f"Score by influence, a guess: {guess}; from {guess.low:+g} to {guess.high:+g} for {game.players[0]}"
    return Reading(tuple(found), overlays(position, dead), score)


def _position(request: Request) -> Position:
    return games.game(request.game, **request.options).start().play_all(request.moves)  # type: ignore[arg-type]


@lru_cache(maxsize=4)
def _board(game: Go) -> StatusTracker:
    """What was read stays known from move to move."""
    from tengen.engines.go.reading.status import StatusTracker

    return StatusTracker(game)


def _string(position: Position, status: StringStatus) -> ReadString:
    kind, sign, words = _KINDS[status.status.value]
    if status.is_estimate:
        words += ", not proved"
    game = position.game
    count = len(status.stones)
    first = game.write_move(game.point(min(status.stones)))  # type: ignore[attr-defined]
    name = f"{count} {game.players[status.player]} stone{'s' if count > 1 else ''} at {first}"
    catch = _line(position, status.attack_line, 1 - status.player, status.attack)
    save = _line(position, status.defence_line, status.player, status.defence)
    return ReadString(name, tuple(sorted(status.stones)), kind, sign, words, status.proved, catch, save)


def _line(position: Position, points: tuple[Point, ...], player: int, result: int) -> Line | None:
    from tengen.engines.go.positions import play_variation, with_side_to_move

    if not points or result == 0:
        return None
    _, played = play_variation(position, points[:MOST_MOVES], player)
    if not played:
        return None
    moves = tuple(position.game.write_move(move) for move in played)
    return Line(player, moves, ahead(with_side_to_move(position, player), moves), result > 1)
