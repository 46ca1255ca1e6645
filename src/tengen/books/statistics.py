"""The statistics book: what was played in a position and how those games ended.

Positions are known by their shape (`shapes`). There is a section for each set of rules and size of board; asked
about a game, the book looks into the game's own section first, then into those of its relatives, by rank, then
the same on other sizes. What the rules forbid, and what lies too near the edge on another board, is left out.

A section maps keys to moves, and moves to counts that are never changed but replaced: so a copy of a book shares
them, and one book can be read while the next is made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from tengen.books.options import Option
from tengen.books.shapes import Shape, shape_of
from tengen.core.diagram import Point
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.games.records import Record

DEPTH = 10
"""Moves of a game that are counted."""
EDGE = 2
"""So many lines at each edge are too near it for a move that was played on another board."""


class Counts(NamedTuple):
    """The games in which a move was made: results and ratings of who made it."""

    wins: int = 0
    losses: int = 0
    draws: int = 0
    unknown: int = 0
    best: float = 0.0
    ratings: float = 0.0  # their sum ...
    rated: int = 0  # ... and number

    @property
    def games(self) -> int:
        return self.wins + self.losses + self.draws + self.unknown

    @property
    def mean(self) -> float:
        return self.ratings / self.rated if self.rated else 0.0

    def plus(self, other: Counts) -> Counts:
        return Counts(
            self.wins + other.wins,
            self.losses + other.losses,
            self.draws + other.draws,
            self.unknown + other.unknown,
            max(self.best, other.best),
            self.ratings + other.ratings,
            self.rated + other.rated,
        )


Place = Point | int  # where a move goes, as the book keeps it; of a move without a point (a choice), its code
Section = dict[bytes, dict[Place, Counts]]


class Known(NamedTuple):
    """A move with its counts, where they come from: from the game's own section, or another."""

    move: Move
    counts: Counts
    own: bool


class StatisticsBook:
    """Counts for one kind of game, under any of its rules."""

    def __init__(self, game: str, *, depth: int = DEPTH) -> None:
        self.game = game
        self.depth = depth
        self.sections: dict[str, Section] = {}
        self.progress: dict[str, int] = {}  # games that have been taken from each source

    def __len__(self) -> int:
        """Positions, of all sections."""
        return sum(len(section) for section in self.sections.values())

    # ---- adding

    def add(
        self,
        line: Iterable[Position],
        winner: int | None,
        *,
        known: bool = True,
        ratings: tuple[float, float] = (0, 0),
    ) -> None:
        """Count a game by its positions, first to last. `known` says that it has a result: a winner or a draw."""
        before: tuple[Position, Shape] | None = None
        for position in line:
            if before is not None and position.move is not None:
                at, shape = before
                self._count(at, shape, position.move, winner, known, ratings[at.to_move])
            if position.ply >= self.depth or position.is_over:
                break
            before = (position, shape_of(position))

    def add_record(self, record: Record) -> None:
        """Count a recorded game. Raises `RecordError` where a move is illegal."""
        result = record.result.strip().upper()
        winner = {"B": 0, "W": 1}.get(result[:1]) if result[1:2] == "+" else None
        known = winner is not None or result in ("0", "DRAW")
        self.add(record.positions()[: self.depth + 1], winner, known=known, ratings=_ratings(record))

    def _count(
        self, position: Position, shape: Shape, move: Move, winner: int | None, known: bool, rating: float
    ) -> None:
        section = self.sections.setdefault(section_name(position.game), {})
        moves = section[shape.key] = dict(section.get(shape.key, {}))
        place = place_of_move(position.game, shape, move)
        won = winner == position.to_move
        one = Counts(
            int(known and won),
            int(known and winner is not None and not won),
            int(known and winner is None),
            int(not known),
            rating,
            rating,
            int(rating > 0),
        )
        moves[place] = moves.get(place, Counts()).plus(one)

    def merged(self, other: StatisticsBook) -> StatisticsBook:
        """A new book of both; neither is changed."""
        both = StatisticsBook(self.game, depth=max(self.depth, other.depth))
        both.progress = {**self.progress, **other.progress}
        both.sections = {name: dict(section) for name, section in self.sections.items()}
        for name, section in other.sections.items():
            mine = both.sections.setdefault(name, {})
            for key, moves in section.items():
                together = dict(mine.get(key, {}))
                for place, counts in moves.items():
                    together[place] = together.get(place, Counts()).plus(counts)
                mine[key] = together
        return both

    # ---- asking

    def known(self, position: Position) -> list[Known]:
        """The moves of the first rank of relatives that knows any which are legal here."""
        if position.is_over or position.game.name != self.game or position.ply >= self.depth:
            return []
        shape = shape_of(position)
        for games, same_size in self._ranks(position.game):
            found = [
                one for game in games for one in self._moves(position, shape, game, same_size, game == games[0])
            ]
            if found:
                return found
        return []

    def options(self, position: Position) -> tuple[Option, ...]:
        """The moves that were played here, the commonest first."""
        together: dict[Move, Counts] = {}
        for move, counts, _ in self.known(position):
            together[move] = together.get(move, Counts()).plus(counts)
        options = [
            Option(
                move,
                position.game.write_move(move),
                "played",
                games=counts.games,
                wins=counts.wins,
                losses=counts.losses,
                draws=counts.draws,
                best=counts.best,
                mean=counts.mean,
            )
            for move, counts in together.items()
        ]
        return tuple(sorted(options, key=lambda option: (-option.games, option.move)))

    def _ranks(self, game: Game) -> Iterator[tuple[tuple[Game, ...], bool]]:
        """Groups of games to look at, and whether they are of the same size."""
        ranks = game.relatives()
        yield from ((rank, True) for rank in ranks)
        sizes = {json.loads(name).get("size") for name in self.sections} - {game.options().get("size"), None}
        for size in sorted(sizes, key=lambda size: (abs(size - game.options()["size"]), size)):
            for rank in ranks:
                yield tuple(type(one).create(**{**one.options(), "size": size}) for one in rank), False

    def _moves(self, position: Position, shape: Shape, game: Game, same_size: bool, own: bool) -> Iterator[Known]:
        moves = self.sections.get(section_name(game), {}).get(shape.key, {})
        for place, counts in moves.items():
            for move in moves_at(position.game, shape, place):
                moved = any(placement.shift != (0, 0) for placement in shape.placements)
                if (moved or not same_size) and _too_near(position.game, shape, move):
                    continue
                if move in position.legal_moves:
                    yield Known(move, counts, own and same_size)
                    break  # the others are its images: one of them will do


@lru_cache(maxsize=256)
def section_name(game: Game) -> str:
    """The rules and the size; where the game began is in its positions."""
    options = {name: value for name, value in game.options().items() if name != "board"}
    return json.dumps(options, sort_keys=True)


def place_of_move(game: Game, shape: Shape, move: Move) -> Place:
    """The point of a move that is one; of others, as a pass or a step from one point to the next, the code."""
    points = game.points(move)
    return shape.least(points[0]) if len(points) == 1 else int(move)


def moves_at(game: Game, shape: Shape, place: Place) -> Iterator[Move]:
    """The moves of a position that a place in the book stands for, those off the board left out."""
    if isinstance(place, int):
        yield Move(place)
        return
    codes = point_moves(game)
    for point in sorted(shape.points(place)):
        if point in codes:
            yield codes[point]


_codes: dict[Game, dict[Point, Move]] = {}


def point_moves(game: Game) -> dict[Point, Move]:
    """The move to each point of the board."""
    if game not in _codes:
        rows = game.start().diagram().stones
        points = {(column, row) for row in range(len(rows)) for column in range(len(rows[0]))}
        _codes[game] = {
            places[0]: Move(code)
            for code in range(game.move_codes)
            if len(places := game.points(Move(code))) == 1 and places[0] in points
        }
    return _codes[game]


def _too_near(game: Game, shape: Shape, move: Move) -> bool:
    width, height = shape.placements[0].width, shape.placements[0].height
    return any(min(column, row, width - 1 - column, height - 1 - row) < EDGE for column, row in game.points(move))


def _ratings(record: Record) -> tuple[float, float]:
    def number(text: str) -> float:
        digits = "".join(symbol for symbol in text.split(".")[0] if symbol.isdigit())
        return float(digits) if digits else 0.0

    return number(record.ratings[0]), number(record.ratings[1])


def parameters(book: StatisticsBook) -> dict[str, Any]:
    """What a book's file begins with."""
    return {"game": book.game, "depth": book.depth, "progress": dict(sorted(book.progress.items()))}
