"""Games that our engines play against themselves, for books to be made of: batches as tasks for any executor.

A batch depends on nothing but its seed and number. Openings are short and random; after them each move is searched
to a depth that is drawn anew, or the same few games would come again and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

from tengen import games
from tengen.arena.openings import made
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.jobs import Task
from tengen.search.limits import Limits

BATCH = 10
"""Games of one task: a few seconds."""
NEAR = 2
"""In Pente, moves so far from a stone are looked at."""
LONGEST = 120
"""A game of Pente that lasts so long has no winner."""


@dataclass(frozen=True)
class Manner:
    """How games are played: an engine, lengths of openings, and depths of search, from the least to the most.

    Of `players`, each a pair of depths, two are drawn for each game.
    """

    game: str
    engine: str
    openings: tuple[int, int]
    players: tuple[tuple[int, int], ...]

    @property
    def name(self) -> str:
        return f"{self.game} by {self.engine}, openings {self.openings}, depths {self.players}"


@dataclass(frozen=True)
class SelfPlayed:
    """A game: its moves, and the numbers of the players who made the first and the second one."""

    moves: tuple[int, ...]
    players: tuple[int, int]


OTHELLO = Manner("othello", "othello", openings=(4, 9), players=((6, 10),))
PENTE = Manner("pente", "alphabeta", openings=(2, 6), players=((1, 1), (2, 2)))


def game_tasks(manner: Manner, seed: int, count: int) -> list[Task[list[SelfPlayed]]]:
    """Tasks that play so many games."""
    return [
        Task(f"games {first}", play_games, (manner, seed, first // BATCH, min(BATCH, count - first)))
        for first in range(0, count, BATCH)
    ]


def play_games(manner: Manner, seed: int, batch: int, count: int) -> list[SelfPlayed]:
    """The games of one batch."""
    game = games.game(manner.game)
    dice = Random(f"{seed} {batch}")
    shortest, longest = manner.openings
    plies = shortest + batch % (longest - shortest + 1)
    return [_play(manner, start, dice) for start in islice(_starts(game, plies, dice), count)]


def _starts(game: Game, plies: int, dice: Random) -> Iterator[Position]:
    """Positions after random openings: balanced ones, in Pente of stones near each other."""
    if game.name != "pente":
        yield from (game.start().play_all(line) for line in made(game, plies, dice.getrandbits(32)))
        return
    while True:
        position = game.start()
        for _ in range(plies):
            position = position.play(dice.choice(_choices(position)))
        if not position.is_over:
            yield position


def _play(manner: Manner, position: Position, dice: Random) -> SelfPlayed:
    game = position.game
    players = dice.randrange(len(manner.players)), dice.randrange(len(manner.players))
    engine = create(manner.engine, game, table=4)
    while not position.is_over and not (game.name == "pente" and position.ply >= LONGEST):
        depth = dice.randint(*manner.players[players[position.to_move]])
        moves = _choices(position) if game.name == "pente" else None
        position = position.play(engine.search(position, Limits(depth=depth, moves=moves)).best)
    return SelfPlayed(tuple(int(move) for move in position.moves), players)


def _choices(position: Position) -> tuple[Move, ...]:
    """The moves of Pente that are near a stone, or in the first turn all: far away nothing happens, and a search
    of the whole board costs ten times as much.
    """
    game = position.game
    stones = [(column, row) for column, row, _ in game.on_board(position)]
    near = tuple(
        move
        for move in position.legal_moves
        for column, row in game.points(move)
        if any(max(abs(column - x), abs(row - y)) <= NEAR for x, y in stones)
    )
    return near or position.legal_moves
