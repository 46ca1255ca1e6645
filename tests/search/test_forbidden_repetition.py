"""Alpha-beta in a game where a side may have no move left that does not repeat a position."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
import pytest
from tengen_nim.game import Nim

from tengen.core.compiled.rng import mix
from tengen.core.compiled.rules import rule
from tengen.search.alphabeta import AlphaBeta
from tengen.search.limits import Limits
from tengen.search.report import Kind

# Two players move one token on a grid of three by three, never to a cell where it has been.
WALK = np.dtype((np.record, [("walk_cell", np.int64), ("turn", np.int64)]))
SIZE = 3
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def _register() -> None:
    @rule(WALK.names)
    def to_move(state):
        return state.turn

    @rule(WALK.names)
    def legal_moves(state, out):
        row, column, count = state.walk_cell // SIZE, state.walk_cell % SIZE, 0
        for step in range(4):
            if 0 <= row + STEPS[step][0] < SIZE and 0 <= column + STEPS[step][1] < SIZE:
                out[count] = step
                count += 1
        return count

    @rule(WALK.names)
    def play(state, move):
        state.walk_cell += SIZE * STEPS[move][0] + STEPS[move][1]
        state.turn = 1 - state.turn

    @rule(WALK.names)
    def is_over(state):
        return False

    @rule(WALK.names)
    def score(state):
        return 0

    @rule(WALK.names)
    def evaluate(state):
        return 0

    @rule(WALK.names)
    def key(state):
        return mix(2 * state.walk_cell + state.turn)

    @rule(WALK.names)
    def may_repeat(state):
        return True

    @rule(WALK.names)
    def repeat_key(state):
        return np.uint64(state.walk_cell)

    @rule(WALK.names)
    def forbids_repetition(state):
        return True


_register()


@dataclass(frozen=True)
class Walk(Nim):
    name = "walk"
    record = WALK
    size: int = 0  # the cell where the token starts
    max_legal_moves: ClassVar[int] = 4
    move_codes: ClassVar[int] = 4
    can_repeat: ClassVar[bool] = True

    def __post_init__(self) -> None:
        pass

    def set_up(self, states):
        states[0].walk_cell = self.size

    def write_move(self, move):
        return ("right", "down", "left", "up")[move]


@cache
def wins(cell: int, visited: frozenset[int]) -> bool:
    """Whether the side to move wins if a side without a move loses."""
    row, column = divmod(cell, SIZE)
    after = [
        SIZE * (row + down) + column + right
        for down, right in STEPS
        if 0 <= row + down < SIZE and 0 <= column + right < SIZE
    ]
    return any(not wins(one, visited | {one}) for one in after if one not in visited)


@pytest.mark.parametrize("cell", range(SIZE * SIZE))
@pytest.mark.parametrize("depth", [2, 5, 8, 9])
def test_a_side_without_a_move_loses_and_nothing_is_stored_as_proved(cell: int, depth: int) -> None:
    report = AlphaBeta(table=1).search(Walk(size=cell).start(), Limits(depth=depth))
    assert report.value.amount in (-1, 0, 1)
    assert report.value.kind is not Kind.EXACT
    if depth == 9:
        assert report.value.amount == (1 if wins(cell, frozenset({cell})) else -1)
