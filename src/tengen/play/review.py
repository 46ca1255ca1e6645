"""Review of a game: the loss of each move and the turning points, from an engine's reports on the positions.

The value of a move is that of the position after it, for the player who made it; the value of the best move is
that of the position before. A loss is exact if both values are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any

from tengen.core.position import Position
from tengen.games.records import Mark, Node, Record
from tengen.search.report import Kind, Report, Value

MIN_TURNING_LOSS = 0.03  # as a share of the largest value: smaller losses are noise of estimates
MIN_VISIT_SHARE = 0.1  # of the best move's visits; points of less visited moves are unreliable
WIN_RATE = "win rate"


@dataclass(frozen=True)
class ReviewedMove:
    """A move with its value. `number` counts from 1; `best` and `best_value` are the engine's choice, if known.

    `loss` is in the unit of the review and not negative; None if the two values cannot be compared. `points` is
    the loss of expected margin, if the engine estimates that too.
    """

    number: int
    player: int
    move: str
    value: Value
    best: str | None
    best_value: Value | None
    loss: float | None
    turned: bool  # whether a win or a draw was given away
    points: float | None = None

    @property
    def is_exact(self) -> bool:
        return self.value.kind is Kind.EXACT


@dataclass(frozen=True)
class GameReview:
    """The reviewed moves of a game; `unit` is the unit of losses."""

    moves: tuple[ReviewedMove, ...]
    unit: str

    def mean_loss(self, player: int) -> float | None:
        """The mean loss of a player's moves; None if no loss is known."""
        losses = [
            reviewed.loss for reviewed in self.moves if reviewed.player == player and reviewed.loss is not None
        ]
        return sum(losses) / len(losses) if losses else None

    def worst(self, count: int = 3) -> list[ReviewedMove]:
        """The moves with the largest losses, the worst first."""
        losing = [reviewed for reviewed in self.moves if reviewed.loss]
        return sorted(losing, key=lambda reviewed: -(reviewed.loss or 0.0))[:count]

    def turns(self) -> list[ReviewedMove]:
        """The moves that gave away a win or a draw."""
        return [reviewed for reviewed in self.moves if reviewed.turned]

    def exact_from(self) -> int | None:
        """The first move from which on all values are exact; None if the last one is not."""
        first = None
        for reviewed in reversed(self.moves):
            if not reviewed.is_exact:
                break
            first = reviewed.number
        return first

    def _repr_html_(self) -> str:
        """The moves as a table, which notebooks display; moves that gave away a win or a draw are bold."""
        rows = []
        for one in self.moves:
            move = f"<b>{escape(one.move)}</b>" if one.turned else escape(one.move)
            loss = "" if not one.loss else escape(write_loss(one.loss, self.unit, one.points))
            better = escape(one.best) if one.loss and one.best else ""
            rows.append(
                f"<tr><td>{one.number}</td><td>{move}</td><td>{escape(str(one.value))}</td>"
                f"<td>{loss}</td><td>{better}</td></tr>"
            )
        head = "<tr><th></th><th>Move</th><th>Value</th><th>Loss</th><th>Better</th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"

    def to_dict(self, players: Sequence[str]) -> dict[str, Any]:
        """Data for JSON, with the names of the sides."""
        return {
            "unit": self.unit,
            "moves": [{**asdict(reviewed), "side": players[reviewed.player]} for reviewed in self.moves],
            "mean_loss": [self.mean_loss(player) for player in (0, 1)],
            "worst": [reviewed.number for reviewed in self.worst()],
            "turns": [reviewed.number for reviewed in self.turns()],
            "exact_from": self.exact_from(),
        }


def review_moves(line: Sequence[Position], reports: Mapping[int, Report]) -> GameReview:
    """Review the moves of a line, given reports on its positions by ply.

    The end of a game is valued by the rules. Moves without a report on the position after them are left out.
    """
    unit = _unit(line, reports.values())
    moves = []
    for before, after in pairwise(line):
        value = _value(after, reports)
        if value is None or after.move is None:
            continue
        player = before.to_move
        if not after.is_over and after.to_move != player:
            value = value.for_opponent()
        if after.is_over and player == 1:
            value = value.for_opponent()
        report = reports.get(before.ply)
        move = before.game.write_move(after.move)
        best = None if report is None else report.best
        ideal = None if report is None else report.value
        loss = None if ideal is None else 0.0 if move == best else _loss(ideal, value, unit)
        scale = 1.0 if unit == WIN_RATE else before.game.max_score / 1000
        turned = ideal is not None and _turned(ideal, value, loss, scale)
        points = 0.0 if loss == 0.0 else _points_lost(before, after, reports)
        moves.append(ReviewedMove(after.ply, player, move, value, best, ideal, loss, turned, points))
    return GameReview(tuple(moves), unit)


def ended_value(position: Position) -> Value:
    """The value of a finished game for the first player; an estimate if dead stones must be agreed on."""
    score, game = position.final_score / 1000, position.game
    return Value.heuristic(score, game.unit) if game.counts_dead_stones else Value.exact(score, game.unit)


def _value(position: Position, reports: Mapping[int, Report]) -> Value | None:
    """The value for the first player if the game has ended, otherwise for the player to move.

    None if it is not known: the moves alone do not tell which stones of an ended game of Go were dead.
    """
    if position.is_over:
        return None if position.game.can_remove_dead_stones else ended_value(position)
    report = reports.get(position.ply)
    return None if report is None else report.value


def _unit(line: Sequence[Position], reports: Iterable[Report]) -> str:
    """The unit of losses: points if the engine estimates them, otherwise win rates."""
    units = Counter(report.value.unit for report in reports)
    if WIN_RATE in units:
        return WIN_RATE
    del units["wins"]
    points = units.most_common(1)[0][0] if units else line[0].game.unit
    return WIN_RATE if points == "wins" else points


def _loss(ideal: Value, value: Value, unit: str) -> float | None:
    best, made = _amount(ideal, unit), _amount(value, unit)
    return None if best is None or made is None else max(0.0, best - made)


def _points_lost(before: Position, after: Position, reports: Mapping[int, Report]) -> float | None:
    """The decrease of the mover's expected margin by a move."""
    if after.is_over or before.ply not in reports or after.ply not in reports:
        return None
    best, made = expected_points(reports[before.ply]), expected_points(reports[after.ply])
    if best is None or made is None:
        return None
    return max(0.0, best - (made if after.to_move == before.to_move else -made))


def expected_points(report: Report) -> float | None:
    """The expected margin of the side to move: a mean over well visited moves varies less than that of one."""
    best = report.candidates[0]
    if best.points is None:
        return None
    weights = [
        (one.points, max(1, one.visits))
        for one in report.candidates
        if one.points is not None and one.visits >= MIN_VISIT_SHARE * best.visits
    ]
    return sum(points * visits for points, visits in weights) / sum(visits for _, visits in weights)


def _amount(value: Value, unit: str) -> float | None:
    """A value in another unit, if possible: an estimate in points says little about winning."""
    if value.unit == unit:
        return value.amount
    if unit != WIN_RATE:
        return None
    if value.unit == "wins":
        return (1 + value.amount) / 2
    return (1 + _sign(value)) / 2 if value.kind is Kind.EXACT else None


def _sign(value: Value) -> int:
    """+1 if the position is won or estimated as won, -1 if lost."""
    amount = value.amount - 0.5 if value.unit == WIN_RATE else value.amount
    return (amount > 0) - (amount < 0)


def _turned(ideal: Value, value: Value, loss: float | None, scale: float) -> bool:
    if _sign(ideal) <= _sign(value):
        return False
    both_exact = ideal.kind is value.kind is Kind.EXACT
    return both_exact or loss is None or loss >= MIN_TURNING_LOSS * scale


# ---- in a record


def annotated(record: Record, line: Sequence[Position], review: GameReview) -> Record:
    """A copy of a record with the review as comments and evaluations in its main line.

    A better move is marked on the board before the move that missed it.
    """
    record = replace(record, root=record.root.copy(), notes=list(record.notes))
    by_number = {reviewed.number: reviewed for reviewed in review.moves}
    before, nodes = record.root, iter([node for node in record.nodes() if node.move is not None])
    node = next(nodes, None)
    for position in line[1:]:
        if node is None:
            break
        if node.move != position.move:  # a pass that the record omits
            continue
        reviewed = by_number.get(position.ply)
        if reviewed is not None:
            _annotate(before, node, reviewed, position, review.unit)
        before, node = node, next(nodes, None)
    return record


def _annotate(before: Node, node: Node, reviewed: ReviewedMove, position: Position, unit: str) -> None:
    game = position.game
    lines = [f"Value for {game.players[reviewed.player]}: {reviewed.value}"]
    if reviewed.loss and reviewed.best is not None:
        lines.append(f"Better: {reviewed.best}, by {write_loss(reviewed.loss, unit, reviewed.points)}")
        points = game.points(game.read_move(reviewed.best, position.parent or position))
        if points and before is not node:
            before.marks = (*before.marks, Mark("triangle", points[-1:]))
    node.comment = "\n".join([*([node.comment] if node.comment else []), *lines])
    if reviewed.value.unit == game.unit != "wins":
        node.value = reviewed.value.amount if reviewed.player == 0 else -reviewed.value.amount


def write_loss(loss: float, unit: str, points: float | None = None) -> str:
    """`2 discs`, `12.5 % wins`, `12.5 % wins, about 3 points`."""
    if unit != WIN_RATE:
        return f"{loss:.3g} {unit}"
    about = "" if points is None else f", about {points:.1f} points"
    return f"{100 * loss:.1f} % wins{about}"
