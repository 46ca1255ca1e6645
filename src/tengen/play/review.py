"""What the moves of a game were worth, by what an engine said of its positions: losses, and where the game turned.

A value is that of the position after a move, for whoever made it; what the best move would have been worth is the
value of the position before it. Both may be guesses, so that a loss is one: it is exact where both are.
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

NOTICEABLE = 0.03  # of the largest value: smaller losses are the noise of guesses, and turn no game
WIN_RATE = "win rate"


@dataclass(frozen=True)
class Judged:
    """A move that was made, from 1. `best` and `best_value` are what the engine would have done, if it was asked.

    `loss` counts the judgement's unit and is never negative; None where the two values cannot be compared.
    `points` is the loss of the margin that may be expected, where the engine guesses at that besides.
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
class Judgement:
    """The moves of a game, as far as they were looked at. `unit` is what losses count."""

    moves: tuple[Judged, ...]
    unit: str

    def mean_loss(self, player: int) -> float | None:
        """For each of this player's moves that could be judged; None without any."""
        losses = [judged.loss for judged in self.moves if judged.player == player and judged.loss is not None]
        return sum(losses) / len(losses) if losses else None

    def worst(self, count: int = 3) -> list[Judged]:
        """The moves that lost most, the worst first."""
        losing = [judged for judged in self.moves if judged.loss]
        return sorted(losing, key=lambda judged: -(judged.loss or 0.0))[:count]

    def turns(self) -> list[Judged]:
        """The moves that gave away a win or a draw."""
        return [judged for judged in self.moves if judged.turned]

    def exact_from(self) -> int | None:
        """The move from which on all that was played has its exact value; None if the last one has not."""
        first = None
        for judged in reversed(self.moves):
            if not judged.is_exact:
                break
            first = judged.number
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
        """Plain data for JSON, with the names of the sides."""
        return {
            "unit": self.unit,
            "moves": [{**asdict(judged), "side": players[judged.player]} for judged in self.moves],
            "mean_loss": [self.mean_loss(player) for player in (0, 1)],
            "worst": [judged.number for judged in self.worst()],
            "turns": [judged.number for judged in self.turns()],
            "exact_from": self.exact_from(),
        }


def judge(line: Sequence[Position], reports: Mapping[int, Report]) -> Judgement:
    """Judge the moves of a line from its start, by reports on its positions by their ply.

    An ended game is judged by the rules. Moves without a report on the position after them are left out.
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
        turned = ideal is not None and _turned(ideal, value, loss, _scale(before, unit))
        points = 0.0 if loss == 0.0 else _points_lost(before, after, reports)
        moves.append(Judged(after.ply, player, move, value, best, ideal, loss, turned, points))
    return Judgement(tuple(moves), unit)


def ended_value(position: Position) -> Value:
    """What the rules say of an ended game, for the first player; a guess until dead stones are agreed on."""
    score, game = position.final_score / 1000, position.game
    return Value.heuristic(score, game.unit) if game.counts_dead_stones else Value.exact(score, game.unit)


def _value(position: Position, reports: Mapping[int, Report]) -> Value | None:
    """For the first player of an ended game, else for who is to move."""
    if position.is_over:
        return ended_value(position)
    report = reports.get(position.ply)
    return None if report is None else report.value


def _unit(line: Sequence[Position], reports: Iterable[Report]) -> str:
    """What losses count: points where the engine does, else shares of a win."""
    units = Counter(report.value.unit for report in reports)
    if WIN_RATE in units:
        return WIN_RATE
    del units["wins"]
    points = units.most_common(1)[0][0] if units else line[0].game.unit
    return WIN_RATE if points == "wins" else points


def _scale(position: Position, unit: str) -> float:
    return 1.0 if unit == WIN_RATE else position.game.max_score / 1000


def _loss(ideal: Value, value: Value, unit: str) -> float | None:
    best, made = _amount(ideal, unit), _amount(value, unit)
    return None if best is None or made is None else max(0.0, best - made)


def _points_lost(before: Position, after: Position, reports: Mapping[int, Report]) -> float | None:
    """By how much the margin that the mover may expect fell with a move."""
    if after.is_over or before.ply not in reports or after.ply not in reports:
        return None
    best, made = reports[before.ply].candidates[0].points, reports[after.ply].candidates[0].points
    if best is None or made is None:
        return None
    return max(0.0, best - (made if after.to_move == before.to_move else -made))


def _amount(value: Value, unit: str) -> float | None:
    """A value in another unit, where that makes sense: a guess at points says little of who wins."""
    if value.unit == unit:
        return value.amount
    if unit != WIN_RATE:
        return None
    if value.unit == "wins":
        return (1 + value.amount) / 2
    return (1 + _sign(value)) / 2 if value.kind is Kind.EXACT else None


def _sign(value: Value) -> int:
    """+1 if it is won, or seems to be; -1 if lost."""
    amount = value.amount - 0.5 if value.unit == WIN_RATE else value.amount
    return (amount > 0) - (amount < 0)


def _turned(ideal: Value, value: Value, loss: float | None, scale: float) -> bool:
    if _sign(ideal) <= _sign(value):
        return False
    both_exact = ideal.kind is value.kind is Kind.EXACT
    return both_exact or loss is None or loss >= NOTICEABLE * scale


# ---- in a record


def annotated(record: Record, line: Sequence[Position], judgement: Judgement) -> Record:
    """A copy of a record whose main line says what each move was worth.

    Points become evaluations, everything a comment; a better move is marked on the board before it was missed.
    """
    record = replace(record, root=record.root.copy(), notes=list(record.notes))
    by_number = {judged.number: judged for judged in judgement.moves}
    before, nodes = record.root, iter([node for node in record.nodes() if node.move is not None])
    node = next(nodes, None)
    for position in line[1:]:
        if node is None:
            break
        if node.move != position.move:  # a pass that the record leaves out
            continue
        judged = by_number.get(position.ply)
        if judged is not None:
            _annotate(before, node, judged, position, judgement.unit)
        before, node = node, next(nodes, None)
    return record


def _annotate(before: Node, node: Node, judged: Judged, position: Position, unit: str) -> None:
    game = position.game
    said = [f"Value for {game.players[judged.player]}: {judged.value}"]
    if judged.loss and judged.best is not None:
        said.append(f"Better: {judged.best}, by {write_loss(judged.loss, unit, judged.points)}")
        points = game.points(game.read_move(judged.best, position.parent or position))
        if points and before is not node:
            before.marks = (*before.marks, Mark("triangle", points[-1:]))
    node.comment = "\n".join([*([node.comment] if node.comment else []), *said])
    if judged.value.unit == game.unit != "wins":
        node.value = judged.value.amount if judged.player == 0 else -judged.value.amount


def write_loss(loss: float, unit: str, points: float | None = None) -> str:
    """`2 discs`, `12.5 % wins`, `12.5 % wins, about 3 points`."""
    if unit != WIN_RATE:
        return f"{loss:.3g} {unit}"
    about = "" if points is None else f", about {points:.1f} points"
    return f"{100 * loss:.1f} % wins{about}"
