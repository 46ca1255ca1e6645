"""Nim with one heap, a whole game in one file: take a few stones; the player who takes the last one wins.

First the state, a NumPy record; then the rules, plain functions on that record that are compiled with the search
that uses them; last the game, the class that people and files see. To play it without installing it:

    tengen.games.register("nim", "tengen_nim.game:Nim")
    position = tengen.game("nim", size=10).start().play("take 2")
"""

from dataclasses import dataclass

import numpy as np

from tengen.core.compiled.rng import below, mix
from tengen.core.compiled.rules import rule
from tengen.core.diagram import Diagram, Stone
from tengen.core.errors import OptionError, UnreadableMove
from tengen.core.game import Game, Move

RECORD = np.dtype((np.record, [("heap", np.int64), ("most", np.int64), ("turn", np.int64)]))
FIELDS = RECORD.names  # one of them, `heap`, is a name that no other game has


# ---- rules: a move is the number of stones taken


@rule(FIELDS)
def to_move(state):
    return state.turn


@rule(FIELDS)
def legal_moves(state, out):
    count = min(state.most, state.heap)
    for i in range(count):
        out[i] = i + 1
    return count


@rule(FIELDS)
def random_move(state, rng):
    return np.int64(below(rng, min(state.most, state.heap))) + 1


@rule(FIELDS)
def play(state, move):
    state.heap -= move
    state.turn = 1 - state.turn


@rule(FIELDS)
def is_over(state):
    return state.heap == 0


@rule(FIELDS)
def score(state):
    return 1000 if state.turn == 1 else -1000  # the player to move did not take the last stone


@rule(FIELDS)
def key(state):
    return mix(2 * state.heap + state.turn)


# ---- the game: a field is an option


@dataclass(frozen=True)
class Nim(Game):
    """Take one or more stones from the heap; the player who takes the last one wins."""

    name = "nim"
    title = "Nim"
    players = ("First", "Second")
    unit = "wins"
    notation = "the number of stones to take, such as 2"

    size: int = 21
    most: int = 3

    record = RECORD
    max_score = 1000

    def __post_init__(self):
        if not (1 <= self.size <= 1000 and 1 <= self.most <= 1000):
            raise OptionError(f"nim: size and most should be 1 to 1000, not {self.size} and {self.most}")

    @property
    def max_legal_moves(self):
        return self.most

    @property
    def move_codes(self):
        return self.most + 1

    @property
    def max_playout_length(self):
        return self.size

    def set_up(self, states):
        states[0].heap, states[0].most = self.size, self.most

    def read_move(self, text, position):
        number = text.strip().lower().removeprefix("take").strip()
        if not (number.isascii() and number.isdigit() and len(number) < 5):
            raise UnreadableMove(f"{text!r} is not a move: write {self.notation}")
        return Move(int(number))

    def write_move(self, move):
        return str(move)

    def why_illegal(self, position, move):
        return f"a player takes 1 to {min(self.most, position.state.heap)} stones here"

    def end_reason(self, position):
        return "the heap is empty"

    def diagram(self, position):
        left = int(position.state.heap)
        stones = (Stone.FIRST,) * left + (Stone.EMPTY,) * (self.size - left)
        columns = tuple(str(i + 1) for i in range(self.size))
        return Diagram((stones,), columns, rows=("",), captions=(f"{left} stones in the heap",))

    def points(self, move):
        return ()
