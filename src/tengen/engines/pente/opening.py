"""Opening protocols (swap2, Soosorv-8 and others): choosing sides, placing balanced stones, fifth stones.

All are decided by searching the position as if the opening were over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tengen.core.game import Move
from tengen.core.position import Position
from tengen.games.pente.game import COLOURS, TWO_MORE, Pente
from tengen.games.pente.record import HOW_MANY, MAX_DECLARED, NOTHING, PICK, SIDE, STRIDE
from tengen.search.report import Candidate, Report, Value

EVEN_MARGIN_WINS = 0.1
"""A position with a smaller advantage, in wins, is balanced enough to let the opponent choose."""
MAX_CENTRE_DISTANCE = 3
"""Opening stones are placed at most this far from the centre."""
CANDIDATE_POINTS = 10
"""Points tried for the last opening stone; the most balanced one is played."""


def is_opening(position: Position) -> bool:
    """Whether opening stones are being placed or a side is to be chosen."""
    return bool(position.state.choice != NOTHING or position.state.left > 0)


def has_choice(position: Position) -> bool:
    return bool(position.state.choice != NOTHING)


def fifth_stones(position: Position) -> int:
    """Number of Black's fifth stones that matter for the choice that is pending; 0 if none do.

    White picks the worst of them for Black, so Black can expect the value of the last of its best.
    """
    state = position.state
    if state.choice == HOW_MANY:
        return MAX_DECLARED
    return int(state.wanted) if state.choice == SIDE and state.wanted > 1 else 0


def choose_fifth(position: Position, report: Report) -> Report:
    """Decide on fifth stones, by a report about the position before them with Black's best moves in order.

    White, who says how many Black shall offer, wants a balanced game, because the other may swap then.
    """
    values = [candidate.value for candidate in report.candidates]
    if position.state.choice == HOW_MANY:
        count = min(range(len(values)), key=lambda index: abs(values[index].amount))
        best, value = f"offer-{count + 1}", values[count].for_opponent()
    else:
        value = values[min(len(values), int(position.state.wanted)) - 1]
        best = COLOURS[0].lower()
        if value.amount < 0:
            best, value = COLOURS[1].lower(), value.for_opponent()
    return replace(report, best=best, value=value, candidates=(Candidate(best, value),), overlays=())


def is_pick(position: Position) -> bool:
    """Whether White picks one of the offered fifth stones."""
    return bool(position.state.choice == PICK)


def pick(position: Position, moves: tuple[Move, ...], evaluate: Callable[[Position], Report]) -> Report:
    """Pick the stone after which White is best."""
    reports = {move: evaluate(position.play(move)) for move in moves}
    best = max(moves, key=lambda move: reports[move].value.amount)
    name, value = position.game.write_move(best), reports[best].value
    nodes, seconds = sum(one.nodes for one in reports.values()), sum(one.seconds for one in reports.values())
    return replace(
        reports[best], best=name, candidates=(Candidate(name, value),), nodes=nodes, seconds=seconds, overlays=()
    )


def after_opening(position: Position) -> Position:
    """The same stones in a game without opening protocol, with the next stone's colour to move."""
    game = position.game
    assert isinstance(game, Pente)
    return replace(game, opening="none", first="anywhere", second="anywhere", board=game.text(position)).start()


def choose(position: Position, report: Report) -> Report:
    """Choose a side according to a report about the position after the opening."""
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
    """Place an opening stone near the centre: at random, and the last one where the sides are most balanced."""
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
