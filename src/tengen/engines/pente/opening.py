"""The opening protocols: which side to take, and stones that leave both sides as good as even.

Both by what the player thinks of the position, were the opening over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games.pente.game import COLOURS, TWO_MORE, Pente
from tengen.games.pente.record import NOTHING, STRIDE
from tengen.search.report import Candidate, Report, Value

EVEN_MARGIN_WINS = 0.1
"""Wins: a position that is worth less to either side is even enough to let the other choose."""
MAX_CENTRE_DISTANCE = 3
"""Stones of the opening are placed so near the middle."""
CANDIDATE_POINTS = 10
"""Places for the last stone, of which the fairest is taken."""


def is_opening(position: Position) -> bool:
    """Whether stones of the opening are being placed, or a side is to be chosen."""
    return bool(position.state.choice != NOTHING or position.state.left > 0)


def has_choice(position: Position) -> bool:
    return bool(position.state.choice != NOTHING)


def after_opening(position: Position) -> Position:
    """The same stones in the game after the opening, with the colour of the next stone on turn."""
    game = position.game
    assert isinstance(game, Pente)
    return replace(game, opening="none", first="anywhere", second="anywhere", board=game.text(position)).start()


def choose(position: Position, report: Report) -> Report:
    """The choice that follows from what was found of the settled position."""
    colour = int(position.state.colour)
    settled_value = report.value
    if TWO_MORE in position.legal_moves and abs(settled_value.amount) < EVEN_MARGIN_WINS:
        best, value = "more", replace(settled_value, amount=0.0)
    elif settled_value.amount >= 0:
        best, value = COLOURS[colour].lower(), settled_value
    else:
        best, value = COLOURS[1 - colour].lower(), settled_value.for_opponent()
    return replace(report, best=best, value=value, candidates=(Candidate(best, value),), overlays=())


def place_evenly(
    position: Position, moves: tuple[Move, ...], seed: int, evaluate: Callable[[Position], Report]
) -> Report:
    """A stone of the opening: near the middle by chance, the last one where it leaves the sides most even."""
    dice = Random(f"{seed} {position.key}")
    middle = (int(position.state.width) + 1) / 2
    near = [
        m for m in moves if max(abs(m % STRIDE - middle), abs(m // STRIDE - middle)) <= MAX_CENTRE_DISTANCE
    ] or list(moves)
    points = dice.sample(near, min(CANDIDATE_POINTS if position.state.left == 1 else 1, len(near)))
    reports = {move: evaluate(after_opening(position.play(move))) for move in points}
    best = min(points, key=lambda move: abs(reports[move].value.amount))
    name, value = position.game.write_move(best), Value.heuristic(0.0, position.game.unit)
    nodes, seconds = sum(one.nodes for one in reports.values()), sum(one.seconds for one in reports.values())
    return replace(
        reports[best],
        best=name,
        value=value,
        candidates=(Candidate(name, value),),
        nodes=nodes,
        seconds=seconds,
        overlays=(),
    )
