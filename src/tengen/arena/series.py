"""A match of many games between two players, side by side on the cores, kept as they end and gone on with at will.

The games are tasks of `tengen.jobs`, each with its number. Their checkpoint is in the data folder, under a name
made from all that the games depend on: who starts the same match again goes on where it was. A game is stored in
the library by the parent, under the id that it got when it was played, so that none is stored twice.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tengen import games
from tengen.arena import openings
from tengen.arena.adjudication import Adjudication
from tengen.arena.duel import Played, Setup, play_game
from tengen.arena.openings import Line
from tengen.arena.statistics import Sprt
from tengen.arena.tally import Tally
from tengen.core.errors import OptionError
from tengen.core.folders import data_folder
from tengen.core.game import Game, Move
from tengen.core.results_version import RESULTS_VERSION
from tengen.games.records import Node, Record
from tengen.jobs import Checkpoint, Task, available_cores, open_executor, run
from tengen.play.player_lookup import save_new_players
from tengen.play.time_control import TimeControl
from tengen.players.configure import check_plays
from tengen.players.player import EnginePlayer
from tengen.store.errors import NotStored
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store

MOST_GAMES = 1_000_000
_NO_LIMIT = TimeControl()
_TO_THE_END = Adjudication()


@dataclass(frozen=True)
class Series:
    """What is to be played. `lines` are openings to go through again and again; without, they are made."""

    game: Game
    players: tuple[EnginePlayer, EnginePlayer]
    games: int
    control: TimeControl = _NO_LIMIT
    sprt: Sprt | None = None
    seed: int = 0
    plies: int = openings.PLIES
    lines: Sequence[Line] | None = None
    rated: bool = False
    event: str = ""  # what the games belong to; without one, the two players' names
    adjudication: Adjudication = _TO_THE_END

    def __post_init__(self) -> None:
        if not 2 <= self.games <= MOST_GAMES or self.games % 2:
            raise OptionError(f"games are played in pairs: an even number from 2 up, not {self.games}")
        for player in self.players:
            check_plays(player.config, self.game)

    @property
    def setup(self) -> Setup:
        configs = (self.players[0].config, self.players[1].config)
        place = games.import_path(self.game.name)
        return Setup(
            self.game.name, place, self.game.options(), configs, str(self.control), self.seed, self.adjudication
        )

    def fingerprint(self) -> str:
        """All that a game depends on besides its number."""
        lines = None if self.lines is None else [[int(move) for move in line] for line in self.lines]
        facts = {
            "tengen": RESULTS_VERSION,
            "game": self.game.name,
            "options": self.game.options(),
            "players": [player.config.to_dict() for player in self.players],
            "time": str(self.control),
            "seed": self.seed,
            "openings": self.plies if lines is None else lines,
        }
        if self.adjudication:
            facts["adjudication"] = self.adjudication.to_dict()
        return json.dumps(facts, sort_keys=True)

    def checkpoint(self) -> Path:
        """Where the results are kept."""
        digest = hashlib.blake2b(self.fingerprint().encode(), digest_size=12).hexdigest()
        return data_folder() / "matches" / f"{digest}.jobs"

    def concurrency(self) -> int:
        """As many games as there are cores for the threads of an engine: only one of two thinks at a time."""
        return max(1, available_cores() // max(player.config.threads for player in self.players))

    def play(
        self,
        store: Store,
        *,
        checkpoint: Path | None = None,
        concurrency: int | None = None,
        cluster: str = "",
        on_game: Callable[[Tally, Played], None] | None = None,
    ) -> Tally:
        """Play what is missing, until all games are played or the sequential test knows.

        They are played here, or on the cluster at an address. `on_game` is told of every game after it was stored,
        those played before among them. Whatever ends this, the games that have ended are kept.
        """
        workers = concurrency if concurrency is not None or cluster else self.concurrency()
        path = checkpoint or self.checkpoint()
        path.parent.mkdir(parents=True, exist_ok=True)
        save_new_players(store, self.players)
        tally = Tally((self.players[0].name, self.players[1].name), self.sprt)
        with open_executor(workers, cluster) as executor:
            results = run(
                self._tasks(),
                executor=executor,
                checkpoint=Checkpoint(path, self.fingerprint()),
                window=2 * executor.workers,
                total=self.games,
            )
            with closing(results):
                for result in results:
                    self.keep(store, result.value, result.resumed)
                    tally.add(result.value)
                    if on_game is not None:
                        on_game(tally, result.value)
                    if tally.verdict is not None:
                        break
        return tally

    def play_in_process(self) -> Tally:
        """Play all games one after the other in this process. Nothing is stored, so nothing can be resumed."""
        tally = Tally((self.players[0].name, self.players[1].name), self.sprt)
        for task in self._tasks():
            tally.add(task.function(*task.args))
            if tally.verdict is not None:
                break
        return tally

    def _tasks(self) -> Iterator[Task[Played]]:
        setup = self.setup
        lines: Iterator[Line]
        if self.lines is None:
            lines = openings.made(self.game, self.plies, self.seed)
        else:
            lines = itertools.cycle(self.lines)
        for pair, line in zip(range(self.games // 2), lines, strict=False):
            for number in (2 * pair, 2 * pair + 1):
                yield Task(f"game {number}", play_game, (setup, number, tuple(int(move) for move in line)))

    def keep(self, store: Store, played: Played, resumed: bool) -> None:
        """Store a game; one that was played before is stored already, if nothing came between."""
        if resumed:
            try:
                store.load(played.id)
                return
            except NotStored:
                pass
        store.save(self.entry(played))

    def entry(self, played: Played) -> GameEntry:
        """A game as the library keeps it."""
        players = self.players if played.first == 0 else self.players[::-1]
        rated = self.rated and players[0].id != players[1].id
        return GameEntry(
            self.record(played),
            (players[0], players[1]),
            end=played.reason,
            rated=rated,
            id=played.id,
            started=played.started,
        )

    def record(self, played: Played) -> Record:
        """The record of a game, with the time of each move after the opening."""
        names = (self.players[played.first].name, self.players[1 - played.first].name)
        record = Record(self.game, names=names, date=played.started.date().isoformat(), result=played.result)
        record.event = self.event or f"{self.players[0].name} against {self.players[1].name}"
        record.round = str(played.number + 1)
        position, node = self.game.start(), record.root
        for ply, code in enumerate(played.moves):
            move = Move(code)
            node = node.add(Node(move, position.to_move))
            if ply >= played.opening:
                node.seconds = played.seconds[ply - played.opening]
            position = position.play(move)
        if played.result.endswith(("+F", "+T")):
            node.comment = played.reason
        return record
