"""Life and death of groups in words, for all front ends: the life of each group, and what a move does to groups.

`read_group_facts` and `read_group_reasons` load compiled code: run them in a helper process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tengen.app.move_reasons import Reason
from tengen.core.diagram import Point
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, ngettext, translate
from tengen.games.go import Go
from tengen.runtime.messages import Request

if TYPE_CHECKING:  # compiled, so loaded by the process that reads
    from tengen.engines.go.groups.board_life import GroupStatus
    from tengen.engines.go.groups.group_changes import GroupChange

LIVES = {
    "critical": mark("urgent: depends on who moves first"),
    "ko": mark("depends on a ko"),
    "dead": mark("dead"),
    "seki": mark("alive in seki: do not play there"),
    "alive": mark("alive"),
}
"""Descriptions by life, see `board_life.Life`."""


def has_groups(game: Game) -> bool:
    """Whether a game has groups that live or die."""
    return isinstance(game, Go)


@dataclass(frozen=True)
class GroupMove:
    """The move with which `player` kills or saves a group, perhaps only by a ko."""

    player: int
    move: str
    kills: bool
    by_ko: bool


@dataclass(frozen=True)
class GroupFacts:
    """A group, its life (a key of `LIVES`), and the moves that decide it, where there are any."""

    player: int
    points: tuple[Point, ...]
    name: str  # `Group of 7 White stones at C4`
    life: str
    proved: bool
    moves: tuple[GroupMove, ...]

    @property
    def words(self) -> str:
        """The life in words, to be translated."""
        words = LIVES[self.life]
        return words if self.proved else mark("{status}, not proved").format(status=words)


def describe_move(move: GroupMove, players: Sequence[str]) -> str:
    """For example `Black kills it`, `White saves it, by ko`."""
    if move.kills:
        text = _("{player} kills it, by ko") if move.by_ko else _("{player} kills it")
    else:
        text = _("{player} saves it, by ko") if move.by_ko else _("{player} saves it")
    return text.format(player=_(players[move.player]))


def describe_group(group: GroupFacts, move: GroupMove | None, players: Sequence[str]) -> str:
    """For example `Group of 7 White stones at C4: Black kills it`; without `move`, its life."""
    text = translate(group.words) if move is None else describe_move(move, players)
    return f"{translate(group.name)}: {text}"


def write_groups(groups: Sequence[GroupFacts], players: Sequence[str]) -> list[str]:
    """A line for each group, such as `Group of 7 White stones at C4: dead; Black kills it: D2`."""
    return [
        "; ".join(
            [
                describe_group(group, None, players),
                *(f"{describe_move(move, players)}: {move.move}" for move in group.moves),
            ]
        )
        for group in groups
    ]


def read_group_facts(request: Request) -> tuple[GroupFacts, ...]:
    """The life of all groups of a Go position, critical ones first. Takes seconds on a large board."""
    from tengen.engines.go.groups.board_life import read_groups
    from tengen.engines.go.reading.status import StatusTracker

    position = request.position()
    game = cast(Go, position.game)
    tracker = StatusTracker(game)
    return tuple(group_facts(game, one) for one in read_groups(position, tracker, tracker.update(position)))


def group_facts(game: Go, group: GroupStatus) -> GroupFacts:
    moves = []
    for point, kills, by_ko in ((group.kill, True, group.kill_by_ko), (group.save, False, group.save_by_ko)):
        if point is not None:
            player = 1 - group.player if kills else group.player
            moves.append(GroupMove(player, game.write_move(game.point(point)), kills, by_ko))
    name = _group_name(game, group.player, group.stones)
    return GroupFacts(
        group.player, tuple(sorted(group.stones)), name, group.life.value, group.proved, tuple(moves)
    )


def _group_name(game: Go, player: int, stones: frozenset[Point]) -> str:
    return mark("Group of {count} {player} stones at {point}").format(
        count=len(stones), player=game.players[player], point=game.write_move(game.point(min(stones)))
    )


# ---- reasons for moves


@dataclass(frozen=True)
class GroupReason:
    """What a move does to the life of a group; `reply` is the opponent's move that uses it, if any."""

    change: str  # a key of `_CHANGES`
    count: int
    point: str
    opponent: str
    reply: str
    by_ko: bool
    proved: bool

    def write(self) -> Reason:
        """In the reader's language."""
        text = _CHANGES[self.change](self.count).format(
            count=self.count, point=self.point, opponent=_(self.opponent)
        )
        if self.reply:
            text = _("{text} by {move}").format(text=text, move=self.reply)
        if self.by_ko:
            text = _("{text}, by ko").format(text=text)
        return Reason(text, self.proved, "life", is_read=True, is_against=self.change in ("loses", "releases"))


_CHANGES = {
    "saves": lambda count: ngettext(
        "saves {count} stone at {point}", "saves a group of {count} stones at {point}", count
    ),
    "kills": lambda count: ngettext(
        "kills {count} stone at {point}", "kills a group of {count} stones at {point}", count
    ),
    "loses": lambda count: ngettext(
        "lets {opponent} kill {count} stone at {point}",
        "lets {opponent} kill a group of {count} stones at {point}",
        count,
    ),
    "releases": lambda count: ngettext(
        "lets {opponent} save {count} stone at {point}",
        "lets {opponent} save a group of {count} stones at {point}",
        count,
    ),
}


def read_group_reasons(moves: Sequence[tuple[Request, str]]) -> list[tuple[GroupReason, ...]]:
    """What each move in a position does to the life of groups. Takes up to a second for each."""
    from tengen.engines.go.groups.group_changes import group_changes

    found = []
    for request, move in moves:
        position = request.position()
        changes = group_changes(position, position.game.read_move(move, position))
        found.append(tuple(_reason(position, change) for change in changes))
    return found


def find_group_reasons(position: Position, move: str) -> list[Reason]:
    """The same for one move, in the reader's language, for `explanations.register_reasons`."""
    (found,) = read_group_reasons([(Request.from_position(position), move)])
    return [reason.write() for reason in found]


def _reason(position: Position, change: GroupChange) -> GroupReason:
    game = position.game
    assert isinstance(game, Go)
    return GroupReason(
        change.kind.value,
        len(change.stones),
        game.write_move(game.point(min(change.stones))),
        game.players[1 - position.to_move],
        "" if change.reply is None else game.write_move(game.point(change.reply)),
        change.by_ko,
        change.proved,
    )
