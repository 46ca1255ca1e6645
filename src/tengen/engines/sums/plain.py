"""Values of small positions in plain Python: answers in milliseconds, before compiled code could be loaded."""

from __future__ import annotations

from tengen.core.errors import OptionError
from tengen.core.values import GameValue, PlainValues
from tengen.games.rulesets import Board, Ruleset

MOVE_STEPS = 20  # a move takes about as long as this many comparisons


class PlainEvaluator:
    """Values of positions by their definition. Raises `DeadlinePassed` after the steps that `allow` allowed."""

    def __init__(self) -> None:
        self.values = PlainValues()
        self._known: dict[tuple[str, Board], GameValue | None] = {}

    def allow(self, steps: float) -> None:
        """Limit the steps of the next computations together."""
        self.values.arithmetic.steps_left = steps

    @property
    def steps_left(self) -> float:
        """Of those allowed; negative if they were not enough."""
        return self.values.arithmetic.steps_left

    def value(self, ruleset: Ruleset, board: Board) -> GameValue:
        """The exact value of a board. Raises `OptionError` if play may go on forever."""
        total = self.values.zero
        for part in ruleset.parts(board):
            total = total + self._value_of_part(ruleset, ruleset.normal_form(part))
        return total

    def _value_of_part(self, ruleset: Ruleset, part: Board) -> GameValue:
        key = ruleset.name, part
        if key not in self._known:
            self._known[key] = None  # being computed
            try:
                self._known[key] = self.values.game(*(self._options(ruleset, part, player) for player in (0, 1)))
            finally:
                if self._known[key] is None:
                    del self._known[key]
        found = self._known[key]
        if found is None:
            raise OptionError(
                f"{ruleset.name} {part} can occur again after some moves: loopy games are not supported"
            )
        return found

    def _options(self, ruleset: Ruleset, part: Board, player: int) -> list[GameValue]:
        options = []
        for move in ruleset.moves(part, player):
            self.values.arithmetic.steps_left -= MOVE_STEPS
            self.values.arithmetic.keep_time()
            options.append(self.value(ruleset, ruleset.after(part, player, move)))
        return options
