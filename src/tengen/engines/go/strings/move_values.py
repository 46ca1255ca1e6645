"""What moves are worth: the score after a move, less the score if it is left to the enemy.

Urgent moves come from reading, big ones from the looks of moves. All are looked into at once, those that may turn
out best the furthest, so that in the end the move of the highest score is one that many games speak for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import Array
from tengen.engines.go.mcts.passing import area_score
from tengen.engines.go.reading.status import Status, StringStatus
from tengen.engines.go.strings.lookahead import Foresight
from tengen.games.go import PASS, Go
from tengen.search.limits import Budget

BATCH = 50  # games at a time
BASE = 4  # batches for the score of a pass, by which all others are measured
SETTLED = 0.9  # a point that is one side's in so much of all games, more or less, is settled
NOISE = 30.0  # points by which the score of one game is off, more or less


@dataclass(frozen=True)
class Worth:
    """A move, what it gains in points over a pass, and why it was thought of."""

    move: Move
    worth: float
    score: float  # for who plays it
    line: tuple[Move, ...]
    reason: str


def urgent_moves(position: Position, strings: Sequence[StringStatus]) -> dict[Move, str]:
    """The moves that save or take strings whose fate depends on who moves first, each with its reason.

    Of several strings that one move decides over, the largest is the reason.
    """
    game, found = position.game, dict[Move, str]()
    for string in sorted(strings, key=lambda string: (-len(string.stones), sorted(string.stones))):
        if string.status is not Status.URGENT:
            continue
        own = string.player == position.to_move
        for point in (string.defence_line if own else string.attack_line)[:1]:
            at = game.write_move(game.point(min(string.stones)))  # type: ignore[attr-defined]
            stones = f"{len(string.stones)} stone{'s' if len(string.stones) > 1 else ''} at {at}"
            move = game.point(point)  # type: ignore[attr-defined]
            found.setdefault(move, f"urgent: {'saves' if own else 'takes'} {stones}")
    return found


class Appraiser:
    """The worth of moves in a position, more and more exactly."""

    def __init__(self, position: Position, budget: Budget, games: int, seed: int) -> None:
        """games: how many all moves together get at most."""
        self._position, self._budget, self._most, self._seed = position, budget, games, seed
        self._sign = 1 if position.to_move == 0 else -1
        self.games = 0
        # A first look tells who is ahead; a second one, at a game that is even by the first, by how much.
        self._lead = 0
        for _ in range(2):
            self._now = self._foresee(position, position.to_move)
            if self._look(self._now, 2 * BATCH):
                self._lead = round(self._now.score)
        self._left = self._foresee(position, 1 - position.to_move)
        self._look(self._left, BASE * BATCH)
        self._reasons: dict[Move, str] = {}
        self._after: dict[Move, Foresight] = {PASS: self._left}

    @property
    def left(self) -> float:
        """The score for who is to move if the enemy moves instead; if a pass ends the game, the count."""
        game, state = self._position.game, self._position.state
        assert isinstance(game, Go)
        if game.scoring == "area" and int(state.passes):
            return area_score(self._position)
        return self._sign * self._left.score

    @property
    def settled(self) -> Array:
        """int64[height, width]: 1 for points that are Black's whoever moves first, -1 for White's, else 0."""
        looks = np.array([self._now.owners, self._left.owners])
        return np.asarray((looks.min(axis=0) >= SETTLED).astype(np.int64) - (looks.max(axis=0) <= -SETTLED))

    def add(self, moves: dict[Move, str]) -> None:
        """More moves that come into question, with reasons; each gets a first look."""
        for move, reason in moves.items():
            if not self._budget.is_spent:
                after = self._foresee(self._position.play(move), 1 - self._position.to_move)
                if self._look(after, BATCH):
                    self._after[move], self._reasons[move] = after, reason

    def go_on(self) -> bool:
        """Look further into the move that may turn out best; whether there is more to do."""
        if self.games >= self._most or not self._reasons:
            return False
        best = max(self._after.values(), key=self._hope)
        return not best.is_done and self._look(best, BATCH)

    def found(self) -> list[Worth]:
        """All moves that were looked at but the pass, the best first."""
        found = []
        for move, reason in self._reasons.items():
            after = self._after[move]
            score = self._sign * after.score
            line = (move, *after.line())
            found.append(Worth(move, score - self.left, score, line, reason))
        return sorted(found, key=lambda worth: (-worth.worth, worth.move))

    def _hope(self, after: Foresight) -> float:
        """As good as a move may turn out to be: so what scores best in the end was looked at often."""
        return self._sign * after.score + NOISE / math.sqrt(max(1, after.games))

    def _foresee(self, position: Position, first: int) -> Foresight:
        return Foresight(position, first, lead=self._lead, most=self._most, seed=self._seed)

    def _look(self, foresight: Foresight, games: int) -> bool:
        """Whether there was time for it."""
        if self._budget.is_spent:
            return False
        started, before = time.perf_counter(), foresight.games
        foresight.look(games)
        self._budget.count(foresight.games - before, time.perf_counter() - started)
        self.games += foresight.games - before
        return foresight.games > 0
