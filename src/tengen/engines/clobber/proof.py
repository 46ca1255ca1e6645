"""Proofs of solved positions, which `checker` verifies.

A proof is JSON: the board, the player to move, whether that player wins; `forms`, games given by the indices of
their Left and Right options, which precede them; and `sums`, of which the last is the board's. A sum is a list of
subgames (text) and forms (indices). Left is always to move, so a move leads to the negative of an earlier sum.
Each sum is `won` or not,

    by a `move`: [index of the term, its replacement, the resulting sum], which is lost for the other side by all
    `moves`: the same for every possible move, each leading to a sum that is won for the other side by `values`:
    one or two terms (subgames or forms) that are compared by `bounds`: multiples of up below or above each term,
    which add up. The bounds of a subgame have been proved by
        earlier sums of it and a multiple of up

Between a move and the resulting sum, terms may be removed, replaced or added if the values are equal.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import numpy as np

from tengen.core.errors import OptionError
from tengen.core.values import Stopped
from tengen.engines.clobber.checker import MAX_MULTIPLE
from tengen.engines.clobber.kernels import sums as slots
from tengen.engines.clobber.kernels.subgames import NO_BOUNDS
from tengen.engines.clobber.proof_format import FORMAT, VERSION
from tengen.engines.clobber.solver import LimitWatcher, SearchLimits, Solver, after_moves
from tengen.engines.clobber.up_bounds import UNKNOWN
from tengen.engines.clobber.workspace import Array
from tengen.games.clobber.board import colour_swapped, read_board


def prove_position(solver: Solver, board: str, mover: str, limits: SearchLimits | None = None) -> str | None:
    """A proof of who wins, or None if a limit was reached; the time limit includes writing the proof."""
    started, limits = time.perf_counter(), limits or SearchLimits()
    board = read_board(board)
    if solver.options.method != "proof":
        raise OptionError("proofs require proof-number search (method=proof)")
    wins = solver.mover_wins(board, mover, limits)
    if wins is None:
        return None
    mine = board if mover == "X" else colour_swapped(board)
    left = replace(limits, seconds=limits.seconds - (time.perf_counter() - started))
    try:
        with solver.limited(left) as watcher:
            writer = ProofWriter(solver, watcher)
            writer.write(solver.sum_of_board(mine))
    except Stopped:
        return None
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


def _adding_up(standings: list[tuple[int, ...]], won: bool) -> list[tuple[int, int]] | None:
    """Choose one bound (index, k) of each term such that they add up to a decision; None if impossible.

    As in `UpBounds.__add__`: stars cancel in pairs, and Left may move first in at most one term.
    """
    best: dict[tuple[int, bool], tuple[int, list[tuple[int, int]]]] = {(0, False): (0, [])}
    for standing in standings:
        further: dict[tuple[int, bool], tuple[int, list[tuple[int, int]]]] = {}
        for (star, begun), (total, chosen) in best.items():
            for which, k in enumerate(standing):
                if which >= 2 and (begun or not won):
                    continue
                key = (star + which) % 2, begun or which >= 2
                if key not in further or total + k > further[key][0]:
                    further[key] = total + k, [*chosen, (which, k)]
        best = further
    wanted = {(0, True): 0, (0, False): 1, (1, False): -1} if won else {(0, False): 0, (1, False): 2}
    for key, least in wanted.items():
        if key in best and best[key][0] >= least:
            return best[key][1]
    return None


class ProofWriter:
    """Collects the sums of a proof, each after those that it depends on."""

    def __init__(self, solver: Solver, watcher: LimitWatcher | None = None) -> None:
        """`watcher` has the limits, by default none."""
        self.solver = solver
        self._watcher = watcher
        self.space = solver.workspace
        self.forms: list[list[list[int]]] = [[[], []]]
        self.sums: list[dict[str, Any]] = []
        self._form_places = {0: 0}
        self._places: dict[int, int] = {}

    def write(self, root: int) -> None:
        """Write the proof of a sum, without means and temperatures as reasons, which the checker does not know."""
        heat = int(self.solver.control[slots.HEAT])
        self.solver.control[slots.HEAT] = 0
        try:
            self._write(root)
        finally:
            self.solver.control[slots.HEAT] = heat

    def _write(self, root: int) -> None:
        """With an explicit stack, because games are long."""
        stack: list[tuple[int, list[tuple[int, Any, int]] | None]] = [(root, None)]
        while stack:
            if self._watcher is not None:
                self._watcher.check()
            sum_id, moves = stack.pop()
            if sum_id in self._places:
                continue
            if moves is None:
                needed = self._bounds_needed(sum_id)
                if needed is not None and not all(lemma in self._places for lemma in needed):
                    stack.append((sum_id, None))
                    stack += [(lemma, None) for lemma in needed]
                    continue
                judged = self._judged(sum_id) if needed is None else {"by": "bounds"}
                if judged is not None:
                    self._add(sum_id, judged)
                    continue
                moves = self._needed(sum_id)
                stack.append((sum_id, moves))
                stack += [(after, None) for _, _, after in moves]
                continue
            won = int(self.space.sums.result[sum_id]) == slots.WON
            listed = [[place, after, self._places[child]] for place, after, child in moves]
            self._add(sum_id, {"move": listed[0]} if won else {"moves": listed})

    def _decide(self, sum_id: int) -> int:
        return self.solver.decide_sum(sum_id, self._watcher)

    def _add(self, sum_id: int, reason: dict[str, Any]) -> None:
        self._places[sum_id] = len(self.sums)
        terms = [self._term(component) for component in self._components(sum_id)]
        won = int(self.space.sums.result[sum_id]) == slots.WON
        self.sums.append({"sum": terms, "won": won, **reason})

    def _components(self, sum_id: int) -> list[int]:
        found = []
        while sum_id:
            found.append(int(self.space.sums.last[sum_id]))
            sum_id = int(self.space.sums.rest[sum_id])
        return found

    def _term(self, component: int) -> str | int:
        return self.place(component >> 1) if component & 1 else self.text_of(component >> 1)

    def place(self, form: int) -> int:
        """The index of a form in the proof; adds it and its options if necessary."""
        if form not in self._form_places:
            for needed in self.space.values.from_form(form).positions():
                if needed not in self._form_places:
                    value = self.space.values.from_form(needed)
                    sides = (value.left_options, value.right_options)
                    self.forms.append([[self._form_places[option.form] for option in side] for side in sides])
                    self._form_places[needed] = len(self.forms) - 1
        return self._form_places[form]

    def _judged(self, sum_id: int) -> dict[str, Any] | None:
        """The reason of a sum that is decided by comparing values; None for other sums."""
        components = self._components(sum_id)
        if len(components) > 2 or any(component & 1 == 0 for component in components):
            return None
        return {"by": "values"}

    def _bounds_needed(self, sum_id: int) -> list[int] | None:
        """The sums that prove the bounds that decide a sum; None if bounds do not, or if it is such a sum
        itself.
        """
        won = self._decide(sum_id) == slots.WON
        components = self._components(sum_id)
        if len(components) <= 2 and sum(component & 1 == 0 for component in components) == 1:
            if all(self._is_multiple_of_up(component >> 1) for component in components if component & 1):
                return None
        mine = [component if won else self._opposite(component) for component in components]
        chosen = _adding_up([self._up_bounds(component) for component in mine], won)
        if chosen is None:
            return None
        return [
            self._lemma(component >> 1, which, k)
            for component, (which, k) in zip(mine, chosen, strict=True)
            if component & 1 == 0
        ]

    def _is_multiple_of_up(self, form: int) -> bool:
        low, high, low_star, high_star = self.space.forms.bounds[form]
        return bool(low == high or low_star == high_star)

    def _up_bounds(self, component: int) -> tuple[int, ...]:
        """The proved bounds of a component; see `kernels/bounds`."""
        if component & 1 == 0:
            numbers = self.space.subgames.bounds[component >> 1]
            return UNKNOWN if numbers[0] == NO_BOUNDS else tuple(int(k) for k in numbers)
        low, high, low_star, high_star = (int(k) for k in self.space.forms.bounds[component >> 1])
        return tuple(k if abs(k) < MAX_MULTIPLE else UNKNOWN[0] for k in (low, low_star, high - 1, high_star - 1))

    def _lemma(self, subgame: int, which: int, k: int) -> int:
        """The sum that proves one of the four bounds of a subgame."""
        star = which % 2
        if which < 2:  # subgame >= c: Left loses c - subgame moving first
            return self.solver.sum_of_components(
                [2 * int(self.space.subgames.negative[subgame]), 2 * self.space.multiple_of_up(k, star) + 1]
            )
        return self.solver.sum_of_components([2 * subgame, 2 * self.space.multiple_of_up(-k, star) + 1])

    def _needed(self, sum_id: int) -> list[tuple[int, Any, int]]:
        """The moves that the proof must contain: one winning move, or all moves."""
        found = [
            (place, after, self.solver.sum_of_components(components))
            for place, after, components in self._moves(self._components(sum_id))
        ]
        if int(self.space.sums.result[sum_id]) == slots.LOST:
            for _, _, child in found:
                self._decide(child)
            return found
        # Try moves that the search has solved first: another winning move may need a long proof.
        known = [move for move in found if int(self.space.sums.result[move[2]]) == slots.LOST]
        return [next(move for move in (*known, *found) if self._decide(move[2]) == slots.LOST)]

    def _moves(self, components: list[int]) -> list[tuple[int, Any, list[int]]]:
        """For each move of Left: (index of the term, its replacement, components of the negated result)."""
        forms = self.space.forms
        found: list[tuple[int, Any, list[int]]] = []
        for place, component in enumerate(components):
            rest = [self._opposite(other) for index, other in enumerate(components) if index != place]
            if component & 1:
                for option in self.space.values.from_form(component >> 1).left_options:
                    found.append(
                        (place, self.place(option.form), [*rest, 2 * int(forms.negative[option.form]) + 1])
                    )
                continue
            for after, pieces in self.moves_of(component >> 1):
                opposites = np.array([int(self.space.subgames.negative[piece]) for piece in pieces], np.int64)
                found.append((place, after, [*rest, *self.solver.components(opposites)]))
        return found

    def text_of(self, subgame: int) -> str:
        """A subgame as the proof writes it."""
        return self.space.board_of(subgame)

    def moves_of(self, subgame: int) -> list[tuple[str, Array]]:
        """Left's moves in a subgame: what is left as text, and its parts."""
        boards = sorted(set(after_moves(self.space.board_of(subgame), "X").values()))
        return [(board, self.space.subgames_of(board)) for board in boards]

    def _opposite(self, component: int) -> int:
        if component & 1:
            return 2 * int(self.space.forms.negative[component >> 1]) + 1
        return 2 * int(self.space.subgames.negative[component >> 1])
