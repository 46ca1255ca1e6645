"""Adjudication: ends engine games early, when both engines agree on the result or a solver proves it.

Games between engines are often decided long before they are over, and playing them out costs time.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.engines.registry import create, default_engine
from tengen.play.match_result import MatchResult
from tengen.search.engine import Engine
from tengen.search.limits import Limits
from tengen.search.report import Kind, Value

DRAW = 2  # a result, besides the players 0 and 1


@dataclass(frozen=True)
class Adjudication:
    """When to end a game early. Zeros switch a rule off.

    `agreement`: both engines expected the same result in this many of their moves in a row; an engine expects a
    win if its win rate is at least `win_rate`, or its lead in discs or points at least `lead`. `solver`: the
    default engine of the game proves the result within this many nodes, tried from ply `solve_from` on.
    """

    agreement: int = 0
    win_rate: float = 0.95
    lead: float = 20.0
    solver: int = 0
    solve_from: int = 0

    def __post_init__(self) -> None:
        for name in ("agreement", "solver", "solve_from"):
            value = getattr(self, name)
            if type(value) is not int or value < 0:
                raise OptionError(f"adjudication: {name} should be a whole number from 0 up, not {value!r}")
        if not isinstance(self.win_rate, int | float) or not 0.5 < self.win_rate <= 1:
            raise OptionError(f"adjudication: win_rate should be above 0.5 and at most 1, not {self.win_rate!r}")
        if not isinstance(self.lead, int | float) or not self.lead > 0:
            raise OptionError(f"adjudication: lead should be above 0, not {self.lead!r}")

    @classmethod
    def read(cls, data: dict[str, Any]) -> Adjudication:
        """From a table of a tournament file."""
        names = [one.name for one in fields(cls)]
        for name in data:
            if name not in names:
                raise OptionError(f"adjudication has no {name!r}; it has: {', '.join(names)}")
        return cls(**data)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __bool__(self) -> bool:
        return bool(self.agreement or self.solver)


class Adjudicator:
    """Decides one game. After each move, call `add_value` with the search's value, then `verdict`."""

    def __init__(self, rules: Adjudication) -> None:
        self._rules = rules
        self._expected: list[int | None] = [None, None]  # the result that each player expected last
        self._streak = 0  # plies in a row at which both expected the same
        self._solver: Engine | None = None

    def add_value(self, mover: int, value: Value) -> None:
        """Note the value that the mover's search found."""
        expected = self._expected[mover] = self._expected_result(mover, value)
        self._streak = self._streak + 1 if expected is not None and expected == self._expected[1 - mover] else 0

    def verdict(self, position: Position) -> MatchResult | None:
        """The result if the game should end at this position, otherwise None."""
        rules = self._rules
        # n moves of each player agree if the streak, which starts with the second of them, has 2n - 1 plies.
        if rules.agreement and self._streak >= 2 * rules.agreement - 1:
            return _result(self._expected[0], "adjudicated: both players agree")
        if rules.solver and position.ply >= rules.solve_from and position.game.proofs_hold:
            if self._solver is None:
                self._solver = create(default_engine(position.game))
            value = self._solver.search(position, Limits(nodes=rules.solver)).value
            return _result(proved_winner(position.to_move, value), f"adjudicated: proved by {self._solver.name}")
        return None

    def _expected_result(self, mover: int, value: Value) -> int | None:
        proved = proved_winner(mover, value)
        if proved is not None:
            return proved
        if value.unit == "win rate":
            ahead, enough = value.amount - 0.5, self._rules.win_rate - 0.5
        elif value.unit == "wins":  # an estimate from -1, a loss, to 1, a win
            ahead, enough = value.amount / 2, self._rules.win_rate - 0.5
        else:
            ahead, enough = value.amount, self._rules.lead
        if abs(ahead) < enough:
            return None
        return mover if ahead > 0 else 1 - mover


def proved_winner(mover: int, value: Value) -> int | None:
    """The winner that an exact value or a bound proves; `DRAW` for a draw, None if nothing is proved."""
    if value.low is not None and value.low > 0:
        return mover
    if value.high is not None and value.high < 0:
        return 1 - mover
    return DRAW if value.kind is Kind.EXACT and value.amount == 0 else None


def _result(winner: int | None, reason: str) -> MatchResult | None:
    if winner is None:
        return None
    return MatchResult.draw(reason) if winner == DRAW else MatchResult(winner, f"{'BW'[winner]}+", reason)
