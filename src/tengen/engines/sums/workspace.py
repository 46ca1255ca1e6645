"""Subgames, values and sums of positions from different rulesets, in the arrays of the Clobber solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tengen.core.errors import OptionError
from tengen.engines.clobber.kernels import sums as slots
from tengen.engines.clobber.workspace import Array, Workspace
from tengen.engines.sums.kernels import facts_of, generator_for, split_board_of
from tengen.games.rulesets import Board, Ruleset
from tengen.games.rulesets.ruleset import MAX_CELLS

# The largest boards of a ruleset, in cells, that the search replaces by their values. Values of hot games, and of
# crowded boards, grow fast.
VALUED_CELLS = {
    "cannibal_clobber": 9,
    "nogo": 9,
    "domineering": 12,
    "amazons": 5,
    "elephants": 20,
    "toads_and_frogs": 12,
    "toppling_dominoes": 6,
}
DEFAULT_VALUED_CELLS = 9
VALUED_IMPARTIAL_CELLS = 60  # values of impartial games are nimbers


class SumWorkspace(Workspace):
    """A workspace for any rulesets; each is a kind of subgame. Clobber keeps its own, faster code."""

    def __init__(self, megabytes: int = 1024) -> None:
        super().__init__(megabytes)
        self.rulesets: list[Ruleset | None] = [None]  # by kind; 0 is Clobber
        self._facts: list[np.ndarray[Any, Any]] = [np.zeros(0, np.int64)]
        self._codes = np.zeros(0, np.int32)
        # By kind: the kernel, the number of codes of moves by the number of cells, the largest boards with values.
        self._generators: dict[int, tuple[Callable[..., int], Callable[[int], int], int]] = {}
        self.most_valued: int | None = None  # overrides the table above, for tests

    def kind_of(self, ruleset: Ruleset) -> int:
        """The kind of a ruleset's subgames; a new one on first use."""
        if ruleset.name == "clobber":
            return 0
        for kind, known in enumerate(self.rulesets):
            if known is not None and known.name == ruleset.name:
                return kind
        if len(self.rulesets) >= slots.MAX_KINDS:
            raise OptionError(f"a sum has at most {slots.MAX_KINDS - 1} different games")
        self._facts.append(facts_of(ruleset, len(self.rulesets)))
        self.rulesets.append(ruleset)
        return len(self.rulesets) - 1

    def valued_cells(self, control: Array) -> None:
        """Enter into `control` which boards the search replaces by their values."""
        for kind, ruleset in enumerate(self.rulesets):
            if ruleset is not None:
                control[slots.SHORT_OF_KIND + kind] = self._largest_valued(ruleset)

    def _largest_valued(self, ruleset: Ruleset) -> int:
        if self.most_valued is not None:
            return self.most_valued
        return (
            VALUED_IMPARTIAL_CELLS if ruleset.impartial else VALUED_CELLS.get(ruleset.name, DEFAULT_VALUED_CELLS)
        )

    def parts_of(self, ruleset: Ruleset, board: Board) -> Array:
        """The ids of the parts of a board."""
        kind = self.kind_of(ruleset)
        if kind == 0:
            return self.subgames_of(str(board))
        self._fit(max(MAX_CELLS, len(board.cells)))
        cells = np.array([board.width, board.height, *board.cells], np.int64)
        out = np.zeros(len(board.cells) + 1, np.int64)
        while (count := int(split_board_of(self.subgames, self._facts[kind], cells, out))) < 0:
            self.grow()
        return out[:count]

    def generate_moves(self, subgame: int) -> None:
        # Called for each new part of a search, so it does no more than necessary.
        kind = int(self.subgames.kind[subgame])
        size = int(self.subgames.size[subgame])
        if kind not in self._generators:
            ruleset = self.rulesets[kind]
            assert ruleset is not None
            self._generators[kind] = generator_for(ruleset), ruleset.move_codes, self._largest_valued(ruleset)
        generate, move_codes, largest_valued = self._generators[kind]
        space = 2 * max(4 * size, move_codes(size)) + size  # at least `max_moves` of every board, and `size`
        if len(self._codes) < space:
            self._codes = np.zeros(space, np.int32)
        # A board that will be valued needs the moves of all its descendants.
        deep = size <= largest_valued
        while generate(self.subgames, self._facts[kind], subgame, deep, self._codes) < 0:
            self.grow()

    def board_of_part(self, subgame: int) -> tuple[str, Board]:
        """A subgame as the name of its ruleset and a board."""
        ruleset = self.rulesets[int(self.subgames.kind[subgame])]
        begin = int(self.subgames.at[subgame])
        width, height = int(self.subgames.width[subgame]), int(self.subgames.height[subgame])
        cells = bytes(self.subgames.cells[begin : begin + width * height])
        return "clobber" if ruleset is None else ruleset.name, Board(width, height, cells)
