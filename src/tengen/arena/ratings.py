"""Ratings from any set of games: of the store, of files or of a tournament, as a table, JSON and CSV.

The store's own ratings (`tengen.store.ratings`) are updated after each rated game; these use all games at once.
`over_time` lets strengths drift: each player has one strength per period in which it played, and two of them at a
distance of `t` differ by about `drift` times the square root of `t` (Coulom's whole-history rating, solved for all
players together).
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from tengen.arena.bradley_terry import ELO, SPREAD, Strengths, count, fit
from tengen.core.errors import OptionError
from tengen.games import records
from tengen.games.records.results import is_draw, winner
from tengen.store.listing import Filter
from tengen.store.store import Store

VERSION = 1
HALF_INTERVAL = NormalDist().inv_cdf(0.975)  # half a 95 % interval in standard deviations
DRIFT = 70.0  # Elo per year, about as much as the strength of people changes
PERIODS = {"day": 1, "week": 7, "month": 30, "year": 365}
MAX_STRENGTHS = 2000  # players times periods, which are solved together


@dataclass(frozen=True)
class ScoredGame:
    """A game with its result. `players` identify the players and may be ids; `names` are for display."""

    players: tuple[str, str]
    names: tuple[str, str]
    points: float  # of the player who moved first: 1, ½ or 0
    day: date | None = None


@dataclass(frozen=True)
class RatingRow:
    """A player's rating.

    `error` is half the 95 % interval; `above` the probability to be stronger than the next.
    """

    key: str
    name: str
    elo: float
    error: float
    wins: int
    draws: int
    losses: int
    above: float | None

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2


@dataclass(frozen=True)
class RatingTable:
    """The ratings of all players, the strongest first."""

    rows: tuple[RatingRow, ...]
    strengths: Strengths

    def table(self) -> Table:
        """A table for the terminal."""
        table = Table("", "player", "Elo", "±", "points", "games", "won", "drawn", "lost", "above the next")
        for place, row in enumerate(self.rows, 1):
            table.add_row(
                *(str(place), Text(row.name), f"{row.elo:+.0f}", f"{row.error:.0f}", f"{row.points:g}"),
                *(str(row.games), str(row.wins), str(row.draws), str(row.losses)),
                "" if row.above is None else f"{100 * row.above:.1f} %",
            )
        return table

    def to_dict(self) -> dict[str, Any]:
        """Data for JSON."""
        return {
            "version": VERSION,
            "draws": self.strengths.draws,
            "advantage": {
                "elo": self.strengths.advantage,
                "error": HALF_INTERVAL * self.strengths.advantage_error,
            },
            "players": [
                {
                    "name": row.name,
                    "elo": row.elo,
                    "error": row.error,
                    "games": row.games,
                    "won": row.wins,
                    "drawn": row.draws,
                    "lost": row.losses,
                    "above": row.above,
                }
                for row in self.rows
            ],
        }

    def to_csv(self) -> str:
        """The table as CSV."""
        lines: list[Sequence[object]] = [
            ("place", "player", "elo", "error", "points", "games", "won", "drawn", "lost")
        ]
        lines += [
            (
                *(place, row.name, f"{row.elo:.1f}", f"{row.error:.1f}", row.points, row.games),
                *(row.wins, row.draws, row.losses),
            )
            for place, row in enumerate(self.rows, 1)
        ]
        return write_csv(lines)


def write_csv(lines: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def rate(
    games: Iterable[ScoredGame], *, advantage: bool = True, anchor: tuple[str, float] | None = None, least: int = 1
) -> RatingTable:
    """Rate the players of these games. The mean is 0, or the player named by `anchor` has the given Elo.

    Games of a player against itself are ignored. Players with fewer than `least` games get no row.
    """
    informative = [game for game in games if game.players[0] != game.players[1]]
    names = {key: name for game in informative for key, name in zip(game.players, game.names, strict=True)}
    place = {key: number for number, key in enumerate(sorted(names, key=lambda key: (names[key], key)))}
    counts = count((place[game.players[0]], place[game.players[1]], game.points) for game in informative)
    strengths = fit(counts, len(place), advantage=advantage)
    if anchor is not None:
        strengths = strengths.relative_to([_anchor(anchor[0], names, place)], anchor[1])
    results = {key: [0, 0, 0] for key in place}
    for game in informative:
        for key, points in zip(game.players, (game.points, 1 - game.points), strict=True):
            results[key][round(2 - 2 * points)] += 1
    shown = [key for key in place if sum(results[key]) >= least]
    order = sorted(shown, key=lambda key: (-strengths.elo[place[key]], place[key]))
    rows = []
    for number, key in enumerate(order):
        above = None
        if number + 1 < len(order):
            lead, doubt = strengths.difference(place[key], place[order[number + 1]])
            above = NormalDist().cdf(lead / doubt) if doubt else 0.5
        elo, error = float(strengths.elo[place[key]]), HALF_INTERVAL * strengths.error(place[key])
        wins, draws, losses = results[key]
        rows.append(RatingRow(key, names[key], elo, error, wins, draws, losses, above))
    return RatingTable(tuple(rows), strengths)


def _anchor(wanted: str, names: dict[str, str], place: dict[str, int]) -> int:
    found = [key for key in place if names[key].casefold() == wanted.casefold()]
    if len(found) != 1:
        raise OptionError(f"{'no' if not found else 'more than one'} player {wanted!r} has games among these")
    return place[found[0]]


# ---- where games come from


def games_from_store(store: Store, which: Filter) -> Iterator[ScoredGame]:
    """The finished games of a store that match the filter and have a result."""
    for game in store.all_games(which, order="date", descending=False):
        points = _points(game.result)
        names = tuple(name.strip() or "?" for name in game.names)
        if points is None or not game.finished:
            continue
        keys = [identity or f"name {name}" for identity, name in zip(game.players, names, strict=True)]
        day = _day(game.date) or game.started.date()
        yield ScoredGame((keys[0], keys[1]), (names[0], names[1]), points, day)


def games_from_files(paths: Iterable[Path], game: str = "") -> Iterator[ScoredGame]:
    """The games in files that have two names and a result."""
    for path in paths:
        for record in records.read(path):
            points = _points(record.result)
            first, second = (name.strip() for name in record.names)
            if points is not None and first and second and game in ("", record.game.name):
                yield ScoredGame((first, second), (first, second), points, _day(record.date))


def _points(result: str) -> float | None:
    if is_draw(result):
        return 0.5
    who = winner(result)
    return None if who is None else 1.0 - who


def _day(text: str) -> date | None:
    """A date as records write it; a month or year stands for its first day."""
    parts = text.strip()[:10].split("-")
    try:
        year, month, day = (*(int(part) for part in parts), 1, 1)[:3]
        return date(year, month, day)
    except ValueError:
        return None


# ---- over time


@dataclass(frozen=True)
class RatingPoint:
    """A player's rating in the period that begins on `day`. `error` is half the 95 % interval."""

    day: date
    elo: float
    error: float
    games: int


@dataclass(frozen=True)
class History:
    """The ratings of all players over time, by name; the player who is strongest at the end comes first."""

    period: str
    players: dict[str, tuple[RatingPoint, ...]]

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "period": self.period,
            "players": [
                {
                    "name": name,
                    "moments": [
                        {"day": one.day.isoformat(), "elo": one.elo, "error": one.error, "games": one.games}
                        for one in moments
                    ],
                }
                for name, moments in self.players.items()
            ],
        }


def over_time(games: Iterable[ScoredGame], period: str = "month", drift: float = DRIFT) -> History:
    """The ratings of each period, computed from all games. The mean of the last ratings is 0.

    Strengths drift by about `drift` Elo per year. Games without a date are ignored. If there would be too many
    strengths, longer periods are used.
    """
    if period not in PERIODS:
        raise OptionError(f"a period is a {', '.join(PERIODS)}, not {period!r}")
    if not 0 < drift <= 10_000:
        raise OptionError(f"drift should be above 0 and at most 10000 Elo per year, not {drift:g}")
    dated = [(game, game.day) for game in games if game.players[0] != game.players[1] and game.day is not None]
    for chosen in list(PERIODS)[list(PERIODS).index(period) :]:
        days = PERIODS[chosen]
        variables = sorted({(key, day.toordinal() // days) for game, day in dated for key in game.players})
        if len(variables) <= MAX_STRENGTHS:
            break
    else:
        raise OptionError(f"too many players for ratings over time: at most {MAX_STRENGTHS}")
    place = {variable: number for number, variable in enumerate(variables)}
    periods = [(game, day.toordinal() // days) for game, day in dated]
    counts = count(
        (place[game.players[0], when], place[game.players[1], when], game.points) for game, when in periods
    )
    strengths = fit(counts, len(place), precision=_drifting(variables, drift * math.sqrt(days / 365)))
    played = dict.fromkeys(variables, 0)
    for game, when in periods:
        for key in game.players:
            played[key, when] += 1
    last = {key: number for (key, _), number in place.items()}  # the last strength of each player
    if last:
        strengths = strengths.relative_to(list(last.values()))
    names = {key: name for game, _ in dated for key, name in zip(game.players, game.names, strict=True)}
    found: dict[str, list[RatingPoint]] = {}
    for (key, when), number in place.items():
        elo, error = float(strengths.elo[number]), HALF_INTERVAL * strengths.error(number)
        moment = RatingPoint(date.fromordinal(max(1, when * days)), elo, error, played[key, when])
        found.setdefault(key, []).append(moment)
    order = sorted(found, key=lambda key: -found[key][-1].elo)
    shown = {key: names[key] for key in order}
    twins = [name for name in shown.values() if list(shown.values()).count(name) > 1]
    labels = {key: f"{name} ({key[:8]})" if name in twins else name for key, name in shown.items()}
    return History(chosen, {labels[key]: tuple(found[key]) for key in order})


def _drifting(variables: Sequence[tuple[str, int]], drift: float) -> Any:
    """The precision matrix of the prior: a wide prior for each first strength, then a random walk."""
    size = len(variables)
    precision = np.zeros((size, size))
    for number, (key, when) in enumerate(variables):
        before = variables[number - 1] if number else ("", 0)
        if before[0] != key or not number:
            precision[number, number] += (ELO / SPREAD) ** 2
            continue
        sure = (ELO / drift) ** 2 / (when - before[1])
        precision[number, number] += sure
        precision[number - 1, number - 1] += sure
        precision[number, number - 1] -= sure
        precision[number - 1, number] -= sure
    return precision
