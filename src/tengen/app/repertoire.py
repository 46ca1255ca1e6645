"""A player's repertoire: the moves that the player usually makes in openings, and the games that left it.

    repertoire = Repertoire()
    repertoire.add(line, side=0, points=1.0)       # for each game; points are 1, 0.5, 0, or None if not known
    repertoire.departures()                        # most frequent first

Positions and moves are compared by their shape, so turned and reflected games are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tengen.books.shapes import shape_of
from tengen.core.position import Position

MAX_PLIES = 20  # of an opening
MIN_GAMES = 3  # with the usual move, for it to be a repertoire
MIN_SHARE = 0.5  # of the games that reached the position

_Place = tuple[str, int, bytes]  # the game, the side, and the shape of a position


@dataclass
class MoveTally:
    """Games with a move: its `text` and the `line` of moves before it are those of the first game."""

    text: str
    line: tuple[str, ...]
    games: int = 0
    known: int = 0  # games with a result
    points: float = 0.0

    def add(self, points: float | None) -> None:
        self.games += 1
        if points is not None:
            self.known += 1
            self.points += points

    @property
    def score(self) -> float | None:
        """The share of points in the games with a result."""
        return self.points / self.known if self.known else None


@dataclass(frozen=True)
class Departure:
    """Games in which the player made another move than usual, for the first time in these games."""

    game: str
    side: int
    usual: MoveTally
    played: MoveTally
    games: int


@dataclass
class Repertoire:
    _moves: dict[_Place, dict[bytes, MoveTally]] = field(default_factory=lambda: defaultdict(dict))
    _games: list[list[tuple[_Place, bytes]]] = field(default_factory=list)

    def add(self, line: Sequence[Position], side: int, points: float | None) -> None:
        """Count the opening of a game, the moves of one side."""
        if line[0].game.has_setup or line[0].ply:
            return
        path = []
        about = f"{line[0].game.name} {line[0].game.describe()}"
        for before, after in pairwise(line[: MAX_PLIES + 1]):
            if before.to_move != side or after.move is None:
                continue
            place, key = (about, side, shape_of(before).key), shape_of(after).key
            known = self._moves[place]
            if key not in known:
                text = before.game.write_move(after.move)
                known[key] = MoveTally(text, tuple(before.write_moves(before.moves)))
            known[key].add(points)
            path.append((place, key))
        self._games.append(path)

    def usual(self, place: _Place) -> tuple[bytes, MoveTally] | None:
        """The move that the player usually makes in a position."""
        known = self._moves[place]
        key, most = max(known.items(), key=lambda one: one[1].games)
        total = sum(one.games for one in known.values())
        return (key, most) if most.games >= MIN_GAMES and most.games >= MIN_SHARE * total else None

    def departures(self) -> list[Departure]:
        """Where games left the repertoire, the most frequent first. Later moves of the same game do not count."""
        counts: dict[tuple[_Place, bytes], int] = defaultdict(int)
        for path in self._games:
            for place, key in path:
                found = self.usual(place)
                if found is None:
                    break  # no repertoire from here on
                if found[0] != key:
                    counts[place, key] += 1
                    break
        made = []
        for (place, key), count in counts.items():
            found = self.usual(place)
            assert found is not None
            made.append(Departure(place[0].split()[0], place[1], found[1], self._moves[place][key], count))
        return sorted(made, key=lambda one: (-one.games, len(one.usual.line), one.played.text))
