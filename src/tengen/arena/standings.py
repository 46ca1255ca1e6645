"""Standings of a tournament: places, points, Elo with error bars and cross table, as text, JSON, CSV and HTML."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from rich.table import Table
from rich.text import Text

from tengen.arena import plots
from tengen.arena.game_runner import PlayedGame, describe_game, list_faults
from tengen.arena.pairings import Pairing, knock_out, swiss_byes
from tengen.arena.ratings import RatingTable, ScoredGame, rate, write_csv

VERSION = 1
_PLOT_POINTS = 24  # of the plot of strengths over games

Key = tuple[int, int, int]
"""A game of a tournament: its two players, the lower number first, and its number among their games."""


@dataclass(frozen=True)
class StandingsRow:
    """A player's row. `error` is half the 95 % interval of its Elo; both are None before its first game."""

    player: int
    name: str
    points: float
    wins: int
    draws: int
    losses: int
    elo: float | None
    error: float | None

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def strength(self, form: str = "+.0f") -> tuple[str, str]:
        """The Elo and its error as text for tables."""
        if self.elo is None or self.error is None:
            return "", ""
        return format(self.elo, form), format(self.error, form.removeprefix("+"))


@dataclass
class Standings:
    """The finished games, in the order in which they finished, and the results of complete pairings."""

    kind: str
    names: Sequence[str]
    games_each: int
    played: dict[Key, PlayedGame] = field(default_factory=dict)
    meetings: dict[Pairing, float] = field(default_factory=dict)
    total: int | None = None  # number of games of the tournament, if known

    def add(self, key: Key, played: PlayedGame) -> None:
        self.played[key] = played
        self.__dict__.pop("ratings", None)

    def points(self, key: Key) -> float:
        """The points of the first of the two players of a game."""
        winner = self.played[key].winner
        return 0.5 if winner is None else 1.0 - winner

    def scored(self, keys: Sequence[Key] | None = None) -> list[ScoredGame]:
        """The games in the form that `rate` takes."""
        found = []
        for key in self.played if keys is None else keys:
            points = self.points(key)
            first, second = key[:2] if self.played[key].first == 0 else (key[1], key[0])
            names = (self.names[first], self.names[second])
            found.append(ScoredGame((str(first), str(second)), names, points if first == key[0] else 1 - points))
        return found

    @cached_property
    def ratings(self) -> RatingTable:
        return rate(self.scored())

    def lines(self) -> list[StandingsRow]:
        """All players in the order of their places."""
        rated = {int(row.key): row for row in self.ratings.rows}
        byes = swiss_byes(len(self.names), self.meetings) if self.kind == "swiss" else []
        lines = []
        for player, name in enumerate(self.names):
            row = rated.get(player)
            results = (row.wins, row.draws, row.losses) if row else (0, 0, 0)
            points = results[0] + results[1] / 2 + self.games_each * byes.count(player)
            elo, error = (row.elo, row.error) if row else (None, None)
            lines.append(StandingsRow(player, name, points, *results, elo, error))
        reached: dict[int, int] = {}
        if self.kind == "knock-out":
            reached = knock_out(len(self.names), self.games_each, self.meetings)[1]

        def rank(line: StandingsRow) -> tuple[float, ...]:
            elo = -math.inf if line.elo is None else line.elo
            if self.kind == "knock-out":
                return (reached[line.player], elo)
            return (elo,) if self.kind == "gauntlet" else (line.points, elo)

        return sorted(lines, key=lambda line: (*(-part for part in rank(line)), line.player))

    def cross_table(self) -> dict[tuple[int, int], tuple[float, int]]:
        """(player, opponent) -> points and games against that opponent."""
        table: dict[tuple[int, int], tuple[float, int]] = {}
        for key in self.played:
            for one, other, points in ((*key[:2], self.points(key)), (key[1], key[0], 1 - self.points(key))):
                won, games = table.get((one, other), (0.0, 0))
                table[one, other] = won + points, games + 1
        return table

    def elo_history(self) -> dict[str, list[plots.Point]]:
        """The Elo of each player after increasing numbers of games."""
        keys = list(self.played)
        ends = (
            sorted({max(1, round(len(keys) * step / _PLOT_POINTS)) for step in range(1, _PLOT_POINTS + 1)})
            if keys
            else []
        )
        series: dict[str, list[plots.Point]] = {}
        for end in ends:
            for row in sorted(rate(self.scored(keys[:end])).rows, key=lambda row: int(row.key)):
                series.setdefault(row.name, []).append(plots.Point(end, row.elo))
        return series

    # ---- output

    def progress(self) -> str:
        """The progress and the leaders in one line."""
        done = f"{len(self.played)}" + (f" of {self.total}" if self.total else "") + " games"
        leaders = [f"{line.name} {' ± '.join(line.strength())}" for line in self.lines()[:3] if line.games]
        return f"{done}: {', '.join(leaders)}"

    def table(self) -> Table:
        """A table for the terminal."""
        table = Table("", "player", "points", "games", "won", "drawn", "lost", "Elo", "±", title=self.caption())
        for place, line in enumerate(self.lines(), 1):
            table.add_row(
                *(str(place), Text(line.name), f"{line.points:g}", str(line.games), str(line.wins)),
                *(str(line.draws), str(line.losses), *line.strength()),
            )
        return table

    def caption(self) -> str:
        return f"{len(self.played)}{f' of {self.total}' if self.total else ''} games"

    def figures(self) -> list[tuple[str, str]]:
        """Headline numbers: the players in the lead."""
        leaders = [line for line in self.lines()[:3] if line.games]
        return [(line.name, f"{line.points:g} / {line.games}") for line in leaders]

    def faults(self) -> list[str]:
        """The reasons of forfeited games, each with its number of games."""
        return list_faults(
            (played, (self.names[first], self.names[second])) for (first, second, _), played in self.played.items()
        )

    def to_dict(self) -> dict[str, Any]:
        """Data for JSON."""
        cross = self.cross_table()
        return {
            "version": VERSION,
            "kind": self.kind,
            "games": len(self.played),
            "total": self.total,
            "ratings": {"draws": self.ratings.strengths.draws, "advantage": self.ratings.strengths.advantage},
            "players": [
                {
                    "place": place,
                    "name": line.name,
                    "points": line.points,
                    "won": line.wins,
                    "drawn": line.draws,
                    "lost": line.losses,
                    "elo": line.elo,
                    "error": line.error,
                    "against": {
                        self.names[other]: {"points": won, "games": games}
                        for (one, other), (won, games) in sorted(cross.items())
                        if one == line.player
                    },
                }
                for place, line in enumerate(self.lines(), 1)
            ],
            "played": [self.describe(key) for key in sorted(self.played)],
        }

    def describe(self, key: Key) -> dict[str, Any]:
        """A game as data for JSON. `points` are those of the player who is listed first in the tournament."""
        return describe_game(self.played[key], (self.names[key[0]], self.names[key[1]]))

    def to_csv(self) -> str:
        """A CSV line for each player, with the points against each opponent."""
        cross = self.cross_table()
        rows: list[Sequence[object]] = [
            ("place", "player", "points", "games", "won", "drawn", "lost", "elo", "error", *self.names)
        ]
        for place, line in enumerate(self.lines(), 1):
            against = [
                cross[line.player, other][0] if (line.player, other) in cross else ""
                for other in range(len(self.names))
            ]
            results = (line.wins, line.draws, line.losses, *line.strength(".1f"))
            rows.append((place, line.name, line.points, line.games, *results, *against))
        return write_csv(rows)

    def to_html(self, title: str, about: str) -> str:
        """A self-contained HTML page with plots."""
        return plots.document(title, [("Result", f"<p>{escape(about)}</p>"), *self.sections()])

    def sections(self) -> list[tuple[str, str]]:
        """The sections of the HTML page: heading and content."""
        lines = self.lines()
        cross = self.cross_table()
        faults = self.faults()
        head = ("", "player", "points", "games", "Elo", "±")
        rows = [
            (str(place), one.name, f"{one.points:g}", str(one.games), *one.strength())
            for place, one in enumerate(lines, 1)
        ]
        numbers = [str(place) for place in range(1, len(lines) + 1)]
        against = [
            (number, line.name, *(_cell(cross, line.player, other.player) for other in lines))
            for number, line in zip(numbers, lines, strict=True)
        ]
        return [
            ("Standings", plots.html_table(head, rows)),
            ("Strength", plots.error_bars([(row.name, row.elo, row.error) for row in self.ratings.rows])),
            ("Who beat whom", plots.html_table(("", "player", *numbers), against)),
            ("Strength over the games", plots.lines(self.elo_history(), "Elo over the games played")),
            *([("Lost by a fault", "".join(f"<p>{escape(fault)}</p>" for fault in faults))] if faults else ()),
        ]


def _cell(cross: Mapping[tuple[int, int], tuple[float, int]], one: int, other: int) -> str:
    won, games = cross.get((one, other), (0.0, 0))
    return "" if not games else f"{won:g}/{games}"
