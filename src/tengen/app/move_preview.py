"""What pointing at a board means: the move that would be made, what it would capture, or the rule that forbids it.

A move on one point is made at once. Where a move goes from one point to another, as in Clobber, the first choice
is of the stone and the second of where it goes.
"""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.diagram import Diagram, Point, Stone
from tengen.core.errors import AmbiguousMove, TengenError
from tengen.core.game import Move
from tengen.core.position import Position


@dataclass(frozen=True)
class Aim:
    """What would happen at a point. Without a `move`, a stone is to be chosen first, or `problem` is set."""

    text: str
    move: Move | None = None
    problem: bool = False
    chooses: Point | None = None  # the stone that Enter would choose
    targets: tuple[Point, ...] = ()  # where it could go
    after: Position | None = None
    lost: frozenset[Point] = frozenset()  # captured or turned
    placed: tuple[tuple[Point, Stone], ...] = ()


def point_name(diagram: Diagram, point: Point) -> str:
    """A point as players write it."""
    return f"{diagram.columns[point[0]]}{diagram.rows[point[1]]}"


def goes_from_point_to_point(position: Position) -> bool:
    return any(len(position.game.points(move)) > 1 for move in position.legal_moves[:1])


def moves_off_board(position: Position) -> list[str]:
    """Legal moves that name no point, as players write them: a pass, the choice of a side."""
    return [position.game.write_move(move) for move in position.legal_moves if not position.game.points(move)]


def aim(position: Position, cursor: Point, chosen: Point | None = None) -> Aim:
    """What Enter would do at the cursor; `chosen` is the stone that was chosen to move."""
    diagram = position.diagram()
    name = point_name(diagram, cursor)
    if position.is_over:
        return Aim(name)
    if goes_from_point_to_point(position):
        if chosen is None or chosen == cursor:
            return _choose(position, diagram, cursor, name)
        own = diagram.stones[cursor[1]][cursor[0]] is Stone(position.to_move + 1)
        if own:  # another stone instead
            return _choose(position, diagram, cursor, name)
        name = f"{point_name(diagram, chosen)}-{name}"
    try:
        move = position.game.read_move(name, position)
        after = position.play(move)
    except TengenError as error:
        return Aim(str(error), problem=True)
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
            return Aim(str(error), problem=True)
        return Aim(f"{name} cannot move", problem=True)
    goals = " or ".join(point_name(diagram, target) for target in targets)
    return Aim(f"{name}: Enter chooses this stone, which can go to {goals}", None, False, cursor, tuple(targets))


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
        parts.append(f"captures {point_name(diagram, own[-1])}")
    elif taken:
        parts.append(f"captures {_few([point_name(diagram, point) for point in taken])}")
    elif turned:
        parts.append(f"turns {_few([point_name(diagram, point) for point in turned])}")
    if own and len(own) == 1 and after.diagram().stones[own[0][1]][own[0][0]] is Stone.EMPTY:
        parts.append("which dies at once")
    outcome = after.outcome
    if outcome is not None and not game.counts_dead_stones:
        parts.append(f"ends the game: {game.write_outcome(outcome)}")
    placed = tuple((change.point, change.after) for change in changes if change.before is Stone.EMPTY)
    return Aim(", ".join(parts), move, after=after, lost=frozenset(taken + turned), placed=placed)


def _few(names: list[str]) -> str:
    """A few names in full, many as a number."""
    return " ".join(names) if len(names) <= 6 else f"{' '.join(names[:5])} and {len(names) - 5} more"


def string_at(diagram: Diagram, point: Point) -> frozenset[Point]:
    """The stones of one colour that hang together with the one here; none at an empty point."""
    stone = diagram.stones[point[1]][point[0]]
    if stone is Stone.EMPTY:
        return frozenset()
    found, front = {point}, [point]
    while front:
        column, row = front.pop()
        for beside in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
            inside = 0 <= beside[0] < len(diagram.columns) and 0 <= beside[1] < len(diagram.rows)
            if inside and beside not in found and diagram.stones[beside[1]][beside[0]] is stone:
                found.add(beside)
                front.append(beside)
    return frozenset(found)
