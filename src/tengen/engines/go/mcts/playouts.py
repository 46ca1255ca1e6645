"""Playouts from Python: what their rules are, and what they say of a position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tengen.core.compiled.rng import make_rng
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import Array, geometry_for
from tengen.engines.go.mcts.kernels import playout_policy as policy
from tengen.engines.go.mcts.kernels.playout import MOVER_SHIFT, playouts
from tengen.games.go import Go
from tengen.search.tunables import Tunable

RULES: tuple[Tunable, ...] = (
    Tunable("captures", 0.9, 0.0, 1.0, "playouts: how often stones just put into atari are taken"),
    Tunable("escapes", 0.9, 0.0, 1.0, "playouts: how often stones in atari run"),
    Tunable("ladders", 0.0, 0.0, 1.0, "playouts: how often a ladder is read before stones run, or are chased"),
    Tunable("two_liberties", 0.5, 0.0, 1.0, "playouts: how often stones with two liberties are caught or saved"),
    Tunable("nakade", 0.7, 0.0, 1.0, "playouts: how often the vital point of a small space is played"),
    Tunable("shapes", 0.9, 0.0, 1.0, "playouts: how often a 3x3 shape near the last moves is played"),
    Tunable("self_atari", 0.9, 0.0, 1.0, "playouts: how often a bad self-atari is rejected"),
    Tunable("answers", 0.9, 0.0, 1.0, "playouts: how often an answer is given that reading found"),
)
"""The rules of heavy playouts, each with its rate; 0 switches one off."""

_INDEX = {
    "captures": policy.CAPTURES,
    "escapes": policy.ESCAPES,
    "ladders": policy.LADDERS,
    "two_liberties": policy.TWO_LIBERTIES,
    "nakade": policy.NAKADE,
    "shapes": policy.SHAPES,
    "self_atari": policy.SELF_ATARI,
    "answers": policy.ANSWERS,
}
USUAL = {rule.name: rule.default for rule in RULES}


def rates_of(settings: Mapping[str, Any]) -> Array:
    """The rates as kernels take them."""
    rates = np.zeros(policy.RATES, np.int64)
    for name, index in _INDEX.items():
        rates[index] = round(policy.ALWAYS * settings[name])
    return rates


def longest_playout(game: Go) -> int:
    return 3 * game.area + 10


class Playouts:
    """Playouts from one position: `run` some, then look at what they did."""

    def __init__(
        self,
        position: Position,
        *,
        seed: int = 0,
        heavy: bool = True,
        swap: bool = False,
        owners: bool = True,
        **rates: float,
    ) -> None:
        assert isinstance(position.game, Go)
        self.geometry = geometry_for(position.game)
        self.games = self.moves = self.half_wins = 0
        self._owners = np.zeros(3 * self.geometry.points if owners else 0, np.int64)
        self._arguments = (
            self.geometry.board_of(position),
            self.geometry.new_board(),
            self.geometry.new_board(),
            *self.geometry.tables,
            rates_of({**USUAL, **rates}),
            np.zeros((2, self.geometry.points), np.int64),
            np.zeros(policy.SCRATCH, np.int64),
            heavy,
            swap,
        )
        self._longest = longest_playout(position.game)
        self._played = np.zeros(self._longest, np.int32)
        self._rng = make_rng(seed)

    def run(self, games: int, longest: int | None = None) -> None:
        """Play so many more, each at most so long."""
        most = self._longest if longest is None else min(longest, self._longest)
        stop = np.zeros(1, np.int64)
        done, moves, halves = playouts(*self._arguments, games, most, self._played, self._owners, self._rng, stop)
        self.games += int(done)
        self.moves += int(moves)
        self.half_wins += int(halves)

    def first_move(self) -> Move:
        """The first move of another playout."""
        self.run(1, longest=1)
        return Move(int(self.geometry.outward[self._played[0] & ((1 << MOVER_SHIFT) - 1)]))

    def ownership(self) -> Array:
        """For each point of the board, row by row: 1.0 if always Black's, -1.0 if always White's."""
        black, white = self._owners.reshape(3, -1)[:2, self.geometry.inside]
        return np.asarray((black - white) / max(1, self.games))
