"""The result of a search, read by protocols, storage and user interfaces.

Reports are frozen and survive a JSON round trip. Moves are written in the game's notation, so that a stored report
does not depend on internal move codes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from html import escape
from typing import Any

from tengen.core.diagram import Point
from tengen.core.translation import mark

VERSION = 1


class Kind(StrEnum):
    """Reliability of a value."""

    EXACT = "exact"  # proved: the result under best play
    BOUND = "bound"  # proved to be at least `low` or at most `high`
    HEURISTIC = "heuristic"  # an estimate


@dataclass(frozen=True)
class Value:
    """A value for the side to move.

    `amount` is in `unit`: discs, points, wins (+1 or -1), or "win rate" from 0 to 1. `low` and `high` are proved
    bounds: both equal to `amount` if it is exact, None if not proved.
    """

    amount: float
    kind: Kind
    unit: str
    low: float | None = None
    high: float | None = None

    @classmethod
    def exact(cls, amount: float, unit: str) -> Value:
        return cls(amount, Kind.EXACT, unit, amount, amount)

    @classmethod
    def heuristic(cls, amount: float, unit: str) -> Value:
        return cls(amount, Kind.HEURISTIC, unit)

    @classmethod
    def proved(cls, amount: float, unit: str, *, low: bool, high: bool) -> Value:
        """A value whose lower bound, upper bound, both or neither is proved."""
        if low and high:
            return cls.exact(amount, unit)
        if low or high:
            return cls(amount, Kind.BOUND, unit, amount if low else None, amount if high else None)
        return cls.heuristic(amount, unit)

    def for_opponent(self) -> Value:
        """The value from the opponent's point of view."""
        if self.unit == "win rate":
            return Value(1 - self.amount, self.kind, self.unit)
        low = None if self.high is None else 0.0 - self.high  # avoids negative zero
        high = None if self.low is None else 0.0 - self.low
        return Value(0.0 - self.amount, self.kind, self.unit, low, high)

    def __str__(self) -> str:
        """`+4 discs (exact)`, `at least +2 points (proved)`, `about +3.1 points`, `54.3 % wins`.

        An estimate from -1 to +1 win is written as a win rate, too.
        """
        if self.unit == "win rate":
            return mark("{percent:.1f} % wins").format(percent=100 * self.amount)
        if self.unit == "wins":
            if self.kind is Kind.HEURISTIC:
                return mark("{percent:.1f} % wins").format(percent=50 * (1 + self.amount))
            if self.kind is Kind.EXACT:
                won, lost, drawn = mark("won (exact)"), mark("lost (exact)"), mark("drawn (exact)")
                return won if self.amount > 0 else lost if self.amount < 0 else drawn
        number = f"{self.amount:+.3g}" if self.kind is Kind.HEURISTIC else f"{self.amount:+g}"
        at_least, at_most = mark("at least {number} {unit} (proved)"), mark("at most {number} {unit} (proved)")
        text = {
            Kind.EXACT: mark("{number} {unit} (exact)"),
            Kind.HEURISTIC: mark("about {number} {unit}"),
            Kind.BOUND: at_least if self.low is not None else at_most,
        }[self.kind]
        return text.format(number=number, unit=self.unit)


@dataclass(frozen=True)
class Candidate:
    """A move that was searched: its value for the side to move, principal variation, and a reason.

    `visits` is 0 if the engine does not count them. `points` is the expected margin of the mover, an estimate, if
    the engine provides it and `value` has another unit.
    """

    move: str
    value: Value
    line: tuple[str, ...] = ()
    visits: int = 0
    reason: str = ""
    points: float | None = None


@dataclass(frozen=True)
class Overlay:
    """Numbers or labels to draw on points of the board: `points` holds (column, row, number or text)."""

    name: str
    points: tuple[tuple[int, int, float | str], ...]

    @classmethod
    def from_points(cls, name: str, points: dict[Point, float | str]) -> Overlay:
        return cls(name, tuple((column, row, content) for (column, row), content in sorted(points.items())))


@dataclass(frozen=True)
class Report:
    """The result of a search.

    `candidates` are the searched moves, best first; `best` and `value` are those of the first. `depth` is 0 if the
    search has none. `trust` is the confidence of selective cuts in per cent, 100 for a search without them.
    `nodes` counts positions, or simulations.
    """

    engine: str
    best: str
    value: Value
    candidates: tuple[Candidate, ...]
    nodes: int
    seconds: float
    depth: int = 0
    trust: int = 100
    overlays: tuple[Overlay, ...] = ()
    version: int = VERSION

    @property
    def line(self) -> tuple[str, ...]:
        """The principal variation."""
        return self.candidates[0].line

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    def _repr_html_(self) -> str:
        """The candidate moves as a table, which notebooks display."""
        rows = "".join(
            f"<tr><td><b>{escape(one.move)}</b></td><td>{escape(str(one.value))}</td>"
            f"<td>{escape(' '.join(one.line[:12]))}</td></tr>"
            for one in self.candidates
        )
        depth = f", depth {self.depth}" if self.depth else ""
        caption = f"{escape(self.engine)}: {self.nodes:,} nodes{depth}, {self.seconds:.2f} s"
        head = "<tr><th>Move</th><th>Value</th><th>Principal variation</th></tr>"
        return f"<table><caption>{caption}</caption>{head}{rows}</table>"

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Read what `to_json` wrote. Raises ValueError for anything else."""
        try:
            data = json.loads(text)
            if data["version"] != VERSION:
                raise ValueError(f"a report of version {data['version']}; this program reads {VERSION}")
            data["value"] = _value(data["value"])
            data["candidates"] = tuple(_candidate(entry) for entry in data["candidates"])
            data["overlays"] = tuple(
                Overlay(entry["name"], tuple((c, r, content) for c, r, content in entry["points"]))
                for entry in data["overlays"]
            )
            return cls(**data)
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"not a report: {error}") from None


def _value(data: dict[str, Any]) -> Value:
    return Value(**{**data, "kind": Kind(data["kind"])})


def _candidate(data: dict[str, Any]) -> Candidate:
    return Candidate(**{**data, "value": _value(data["value"]), "line": tuple(data["line"])})
