"""Playouts from Python: the tunable rates of their rules, and statistics of a position's playouts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tengen.core.compiled.rng import make_rng
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.go.board import Array, Geometry, geometry_for
from tengen.engines.go.mcts.kernels.playout import run_playouts
from tengen.engines.go.mcts.kernels.playout_policy import RATE_SCALE, RATES, SCRATCH_SIZE, Playout
from tengen.games.go import Go
from tengen.search.tunables import Tunable

# The rules of heavy playouts, each with its rate; 0 disables a rule.
PLAYOUT_TUNABLES: tuple[Tunable, ...] = (
    Tunable("captures", 0.9, 0.0, 1.0, mark("playouts: rate of capturing stones just put into atari")),
    Tunable("escapes", 0.9, 0.0, 1.0, mark("playouts: rate of extending stones in atari")),
    Tunable(
        "ladders", 0.0, 0.0, 1.0, mark("playouts: rate of reading a ladder before stones are extended or chased")
    ),
    Tunable(
        "two_liberties", 0.5, 0.0, 1.0, mark("playouts: rate of attacking or saving stones with two liberties")
    ),
    Tunable("nakade", 0.7, 0.0, 1.0, mark("playouts: rate of playing the vital point of a small space")),
    Tunable(
        "patterns",
        0.9,
        0.0,
        1.0,
        mark("playouts: rate of playing a 3x3 pattern near the last two moves"),
        former_names=("shapes",),
    ),
    Tunable("self_atari", 0.9, 0.0, 1.0, mark("playouts: rate of rejecting bad self-ataris")),
    Tunable(
        "replies",
        0.9,
        0.0,
        1.0,
        mark("playouts: rate of playing replies found by reading"),
        former_names=("answers",),
    ),
)

DEFAULT_RATES = {tunable.name: tunable.default for tunable in PLAYOUT_TUNABLES}


def playout_data(geometry: Geometry, settings: Mapping[str, Any], played: Array, rng: Array) -> Playout:
    """The data of playouts, without replies; see `kernels.playout_policy` for `played` and `rng`."""
    rates = np.zeros(1, RATES)
    for tunable in PLAYOUT_TUNABLES:
        rates[tunable.name] = round(RATE_SCALE * settings[tunable.name])
    return Playout(
        rates=rates,
        replies=np.zeros((2, geometry.points), np.int64),
        scratch=np.zeros(SCRATCH_SIZE, np.int64),
        to_rules=geometry.to_rules,
        played=played,
        rng=rng,
    )


def max_playout_length(game: Go) -> int:
    return 3 * game.area + 10


class Playouts:
    """Playouts from one position; `run` adds to the counters."""

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
        """Prepare playouts. `swap` alternates the side to move; `owners` collects statistics for `ownership`."""
        assert isinstance(position.game, Go)
        self.geometry = geometry_for(position.game)
        self.games = self.moves = self.half_wins = 0
        self._owner_counts = np.zeros(3 * self.geometry.points if owners else 0, np.int64)
        self._max_length = max_playout_length(position.game)
        played = np.zeros(self._max_length, np.int32)
        self._playout = playout_data(self.geometry, {**DEFAULT_RATES, **rates}, played, make_rng(seed))
        root = self.geometry.board_from(position)
        self._boards = root, self.geometry.new_board(), self.geometry.new_board()
        self._options = heavy, swap

    def run(self, games: int, max_length: int | None = None) -> None:
        """Play `games` more playouts of up to `max_length` moves."""
        length = self._max_length if max_length is None else min(max_length, self._max_length)
        moves, halves = run_playouts(
            self._boards, self.geometry.tables, self._playout, self._owner_counts, games, length, *self._options
        )
        self.games += games
        self.moves += int(moves)
        self.half_wins += int(halves)

    def first_move(self) -> Move:
        """The first move of another playout."""
        self.run(1, max_length=1)
        return Move(int(self._playout.played[0]) >> 1)

    def ownership(self) -> Array:
        """Mean final owner of each point, row by row: 1.0 is always Black, -1.0 always White."""
        black, white = self._owner_counts.reshape(3, -1)[:2, self.geometry.inside]
        return np.asarray((black - white) / max(1, self.games))
