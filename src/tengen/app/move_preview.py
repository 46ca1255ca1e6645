"""The effect of pointing at a board: the move that would be made, what it captures, or why it is illegal.

Moves on one point are made at once. For moves from one point to another, as in Clobber, the user first chooses the
stone and then its target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tengen.core.diagram import Diagram, Point, Stone, connected
from tengen.core.errors import AmbiguousMove, TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.core.translation import translate


@dataclass(frozen=True)
class Aim:
    """The effect of a move at a point. Without a `move`, a stone has to be chosen first, or `problem` is set."""

    text: str
    move: Move | None = None
    problem: bool = False
    chooses: Point | None = None  # the stone that Enter would choose
    targets: tuple[Point, ...] = ()  # where it could go
    after: Position | None = None
    lost: frozenset[Point] = frozenset()  # captured or turned
    placed: tuple[tuple[Point, Stone], ...] = ()


def point_name(diagram: Diagram, point: Point) -> str:
    """The name of a point, such as D4."""
    return f"{diagram.columns[point[0]]}{diagram.rows[point[1]]}"


def goes_from_point_to_point(position: Position) -> bool:
    return any(len(position.game.points(move)) > 1 for move in position.legal_moves[:1])


def positions_along(position: Position, moves: Sequence[str]) -> list[Position]:
    """The positions after each move of a line, up to the first illegal one, such as a repetition."""
    line = []
    for move in moves:
        try:
            position = position.play(move)
        except TengenError:
            break
        line.append(position)
    return line


def moves_off_board(position: Position) -> list[str]:
    """Legal moves without a point, in notation: a pass, or the choice of a side."""
    return [position.game.write_move(move) for move in position.legal_moves if not position.game.points(move)]


def aim(position: Position, cursor: Point, chosen: Point | None = None) -> Aim:
    """The effect of a move at `cursor`; `chosen` is the stone selected to move."""
    diagram = position.diagram()
    name = point_name(diagram, cursor)
    if position.is_over:
        return Aim(name)
    if goes_from_point_to_point(position):
        if chosen is None or chosen == cursor:
            return _choose(position, diagram, cursor, name)
        own = diagram.stones[cursor[1]][cursor[0]] is Stone(position.to_move + 1)
        if own:  # select another stone
            return _choose(position, diagram, cursor, name)
        name = f"{point_name(diagram, chosen)}-{name}"
    try:
        move = position.game.read_move(name, position)
        after = position.play(move)
    except TengenError as error:
        return Aim(translate(str(error)), problem=True)
    return _judge(position, diagram, move, after)


def _choose(position: Position, diagram: Diagram, cursor: Point, name: str) -> Aim:
    targets = [
        position.game.points(move)[-1] for move in position.legal_moves if position.game.points(move)[0] == cursor
    ]
    if not targets:
        try:
            position.game.read_move(name, position)
        except AmbiguousMove:
            pass
        except TengenError as error:
            return Aim(translate(str(error)), problem=True)
        return Aim(_("{point} cannot move").format(point=name), problem=True)
    goals = _(" or ").join(point_name(diagram, target) for target in targets)
    return Aim(
        _("{point}: Enter chooses this stone, which can go to {goals}").format(point=name, goals=goals),
        None,
        False,
        cursor,
        tuple(targets),
    )


def _judge(position: Position, diagram: Diagram, move: Move, after: Position) -> Aim:
    game = position.game
    own = game.points(move)
    changes = diagram.changes(after.diagram())
    taken = [change.point for change in changes if change.after is Stone.EMPTY and change.point != own[0]]
    turned = [
        change.point for change in changes if change.before is not Stone.EMPTY and change.after is not Stone.EMPTY
    ]
    parts = [game.write_move(move)]
    if len(own) > 1:
        parts.append(_("captures {points}").format(points=point_name(diagram, own[-1])))
    elif taken:
        parts.append(_("captures {points}").format(points=_few([point_name(diagram, point) for point in taken])))
    elif turned:
        parts.append(_("turns {points}").format(points=_few([point_name(diagram, point) for point in turned])))
    if own and len(own) == 1 and after.diagram().stones[own[0][1]][own[0][0]] is Stone.EMPTY:
        parts.append(_("which is captured at once"))
    outcome = after.outcome
    if outcome is not None and not game.counts_dead_stones:
        parts.append(_("ends the game: {result}").format(result=translate(game.write_outcome(outcome))))
    placed = tuple((change.point, change.after) for change in changes if change.before is Stone.EMPTY)
    return Aim(", ".join(parts), move, after=after, lost=frozenset(taken + turned), placed=placed)


def _few(names: list[str]) -> str:
    """Up to six names in full; of more, five and a count."""
    if len(names) <= 6:
        return " ".join(names)
    return _("{points} and {count} more").format(points=" ".join(names[:5]), count=len(names) - 5)


def string_at(diagram: Diagram, point: Point) -> frozenset[Point]:
    """The string of connected stones at a point; empty if there is no stone."""
    contents = diagram.contents()
    if contents[point] is Stone.EMPTY:
        return frozenset()
    return frozenset(connected(point, {other for other, stone in contents.items() if stone is contents[point]}))
