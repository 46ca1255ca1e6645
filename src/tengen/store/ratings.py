"""Ratings of people and engines, for each game they play.

A game counts when it is saved finished for the first time, `rated`, between two different players, with a winner
or a draw. Saved again it does not count twice; deleted it still counts, or one could delete one's losses. Presumed
results and imported games never count.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from tengen.games.records.results import is_draw, winner
from tengen.store.database import Database
from tengen.store.entry import GameEntry
from tengen.store.glicko import Skill, updated
from tengen.store.part import Part, now
from tengen.store.rows import microseconds, moment
from tengen.store.schema import players, rating_changes, ratings

_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True)
class Rating:
    """A player's rating in a game as of now: less sure the longer ago the last game was."""

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
    """What a rated game did: the points the player got (1, 0.5 or 0) against whom, and the skill after it."""

    game_id: str
    opponent: str
    points: float
    skill: Skill
    time: datetime


class Ratings(Part):
    """Who is how strong."""

    def ratings(self, game: str) -> list[Rating]:
        """All that have rated games in a game (`othello`, `go`), the strongest first."""
        time = microseconds(now())
        with self._database.read() as connection:
            found = connection.execute(
                select(ratings, players.c.name)
                .join(players, players.c.id == ratings.c.player)
                .where(ratings.c.game == game)
            ).all()
        table = [
            Rating(
                *(row.player, row.name, row.game, _skill(row).after((time - row.time) / _DAY)),
                *(row.wins, row.draws, row.losses, moment(row.time)),
            )
            for row in found
        ]
        return sorted(table, key=lambda rating: (-rating.skill.rating, rating.name.casefold(), rating.player))

    def rating_history(self, player: str, game: str) -> list[RatingChange]:
        """All rated games of a player, the first one first."""
        with self._database.read() as connection:
            found = connection.execute(
                select(rating_changes)
                .where(rating_changes.c.player == player, rating_changes.c.game == game)
                .order_by(rating_changes.c.number)
            ).all()
        return [
            RatingChange(row.game_id, row.opponent, row.points, _skill(row), moment(row.time)) for row in found
        ]


def rate(database: Database, connection: Connection, entry: GameEntry, time: datetime) -> None:
    """Count a game, if it counts and has not been counted."""
    first, second = entry.players
    result = entry.record.result
    who = winner(result)
    if not (entry.rated and entry.is_finished and (who is not None or is_draw(result))):
        return
    if first is None or second is None or first.id == second.id:
        return
    # Whoever rates reads two ratings and writes them: one at a time.
    database.hold(connection, "ratings")
    counted = select(rating_changes.c.number).where(rating_changes.c.game_id == entry.id).limit(1)
    if connection.scalar(counted) is not None:
        return
    game = entry.record.game.name
    pair = (first.id, second.id)
    rows = [_row(connection, player, game) for player in pair]
    instant = microseconds(time)
    before = [Skill() if row is None else _skill(row) for row in rows]
    days = [0.0 if row is None else max(0.0, (instant - row.time) / _DAY) for row in rows]
    today = [skill.after(gap) for skill, gap in zip(before, days, strict=True)]
    for side in range(2):
        points = 0.5 if who is None else float(who == side)
        skill = updated(before[side], [(today[1 - side], points)], days[side])
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
