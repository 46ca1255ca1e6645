"""The score of a game that both players consider finished, without agreement on dead stones.

Dead stones come off the board by `judge_strings`. Under territory rules, eyes of strings in seki are no territory.
If a border is still open, points on which playouts agree count for their owner; the rest of the open space counts
for nobody.
"""

from __future__ import annotations

from collections.abc import Mapping

from tengen.core.diagram import Point, Stone, connected, neighbours
from tengen.core.outcome import Outcome
from tengen.core.position import Position
from tengen.engines.go.mcts.dead_stones import StringJudgement, judge_strings, ownership
from tengen.engines.go.scoring.endgame_score import endgame_score
from tengen.games.go import Go
from tengen.games.go.territory import territory

MIN_OPEN_OWNERSHIP = 0.25  # of a point in open space that counts for its owner
SETTLED_OWNERSHIP = 0.5  # three of four playouts agree
MAX_OPEN_SHARE = 0.2  # of the points of the board, in a game that is nearly finished


def final_outcome(position: Position) -> Outcome:
    """The outcome with dead stones removed; if the players have not passed, as if both played on."""
    owners = ownership(position)
    strings = judge_strings(position, owners)
    now = _outcome_now(position, owners, strings)
    assert now.score is not None
    if int(position.state.passes) >= 2 or not _is_nearly_finished(owners):
        return now
    score = endgame_score(position, strings, now.score)
    if score is None:
        return now
    if position.game.scoring == "territory":  # type: ignore[attr-defined]
        score -= _seki_eyes(_territory(position, strings), strings)
    return Outcome.from_score(round(1000 * score), now.reason)


def outcome_now(position: Position) -> Outcome:
    """The outcome if the game ended now, with dead stones removed."""
    owners = ownership(position)
    return _outcome_now(position, owners, judge_strings(position, owners))


def _is_nearly_finished(owners: Mapping[Point, float]) -> bool:
    """Whether playouts agree on most points."""
    return sum(abs(owner) < SETTLED_OWNERSHIP for owner in owners.values()) <= MAX_OPEN_SHARE * len(owners)


def _outcome_now(position: Position, owners: Mapping[Point, float], strings: list[StringJudgement]) -> Outcome:
    game = position.game
    assert isinstance(game, Go)
    outcome = game.count(position, [game.point(string.points[0]) for string in strings if string.is_dead])
    owned = _territory(position, strings)
    points = _open_points(position, owned, strings, owners)
    if game.scoring == "territory":
        points -= _seki_eyes(owned, strings)
    assert outcome.score is not None
    return Outcome.from_score(round(1000 * (outcome.score + points)), outcome.reason)


def _territory(position: Position, strings: list[StringJudgement]) -> dict[Point, int]:
    return territory(
        position.diagram(), {point for string in strings if string.is_dead for point in string.points}
    )


def _seki_eyes(owned: Mapping[Point, int], strings: list[StringJudgement]) -> int:
    """Black's minus White's territory next to strings in seki."""
    left = {near for string in strings if string.in_seki for point in string.points for near in neighbours(point)}
    left &= set(owned)
    balance = 0
    while left:
        start = left.pop()
        eye = connected(start, {point for point, owner in owned.items() if owner == owned[start]})
        left -= eye
        balance += len(eye) if owned[start] == 0 else -len(eye)
    return balance


def _open_points(
    position: Position, owned: Mapping[Point, int], strings: list[StringJudgement], owners: Mapping[Point, float]
) -> int:
    """Black's minus White's points in open space: owned in playouts, and not next to a living enemy stone."""
    seki = {point for string in strings if string.in_seki for point in string.points}
    living = {point: string.player for string in strings if not string.is_dead for point in string.points}
    balance = 0
    for point, stone in position.diagram().contents().items():
        if stone is not Stone.EMPTY or point in owned or abs(owners[point]) < MIN_OPEN_OWNERSHIP:
            continue
        player = 0 if owners[point] > 0 else 1
        around = [near for near in neighbours(point) if near in living]
        if all(living[near] == player and near not in seki for near in around):
            balance += 1 if player == 0 else -1
    return balance
