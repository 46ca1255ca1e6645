"""Openings for matches: short lines after which both sides have about the same chances.

Two deterministic engines would repeat the same game, and a win from a lopsided opening says little. So each pair
of games has its own opening, which both engines play from both sides.
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
from tengen.search.limits import Limits
from tengen.search.report import Kind, Report

PLIES = 4
XOT = "xot"  # the name of a set: eight random moves after which both sides have about the same chances
XOT_PLIES = 8
MAX_IMBALANCE = 0.1  # of the winning chance from one half
MAX_TRIES = 12  # lines per opening; after that the most balanced one is used
NODES = 400  # simulations per line
WINNING_DISCS = 8.0  # in Othello, a lead that wins seven games of eight
_OTHELLO_DEPTH = 10
_PENTE_NODES = 10_000
_MAX_DISTANCE = 4  # from the centre, in lines: stones far apart are hardly an opening

Opening = tuple[Move, ...]


def generate(game: Game, plies: int = PLIES, seed: int = 0) -> Iterator[Opening]:
    """Yield openings without end: random moves that a search finds balanced. Deterministic for a seed.

    They differ from each other until no others are left; a game with few lines of that length then repeats them.
    """
    if plies < 0:
        raise OptionError(f"an opening has 0 moves or more, not {plies}")
    rng = random.Random(seed)
    used: set[int] = set()
    while True:
        best: tuple[float, Position] | None = None
        for _ in range(MAX_TRIES if plies else 1):
            position = _random_line(game, plies, rng)
            if position is None:
                continue
            # Used positions, also by transposition, rank behind all new ones.
            imbalance = _imbalance(position, seed) + (2.0 if position.key in used else 0.0)
            if best is None or imbalance < best[0]:
                best = imbalance, position
            if imbalance <= MAX_IMBALANCE:
                break
        if best is None:
            raise OptionError(f"{game.describe()} ends within {plies} random moves: choose fewer with --plies")
        used.add(best[1].key)
        yield best[1].moves


class Openings:
    """Openings by number: the given ones in a cycle, otherwise generated on demand."""

    def __init__(self, game: Game, plies: int, seed: int, given: Sequence[Opening] | None = None) -> None:
        self._generated = generate(game, plies, seed)
        self._given = given
        self._cache: list[Opening] = []

    def __getitem__(self, number: int) -> tuple[int, ...]:
        if self._given is not None:
            return tuple(map(int, self._given[number % len(self._given)]))
        while len(self._cache) <= number:
            self._cache.append(next(self._generated))
        return tuple(map(int, self._cache[number]))


def _random_line(game: Game, plies: int, rng: random.Random) -> Position | None:
    """The position after `plies` random moves; None if the game ends before."""
    position = game.start()
    for _ in range(plies):
        if position.is_over:
            return None
        position = position.play(rng.choice(_candidate_moves(position)))
    return None if position.is_over else position


def _candidate_moves(position: Position) -> Sequence[Move]:
    """The moves to choose from: all legal ones, or those near the centre if play elsewhere is the same."""
    moves = position.legal_moves
    if not position.game.can_shift:
        return moves
    diagram = position.diagram()
    centre = (len(diagram.columns) - 1) / 2, (len(diagram.rows) - 1) / 2

    def is_near(move: Move) -> bool:
        return all(
            abs(place - middle) <= _MAX_DISTANCE
            for point in position.game.points(move)
            for place, middle in zip(point, centre, strict=True)
        )

    return [move for move in moves if is_near(move)] or moves


def _imbalance(position: Position, seed: int) -> float:
    """The distance from even chances: 0 to one half, 1 if the position is proved won or lost."""
    if OthelloEngine.plays(position.game):  # its own engine is far more accurate; about as balanced as XOT
        othello = create("othello", table=1).search(position, Limits(depth=_OTHELLO_DEPTH))
        return math.tanh(abs(othello.value.amount) / WINNING_DISCS) / 2
    if PenteEngine.plays(position.game):
        pente = create("pente", table=1).search(position, Limits(nodes=_PENTE_NODES)).value
        return 1.0 if pente.kind is Kind.EXACT else abs(pente.amount) / 2
    report: Report = create("uct", seed=seed % 2**32, reuse=False).search(position, Limits(nodes=NODES))
    value = report.value
    if value.unit == "win rate":
        return abs(value.amount - 0.5)
    return 0.0 if value.kind is Kind.EXACT and value.amount == 0 else 1.0


def random_opening(game: Game, source: str, seed: int | None = None) -> Opening:
    """An opening to start a game from: a random one of a file, or eight random balanced moves for `xot`."""
    rng = random.Random(seed)
    if source.lower() == XOT and not Path(source).exists():
        return next(generate(game, XOT_PLIES, rng.getrandbits(31)))
    return rng.choice(from_file(game, Path(source)))


def choose(
    game: Game, source: str = "", plies: int | None = None, moves: Sequence[str] = (), folder: Path | None = None
) -> tuple[tuple[Opening, ...] | None, int]:
    """The openings that users choose, None if they are generated, and the length of generated ones.

    `source` is empty, `xot`, or a file, looked up in `folder` (files are refused if it is None). `moves` are
    openings written as moves, instead of a source.
    """
    if moves:
        return tuple(_written_opening(game, number, line) for number, line in enumerate(moves, 1)), PLIES
    if source and folder is not None and (source.lower() != XOT or (folder / source).exists()):
        return tuple(from_file(game, folder / source, plies)), PLIES
    if source and source.lower() != XOT:
        raise OptionError(f"openings are {XOT}, or moves, not {source!r}")
    return None, plies if plies is not None else XOT_PLIES if source else PLIES


def _written_opening(game: Game, number: int, text: str) -> Opening:
    """An opening given as moves separated by spaces."""
    try:
        position = game.start().play_all(text.split())
        if position.is_over:
            raise OptionError("the game is over after these moves")
    except TengenError as error:
        raise OptionError(f"opening {number}: {error}") from None
    return tuple(position.moves)


def from_file(game: Game, path: Path, plies: int | None = None) -> list[Opening]:
    """The first `plies` moves, or all, of each record of a file. They must be legal in this game."""
    found: list[Opening] = []
    for number, record in enumerate(records.read(path), 1):
        moves = record.moves()[:plies]
        try:
            if record.game.name != game.name or record.game.start().key != game.start().key:
                raise OptionError(f"it is a game of {record.game.describe()}, not of {game.describe()}")
            if game.start().play_all(moves).is_over:
                raise OptionError("the game is over after these moves: choose fewer with --plies")
        except TengenError as error:
            raise OptionError(f"{path}: game {number} cannot be an opening of this match: {error}") from None
        found.append(tuple(moves))
    if not found:
        raise OptionError(f"{path} contains no games")
    return found
