"""The score of a nearly finished game by search: the most that Black can be sure of if both sides play on.

A tree search answers whether Black gets more than some score; where its answer changes is the score. Settled areas
are filled first, so that the searches look at contested points only and get close to exact answers.

The searches count area. Under territory rules, neutral points and protecting moves make a difference of a point:
there, both sides play on by such searches, and the last position is counted.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tengen.core.diagram import Point
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.engines.go.board import Array
from tengen.engines.go.mcts.dead_stones import StringJudgement, judge_strings
from tengen.engines.go.positions import as_new_game
from tengen.engines.go.reading.status import Status, StatusTracker
from tengen.engines.go.scoring.settled_areas import fill_settled_areas
from tengen.engines.go.strings.lookahead import Lookahead
from tengen.games.go import PASS, Go

# Playouts of a search on small boards; larger boards get fewer, so that a score takes a few seconds at most.
OWNERSHIP_PLAYOUTS = 1000
PLAYOUTS = 3000
FINAL_PLAYOUTS = 8000  # near the score
FULL_PLAYOUTS_AREA = 170  # the largest board with that many playouts
MAX_DIFFERENCE = 8  # points between the score and the estimate; larger differences are not believed
MAX_RULE_DIFFERENCE = 1  # points between area and territory scores; more means that a side has played badly
MOVE_PLAYOUTS = 1500  # per search, of which there are two for each move
MAX_MOVES = 20  # until both pass, under territory rules
MAX_CORRECTION = 2  # points, by the searches with more playouts
SETTLED_OWNERSHIP = 0.75  # of a point whose owner is sure
MAX_OWNERSHIP_CHANGE = 0.3  # by moving first, of a point that is settled


def endgame_score(position: Position, strings: list[StringJudgement], estimate: float) -> float | None:
    """Black's score if both sides play on. `strings` are judged, `estimate` is the score if nobody does.

    Returns None if the search differs by more than `MAX_DIFFERENCE`: then a side would lose a fight in which the
    players would not engage.
    """
    filled = _with_settled_areas_filled(position, strings, round(estimate))
    search = _EndgameSearch(filled, round(estimate))
    if search.score is None or search.game.scoring == "area":
        return search.score
    counted = _count(search.play_on())
    return counted if abs(counted - search.score) <= MAX_RULE_DIFFERENCE else search.score


class _EndgameSearch:
    """Searches of a position, and of later ones, under area rules with the same score as under its own.

    Black gets more than `low`, but not more than `low + 1`. A komi of half a point prevents draws.
    """

    def __init__(self, position: Position, estimate: int) -> None:
        game = position.game
        assert isinstance(game, Go)
        self.game = game
        komi = game.komi
        if game.scoring == "territory":
            stones = position.state.go_stones
            komi += int((stones == 1).sum()) - int((stones == 2).sum())
        self._correction = math.floor(komi) + 0.5 - komi
        self._start = replace(game, scoring="area", komi=math.floor(komi) + 0.5).start()
        self._position = position
        self.low, self.is_credible = self._find(estimate)

    @property
    def score(self) -> float | None:
        return self.low + 0.5 + self._correction if self.is_credible else None

    def play_on(self) -> Position:
        """The last position if both sides play as well as they can."""
        searched, position = self._start, self._position
        for _ in range(MAX_MOVES):
            if position.is_over:
                break
            move = self._best_move(searched)
            if move not in position.legal_moves:
                break
            searched, position = searched.play(move), position.play(move)
        return position

    def _best_move(self, position: Position) -> Move:
        """A move by which the side to move gets its score; a pass if that is enough."""
        mover = position.to_move
        lead = self.low if mover == 0 else self.low + 1
        if self._exceeds(position, lead, MOVE_PLAYOUTS, first=1 - mover) == (mover == 0):
            return PASS
        return self._search(position, lead, MOVE_PLAYOUTS, mover).best_move

    def _find(self, estimate: int) -> tuple[int, bool]:
        """`low`, and whether it is not too far from the estimate to be believed."""
        least, most = estimate - MAX_DIFFERENCE - 1, estimate + MAX_DIFFERENCE + 1
        low, high = least, most
        while high - low > 1:
            middle = (low + high) // 2
            if self._exceeds(self._start, middle, PLAYOUTS):
                low = middle
            else:
                high = middle
        for _ in range(MAX_CORRECTION):
            if self._exceeds(self._start, low, FINAL_PLAYOUTS):
                break
            low -= 1
        else:
            return low, low > least
        for _ in range(MAX_CORRECTION):
            if not self._exceeds(self._start, low + 1, FINAL_PLAYOUTS):
                break
            low += 1
        return low, least < low < most - 1

    def _exceeds(self, position: Position, lead: int, playouts: int, first: int | None = None) -> bool:
        """Whether Black gets more than `lead` if `first`, by default the side to move, moves first."""
        search = self._search(position, lead, playouts, position.to_move if first is None else first)
        return search.win_rate >= 0.5

    def _search(self, position: Position, lead: int, playouts: int, first: int) -> Lookahead:
        playouts = _playouts(playouts, position)
        search = Lookahead(position, first, lead=lead, max_playouts=playouts)
        search.run(playouts)
        return search


def _count(position: Position) -> float:
    """Black's score without the dead stones."""
    game = position.game
    assert isinstance(game, Go)
    dead = [game.point(string.points[0]) for string in judge_strings(position) if string.is_dead]
    score = game.count(position, dead).score
    assert score is not None
    return score


def _playouts(playouts: int, position: Position) -> int:
    """Fewer playouts on large boards."""
    area: int = position.game.area  # type: ignore[attr-defined]
    return min(playouts, playouts * FULL_PLAYOUTS_AREA // area)


def _with_settled_areas_filled(position: Position, strings: list[StringJudgement], lead: int) -> Position:
    position = as_new_game(position)
    searches = [_ownership(position, first, lead) for first in range(2)]
    owners: Array = np.array(searches)
    contested = (np.abs(owners).min(axis=0) < SETTLED_OWNERSHIP) | (np.ptp(owners, axis=0) > MAX_OWNERSHIP_CHANGE)
    for point in _deciding_points(position):
        contested[point[1], point[0]] = True
    mean = owners.mean(axis=0)
    settled = {
        (int(column), int(row)): 0 if mean[row, column] > 0 else 1 for row, column in np.argwhere(~contested)
    }
    return fill_settled_areas(position, settled, [string.points for string in strings if string.is_dead])


def _ownership(position: Position, first: int, lead: int) -> Array:
    playouts = _playouts(OWNERSHIP_PLAYOUTS, position)
    search = Lookahead(position, first, lead=lead, max_playouts=playouts)
    search.run(playouts)
    return search.ownership


def _deciding_points(position: Position) -> set[Point]:
    """First moves that save or capture strings whose fate depends on who moves first."""
    assert isinstance(position.game, Go)
    return {
        line[0]
        for string in StatusTracker(position.game).update(position)
        if string.status is Status.URGENT
        for line in (string.attack_line, string.defence_line)
        if line and position.game.point(line[0]) != PASS
    }
