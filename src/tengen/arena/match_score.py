"""The score of an engine match, as a table and as JSON.

Games finish in any order, short ones first. A sequential test that took them in that order would see quick wins
before slow losses, so it takes pairs in the order of their numbers: its verdict does not depend on timing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table
from rich.text import Text

from tengen.arena import statistics
from tengen.arena.game_runner import PlayedGame, list_faults
from tengen.arena.statistics import Sprt, elo_of, interval, normalized_elo, superiority

VERSION = 1


@dataclass
class MatchScore:
    """The games played so far, by their number from 0. Games 2n and 2n + 1 are a pair."""

    names: tuple[str, str]
    sprt: Sprt | None = None
    games: dict[int, PlayedGame] = field(default_factory=dict)
    decided_by: int | None = None  # number of pairs after which the SPRT accepted a hypothesis
    verdict: int | None = None
    _tested_pairs: int = 0
    _tested_counts: list[int] = field(default_factory=lambda: [0] * 5)

    def add(self, played: PlayedGame) -> None:
        """Add a game, and decide `verdict` if the SPRT can."""
        self.games[played.number] = played
        while self.sprt is not None and self.verdict is None:
            points = self.points_of_pair(self._tested_pairs)
            if points is None:
                return
            self._tested_counts[round(2 * points)] += 1
            self._tested_pairs += 1
            self.verdict = self.sprt.verdict(self._tested_counts)
            if self.verdict is not None:
                self.decided_by = self._tested_pairs

    def counted(self) -> list[PlayedGame]:
        """The games that count, in order: after a verdict, only those that led to it."""
        end = math.inf if self.decided_by is None else 2 * self.decided_by
        return [self.games[number] for number in sorted(self.games) if number < end]

    def counts(self) -> tuple[int, ...]:
        """The number of complete pairs in which the first contestant made 0, ½, 1, 1½ and 2 points."""
        counts = [0] * 5
        for pair in {played.number // 2 for played in self.counted()}:
            points = self.points_of_pair(pair)
            if points is not None:
                counts[round(2 * points)] += 1
        return tuple(counts)

    def results(self, contestant: int, games: Iterable[PlayedGame] | None = None) -> tuple[int, int, int]:
        """The number of games that a contestant won, drew and lost."""
        winners = [played.winner for played in (self.counted() if games is None else games)]
        draws = winners.count(None)
        won = winners.count(contestant)
        return won, draws, len(winners) - draws - won

    def pair_points(self) -> list[float]:
        """The first contestant's points in each complete pair that counts, in the order of their numbers."""
        points = (self.points_of_pair(pair) for pair in sorted({played.number // 2 for played in self.counted()}))
        return [one for one in points if one is not None]

    def points_of_pair(self, pair: int) -> float | None:
        """The first contestant's points in a pair; None while it is not complete."""
        games = [self.games.get(number) for number in (2 * pair, 2 * pair + 1)]
        if any(game is None for game in games):
            return None
        return sum(0.5 if game.winner is None else 1.0 - game.winner for game in games if game is not None)

    # ---- output

    def line(self) -> str:
        """The score in one line."""
        won, drawn, lost = self.results(0)
        text = f"{won + drawn + lost} games: +{won} ={drawn} -{lost}, {self.difference()}"
        text += f", {self.normalized_difference()}"
        text += f", stronger with {100 * superiority(self.counts()):.1f} %"
        if self.sprt is not None:
            lower, upper = self.sprt.bounds
            text += f", LLR {float(self.sprt.ratio(self.counts())):.2f} ({lower:.2f} to {upper:.2f})"
        return text

    def difference(self) -> str:
        """`Elo +38 (+12 to +65)`."""
        counts = self.counts()
        low, high = interval(counts)
        return f"Elo {_signed(statistics.score(counts))} ({_signed(low)} to {_signed(high)})"

    def normalized_difference(self) -> str:
        """`nElo +52 (+16 to +88)`, the normalised Elo difference."""
        found, low, high = normalized_elo(self.counts())
        return f"nElo {_signed_elo(found)} ({_signed_elo(low)} to {_signed_elo(high)})"

    def decision(self) -> str:
        """The state of the SPRT in one line."""
        assert self.sprt is not None
        if self.verdict is None:
            return f"no decision between Elo {self.sprt.elo0:+g} and {self.sprt.elo1:+g} yet"
        accepted, sense = ((self.sprt.elo0, "most"), (self.sprt.elo1, "least"))[self.verdict]
        return f"Elo at {sense} {accepted:+g} accepted after {self.decided_by} pairs"

    def table(self) -> Table:
        """The result as a table for the terminal."""
        table = Table("player", "won", "drawn", "lost", "first", "second", "time", "faults", "ms/move")
        games = self.counted()
        for contestant, name in enumerate(self.names):
            sides = [
                "{}-{}-{}".format(*self.results(contestant, [one for one in games if one.first == side]))
                for side in (contestant, 1 - contestant)
            ]
            lost = [one for one in games if one.winner == 1 - contestant]
            moves = sum(_moves(one, contestant) for one in games)
            seconds = sum(one.thinking[contestant] for one in games)
            table.add_row(
                Text(name),
                *map(str, self.results(contestant, games)),
                *sides,
                str(sum(one.result.endswith("+T") for one in lost)),
                str(sum(one.result.endswith("+F") for one in lost)),
                f"{1000 * seconds / max(1, moves):.1f}",
            )
        return table

    def faults(self) -> list[str]:
        """The reasons of forfeited games, each with its number of games."""
        return list_faults((played, self.names) for played in self.counted())

    def to_dict(self) -> dict[str, Any]:
        """Data for JSON; infinite values are null."""
        counts = self.counts()
        low, high = interval(counts)
        won, drawn, lost = self.results(0)
        mean = float(statistics.score(counts))
        data: dict[str, Any] = {
            "version": VERSION,
            "players": list(self.names),
            "games": won + drawn + lost,
            "won": won,
            "drawn": drawn,
            "lost": lost,
            "pairs": list(counts),
            "score": {"mean": mean, "low": float(low), "high": float(high)},
            "elo": {"mean": _finite(elo_of(mean)), "low": _finite(elo_of(low)), "high": _finite(elo_of(high))},
            "normalized_elo": dict(
                zip(("mean", "low", "high"), map(_finite, normalized_elo(counts)), strict=True)
            ),
            "superiority": superiority(counts),
            "sprt": None,
            "played": [_describe(played) for played in self.counted()],
        }
        if self.sprt is not None:
            data["sprt"] = {
                "elo0": self.sprt.elo0,
                "elo1": self.sprt.elo1,
                "alpha": self.sprt.alpha,
                "beta": self.sprt.beta,
                "ratio": float(self.sprt.ratio(counts)),
                "accepted": self.verdict,
            }
        return data


def _moves(played: PlayedGame, contestant: int) -> int:
    """The number of moves that a contestant made, if players alternate."""
    made = len(played.seconds)
    begins = (played.first + played.opening) % 2 == contestant
    return (made + begins) // 2


def _describe(played: PlayedGame) -> dict[str, Any]:
    return {
        "number": played.number + 1,
        "id": played.id,
        "first": played.first,
        "winner": played.winner,
        "result": played.result,
        "reason": played.reason,
        "moves": len(played.moves),
        "opening": played.opening,
        "thinking": list(played.thinking),
        "nodes": list(played.nodes),
        "seconds": played.wall,
    }


def _signed(score: float) -> str:
    return _signed_elo(elo_of(float(score)))


def _signed_elo(elo: float) -> str:
    return f"{round(elo):+d}" if math.isfinite(elo) else "+∞" if elo > 0 else "-∞"


def _finite(elo: float) -> float | None:
    return elo if math.isfinite(elo) else None
