"""Fill what is settled with stones, so that searches of a nearly finished game look at the rest only.

Far from every contested point, dead stones are removed and territory is filled by its owner, except two eyes. The
score stays the same: under territory rules, komi makes up for prisoners and filled points.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from tengen.core.diagram import Point, Stone, connected, neighbours
from tengen.core.position import Position
from tengen.engines.go.positions import as_new_game
from tengen.games.go import Go

MARGIN = 2  # points around contested ones that stay as they are
_MARKS = {Stone.EMPTY: ".", Stone.FIRST: "X", Stone.SECOND: "O"}


def fill_settled_areas(
    position: Position, owners: dict[Point, int], dead: Iterable[Collection[Point]]
) -> Position:
    """A new game with the same score and side to move, whose settled areas are full.

    `owners` has the owner, 0 or 1, of each settled point; all others are contested. `dead` has the dead strings.
    """
    start = as_new_game(position)
    game = start.game
    assert isinstance(game, Go)
    stones = dict(start.diagram().contents())
    far = set(stones) - _around(set(stones) - set(owners), stones)
    balance = 0  # under territory rules: what Black gets for prisoners and for filling own points, less White's
    for string in dead:
        if far.issuperset(string):
            player = int(stones[next(iter(string))]) - 1
            if all(owners[point] != player for point in string):
                balance += len(string) if player == 1 else -len(string)
                stones |= dict.fromkeys(string, Stone.EMPTY)
    for player, own in enumerate((Stone.FIRST, Stone.SECOND)):
        filled = {
            point
            for point in far
            if stones[point] is Stone.EMPTY
            and owners[point] == player
            and all(stones[near] in (Stone.EMPTY, own) for near in neighbours(point) if near in stones)
        }
        while filled:
            area = connected(next(iter(filled)), filled)
            filled -= area
            eyes = _two_eyes(area, stones, own)
            if eyes:
                stones |= dict.fromkeys(area - eyes, own)
                balance += (len(area) - len(eyes)) * (1 if player == 0 else -1)
    rows = "/".join(
        "".join(_MARKS[stones[column, row]] for column in range(game.width)) for row in range(game.height)
    )
    komi = game.komi - (balance if game.scoring == "territory" else 0)
    return replace(game, board=f"{rows} {'XO'[position.to_move]}", komi=round(komi, 3)).start()


def _around(points: set[Point], board: Collection[Point]) -> set[Point]:
    """The points at most `MARGIN` steps away from some points, these included."""
    found = set(points)
    for _ in range(MARGIN):
        found |= {near for point in found for near in neighbours(point) if near in board}
    return found


def _two_eyes(area: set[Point], stones: dict[Point, Stone], own: Stone) -> set[Point]:
    """Two points of an area with only the area and own stones around them, and not adjacent; else none."""
    closed = sorted(
        point
        for point in area
        if all(near in area or stones[near] is own for near in neighbours(point) if near in stones)
    )
    first = closed[:1]
    second = [point for point in closed if first and point not in (first[0], *neighbours(first[0]))][-1:]
    return {*first, *second} if second else set()
