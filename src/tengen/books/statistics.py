"""The statistics book: moves played in a position and the results of those games.

Positions are identified by their shape (`shapes`). There is a section for each set of rules and board size. A
lookup tries the game's own section first, then those of related rules, in order, then the same on other sizes. It
leaves out illegal moves, and moves from other boards that are too close to the edge.

A section maps keys to moves, and moves to immutable counts, so a copy of a book shares them, and a book can be
read while its successor is built.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from tengen.books.book_move import BookMove
from tengen.books.shapes import Shape, shape_of
from tengen.core.diagram import Point
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.games.records import Record

DEPTH = 10  # number of moves of a game that are counted
EDGE_LINES = 2  # moves played on other boards are not used within this distance of an edge


class Counts(NamedTuple):
    """Games in which a move was played: results and ratings of the players who made it."""

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


Place = Point | int  # a move in the book: its point, or its code if it has none (a choice)
Section = dict[bytes, dict[Place, Counts]]


class CountedMove(NamedTuple):
    """A move with its counts; `own` says that they come from the game's own section."""

    move: Move
    counts: Counts
    own: bool


class StatisticsBook:
    """Counts for one game under all of its rules. Engines do not play moves with fewer games than `min_games`."""

    def __init__(self, game: str, *, depth: int = DEPTH, min_games: int = 1) -> None:
        self.game = game
        self.depth = depth
        self.min_games = min_games
        self.sections: dict[str, Section] = {}
        self.progress: dict[str, int] = {}  # number of games already counted, by source

    def __len__(self) -> int:
        """Number of positions in all sections."""
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
        """Count a game, given its positions in order. `known` says that it has a result: `winner`, or a draw."""
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
        """A new book with the counts of both; neither is changed."""
        both = StatisticsBook(
            self.game, depth=max(self.depth, other.depth), min_games=max(self.min_games, other.min_games)
        )
        both.progress = {**self.progress, **other.progress}
        both.sections = {name: dict(section) for name, section in self.sections.items()}
        for name, section in other.sections.items():
            mine = both.sections.setdefault(name, {})
            for key, moves in section.items():
                total = dict(mine.get(key, {}))
                for place, counts in moves.items():
                    total[place] = total.get(place, Counts()).plus(counts)
                mine[key] = total
        return both

    def remove_rare(self, games: int) -> None:
        """Remove positions that occurred in fewer games than this."""
        for section in self.sections.values():
            for key in [key for key, moves in section.items() if sum(c.games for c in moves.values()) < games]:
                del section[key]

    # ---- lookup

    def known(self, position: Position) -> list[CountedMove]:
        """Legal moves from the first group of related sections that has any."""
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

    def options(self, position: Position) -> tuple[BookMove, ...]:
        """Moves played in a position, most frequent first."""
        together: dict[Move, Counts] = {}
        for move, counts, _ in self.known(position):
            together[move] = together.get(move, Counts()).plus(counts)
        options = [
            BookMove(
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
        """Groups of related games in order of preference, and whether they have the same board size."""
        ranks = game.relatives()
        yield from ((rank, True) for rank in ranks)
        sizes = {json.loads(name).get("size") for name in self.sections} - {game.options().get("size"), None}
        for size in sorted(sizes, key=lambda size: (abs(size - game.options()["size"]), size)):
            for rank in ranks:
                yield tuple(type(one).create(**{**one.options(), "size": size}) for one in rank), False

    def _moves(
        self, position: Position, shape: Shape, game: Game, same_size: bool, own: bool
    ) -> Iterator[CountedMove]:
        moves = self.sections.get(section_name(game), {}).get(shape.key, {})
        for place, counts in moves.items():
            for move in moves_at(position.game, shape, place):
                moved = any(placement.shift != (0, 0) for placement in shape.placements)
                if (moved or not same_size) and _too_near(position.game, shape, move):
                    continue
                if move in position.legal_moves:
                    yield CountedMove(move, counts, own and same_size)
                    break  # the other points are images of this one


@lru_cache(maxsize=256)
def section_name(game: Game) -> str:
    """Key of a section: rules and size. The start position is part of the position keys."""
    options = {name: value for name, value in game.options().items() if name != "board"}
    return json.dumps(options, sort_keys=True)


def place_of_move(game: Game, shape: Shape, move: Move) -> Place:
    """The canonical point of a move that names one point; otherwise (pass, Clobber move) its code."""
    points = game.points(move)
    return shape.least(points[0]) if len(points) == 1 else int(move)


def moves_at(game: Game, shape: Shape, place: Place) -> Iterator[Move]:
    """Moves of a position that correspond to a place in the book, without those off the board."""
    if isinstance(place, int):
        yield Move(place)
        return
    codes = moves_by_point(game)
    for point in sorted(shape.points(place)):
        if point in codes:
            yield codes[point]


_codes: dict[Game, dict[Point, Move]] = {}


def moves_by_point(game: Game) -> dict[Point, Move]:
    """The move that plays on each point of the board."""
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
    return any(
        min(column, row, width - 1 - column, height - 1 - row) < EDGE_LINES for column, row in game.points(move)
    )


def _ratings(record: Record) -> tuple[float, float]:
    def number(text: str) -> float:
        digits = "".join(symbol for symbol in text.split(".")[0] if symbol.isdigit())
        return float(digits) if digits else 0.0

    return number(record.ratings[0]), number(record.ratings[1])


def parameters(book: StatisticsBook) -> dict[str, Any]:
    """Parameters at the start of a book's file."""
    return {
        "game": book.game,
        "depth": book.depth,
        "min_games": book.min_games,
        "progress": dict(sorted(book.progress.items())),
    }
