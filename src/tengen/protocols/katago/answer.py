"""Results in the form of KataGo's analysis protocol.

Fields that Tengen cannot fill, such as standard deviations of scores, are left out. Values of KataGo's network are
estimates of ours: `prior` and `policy` are the move probabilities with which the search begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from tengen.core.position import Position
from tengen.games.go import Go
from tengen.protocols.gtp.analysis import win_rate
from tengen.protocols.katago.query import Query
from tengen.search.report import Candidate, Report

CONFIDENCE_DEVIATIONS = 1.96  # of the lower confidence bound
ROOT_WEIGHT_EXPONENT = 1.5  # a move counts as this power of its visits for the value of the position


def no_results(query: Query, turn: int) -> dict[str, Any]:
    """The answer for a position whose analysis was terminated before it began."""
    return {"id": query.id, "turnNumber": turn, "isDuringSearch": False, "noResults": True}


def analysis(
    query: Query, turn: int, position: Position, report: Report, *, during_search: bool
) -> dict[str, Any]:
    """The answer for one position."""
    perspective = position.to_move if query.perspective is None else query.perspective
    sign = 1 if perspective == position.to_move else -1
    policy = _policy(position, report)
    visited = [one for one in report.candidates if one.visits] or list(report.candidates[:1])
    if report.candidates and report.candidates[0] not in visited:  # such as a pass that wins at once
        visited.insert(0, report.candidates[0])
    answer: dict[str, Any] = {
        "id": query.id,
        "turnNumber": turn,
        "isDuringSearch": during_search,
        "moveInfos": [
            {
                "move": one.move,
                "order": order,
                "visits": one.visits,
                "edgeVisits": one.visits,
                "prior": policy.get(one.move, 0.0),
                "pv": list(one.line or (one.move,))[: query.line_moves + 1],
                **_values(win_rate(one.value), _points(one), one.visits, sign),
            }
            for order, one in enumerate(visited)
        ],
        "rootInfo": _root(position, report, visited, sign),
    }
    if query.ownership:
        owners = _grid(position, report, "ownership")
        side = 1 if perspective == 0 else -1
        answer["ownership"] = [side * own for own in owners]
    if query.policy:
        answer["policy"] = [policy.get(move, -1.0) for move in [*_vertices(position), "pass"]]
    return answer


def _root(position: Position, report: Report, visited: list[Candidate], sign: int) -> dict[str, Any]:
    """Statistics of the position itself: the weighted mean of its moves.

    With their visits as weights, the many moves that are tried once or twice would count too much: every position
    would look worse for its mover than the next one does. The best move alone is too optimistic.
    """
    visits = sum(one.visits for one in visited)
    rate, lead = win_rate(report.value), _points(report.candidates[0])
    weighted = [(one.visits**ROOT_WEIGHT_EXPONENT, one) for one in visited]
    if visits:
        rate = _mean((weight, win_rate(one.value)) for weight, one in weighted)
        counted = [(weight, points) for weight, one in weighted if (points := _points(one)) is not None]
        lead = _mean(counted) if any(weight for weight, _ in counted) else lead
    return {
        "currentPlayer": "BW"[position.to_move],
        "thisHash": f"{int(position.key):016X}",
        "visits": visits or report.nodes,
        **_values(rate, lead, visits, sign),
    }


def _mean(weighted: Iterable[tuple[float, float]]) -> float:
    """The mean of pairs (weight, number)."""
    pairs = list(weighted)
    return sum(weight * number for weight, number in pairs) / sum(weight for weight, _ in pairs)


def _values(rate: float, points: float | None, visits: int, sign: int) -> dict[str, float]:
    """Values of a move: `rate` and `points` are the mover's, the result is from the perspective of `sign`.

    The confidence bound is pessimistic for the mover from every perspective.
    """
    deviation = CONFIDENCE_DEVIATIONS * math.sqrt(max(rate * (1 - rate), 0.01) / max(1, visits))
    bound = rate - deviation
    values = {
        "winrate": rate if sign > 0 else 1 - rate,
        "lcb": bound if sign > 0 else 1 - bound,
        "utility": sign * (2 * rate - 1),
        "utilityLcb": sign * (2 * bound - 1),
    }
    if points is not None:
        values |= dict.fromkeys(("scoreLead", "scoreMean", "scoreSelfplay"), sign * points)
    return {name: round(value, 6) for name, value in values.items()}


def _points(candidate: Candidate) -> float | None:
    """The mover's expected margin, if the engine estimates it."""
    return candidate.points if candidate.value.unit in ("win rate", "wins") else candidate.value.amount


def _vertices(position: Position) -> list[str]:
    """All points, row by row from the top left."""
    game = position.game
    assert isinstance(game, Go)
    return [game.write_move(move) for move in game.all_points()]


def _grid(position: Position, report: Report, name: str) -> list[float]:
    """The numbers of an overlay, row by row from the top left."""
    game = position.game
    assert isinstance(game, Go)
    found = {(c, r): x for overlay in report.overlays if overlay.name == name for c, r, x in overlay.points}
    return [float(found.get((c, r), 0.0)) for r in range(game.height) for c in range(game.width)]


def _policy(position: Position, report: Report) -> dict[str, float]:
    """Probability of each legal move: the engine's, or its share of the visits if it has none."""
    legal = position.write_moves(position.legal_moves)
    found = dict(zip(_vertices(position), _grid(position, report, "policy"), strict=True))
    if not any(found.values()):
        found = {one.move: float(one.visits) for one in report.candidates}
    probabilities = {move: found.get(move, 0.0) for move in legal}
    total = sum(probabilities.values())
    if total <= 0:
        return dict.fromkeys(legal, 1 / len(legal))
    return {move: round(share / total, 6) for move, share in probabilities.items()}
