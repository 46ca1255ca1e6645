"""Proofs of solved positions, for `checker` to replay.

A proof is JSON: the board, who moves, whether that player wins; `forms`, games by the places of their Left and
Right options, which come before them; and `sums`, of which the last is the board's. A sum is a list of parts
(text) and forms (places). Left is always to move, so a move leads to the negative of an earlier sum. Each sum is
`won` or not,

    by a `move`: [which term, what it becomes, the sum that follows], which is lost for the other side
    by all `moves`: the same for every move there is, each followed by a sum that is won for the other side
    by `values`: one or two terms (parts or forms) that are compared
    by `bounds`: multiples of up below or above each term, which add up

Terms may be left out, replaced or added up between a move and the sum that follows, if the values are the same.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tengen.core.errors import OptionError
from tengen.engines.clobber.kernels import sums as slots
from tengen.engines.clobber.shape import FORMAT, VERSION
from tengen.engines.clobber.solver import Effort, Solver, after_moves
from tengen.games.clobber.board import colour_swapped, read_board


def prove_position(solver: Solver, board: str, mover: str, effort: Effort | None = None) -> str | None:
    """A proof of who wins, or None if the effort was not enough."""
    board = read_board(board)
    if solver.switches.method != "proof":
        raise OptionError("proofs are written by the search by proof numbers")
    wins = solver.mover_wins(board, mover, effort)
    if wins is None:
        return None
    writer = _Writer(solver)
    mine = board if mover == "X" else colour_swapped(board)
    writer.write(solver.bag_of_board(mine))
    return json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "board": board,
            "mover": mover,
            "wins": wins,
            "forms": writer.forms,
            "sums": writer.sums,
        }
    )


class _Writer:
    """Collects the sums that a proof needs, each after those that it relies on."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.space = solver.workspace
        self.forms: list[list[list[int]]] = [[[], []]]
        self.sums: list[dict[str, Any]] = []
        self._form_places = {0: 0}
        self._places: dict[int, int] = {}

    def write(self, root: int) -> None:
        """All that shows who wins a bag; a stack of our own, since games are long."""
        stack: list[tuple[int, list[tuple[int, Any, int]] | None]] = [(root, None)]
        while stack:
            bag, moves = stack.pop()
            if bag in self._places:
                continue
            if moves is None:
                judged = self._judged(bag)
                if judged is not None:
                    self._add(bag, judged)
                    continue
                moves = self._needed(bag)
                stack.append((bag, moves))
                stack += [(after, None) for _, _, after in moves]
                continue
            won = int(self.space.sums.known[bag]) == slots.WON
            listed = [[place, after, self._places[child]] for place, after, child in moves]
            self._add(bag, {"move": listed[0]} if won else {"moves": listed})

    def _add(self, bag: int, reason: dict[str, Any]) -> None:
        self._places[bag] = len(self.sums)
        terms = [self._term(component) for component in self._components(bag)]
        won = int(self.space.sums.known[bag]) == slots.WON
        self.sums.append({"sum": terms, "won": won, **reason})

    def _components(self, bag: int) -> list[int]:
        found = []
        while bag:
            found.append(int(self.space.sums.last[bag]))
            bag = int(self.space.sums.rest[bag])
        return found

    def _term(self, component: int) -> str | int:
        return self._place(component >> 1) if component & 1 else self.space.board_of(component >> 1)

    def _place(self, form: int) -> int:
        """Where a form is in the proof, put there with all it needs."""
        if form not in self._form_places:
            for needed in self.space.values.of(form).positions():
                if needed not in self._form_places:
                    value = self.space.values.of(needed)
                    sides = (value.left_options, value.right_options)
                    self.forms.append([[self._form_places[option.form] for option in side] for side in sides])
                    self._form_places[needed] = len(self.forms) - 1
        return self._form_places[form]

    def _judged(self, bag: int) -> dict[str, Any] | None:
        """How a bag is decided without search, if it is."""
        components = self._components(bag)
        if any(component & 1 == 0 for component in components):
            return None
        if len(components) <= 2:
            return {"by": "values"}
        return {"by": "bounds"} if self.solver.judged_by_bounds(bag) else None

    def _needed(self, bag: int) -> list[tuple[int, Any, int]]:
        """The moves that the proof must show: one that wins, or all."""
        found = [
            (place, after, self.solver.bag_of_components(components))
            for place, after, components in self._moves(self._components(bag))
        ]
        if int(self.space.sums.known[bag]) == slots.LOST:
            for _, _, child in found:
                self.solver.settle(child)
            return found
        # What the search has found is tried first: another winning move may need a long proof of its own.
        known = [move for move in found if int(self.space.sums.known[move[2]]) == slots.LOST]
        return [next(move for move in (*known, *found) if self.solver.settle(move[2]) == slots.LOST)]

    def _moves(self, components: list[int]) -> list[tuple[int, Any, list[int]]]:
        """(which term, what it becomes, the components of the negative of what follows) by Left's moves."""
        forms = self.space.forms
        found: list[tuple[int, Any, list[int]]] = []
        for place, component in enumerate(components):
            rest = [self._opposite(other) for index, other in enumerate(components) if index != place]
            if component & 1:
                for option in self.space.values.of(component >> 1).left_options:
                    found.append(
                        (place, self._place(option.form), [*rest, 2 * int(forms.negative[option.form]) + 1])
                    )
                continue
            board = self.space.board_of(component >> 1)
            for after in sorted(set(after_moves(board, "X").values())):
                pieces = self.space.parts_of(after)
                opposites = np.array([int(self.space.parts.negative[piece]) for piece in pieces], np.int64)
                found.append((place, after, [*rest, *self.solver.components(opposites)]))
        return found

    def _opposite(self, component: int) -> int:
        if component & 1:
            return 2 * int(self.space.forms.negative[component >> 1]) + 1
        return 2 * int(self.space.parts.negative[component >> 1])
