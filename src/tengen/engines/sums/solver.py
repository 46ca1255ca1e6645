"""Solve sums of positions from different games and of values: who wins, by which moves, and exact values.

Small questions are answered in plain Python. Larger ones go to the compiled proof-number search of the Clobber
solver, which replaces small parts by their values, cancels opposite parts and compares values directly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from tengen.core.errors import OptionError
from tengen.core.values import GameValue, ValueStore
from tengen.core.values.arithmetic import DeadlinePassed
from tengen.engines.sums.language import Term
from tengen.engines.sums.plain import PlainEvaluator

if TYPE_CHECKING:
    from tengen.engines.sums.compiled_solver import CompiledSolver

Terms = Sequence[Term]
Result = TypeVar("Result")

FIRST_STEPS = 40_000  # in plain Python, before compiled code is loaded: about a tenth of a second
MOST_FIRST_STEPS = 400_000  # of all questions together: about the time that loading it takes

OUTCOMES = {(True, True): "N", (True, False): "L", (False, True): "R", (False, False): "P"}


class SumSolver:
    """Answers questions about sums and keeps results for later ones.

    Limits apply to each question: `seconds`, and `megabytes` for the search. Answers are None beyond them.
    """

    def __init__(self, *, seconds: float = math.inf, megabytes: int = 1024, plain: bool = True) -> None:
        self.seconds = seconds
        self.megabytes = megabytes
        self._plain = PlainEvaluator() if plain else None
        self._plain_steps_left = float(MOST_FIRST_STEPS)

    @cached_property
    def compiled(self) -> CompiledSolver:
        """The solver for larger questions; imported and compiled on first use."""
        from tengen.engines.sums.compiled_solver import CompiledSolver

        return CompiledSolver(self.megabytes)

    @property
    def _is_compiled(self) -> bool:
        return "compiled" in vars(self)

    def load_compiled(self) -> None:
        """Load the compiled solver now, and use only it."""
        self.compiled.compile_kernels()

    @property
    def nodes(self) -> int:
        """Nodes searched so far."""
        return self.compiled.nodes if self._is_compiled else 0

    # ---- questions

    def mover_wins(self, terms: Terms, mover: str = "X") -> bool | None:
        """Whether the player to move (`X`, Left, or `O`, Right) wins; None if a limit was reached."""
        value = self.small_value(terms)
        if value is not None:
            return value.outcome in ("N", "L" if mover == "X" else "R")
        return self.compiled.mover_wins(terms, mover, self.seconds)

    def outcome(self, terms: Terms) -> str | None:
        """The outcome class L, R, N or P; None if a limit was reached."""
        left, right = (self.mover_wins(terms, mover) for mover in "XO")
        return None if left is None or right is None else OUTCOMES[left, right]

    def move_verdicts(self, terms: Terms, mover: str = "X") -> dict[str, bool | None]:
        """Whether each move wins (None if unknown). A move is written as in the game.

        In a sum of several terms the term's number precedes it, `2:a1-a2`; moves of values are options, `3:*`.
        """
        verdicts: dict[str, bool | None] = {}
        other = "O" if mover == "X" else "X"
        for number, term in enumerate(terms):
            rest = [one for index, one in enumerate(terms) if index != number]
            for move, after in self._moves(term, mover).items():
                reply = self.mover_wins([*rest, after], other)
                name = move if len(terms) == 1 else f"{number + 1}:{move}"
                verdicts[name] = None if reply is None else not reply
        return verdicts

    def winning_moves(self, terms: Terms, mover: str = "X") -> list[str]:
        """The moves that win, written as in `move_verdicts`. Raises `OptionError` if some move was not solved."""
        verdicts = self.move_verdicts(terms, mover)
        unknown = [move for move, wins in verdicts.items() if wins is None]
        if unknown:
            raise OptionError(f"{len(unknown)} moves were not solved within the limits, {unknown[0]} among them")
        return [move for move, wins in verdicts.items() if wins]

    def value(self, terms: Terms) -> GameValue:
        """The exact value. Raises `Stopped` if a limit was reached."""
        value = self.small_value(terms)
        return value if value is not None else self.compiled.value(terms, self.seconds)

    def nim_value(self, terms: Terms) -> int:
        """The nim value of a sum of impartial games. Raises `OptionError` for other sums, and `Stopped`."""
        total = 0
        for term in terms:
            if term.ruleset is not None and not term.ruleset.impartial:
                raise OptionError(f"{term} has no nim value: {term.ruleset.name} is not impartial")
            found = nimber_of(self.value([term]))
            if found is None:
                raise OptionError(f"{term} has no nim value: it is not a nimber")
            total ^= found
        return total

    # ---- plain answers

    def _moves(self, term: Term, mover: str) -> dict[str, Term]:
        if term.ruleset is not None and term.board is not None:
            player, board = "XO".index(mover), term.board
            return {
                term.ruleset.write_move(board, move): Term(term.ruleset, term.ruleset.after(board, player, move))
                for move in term.ruleset.moves(board, player)
            }
        value = self.value([term])
        options = value.left_options if mover == "X" else value.right_options
        return {str(option): Term(value=str(option)) for option in options}

    def small_value(self, terms: Terms) -> GameValue | None:
        """The value of a small sum; None if it takes more than a tenth of a second in plain Python, or if compiled
        code is loaded, which is faster.
        """
        plain = self._plain
        if plain is None or self._is_compiled:
            return None
        steps = min(FIRST_STEPS, self._plain_steps_left)
        plain.allow(steps)
        value = within_steps(lambda: evaluate(plain.values, plain, terms))
        self._plain_steps_left -= steps - max(0.0, plain.steps_left)
        return value


def evaluate(values: ValueStore, plain: PlainEvaluator, terms: Terms) -> GameValue:
    """The value of a sum in plain Python. Raises `DeadlinePassed`."""
    total = values.zero
    for term in terms:
        if term.ruleset is None or term.board is None:
            total = total + values.read(term.value)
        elif len(term.board.cells) > 4096:
            raise DeadlinePassed
        else:
            total = total + plain.value(term.ruleset, term.board)
    return total


def within_steps(question: Callable[[], Result]) -> Result | None:
    """The answer, or None if it takes too many steps or too deep a recursion."""
    try:
        return question()
    except (DeadlinePassed, RecursionError):
        return None


def nimber_of(value: GameValue) -> int | None:
    """The size of the nim heap that equals a value; None if there is none."""
    return _nimber(value, {})


def _nimber(value: GameValue, known: dict[int, int | None]) -> int | None:
    if value.form not in known:
        lefts, rights = value.values.options_of(value.form)
        sizes = {_nimber(option, known) for option in value.left_options} if lefts == rights else {None}
        known[value.form] = len(sizes) if sizes == set(range(len(sizes))) else None
    return known[value.form]
