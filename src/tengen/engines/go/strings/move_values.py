"""Values of moves: the score after a move minus the score if the opponent moves instead.

Urgent moves come from reading, big moves from priors. All candidates are searched in parallel, with most playouts
for those that may turn out best, so that the score of the final choice is based on many playouts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.go.board import Array
from tengen.engines.go.mcts.passing import area_score
from tengen.engines.go.reading.status import Status, StringStatus
from tengen.engines.go.strings.lookahead import Lookahead
from tengen.games.go import PASS, Go
from tengen.search.limits import Budget

BATCH_PLAYOUTS = 50
PASS_BATCHES = 4  # for the score of a pass, to which all others are compared
SETTLED_OWNERSHIP = 0.9  # a point with this absolute ownership is settled
SCORE_NOISE = 30.0  # standard deviation of the score of one playout, roughly


@dataclass(frozen=True)
class MoveValue:
    """A move, its gain in points over a pass, its score and line, and why it was considered."""

    move: Move
    value: float
    score: float  # for the player of the move
    line: tuple[Move, ...]
    reason: str


def urgent_moves(position: Position, strings: Sequence[StringStatus]) -> dict[Move, str]:
    """Moves that save or capture strings whose status depends on who moves first, each with its reason.

    If a move decides several strings, the largest is the reason.
    """
    game, found = position.game, dict[Move, str]()
    for string in sorted(strings, key=lambda string: (-len(string.stones), sorted(string.stones))):
        if string.status is not Status.URGENT:
            continue
        own = string.player == position.to_move
        for point in (string.defence_line if own else string.attack_line)[:1]:
            at = game.write_move(game.point(min(string.stones)))  # type: ignore[attr-defined]
            one, several = mark("{count} stone at {point}"), mark("{count} stones at {point}")
            stones = (one if len(string.stones) == 1 else several).format(count=len(string.stones), point=at)
            move = game.point(point)  # type: ignore[attr-defined]
            found.setdefault(
                move,
                (mark("urgent: saves {stones}") if own else mark("urgent: captures {stones}")).format(
                    stones=stones
                ),
            )
    return found


class MoveEvaluator:
    """Incremental evaluation of the candidate moves of a position."""

    def __init__(self, position: Position, budget: Budget, max_playouts: int, seed: int) -> None:
        """Evaluate the current score and a pass. `max_playouts` limits the playouts of all moves together."""
        self._position, self._budget, self._max_playouts, self._seed = position, budget, max_playouts, seed
        self._sign = 1 if position.to_move == 0 else -1
        self.playouts = 0
        # The first search shows who is ahead; the second one, of a game made even by that, by how much.
        self._lead = 0
        for _ in range(2):
            self._current = self._new_lookahead(position, position.to_move)
            if self._run(self._current, 2 * BATCH_PLAYOUTS):
                self._lead = round(self._current.score)
        self._after_pass = self._new_lookahead(position, 1 - position.to_move)
        self._run(self._after_pass, PASS_BATCHES * BATCH_PLAYOUTS)
        self._reasons: dict[Move, str] = {}
        self._after: dict[Move, Lookahead] = {PASS: self._after_pass}

    @property
    def pass_score(self) -> float:
        """Score for the side to move if it passes; the exact count if that pass ends the game under area rules."""
        game, state = self._position.game, self._position.state
        assert isinstance(game, Go)
        if game.scoring == "area" and int(state.passes):
            return area_score(self._position)
        return self._sign * self._after_pass.score

    @property
    def settled(self) -> Array:
        """int64[height, width]: 1 for points Black owns even if White moves first, -1 for White's, else 0."""
        ownership = np.array([self._current.ownership, self._after_pass.ownership])
        black = (ownership.min(axis=0) >= SETTLED_OWNERSHIP).astype(np.int64)
        return np.asarray(black - (ownership.max(axis=0) <= -SETTLED_OWNERSHIP))

    def add(self, moves: dict[Move, str]) -> None:
        """Add candidate moves with their reasons, and search each briefly."""
        for move, reason in moves.items():
            if not self._budget.is_spent:
                after = self._new_lookahead(self._position.play(move), 1 - self._position.to_move)
                if self._run(after, BATCH_PLAYOUTS):
                    self._after[move], self._reasons[move] = after, reason

    def step(self) -> bool:
        """Search the most promising move further. Returns whether there is more to do."""
        if self.playouts >= self._max_playouts or not self._reasons:
            return False
        best = max(self._after.values(), key=self._optimistic_score)
        return not best.is_done and self._run(best, BATCH_PLAYOUTS)

    def move_values(self) -> list[MoveValue]:
        """Values of all searched moves except the pass, best first."""
        found = []
        for move, reason in self._reasons.items():
            after = self._after[move]
            score = self._sign * after.score
            found.append(MoveValue(move, score - self.pass_score, score, (move, *after.line()), reason))
        return sorted(found, key=lambda one: (-one.value, one.move))

    def _optimistic_score(self, after: Lookahead) -> float:
        """Upper confidence bound of a move's score."""
        return self._sign * after.score + SCORE_NOISE / math.sqrt(max(1, after.playouts))

    def _new_lookahead(self, position: Position, first: int) -> Lookahead:
        return Lookahead(position, first, lead=self._lead, max_playouts=self._max_playouts, seed=self._seed)

    def _run(self, lookahead: Lookahead, playouts: int) -> bool:
        """Search further. Returns False if the budget is spent or the lookahead still has no playouts."""
        if self._budget.is_spent:
            return False
        started, before = time.perf_counter(), lookahead.playouts
        lookahead.run(playouts)
        self._budget.count(lookahead.playouts - before, time.perf_counter() - started)
        self.playouts += lookahead.playouts - before
        return lookahead.playouts > 0
