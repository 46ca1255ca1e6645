"""Ratings of people and engines, per game.

A game is rated when it is first saved as finished, if it is marked `rated`, has two different players and a winner
or draw. It counts only once, and still counts after deletion, so that losses cannot be deleted. Presumed results
and imported games never count.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from tengen.games.records.results import is_draw, winner
from tengen.store.component import StoreComponent, now
from tengen.store.database import Database
from tengen.store.game_entry import GameEntry
from tengen.store.glicko import Skill, update_skill
from tengen.store.rows import from_microseconds, to_microseconds
from tengen.store.schema import players, rating_changes, ratings

_DAY = 86_400_000_000  # to_microseconds


@dataclass(frozen=True)
class Rating:
    """A player's current rating in a game; the deviation grows with the time since the last game."""

    player: str
    name: str
    game: str
    skill: Skill
    wins: int
    draws: int
    losses: int
    changed: datetime

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class RatingChange:
    """Effect of one rated game: points (1, 0.5 or 0) against an opponent, and the skill after it."""

    game_id: str
    opponent: str
    points: float
    skill: Skill
    time: datetime


class Ratings(StoreComponent):
    """Rating tables and histories."""

    def ratings(self, game: str) -> list[Rating]:
        """Ratings of all players with rated games of a kind (`othello`, `go`), strongest first."""
        time = to_microseconds(now())
        with self._database.read() as connection:
            found = connection.execute(
                select(ratings, players.c.name)
                .join(players, players.c.id == ratings.c.player)
                .where(ratings.c.game == game)
            ).all()
        table = [
            Rating(
                *(row.player, row.name, row.game, _skill(row).after((time - row.time) / _DAY)),
                *(row.wins, row.draws, row.losses, from_microseconds(row.time)),
            )
            for row in found
        ]
        return sorted(table, key=lambda rating: (-rating.skill.rating, rating.name.casefold(), rating.player))

    def rating_history(self, player: str, game: str) -> list[RatingChange]:
        """All rated games of a player, oldest first."""
        with self._database.read() as connection:
            found = connection.execute(
                select(rating_changes)
                .where(rating_changes.c.player == player, rating_changes.c.game == game)
                .order_by(rating_changes.c.number)
            ).all()
        return [
            RatingChange(row.game_id, row.opponent, row.points, _skill(row), from_microseconds(row.time))
            for row in found
        ]


def rate(database: Database, connection: Connection, entry: GameEntry, time: datetime) -> None:
    """Rate the players of a game, if it is eligible and was not rated before."""
    first, second = entry.players
    result = entry.record.result
    who = winner(result)
    if not (entry.rated and entry.is_finished and (who is not None or is_draw(result))):
        return
    if first is None or second is None or first.id == second.id:
        return
    # Read-modify-write of two ratings: one transaction at a time.
    database.lock(connection, "ratings")
    counted = select(rating_changes.c.number).where(rating_changes.c.game_id == entry.id).limit(1)
    if connection.scalar(counted) is not None:
        return
    game = entry.record.game.name
    pair = (first.id, second.id)
    rows = [_row(connection, player, game) for player in pair]
    instant = to_microseconds(time)
    before = [Skill() if row is None else _skill(row) for row in rows]
    days = [0.0 if row is None else max(0.0, (instant - row.time) / _DAY) for row in rows]
    today = [skill.after(gap) for skill, gap in zip(before, days, strict=True)]
    for side in range(2):
        points = 0.5 if who is None else float(who == side)
        skill = update_skill(before[side], [(today[1 - side], points)], days[side])
        values: dict[str, Any] = {
            "rating": skill.rating,
            "deviation": skill.deviation,
            "volatility": skill.volatility,
            "time": instant,
        }
        row = rows[side]
        tally = {"wins": points == 1, "draws": points == 0.5, "losses": points == 0}
        counts = {name: int(new) + (0 if row is None else getattr(row, name)) for name, new in tally.items()}
        if row is None:
            connection.execute(insert(ratings).values(player=pair[side], game=game, **values, **counts))
        else:
            connection.execute(
                update(ratings)
                .where(ratings.c.player == pair[side], ratings.c.game == game)
                .values(**values, **counts)
            )
        connection.execute(
            insert(rating_changes).values(
                player=pair[side], game=game, game_id=entry.id, opponent=pair[1 - side], points=points, **values
            )
        )


def _row(connection: Connection, player: str, game: str) -> Any:
    chosen = select(ratings).where(ratings.c.player == player, ratings.c.game == game)
    return connection.execute(chosen).one_or_none()


def _skill(row: Any) -> Skill:
    return Skill(row.rating, row.deviation, row.volatility)
