"""Ends of games before the rules end them: both players agree who wins, or a solver has proved it.

Games between engines are often decided long before they are over, and the rest costs time. Adjudicated games end
by what both engines say, each so many times in a row, or by a proof within a number of nodes.
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

DRAW = 2  # a verdict, besides the players 0 and 1


@dataclass(frozen=True)
class Adjudication:
    """When a game is ended. Zeros switch it off.

    `agreement`: both players have said the same so many times in a row, one move each counting as one; to say that
    one wins, a win rate must be at least `win_rate`, or a lead in discs or points at least `lead`. `solver`: the
    engine that the game gets proves the result within so many nodes; it is asked from move `solve_from` on.
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
        """From a table of a tournament's file."""
        names = [one.name for one in fields(cls)]
        for name in data:
            if name not in names:
                raise OptionError(f"adjudication has no {name!r}; it has: {', '.join(names)}")
        return cls(**data)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __bool__(self) -> bool:
        return bool(self.agreement or self.solver)


class Referee:
    """Watches one game. After each move `told` the mover's value, then `end`."""

    def __init__(self, rules: Adjudication) -> None:
        self._rules = rules
        self._said: list[int | None] = [None, None]  # the last verdict of each side
        self._streak = 0  # plies for which both have said the same
        self._solver: Engine | None = None

    def told(self, mover: int, value: Value) -> None:
        """What the engine that moved says of the position before its move."""
        said = self._verdict(mover, value)
        self._said[mover] = said
        self._streak = self._streak + 1 if said is not None and self._said[0] == self._said[1] else 0

    def end(self, position: Position) -> MatchResult | None:
        """The end of the game, if there is reason for it."""
        rules = self._rules
        # Both have agreed for n moves of each when the later of the two has said so 2n - 1 plies after the other.
        if rules.agreement and self._streak >= 2 * rules.agreement - 1:
            return _end(self._said[0], "adjudicated: both players agree")
        if rules.solver and position.ply >= rules.solve_from and position.game.proofs_hold:
            if self._solver is None:
                self._solver = create(default_engine(position.game))
            value = self._solver.search(position, Limits(nodes=rules.solver)).value
            return _end(proved(position.to_move, value), f"adjudicated: proved by {self._solver.name}")
        return None

    def _verdict(self, mover: int, value: Value) -> int | None:
        sure = proved(mover, value)
        if sure is not None:
            return sure
        if value.unit == "win rate":
            ahead, enough = value.amount - 0.5, self._rules.win_rate - 0.5
        elif value.unit == "wins":  # a guess between a loss, -1, and a win, 1
            ahead, enough = value.amount / 2, self._rules.win_rate - 0.5
        else:
            ahead, enough = value.amount, self._rules.lead
        if abs(ahead) < enough:
            return None
        return mover if ahead > 0 else 1 - mover


def proved(mover: int, value: Value) -> int | None:
    """Who wins by what is proved; `DRAW` for nobody, None where nothing decides it."""
    if value.low is not None and value.low > 0:
        return mover
    if value.high is not None and value.high < 0:
        return 1 - mover
    return DRAW if value.kind is Kind.EXACT and value.amount == 0 else None


def _end(verdict: int | None, reason: str) -> MatchResult | None:
    if verdict is None:
        return None
    return MatchResult(None, "0", reason) if verdict == DRAW else MatchResult(verdict, f"{'BW'[verdict]}+", reason)
