"""Nim with one pile: take a few stones; the player who takes the last one wins.

The state is a NumPy record. The rules are plain functions on it, compiled with the search that uses them. The game
is the class that people and files see.
"""

from dataclasses import dataclass

import numpy as np

from tengen.core.compiled.rng import below, mix
from tengen.core.compiled.rules import rule
from tengen.core.diagram import Diagram, Stone
from tengen.core.errors import OptionError, UnreadableMove
from tengen.core.game import Game, Move

RECORD = np.dtype((np.record, [("nim_pile", np.int64), ("nim_most", np.int64), ("turn", np.int64)]))
FIELDS = RECORD.names  # at least one field name must be unique to the game


@rule(FIELDS)
def to_move(state):
    return state.turn


@rule(FIELDS)
def legal_moves(state, out):
    count = min(state.nim_most, state.nim_pile)
    for i in range(count):
        out[i] = i + 1
    return count


@rule(FIELDS)
def random_move(state, rng):
    return np.int64(below(rng, min(state.nim_most, state.nim_pile))) + 1


@rule(FIELDS)
def play(state, move):
    state.nim_pile -= move
    state.turn = 1 - state.turn


@rule(FIELDS)
def is_over(state):
    return state.nim_pile == 0


@rule(FIELDS)
def score(state):
    return 1000 if state.turn == 1 else -1000  # the player to move did not take the last stone


@rule(FIELDS)
def key(state):
    return mix(2 * state.nim_pile + state.turn)


@dataclass(frozen=True)
class Nim(Game):
    """Take one or more stones from the pile; the player who takes the last one wins."""

    name = "nim"
    title = "Nim"
    players = ("First", "Second")
    unit = "wins"
    notation = "the number of stones to take, such as 2"
    record = RECORD
    max_score = 1000

    pile: int = 21
    most: int = 3

    def __post_init__(self):
        if not (1 <= self.pile <= 1000 and 1 <= self.most <= 1000):
            raise OptionError(f"nim: pile and most should be 1 to 1000, not {self.pile} and {self.most}")

    @property
    def max_legal_moves(self):
        return self.most

    @property
    def move_codes(self):
        return self.most + 1

    @property
    def max_playout_length(self):
        return self.pile

    def set_up(self, states):
        states[0].nim_pile, states[0].nim_most = self.pile, self.most

    def read_move(self, text, position):
        number = text.strip()
        if not (number.isascii() and number.isdigit() and len(number) < 5):
            raise UnreadableMove(f"{text!r} is not a move: write {self.notation}")
        return Move(int(number))

    def write_move(self, move):
        return str(move)

    def why_illegal(self, position, move):
        return f"a player takes 1 to {min(self.most, position.state.nim_pile)} stones here"

    def end_reason(self, position):
        return "the pile is empty"

    def diagram(self, position):
        left = int(position.state.nim_pile)
        stones = (Stone.FIRST,) * left + (Stone.EMPTY,) * (self.pile - left)
        columns = tuple(str(i + 1) for i in range(self.pile))
        return Diagram((stones,), columns, rows=("",), captions=(f"{left} stones left",))

    def points(self, move):
        return ()
