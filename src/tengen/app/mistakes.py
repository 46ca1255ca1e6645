"""Puzzles from a player's own mistakes: find a move that is not a mistake.

For each mistake of a review the position is searched once more, with the values of many moves. What is right then
depends on what is known:

- If the value is proved, the moves that are proved to keep it are right.
- If it is an estimate, the moves whose loss is below `TOLERANCE` or within the noise of the search are right.

A move that was not searched, or whose value does not say enough, is neither right nor wrong. A mistake that the
search does not confirm gives no puzzle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from tengen.app.deck import MISTAKE
from tengen.app.puzzle_themes import detect_themes
from tengen.app.review import POINTS, SIGNIFICANT_ERRORS, JudgedMove, Judgement, ReviewSummary, standard_error
from tengen.books.shapes import shape_of
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.engines import registry
from tengen.play.review import MIN_VISIT_SHARE, WIN_RATE
from tengen.players.config import EngineConfig
from tengen.runtime.host import EngineHost
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Kind, Report, Value
from tengen.store.puzzles import Puzzle
from tengen.store.store import Store

MAX_CARDS = 5_000  # in one deck
SEARCH_LIMITS = Limits(seconds=3.0, nodes=400_000, lines=24)
SIMULATIONS = 16_000  # of Monte-Carlo engines
TOLERANCE = {POINTS: 1.0, "discs": 1.0, "points": 1.0, "wins": 0.1, WIN_RATE: 0.05}  # losses that are no mistake


@dataclass(frozen=True)
class Mistake:
    """A mistake of a game: the position before it, and the move that was played."""

    position: Position
    move: JudgedMove


def mistakes(line: Sequence[Position], summary: ReviewSummary, sides: Sequence[int]) -> list[Mistake]:
    """The mistakes and blunders of some sides, and moves that are proved to give away a win or a draw."""
    by_ply = {position.ply: position for position in line}
    return [
        Mistake(by_ply[one.number - 1], one)
        for one in summary.moves
        if one.player in sides
        and (one.judgement in (Judgement.MISTAKE, Judgement.BLUNDER) or (one.turned and one.is_exact))
        and one.number - 1 in by_ply
    ]


def collect_mistakes(
    store: Store, host: EngineHost, found: Sequence[Mistake], solver: str, origin: str, engine: str = ""
) -> int:
    """Add mistakes to a solver's deck; returns the number of new cards. Waits for one search per mistake.

    `origin` is the id of the game. Mistakes that are in the deck already, from this or another game, are skipped.
    """
    added = 0
    for one in found:
        place = _place(one.position, solver)
        if store.has_card(solver, _empty_puzzle(one.position, place).digest):
            continue
        report = search_alternatives(host, one.position, engine)
        puzzle = mistake_puzzle(one, report, place, origin)
        if puzzle is not None:
            added += store.add_card(solver, puzzle, MAX_CARDS)
    return added


def search_alternatives(host: EngineHost, position: Position, engine: str = "") -> Report:
    """A report on many moves of a position. Waits for the search."""
    engine = engine or registry.default_engine(position.game)
    nodes = SIMULATIONS if engine in ("go", "uct") else SEARCH_LIMITS.nodes
    limits = Limits(SEARCH_LIMITS.seconds, nodes, lines=SEARCH_LIMITS.lines)
    config = EngineConfig(engine, book=False)
    return host.search(
        config, position, limits, game_id=f"mistake {position.line_key.hex()}", background=True
    ).result()


def mistake_puzzle(found: Mistake, report: Report, place: str, origin: str) -> Puzzle | None:
    """The puzzle of a mistake; None if the search does not confirm that another move is better."""
    position, game = found.position, found.position.game
    right, wrong = judged_moves(report)
    played = found.move.move
    if not right or played in right:
        return None
    wrong = tuple(dict.fromkeys((*wrong, played)))
    legal = position.write_moves(position.legal_moves)
    task = mark("{player} to move: find a better move than {move}").format(
        player=game.players[position.to_move], move=played
    )
    made = Puzzle(
        MISTAKE,
        game.name,
        game.options(),
        tuple(position.write_moves(position.moves)),
        task,
        right,
        report,
        place=place,
        unrated_moves=tuple(one for one in legal if one not in right and one not in wrong),
        origin=origin,
    )
    return replace(made, themes=detect_themes(made))


def judged_moves(report: Report) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The moves that keep the value of a position, and those that do not; the others are not known."""
    judge = _by_proof if report.value.kind is not Kind.HEURISTIC else _by_estimate
    verdicts = {one.move: judge(one, report) for one in report.candidates}
    right = tuple(move for move, is_right in verdicts.items() if is_right)
    return right, tuple(move for move, is_right in verdicts.items() if is_right is False)


def _by_proof(one: Candidate, report: Report) -> bool | None:
    """Whether a move is proved to keep a proved value, or proved not to; None if neither is."""
    best, value = report.value, one.value
    if value.unit != best.unit:
        return None
    least = best.low if best.low is not None else best.high
    if least is None:
        return None
    if value.low is not None and value.low >= least:
        return True
    if value.high is not None and value.high < least:
        return False
    return True if one is report.candidates[0] else None


def _by_estimate(one: Candidate, report: Report) -> bool | None:
    """Whether the estimated loss of a move is small; None if the move was searched too little."""
    best = report.candidates[0]
    if one is best:
        return True
    unit = POINTS if best.points is not None and one.points is not None else one.value.unit
    loss = _loss(best, one, unit)
    if loss is None:
        return None
    if best.visits:
        if one.visits < MIN_VISIT_SHARE * best.visits:
            return None
        share = one.visits / max(1, sum(each.visits for each in report.candidates))
        error = standard_error(report, unit) / math.sqrt(share)
        if loss >= TOLERANCE[unit] and loss < SIGNIFICANT_ERRORS * error:
            return None  # noise, or a mistake
    return loss < TOLERANCE[unit]


def _loss(best: Candidate, one: Candidate, unit: str) -> float | None:
    if unit == POINTS and best.points is not None and one.points is not None:
        return best.points - one.points
    if one.value.unit != best.value.unit or unit not in TOLERANCE:
        return None
    return best.value.amount - one.value.amount


def _place(position: Position, solver: str) -> str:
    """Identifies a position in a solver's deck: nobody else's mistakes replace it."""
    about = f"{solver}\n{position.game.name}\n{sorted(position.game.options().items())}\n"
    return blake2b(about.encode() + shape_of(position).key, digest_size=16).hexdigest()


def _empty_puzzle(position: Position, place: str) -> Puzzle:
    """A puzzle with the digest of a mistake."""
    nothing = Report("", "", Value.heuristic(0.0, WIN_RATE), (), 0, 0.0)
    return Puzzle(MISTAKE, position.game.name, {}, (), "", (), nothing, place=place)
