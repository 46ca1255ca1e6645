"""Helpers for Go positions: strings, the side to move, variations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games.go import PASS, Go, rules


def list_strings(position: Position) -> list[tuple[int, list[Point]]]:
    """(player, points) of each string on the board."""
    game, state = position.game, position.state
    assert isinstance(game, Go)
    found: dict[int, list[Point]] = {}
    for row in range(game.height):
        for column in range(game.width):
            point = game.point((column, row))
            if state.go_stones[point] != rules.EMPTY:
                found.setdefault(int(state.head[point]), []).append((column, row))
    return [(int(state.go_stones[head]) - 1, points) for head, points in found.items()]


def adjacent_points(game: Go, point: Point) -> list[Point]:
    """The adjacent points on the board."""
    column, row = point
    around = ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1))
    return [(x, y) for x, y in around if 0 <= x < game.width and 0 <= y < game.height]


def with_side_to_move(position: Position, player: int) -> Position:
    """The same stones with `player` to move: after a pass, or as a new setup if a pass would end the game."""
    if position.to_move == player:
        return position
    if not int(position.state.passes):
        return position.play(PASS)
    return as_new_game(position, player)


def as_new_game(position: Position, player: int | None = None) -> Position:
    """The same stones and score as a game without history, with `player` to move, or the side whose turn it is."""
    player = position.to_move if player is None else player
    game, state = position.game, position.state
    assert isinstance(game, Go)
    marks = {rules.EMPTY: ".", 1: "X", 2: "O"}
    rows = "/".join(
        "".join(marks[int(state.go_stones[game.point((column, row))])] for column in range(game.width))
        for row in range(game.height)
    )
    taken = 0 if game.scoring == "area" else int(state.captured[0]) - int(state.captured[1])
    komi = round(int(state.komi) / 1000 - taken, 3)
    return replace(game, board=f"{rows} {'XO'[player]}", komi=komi, handicap=0).start()


def play_variation(position: Position, line: Sequence[Point], first: int) -> tuple[Position, tuple[Move, ...]]:
    """Play `line`, which player `first` begins, as far as it is legal. Returns (final position, moves)."""
    position = with_side_to_move(position, first)
    played: list[Move] = []
    for point in line:
        move = position.game.point(point)  # type: ignore[attr-defined]
        if position.is_over or move not in position.legal_moves:
            break
        position = position.play(move)
        played.append(move)
    return position, tuple(played)
