"""Openings for a match: short lines after which both sides have about the same chances.

Two deterministic engines would play the same game for ever, and from a lopsided opening the better player's win
says little. So each pair of games has an opening of its own, played from both sides.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.engines.othello.engine import OthelloEngine
from tengen.engines.pente.engine import PenteEngine
from tengen.engines.registry import create
from tengen.games import records
from tengen.games.pente import Pente
from tengen.search.limits import Limits
from tengen.search.report import Kind, Report

PLIES = 4
EVEN = 0.1  # so far from one half the chance to win may be
TRIES = 12  # lines that are looked at for one opening; then the most even of them will do
NODES = 400  # simulations for each
DISCS = 8.0  # in Othello, a lead that wins seven games of eight
_OTHELLO_DEPTH = 10
_PENTE_NODES = 10_000
_PENTE_NEAR = 4  # lines from the middle: stones far apart are hardly an opening

Line = tuple[Move, ...]


def made(game: Game, plies: int = PLIES, seed: int = 0) -> Iterator[Line]:
    """Openings without end, each from random moves that a search finds balanced; the same for the same seed.

    They differ as long as there are others: a game with few lines of that length repeats them in the end.
    """
    if plies < 0:
        raise OptionError(f"an opening has 0 moves or more, not {plies}")
    dice = random.Random(seed)
    used: set[int] = set()
    while True:
        best: tuple[float, Position] | None = None
        for _ in range(TRIES if plies else 1):
            position = _stroll(game, plies, dice)
            if position is None:
                continue
            # A transposition of a used one, or worse than every fresh one.
            lopsided = _lopsided(position, seed) + (2.0 if position.key in used else 0.0)
            if best is None or lopsided < best[0]:
                best = lopsided, position
            if lopsided <= EVEN:
                break
        if best is None:
            raise OptionError(f"{game.describe()} is over within {plies} random moves: choose fewer by --plies")
        used.add(best[1].key)
        yield best[1].moves


def _stroll(game: Game, plies: int, dice: random.Random) -> Position | None:
    """A position after so many random moves; None if the game ends before."""
    position = game.start()
    for _ in range(plies):
        if position.is_over:
            return None
        position = position.play(dice.choice(_sensible(position)))
    return None if position.is_over else position


def _sensible(position: Position) -> Sequence[Move]:
    """The moves that chance may take: any, but in Pente those near the middle."""
    moves = position.legal_moves
    if not isinstance(position.game, Pente):
        return moves
    middle = (position.game.size - 1) / 2

    def is_near(move: Move) -> bool:
        return all(abs(place - middle) <= _PENTE_NEAR for point in position.game.points(move) for place in point)

    return [move for move in moves if is_near(move)] or moves


def _lopsided(position: Position, seed: int) -> float:
    """How far from even a position is: 0 to one half, 1 if it is proved to be won or lost."""
    if OthelloEngine.plays(position.game):  # whose own search judges far better: about what XOT's openings are
        othello = create("othello", table=1).search(position, Limits(depth=_OTHELLO_DEPTH))
        return math.tanh(abs(othello.value.amount) / DISCS) / 2
    if PenteEngine.plays(position.game):
        pente = create("pente", table=1).search(position, Limits(nodes=_PENTE_NODES)).value
        return 1.0 if pente.kind is Kind.EXACT else abs(pente.amount) / 2
    report: Report = create("uct", seed=seed % 2**32, reuse=False).search(position, Limits(nodes=NODES))
    value = report.value
    if value.unit == "win rate":
        return abs(value.amount - 0.5)
    return 0.0 if value.kind is Kind.EXACT and value.amount == 0 else 1.0


def from_file(game: Game, path: Path, plies: int | None = None) -> list[Line]:
    """The first moves of each record of a file, or all of them; they must be legal by the rules of this match."""
    found: list[Line] = []
    for number, record in enumerate(records.read(path), 1):
        moves = record.moves()[:plies]
        try:
            if record.game.name != game.name or record.game.start().key != game.start().key:
                raise OptionError(f"it is of {record.game.describe()}, not of {game.describe()}")
            if game.start().play_all(moves).is_over:
                raise OptionError("the game is over after these moves; take fewer by --plies")
        except TengenError as error:
            raise OptionError(f"{path}: game {number} is no opening for this match: {error}") from None
        found.append(tuple(moves))
    if not found:
        raise OptionError(f"{path} holds no games to take openings from")
    return found
