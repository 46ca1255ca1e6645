"""Games that our engines play against themselves, for books to be made of: batches as tasks for any executor.

A batch depends on nothing but its seed and number. Openings are short and random; after them each move is searched
to a depth that is drawn anew, or the same few games would come again and again. What is counted in a book of
statistics has to be sensible from the first move on, so in Pente chance only takes one of the best moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

from tengen import games
from tengen.arena.openings import made
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.jobs import Task
from tengen.search.limits import Limits

BATCH = 10
"""Games of one task: a few seconds."""
LONGEST = 120
"""A game of Pente that lasts so long has no winner."""
CHOICES, SLACK, GLANCE = 8, 0.15, 4_000
"""In an opening of Pente chance takes one of so many moves, worth at most so many wins less than the best of them,
as a search of so many positions tells."""


@dataclass(frozen=True)
class Manner:
    """How games are played: an engine, lengths of openings, and depths of search, from the least to the most.

    Of `players`, each a pair of depths, two are drawn for each game. Batches take the `variants` in turn.
    """

    game: str
    engine: str
    openings: tuple[int, int]
    players: tuple[tuple[int, int], ...]
    variants: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        rules = f" {self.variants}" if self.variants else ""
        return f"{self.game}{rules} by {self.engine}, openings {self.openings}, depths {self.players}"

    def rules(self, batch: int) -> Game:
        """The game that a batch plays."""
        if not self.variants:
            return games.game(self.game)
        return games.game(self.game, variant=self.variants[batch % len(self.variants)])


@dataclass(frozen=True)
class SelfPlayed:
    """A game: its batch, its moves, and the numbers of the players who made the first and the second one."""

    batch: int
    moves: tuple[int, ...]
    players: tuple[int, int]


OTHELLO = Manner("othello", "othello", openings=(4, 9), players=((6, 10),))
PENTE = Manner("pente", "pente", openings=(2, 6), players=((2, 3), (4, 4)), variants=("standard", "tournament"))


def game_tasks(manner: Manner, seed: int, count: int) -> list[Task[list[SelfPlayed]]]:
    """Tasks that play so many games."""
    return [
        Task(f"games {first}", play_games, (manner, seed, first // BATCH, min(BATCH, count - first)))
        for first in range(0, count, BATCH)
    ]


def play_games(manner: Manner, seed: int, batch: int, count: int) -> list[SelfPlayed]:
    """The games of one batch."""
    game = manner.rules(batch)
    dice = Random(f"{seed} {batch}")
    shortest, longest = manner.openings
    plies = shortest + batch % (longest - shortest + 1)
    return [_play(manner, batch, start, dice) for start in islice(_starts(game, plies, dice), count)]


def _starts(game: Game, plies: int, dice: Random) -> Iterator[Position]:
    """Positions after random openings: balanced ones, in Pente of good moves."""
    if game.name != "pente":
        yield from (game.start().play_all(line) for line in made(game, plies, dice.getrandbits(32)))
        return
    while True:
        position = game.start()
        for _ in range(plies):
            report = create("pente", game, table=1).search(position, Limits(nodes=GLANCE, lines=CHOICES))
            least = report.value.amount - SLACK
            position = position.play(dice.choice([c.move for c in report.candidates if c.value.amount >= least]))
        yield position


def _play(manner: Manner, batch: int, position: Position, dice: Random) -> SelfPlayed:
    game = position.game
    players = dice.randrange(len(manner.players)), dice.randrange(len(manner.players))
    engine = create(manner.engine, game, table=4)
    while not position.is_over and not (game.name == "pente" and position.ply >= LONGEST):
        depth = dice.randint(*manner.players[players[position.to_move]])
        position = position.play(engine.search(position, Limits(depth=depth)).best)
    return SelfPlayed(batch, tuple(int(move) for move in position.moves), players)
