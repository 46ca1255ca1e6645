"""Self-play games for opening books, in batches that are tasks for any executor.

A batch depends only on its seed and number. Openings are short and random; after them each move is searched to a
random depth, because otherwise the same few games would repeat. The moves of a statistics book must be sensible
from the start, so in Pente openings choose among the best moves only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

from tengen import games
from tengen.arena.openings import generate
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.engines.registry import create
from tengen.jobs import Task
from tengen.search.limits import Limits

BATCH_GAMES = 10  # of one task: a few seconds
# Openings of good moves choose among the best that a short search finds.
OPENING_CANDIDATES = 8
OPENING_MAX_LOSS = 0.15  # wins less than the best move
OPENING_NODES = 4_000


@dataclass(frozen=True)
class SelfPlayStyle:
    """How games are played: the engine, and ranges of opening lengths and search depths.

    Each game has two random `players`, each a range of depths. Batches use the `variants` in turn. Openings are
    balanced, or consist of `good_openings` moves. A game with `max_moves` has no winner.
    """

    game: str
    engine: str
    openings: tuple[int, int]
    players: tuple[tuple[int, int], ...]
    variants: tuple[str, ...] = ()
    good_openings: bool = False
    max_moves: int | None = None

    @property
    def name(self) -> str:
        rules = f" {self.variants}" if self.variants else ""
        return f"{self.game}{rules} by {self.engine}, openings {self.openings}, depths {self.players}"

    def rules(self, batch: int) -> Game:
        """The game of a batch."""
        if not self.variants:
            return games.game(self.game)
        return games.game(self.game, variant=self.variants[batch % len(self.variants)])


@dataclass(frozen=True)
class SelfPlayed:
    """A finished game: its batch, its moves, and the numbers of its first and second player."""

    batch: int
    moves: tuple[int, ...]
    players: tuple[int, int]


OTHELLO = SelfPlayStyle("othello", "othello", openings=(4, 9), players=((6, 10),))
PENTE = SelfPlayStyle(
    *("pente", "pente", (2, 6), ((2, 3), (4, 4)), ("standard", "tournament")), good_openings=True, max_moves=120
)


def game_tasks(style: SelfPlayStyle, seed: int, count: int) -> list[Task[list[SelfPlayed]]]:
    """Tasks that play `count` games."""
    return [
        Task(f"games {first}", play_games, (style, seed, first // BATCH_GAMES, min(BATCH_GAMES, count - first)))
        for first in range(0, count, BATCH_GAMES)
    ]


def play_games(style: SelfPlayStyle, seed: int, batch: int, count: int) -> list[SelfPlayed]:
    """Play the games of one batch."""
    game = style.rules(batch)
    rng = Random(f"{seed} {batch}")
    shortest, longest = style.openings
    plies = shortest + batch % (longest - shortest + 1)
    return [_play(style, batch, start, rng) for start in islice(_starts(style, game, plies, rng), count)]


def _starts(style: SelfPlayStyle, game: Game, plies: int, rng: Random) -> Iterator[Position]:
    """Positions after random openings."""
    if not style.good_openings:
        yield from (game.start().play_all(line) for line in generate(game, plies, rng.getrandbits(32)))
        return
    while True:
        position = game.start()
        for _ in range(plies):
            report = create(style.engine, game, table=1).search(
                position, Limits(nodes=OPENING_NODES, lines=OPENING_CANDIDATES)
            )
            least = report.value.amount - OPENING_MAX_LOSS
            position = position.play(rng.choice([c.move for c in report.candidates if c.value.amount >= least]))
        yield position


def _play(style: SelfPlayStyle, batch: int, position: Position, rng: Random) -> SelfPlayed:
    game = position.game
    players = rng.randrange(len(style.players)), rng.randrange(len(style.players))
    engine = create(style.engine, game, table=4)
    while not position.is_over and position.ply != style.max_moves:
        depth = rng.randint(*style.players[players[position.to_move]])
        position = position.play(engine.search(position, Limits(depth=depth)).best)
    return SelfPlayed(batch, tuple(int(move) for move in position.moves), players)
