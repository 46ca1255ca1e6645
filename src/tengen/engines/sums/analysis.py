"""What is known of a sum: its terms, outcome, value, temperature, nim value and winning moves."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.values import GameValue, Stopped, thermograph
from tengen.engines.sums.language import Term, write_sum
from tengen.engines.sums.solver import OUTCOMES, SumSolver

MAX_VALUED_CELLS = 24  # of a term; values of larger boards take long, and say little
MAX_NAME = 200

OUTCOME_WORDS = {
    "L": "L, Left (X) wins moving first or second",
    "R": "R, Right (O) wins moving first or second",
    "N": "N, the next player wins",
    "P": "P, the previous player wins",
}


@dataclass(frozen=True)
class Fact:
    """A value and what follows from it."""

    value: str
    outcome: str
    temperature: str
    mean: str

    @classmethod
    def of(cls, value: GameValue) -> Fact:
        graph = thermograph(value)
        return cls(str(value), value.outcome, str(graph.temperature), str(graph.mean))


@dataclass(frozen=True)
class Analysis:
    """A sum. None means not found within the limits."""

    sum: str
    terms: tuple[tuple[str, Fact | None], ...]
    fact: Fact | None
    outcome: str | None
    nim_value: int | None
    winning_moves: dict[str, list[str]]
    unknown_moves: dict[str, list[str]]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def analyse(solver: SumSolver, terms: tuple[Term, ...]) -> Analysis:
    """Analyse a sum within the limits of the solver."""
    facts = tuple((str(term), _fact(solver, (term,))) for term in terms)
    winning: dict[str, list[str]] = {}
    unknown: dict[str, list[str]] = {}
    wins: list[bool | None] = []
    for mover in "XO":
        verdicts = solver.move_verdicts(terms, mover)
        winning[mover] = [move for move, verdict in verdicts.items() if verdict]
        unknown[mover] = [move for move, verdict in verdicts.items() if verdict is None]
        wins.append(True if winning[mover] else None if unknown[mover] else False)
    left, right = wins
    try:
        nim_value = solver.nim_value(terms) if all(fact is not None for _, fact in facts) else None
    except (OptionError, Stopped):
        nim_value = None
    return Analysis(
        sum=write_sum(terms),
        terms=facts,
        fact=_fact(solver, terms) if all(fact is not None for _, fact in facts) else None,
        outcome=None if left is None or right is None else OUTCOMES[left, right],
        nim_value=nim_value,
        winning_moves=winning,
        unknown_moves=unknown,
    )


def _fact(solver: SumSolver, terms: tuple[Term, ...]) -> Fact | None:
    if any(term.board is not None and len(term.board.cells) > MAX_VALUED_CELLS for term in terms):
        return None
    try:
        return Fact.of(solver.value(terms))
    except Stopped:
        return None


def lines(analysis: Analysis) -> list[str]:
    """An analysis as lines of text."""
    found = []
    if len(analysis.terms) > 1:
        for number, (text, fact) in enumerate(analysis.terms, 1):
            found.append(f"{number:<3} {text}{'' if fact is None else f': {_words(fact)}'}")
    outcome = "not solved" if analysis.outcome is None else OUTCOME_WORDS[analysis.outcome]
    found.append(f"sum   {outcome}")
    if analysis.fact is not None:
        found.append(f"value {_words(analysis.fact)}, mean {analysis.fact.mean}")
    if analysis.nim_value is not None:
        found.append(f"nim   {analysis.nim_value}")
    for mover, player in (("X", "Left"), ("O", "Right")):
        moves, unknown = analysis.winning_moves[mover], analysis.unknown_moves[mover]
        verdict = f"wins by {' '.join(moves)}" if moves else "is not solved" if unknown else "loses"
        found.append(f"{player} ({mover}) first {verdict}")
        if unknown:
            found.append(f"      not solved: {' '.join(unknown)}")
    return found


def _words(fact: Fact) -> str:
    name = fact.value if len(fact.value) <= MAX_NAME else f"{fact.value[: MAX_NAME - 1]}…"
    return f"{name}, temperature {fact.temperature}"
