"""The compiled search for sums of different games, built on the Clobber solver."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from tengen.core.values import GameValue, Stopped
from tengen.core.values.notation import number_of
from tengen.engines.clobber.kernels.subgames import UNKNOWN
from tengen.engines.clobber.proof import ProofWriter
from tengen.engines.clobber.solver import SearchLimits, Solver
from tengen.engines.clobber.workspace import Array, TableFull
from tengen.engines.sums.checker import FORMAT, VERSION
from tengen.engines.sums.language import Term
from tengen.engines.sums.solver import nimber_of
from tengen.engines.sums.workspace import SumWorkspace
from tengen.games.rulesets import Board, Ruleset, ruleset
from tengen.games.rulesets.ruleset import SYMBOLS
from tengen.search.limits import StopFlag

NO_PARTS = np.zeros(0, np.int64)


class CompiledSolver:
    """Solves sums of any size within limits."""

    def __init__(self, megabytes: int = 1024) -> None:
        self.workspace = SumWorkspace(megabytes)
        self.solver = Solver(workspace=self.workspace)
        self.stop: StopFlag | None = None  # ends the current question

    @property
    def nodes(self) -> int:
        return self.solver.nodes

    def compile_kernels(self) -> None:
        """Compile or load the kernels of the search, before a clock starts."""
        self.solver.compile_kernels()

    def mover_wins(self, terms: Any, mover: str, seconds: float = math.inf) -> bool | None:
        """Whether the player to move wins; None if a limit was reached."""
        self.solver.make_room()
        parts, values = self.parts_of(terms, mover)
        return self.solver.left_wins(parts, self._limits(seconds), plus=values)

    def value(self, terms: Any, seconds: float = math.inf) -> GameValue:
        """The exact value. Raises `Stopped`."""
        with self.solver.limited(self._limits(seconds)):
            parts, values = self.parts_of(terms, "X")
            total = self.workspace.values.zero
            for part in parts:
                total = total + self.workspace.value_of_subgame(int(part))
            for value in values:
                total = total + value
            return total

    def _limits(self, seconds: float) -> SearchLimits:
        return SearchLimits(seconds=seconds, stop=self.stop)

    def parts_of(self, terms: Any, mover: str) -> tuple[Array, list[GameValue]]:
        """The parts and values of a sum; with the players swapped if Right is to move."""
        space = self.workspace
        found = [NO_PARTS]
        values = []
        for term in terms:
            if term.ruleset is None:
                values.append(space.values.read(term.value))
            else:
                found.append(space.parts_of(term.ruleset, term.board))
        values = simplified(values)
        space.valued_cells(self.solver.control)
        parts = np.concatenate(found)
        if mover == "X":
            return parts, values
        return space.subgames.negative[parts].astype(np.int64), [-value for value in values]

    # ---- proofs

    def prove(self, terms: tuple[Term, ...], mover: str, seconds: float = math.inf) -> str | None:
        """A proof of who wins, as a text that `checker.verify` checks; None if a limit was reached."""
        wins = self.mover_wins(terms, mover, seconds)
        if wins is None:
            return None
        writer = SumProofWriter(self)
        parts, values = self.parts_of(terms, mover)
        components = [*self.solver.components(parts), *(2 * value.form + 1 for value in values)]
        try:
            writer.write(self.solver.sum_of_components(components))
        except (TableFull, Stopped):
            return None
        written = [
            _text_of(term.ruleset, term.board)
            if term.ruleset is not None and term.board is not None
            else writer.place(self.workspace.values.read(term.value).form)
            for term in terms
        ]
        return json.dumps(
            {
                "format": FORMAT,
                "version": VERSION,
                "terms": written,
                "mover": mover,
                "wins": wins,
                "forms": writer.forms,
                "sums": writer.sums,
            }
        )


def simplified(values: list[GameValue]) -> list[GameValue]:
    """An equal sum with fewer terms: numbers are added to another value, infinitesimals to each other.

    Moving in a number is never better than moving elsewhere, and so the search does not try it.
    """
    numbers, infinitesimals, others = [], [], []
    for value in values:
        low, high, low_star, high_star = value.bounds
        if number_of(value) is not None:
            numbers.append(value)
        elif None not in value.bounds and (low == high or low_star == high_star or nimber_of(value)):
            infinitesimals.append(value)
        else:
            others.append(value)
    terms = [*others, *_added(infinitesimals)]
    for number in _added(numbers):
        terms[:1] = [terms[0] + number] if terms else [number]
    return terms


def _added(values: list[GameValue]) -> list[GameValue]:
    """The sum, as a list of one value or none."""
    if not values:
        return []
    total = values[0]
    for value in values[1:]:
        total = total + value
    return [total]


def _text_of(rules: Ruleset, board: Board) -> str:
    """A position as proofs write it; contents that mean the same are written in one way."""
    cells = bytes(SYMBOLS.index(rules.canonical[cell]) for cell in board.cells)
    return f"{rules.name}:{board._replace(cells=cells)}"


class SumProofWriter(ProofWriter):
    """Writes proofs about parts of any game."""

    def __init__(self, compiled: CompiledSolver) -> None:
        super().__init__(compiled.solver)
        self._workspace = compiled.workspace

    def text_of(self, subgame: int) -> str:
        name, board = self._workspace.board_of_part(subgame)
        return f"{name}:{board}"

    def moves_of(self, subgame: int) -> list[tuple[str, Array]]:
        name, board = self._workspace.board_of_part(subgame)
        rules = ruleset(name)
        found: dict[str, Board] = {}
        for move in rules.moves(board, 0):
            after = rules.after(board, 0, move)
            found[_text_of(rules, after)] = after
        return [(text, self._workspace.parts_of(rules, after)) for text, after in sorted(found.items())]

    def _components(self, sum_id: int) -> list[int]:
        """Without parts in which nobody can move."""
        subgames = self._workspace.subgames
        kept = []
        for component in super()._components(sum_id):
            part = component >> 1
            if component & 1 == 0 and subgames.kind[part]:
                while self._workspace.subgames.moves[part] == UNKNOWN:
                    self._workspace.generate_moves(part)
                subgames = self._workspace.subgames
                if subgames.lefts[part] + subgames.rights[part] == 0:
                    continue
            kept.append(component)
        return kept
