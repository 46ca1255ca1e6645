"""Values of moves: the score after a move minus the score if the opponent moves instead.

Urgent moves come from reading, big moves from priors. One tree search compares all of them, with most playouts for
the most promising, so that the score of the final choice is based on many playouts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines.go.board import Array
from tengen.engines.go.mcts.passing import area_score
from tengen.engines.go.positions import adjacent_points
from tengen.engines.go.reading.status import Status, StringStatus
from tengen.engines.go.strings.lookahead import Lookahead
from tengen.games.go import PASS, Go
from tengen.search.limits import Budget

BATCH_PLAYOUTS = 250
FIRST_PLAYOUTS = 20  # for every candidate
LEAD_PLAYOUTS = 100  # for the first estimate of who is ahead
CURRENT_SHARE = 0.05  # of all playouts, for the second estimate, and again for the score of a pass
TESTED_SHARE = 0.5
VISIBLE_LEAD = 10  # points that a side may be ahead or behind in the searches
SETTLED_OWNERSHIP = 0.9  # a point with this absolute ownership is settled


@dataclass(frozen=True)
class MoveValue:
    """A move, its gain in points over a pass, its score and line, and why it was considered."""

    move: Move
    value: float
    score: float  # for the player of the move; a cautious estimate, lower with fewer playouts
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
            if move == PASS:  # a ko must be retaken later
                continue
            found.setdefault(
                move,
                (mark("urgent: saves {stones}") if own else mark("urgent: captures {stones}")).format(
                    stones=stones
                ),
            )
    return found


def open_moves(position: Position, moves: Iterable[Move], settled: Array) -> list[Move]:
    """Those of `moves` that are not where all points around are settled for one side."""
    game = position.game
    assert isinstance(game, Go)

    def is_open(point: Point) -> bool:
        around = {int(settled[row, column]) for column, row in (point, *adjacent_points(game, point))}
        return around not in ({1}, {-1})

    return [move for move in moves if move != PASS and is_open(game.points(move)[0])]


def _hidden_lead(score: float) -> int:
    """The part of Black's lead that searches do not see, so that they fight for points, but play safe if ahead."""
    return int(math.copysign(max(0, round(abs(score)) - VISIBLE_LEAD), score))


def _score_noise(ownership: Array) -> float:
    """Twice the standard deviation of the score of one playout, roughly, if all open points go together."""
    return float(np.sqrt(np.maximum(0.0, 1.0 - ownership**2)).sum())


class MoveEvaluator:
    """Incremental evaluation of the candidate moves of a position."""

    def __init__(self, position: Position, budget: Budget, max_playouts: int, seed: int) -> None:
        """Evaluate the current score and a pass. `max_playouts` limits the playouts of all moves together."""
        self._position, self._budget, self.max_playouts, self._seed = position, budget, max_playouts, seed
        self._sign = 1 if position.to_move == 0 else -1
        self.playouts = 0
        # The first search shows who is ahead; the second one, of a closer game, by how much.
        self._lead = 0
        more = max(LEAD_PLAYOUTS, round(CURRENT_SHARE * max_playouts))
        for playouts in (LEAD_PLAYOUTS, more):
            self._current = self._new_lookahead(position.to_move)
            if self._run(self._current, playouts):
                self._lead = _hidden_lead(self._current.score)
        self._after_pass = self._new_lookahead(1 - position.to_move)
        self._run(self._after_pass, more)
        self._reasons: dict[Move, str] = {}
        self._search: Lookahead | None = None  # of the candidates

    @property
    def pass_score(self) -> float:
        """Score for the side to move if it passes; the exact count if that pass ends the game under area rules."""
        game, state = self._position.game, self._position.state
        assert isinstance(game, Go)
        if game.scoring == "area" and int(state.passes):
            return area_score(self._position)
        return self._sign * self._after_pass.score

    @property
    def has_time(self) -> bool:
        return self._current.playouts > 0 and self._after_pass.playouts > 0 and not self._budget.is_spent

    def best_moves(self, count: int) -> list[Move]:
        """The moves that a short search of all moves prefers."""
        return self._current.best_moves(count) if self._current.playouts else []

    def survival(self, string: StringStatus, *, if_passed: bool) -> float:
        """The share of playouts after which a string is still its owner's, if the side to move moves or passes."""
        owners = (self._after_pass if if_passed else self._current).ownership
        own = sum(float(owners[row, column]) for column, row in string.stones) / len(string.stones)
        return (1 + own) / 2 if string.player == 0 else (1 - own) / 2

    @property
    def settled(self) -> Array:
        """int64[height, width]: 1 for points Black owns even if White moves first, -1 for White's, else 0."""
        ownership = np.array([self._current.ownership, self._after_pass.ownership])
        black = (ownership.min(axis=0) >= SETTLED_OWNERSHIP).astype(np.int64)
        return np.asarray(black - (ownership.max(axis=0) <= -SETTLED_OWNERSHIP))

    def add(self, moves: Mapping[Move, str]) -> None:
        """Set the candidate moves with their reasons, and search each briefly."""
        if not moves:
            return
        self._search = self._new_lookahead(self._position.to_move, tuple(moves))
        for move, reason in moves.items():
            if self._run(self._search, FIRST_PLAYOUTS, move) and self._search.visits(move):
                self._reasons[move] = reason

    def step(self) -> bool:
        """Search further. Returns whether there is more to do."""
        search = self._search
        if search is None or self.playouts >= self.max_playouts or search.is_done or not self._reasons:
            return False
        return self._run(search, min(BATCH_PLAYOUTS, self.max_playouts - self.playouts))

    def move_values(self) -> list[MoveValue]:
        """Values of all searched moves except the pass, best first.

        A move with less than `TESTED_SHARE` of the playouts of the one that the search prefers is not credited
        with more than the best of the others: its score may be better only because it was not tested as much.
        """
        search = self._search
        if search is None or not self._reasons:
            return []
        means, noise = search.scores(), _score_noise(search.ownership)
        visits = {move: search.visits(move) for move in self._reasons}
        scores = {move: self._sign * means[move] - noise / math.sqrt(visits[move]) for move in visits}
        tested = [move for move in visits if visits[move] >= TESTED_SHARE * max(visits.values())]
        limit = max(scores[move] for move in tested)
        order = sorted(scores, key=lambda move: (-min(scores[move], limit), move not in tested, move))
        return [
            MoveValue(
                move,
                min(scores[move], limit) - self.pass_score,
                min(scores[move], limit),
                tuple(search.line(move)),
                self._reasons[move],
            )
            for move in order
        ]

    def _new_lookahead(self, first: int, moves: Sequence[Move] | None = None) -> Lookahead:
        return Lookahead(
            self._position, first, lead=self._lead, max_playouts=self.max_playouts, seed=self._seed, moves=moves
        )

    def _run(self, lookahead: Lookahead, playouts: int, move: Move | None = None) -> bool:
        """Search further. Returns False if the budget is spent or the lookahead still has no playouts."""
        if self._budget.is_spent:
            return False
        started, before = time.perf_counter(), lookahead.playouts
        lookahead.run(playouts, move)
        self._budget.count(lookahead.playouts - before, time.perf_counter() - started)
        self.playouts += lookahead.playouts - before
        return lookahead.playouts > 0
