"""Goals of lesson tasks: functions that decide by the rules whether a move does what a task asks for.

Solving by trying everything (`wins_by_force`) is meant for positions with a few moves left.
"""

from __future__ import annotations

from tengen.app.lessons.lesson import Goal
from tengen.app.move_preview import string_at
from tengen.app.position_setup import rows_of
from tengen.core.diagram import Point, Stone, neighbours
from tengen.core.game import Move
from tengen.core.position import Position


def any_of(*goals: Goal) -> Goal:
    return lambda position, move: any(goal(position, move) for goal in goals)


def all_of(*goals: Goal) -> Goal:
    return lambda position, move: all(goal(position, move) for goal in goals)


def not_(goal: Goal) -> Goal:
    return lambda position, move: not goal(position, move)


def any_move(position: Position, move: Move) -> bool:
    return True


def is_pass(position: Position, move: Move) -> bool:
    return not position.game.points(move)


def is_move(*texts: str) -> Goal:
    """One of these moves, in notation."""
    return lambda position, move: position.game.write_move(move) in texts


def beside(point: Point) -> Goal:
    """A stone on a point next to this one."""
    return lambda position, move: (
        set(position.game.points(move)[-1:]) <= set(neighbours(point)) and not is_pass(position, move)
    )


def captured(position: Position, move: Move) -> int:
    """The number of opposing stones that a move removes from the board."""
    theirs = Stone(2 - position.to_move)
    changes = position.diagram().changes(position.play(move).diagram())
    return sum(change.before is theirs and change.after is Stone.EMPTY for change in changes)


def captures(least: int = 1) -> Goal:
    """Removes at least this many opposing stones."""
    return lambda position, move: captured(position, move) >= least


def flips(position: Position, move: Move) -> tuple[Point, ...]:
    """The discs that change their colour."""
    changes = position.diagram().changes(position.play(move).diagram())
    return tuple(
        change.point for change in changes if change.before is not Stone.EMPTY and change.after is not Stone.EMPTY
    )


def flips_in_directions(least: int) -> Goal:
    """Flips discs in at least this many directions."""

    def check(position: Position, move: Move) -> bool:
        points = position.game.points(move)
        if not points:
            return False
        column, row = points[0]
        directions = {(_sign(other[0] - column), _sign(other[1] - row)) for other in flips(position, move)}
        return len(directions) >= least

    return check


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def on_corner(position: Position, move: Move) -> bool:
    diagram = position.diagram()
    corners = {(column, row) for column in (0, len(diagram.columns) - 1) for row in (0, len(diagram.rows) - 1)}
    return bool(set(position.game.points(move)[-1:]) & corners)


def wins_at_once(position: Position, move: Move) -> bool:
    """Ends the game with a win."""
    outcome = position.play(move).outcome
    return outcome is not None and outcome.winner == position.to_move


def wins_by_force(position: Position, move: Move) -> bool:
    """Wins whatever the opponent does. Tries everything."""
    after = position.play(move)
    if after.is_over:
        return wins_at_once(position, move)
    if after.to_move == position.to_move:
        return any(wins_by_force(after, other) for other in after.legal_moves)
    return all(
        _winner(reply) == position.to_move
        or (not reply.is_over and any(wins_by_force(reply, other) for other in reply.legal_moves))
        for reply in (after.play(other) for other in after.legal_moves)
    )


def _winner(position: Position) -> int | None:
    outcome = position.outcome
    return None if outcome is None else outcome.winner


def leaves_no_move(position: Position, move: Move) -> bool:
    """The opponent has to pass."""
    after = position.play(move)
    return not after.is_over and all(not after.game.points(other) for other in after.legal_moves)


def threatens_to_win(least: int) -> Goal:
    """Does not win at once, but a further stone of the same side would win on at least this many points."""

    def check(position: Position, move: Move) -> bool:
        if wins_at_once(position, move):
            return False
        again = same_side_again(position.play(move))
        return sum(wins_at_once(again, other) for other in again.legal_moves) >= least

    return check


def same_side_again(position: Position) -> Position:
    """The same stones with the other side to move; captures are forgotten."""
    return position.game.with_setup(rows_of(position), 1 - position.to_move).start()


def liberties(position: Position, point: Point) -> set[Point]:
    """The liberties of the string at a point; empty without a stone."""
    diagram = position.diagram()
    contents, string = diagram.contents(), string_at(diagram, point)
    return {other for stone in string for other in neighbours(stone) if contents.get(other) is Stone.EMPTY}


def leaves_no_capture(position: Position, move: Move) -> bool:
    """The opponent's next move cannot capture anything."""
    after = position.play(move)
    return not any(captured(after, other) for other in after.legal_moves)


def captures_next(position: Position, move: Move) -> bool:
    """Captures now, or with the next move whatever the opponent answers."""
    if captured(position, move):
        return True
    after = position.play(move)
    return all(_can_capture(after.play(other)) for other in after.legal_moves)


def _can_capture(position: Position) -> bool:
    theirs = Stone(2 - position.to_move)
    contents = position.diagram().contents()
    return any(
        stone is theirs and len(liberties(position, point)) == 1 for point, stone in contents.items()
    ) and any(captured(position, move) for move in position.legal_moves)


def makes_two_eyes(position: Position, move: Move) -> bool:
    """The string of the stone played has two eyes of one point each, so that it can never be captured."""
    after = position.play(move)
    points = after.game.points(move)
    if not points:
        return False
    diagram = after.diagram()
    contents, string = diagram.contents(), string_at(diagram, points[-1])
    eyes = [
        point
        for point in liberties(after, points[-1])
        if all(other in string for other in neighbours(point) if other in contents)
    ]
    return len(eyes) >= 2


def fills_pair_between(position: Position, move: Move) -> bool:
    """Completes a pair between two opposing stones in a line; nothing is captured."""
    own, theirs = Stone(position.to_move + 1), Stone(2 - position.to_move)
    after = position.play(move).diagram().contents()
    column, row = position.game.points(move)[-1]
    for right, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
        line = [after.get((column + step * right, row + step * down)) for step in range(-2, 3)]
        if line[:4] == [theirs, own, own, theirs] or line[1:] == [theirs, own, own, theirs]:
            return True
    return False


def leaves_no_win(position: Position, move: Move) -> bool:
    """The opponent cannot win with the next move."""
    after = position.play(move)
    return not any(wins_at_once(after, other) for other in after.legal_moves)


def wins_next(position: Position, move: Move) -> bool:
    """Wins now, or with the next move whatever the opponent answers."""
    after = position.play(move)
    if after.is_over:
        return _winner(after) == position.to_move
    return all(
        not reply.is_over and any(wins_at_once(reply, other) for other in reply.legal_moves)
        for reply in (after.play(other) for other in after.legal_moves)
    )
