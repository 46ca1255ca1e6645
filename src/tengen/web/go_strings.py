"""The strings of a Go position for the board: their status, the lines that capture and save them, and influence.

`read_strings` loads compiled code, so it runs in a helper process.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tengen.app.go_groups import GroupFacts, GroupMove, describe_group, read_group_facts
from tengen.core.diagram import Point
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.runtime.messages import Request
from tengen.search.report import Overlay
from tengen.web.board_data import line_preview

if TYPE_CHECKING:  # compiled, so loaded by the process that reads
    from tengen.core.position import Position
    from tengen.engines.go.reading.status import StatusTracker, StringStatus
    from tengen.games.go import Go

# By status: the style, the sign on the stones, and a description.
_KINDS = {
    "unconditionally alive": (mark("safe"), "✓✓", mark("unconditionally alive")),
    "alive": (mark("alive"), "✓", mark("alive")),
    "seki": ("alive", "=", mark("alive in seki: do not play there")),
    "escaped": (mark("escaped"), "→", mark("not captured within the search")),
    "urgent": (mark("urgent"), "!", mark("urgent: depends on who moves first")),
    "dead": (mark("dead"), "†", mark("dead")),
    "unconditionally dead": ("dead", "††", mark("unconditionally dead")),
    "unresolved": (mark("unknown"), "?", mark("unknown")),
    "not read": ("unknown", "?", mark("not read: it has enough liberties")),
}
# By life of a group: the style and the sign.
_LIVES = {
    "critical": ("urgent", "!"),
    "ko": ("urgent", "!"),
    "dead": ("dead", "†"),
    "seki": ("alive", "="),
    "alive": ("alive", "✓"),
}
_ORDER = ("urgent", "dead", "unknown", "escaped", "alive", "safe")
LEGEND = mark(
    "! urgent, † dead, → escapes, ✓ alive, = seki, ? unknown; †† and ✓✓ are unconditional, the others as far as "
    "was read"
)
MAX_LINE_MOVES = 30  # longer lines are not shown


@dataclass(frozen=True)
class StringLine:
    """A line that captures or saves a string. `ahead` is the board after it; with `ko` it depends on a ko."""

    player: int
    moves: tuple[str, ...]
    ahead: dict[str, Any]
    ko: bool


@dataclass(frozen=True)
class StringInfo:
    name: str  # `3 White stones at D5`
    points: tuple[Point, ...]
    kind: str
    sign: str
    words: str
    proved: bool
    capture: StringLine | None
    save: StringLine | None

    def line_for(self, player: int) -> StringLine | None:
        """The line that this player starts, else the other side's."""
        lines = [line for line in (self.capture, self.save) if line is not None]
        return next((line for line in lines if line.player == player), lines[0] if lines else None)


@dataclass(frozen=True)
class GroupLine:
    """A group, and a move that kills or saves it, if there is one, with the board after it."""

    group: GroupFacts
    move: GroupMove | None = None
    ahead: dict[str, Any] | None = None

    @property
    def kind(self) -> str:
        return _LIVES[self.group.life][0]

    @property
    def sign(self) -> str:
        return _LIVES[self.group.life][1]

    def describe(self, players: tuple[str, ...]) -> str:
        return describe_group(self.group, self.move, players)


@dataclass(frozen=True)
class BoardReading:
    """The strings of a position, urgent ones first. `score` describes an estimate by influence."""

    strings: tuple[StringInfo, ...]
    influence: tuple[Overlay, ...]
    score: str

    def overlay(self, player: int, players: tuple[str, ...]) -> dict[str, Any]:
        """The strings as overlay data, each with the line of the player to move."""
        drawn = []
        for string in self.strings:
            line = string.line_for(player)
            shown = {} if line is None else line.ahead
            text = f"{translate(string.name)}: {translate(string.words)}"
            if line is not None:
                text += f". {describe_line(string, line, players)}: {' '.join(line.moves[:10])}"
            drawn.append(
                {"points": string.points, "kind": string.kind, "sign": string.sign, "text": text, **shown}
            )
        return {"strings": drawn, "legend": _(LEGEND)}


def describe_line(string: StringInfo, line: StringLine, players: tuple[str, ...]) -> str:
    """For example `Black captures it`, `White saves it, by ko`."""
    if line is string.capture:
        text = _("{player} captures it, by ko") if line.ko else _("{player} captures it")
    else:
        text = _("{player} saves it, by ko") if line.ko else _("{player} saves it")
    return text.format(player=_(players[line.player]))


def read_strings(request: Request) -> BoardReading:
    """Read all strings of a Go position. Runs in a helper process."""
    from tengen.engines.go.influence import estimate, overlays
    from tengen.engines.go.reading.status import dead_stones

    position = request.position()
    game = position.game
    statuses = _board(game).update(position)
    dead = dead_stones(statuses)
    estimated = estimate(position, dead)
    found = sorted((_string(position, status) for status in statuses), key=lambda one: _ORDER.index(one.kind))
    score = mark("Estimated score: {score}; from {low:+g} to {high:+g} for {player}").format(
        score=estimated, low=estimated.low, high=estimated.high, player=game.players[0]
    )
    return BoardReading(tuple(found), overlays(position, dead), score)


def read_group_lines(request: Request) -> list[GroupLine]:
    """Read the life of all groups of a Go position, critical ones first. Runs in a helper process, for seconds."""
    from tengen.engines.go.positions import with_side_to_move

    position = request.position()
    lines: list[GroupLine] = []
    for group in read_group_facts(request):
        lines += [
            GroupLine(group, one, line_preview(with_side_to_move(position, one.player), (one.move,)))
            for one in group.moves
        ] or [GroupLine(group)]
    return lines


@lru_cache(maxsize=4)
def _board(game: Go) -> StatusTracker:
    """Cached, so that results are reused from move to move."""
    from tengen.engines.go.reading.status import StatusTracker

    return StatusTracker(game)


def _string(position: Position, status: StringStatus) -> StringInfo:
    kind, sign, words = _KINDS[status.status.value]
    if status.is_estimate:
        words = mark("{status}, not proved").format(status=words)
    game = position.game
    count = len(status.stones)
    first = game.write_move(game.point(min(status.stones)))  # type: ignore[attr-defined]
    one, several = mark("{player} stone at {point}"), mark("{count} {player} stones at {point}")
    name = (several if count > 1 else one).format(count=count, player=game.players[status.player], point=first)
    capture = _line(position, status.attack_line, 1 - status.player, status.attack)
    save = _line(position, status.defence_line, status.player, status.defence)
    return StringInfo(name, tuple(sorted(status.stones)), kind, sign, words, status.proved, capture, save)


def _line(position: Position, points: tuple[Point, ...], player: int, result: int) -> StringLine | None:
    from tengen.engines.go.positions import play_variation, with_side_to_move

    if not points or result == 0:
        return None
    _position_after, played = play_variation(position, points[:MAX_LINE_MOVES], player)
    if not played:
        return None
    moves = tuple(position.game.write_move(move) for move in played)
    return StringLine(player, moves, line_preview(with_side_to_move(position, player), moves), result > 1)
