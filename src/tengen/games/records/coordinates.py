"""Points and moves in SGF notation."""

from __future__ import annotations

from dataclasses import dataclass

from tengen.core.diagram import Point
from tengen.core.game import Game, Move
from tengen.games.records.errors import RecordError
from tengen.games.records.replay import implied_pass, start_position

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PASSES = ("", "pass", "PASS", "--")


@dataclass(frozen=True)
class Coordinates:
    """Names of the points of a board in SGF: `dd` from the top left, or squares (`f5`) in Othello."""

    width: int
    height: int
    points: dict[str, Point]
    moves: dict[str, Move]
    names: dict[Point, str]
    values: dict[Move, str]
    grid: tuple[Point, ...]  # all points, row by row; shared by all rectangles

    def point(self, text: str) -> Point:
        point = self.points.get(text.strip())
        if point is None:
            raise RecordError(
                f"expected a point of the {self.width}x{self.height} board, not {text.strip()[:20]!r}"
            )
        return point

    def rectangle(self, text: str) -> list[Point]:
        """The points of a value, which may be a rectangle such as `aa:cc`."""
        one, colon, other = text.partition(":")
        if not colon:
            return [self.point(text)]
        (left, top), (right, bottom) = self.point(one), self.point(other)
        across = range(min(left, right), max(left, right) + 1)
        down = range(min(top, bottom), max(top, bottom) + 1)
        return [self.grid[row * self.width + column] for row in down for column in across]

    def all_points(self, values: list[str]) -> tuple[Point, ...]:
        """The distinct points of a list of values, in order."""
        found: dict[Point, None] = {}
        for value in dict.fromkeys(values):
            if len(found) == len(self.grid):  # all points found: only check the rest for errors
                for corner in value.split(":", 1):
                    self.point(corner)
            else:
                found.update(dict.fromkeys(self.rectangle(value)))
        return tuple(found)


_known: dict[tuple[str, int, int], Coordinates] = {}


def coordinates(game: Game) -> Coordinates:
    """The coordinates of a game's board, cached by size."""
    width = getattr(game, "size", 0) or getattr(game, "width", 0)
    height = getattr(game, "size", 0) or getattr(game, "height", 0)
    key = (game.name, width, height)
    if key not in _known:
        _known[key] = _make(game)
    return _known[key]


def _make(game: Game) -> Coordinates:
    start = start_position(game)
    diagram = start.diagram()
    width, height = len(diagram.columns), len(diagram.rows)
    points: dict[str, Point] = {}
    moves: dict[str, Move] = {}
    names: dict[Point, str] = {}
    values: dict[Move, str] = {}
    for row, digits in enumerate(diagram.rows):
        for column, letter in enumerate(diagram.columns):
            pair = _LETTERS[column] + _LETTERS[row]
            own = f"{letter}{digits}".lower()
            spellings = [pair, pair.upper()]
            if game.name == "othello":  # programs write squares, not pairs of letters
                spellings = [own, own.upper(), *spellings]
            move = game.read_move(own, start)
            names[column, row] = values[move] = spellings[0]
            for spelling in spellings:
                points[spelling] = (column, row)
                moves[spelling] = move
    no_move = Move(implied_pass(game))
    if no_move >= 0:
        values[no_move] = "PA" if game.name == "othello" else ""
        for spelling in (*_PASSES, "pa", "PA") if game.name == "othello" else _PASSES:
            moves[spelling] = no_move  # on large boards, `pa` is a point
        if max(width, height) <= 19:
            moves["tt"] = no_move
    return Coordinates(width, height, points, moves, names, values, tuple(names))


def read_value(game: Game, table: Coordinates, text: str) -> Move:
    """The move of a value, ignoring surrounding blanks. Raises `RecordError`."""
    move = table.moves.get(text.strip())
    if move is not None:
        return move
    passes = "" if "" in table.moves else f"; {game.title} has no pass"
    raise RecordError(
        f"expected a move on the {table.width}x{table.height} board, not {text.strip()[:20]!r}{passes}"
    )
