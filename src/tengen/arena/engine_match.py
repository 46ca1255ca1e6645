"""A match of many games between two engines, played in parallel. It can be interrupted and resumed.

One game between two players is `play.match.Match`.

Each game is a task of `tengen.jobs`. The checkpoint in the data folder is named after everything that the games
depend on, so starting the same match again resumes it. The parent process stores each game in the library under
the id it got when it was played, so no game is stored twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tengen.arena import match_report, openings
from tengen.arena.adjudication import Adjudication
from tengen.arena.game_runner import GameSetup, PlayedGame, describe_game, play_game
from tengen.arena.match_score import MatchScore
from tengen.arena.openings import Opening, Openings
from tengen.arena.run_checkpoint import config_for_fingerprint, run_checkpoint
from tengen.arena.run_status import RunStatus, StatusWriter, worker_rows
from tengen.arena.statistics import Sprt
from tengen.core.errors import OptionError
from tengen.core.game import Game, Move
from tengen.games.records import Node, Record
from tengen.jobs import Checkpoint, Task, available_cores, open_executor, run
from tengen.play.player_lookup import save_new_players
from tengen.play.time_control import TimeControl
from tengen.players.configure import check_plays
from tengen.players.player import EnginePlayer
from tengen.store.errors import NotStored
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store

MAX_GAMES = 1_000_000
_UNTIMED = TimeControl()
_NO_ADJUDICATION = Adjudication()


@dataclass(frozen=True)
class EngineMatch:
    """The definition of a match. `lines` are openings, used in a cycle; without them, openings are generated."""

    game: Game
    players: tuple[EnginePlayer, EnginePlayer]
    games: int
    control: TimeControl = _UNTIMED
    sprt: Sprt | None = None
    seed: int = 0
    plies: int = openings.PLIES
    lines: Sequence[Opening] | None = None
    rated: bool = False
    event: str = ""  # the event in the records; by default the names of the two players
    adjudication: Adjudication = _NO_ADJUDICATION

    def __post_init__(self) -> None:
        if not 2 <= self.games <= MAX_GAMES or self.games % 2:
            raise OptionError(f"games are played in pairs: an even number from 2 to {MAX_GAMES}, not {self.games}")
        for player in self.players:
            check_plays(player.config, self.game)

    @property
    def setup(self) -> GameSetup:
        configs = (self.players[0].config, self.players[1].config)
        return GameSetup.of(self.game, configs, self.control, self.seed, self.adjudication)

    def checkpoint(self, path: Path | None = None) -> Checkpoint:
        """The checkpoint in a file, by default in the data folder."""
        return run_checkpoint("matches", self.facts, path)

    def facts(self, former: bool) -> dict[str, Any]:
        """Everything that a game depends on besides its number."""
        lines = None if self.lines is None else [[int(move) for move in line] for line in self.lines]
        facts = {
            "game": self.game.name,
            "options": self.game.options(),
            "players": [config_for_fingerprint(player.config, former) for player in self.players],
            "time": str(self.control),
            "seed": self.seed,
            "openings": self.plies if lines is None else lines,
        }
        return {**facts, "adjudication": self.adjudication.to_dict()} if self.adjudication else facts

    def concurrency(self) -> int:
        """The default number of parallel games. The two engines of a game never search at the same time."""
        return max(1, available_cores() // max(player.config.threads for player in self.players))

    def play(
        self,
        store: Store,
        *,
        checkpoint: Path | None = None,
        concurrency: int | None = None,
        cluster: str = "",
        on_game: Callable[[MatchScore, PlayedGame], None] | None = None,
    ) -> MatchScore:
        """Play the missing games until all are played or the SPRT accepts a hypothesis.

        They are played on this machine, or on the Dask cluster at the address `cluster`. `on_game` is called with
        every game after it was stored, including games of earlier runs. Finished games survive an interruption.
        """
        workers = concurrency if concurrency is not None or cluster else self.concurrency()
        save_new_players(store, self.players)
        score = MatchScore((self.players[0].name, self.players[1].name), self.sprt)
        results_file = self.checkpoint(checkpoint)
        with (
            open_executor(workers, cluster) as executor,
            StatusWriter(Path(results_file.path), partial(self._status, score, executor)) as status_writer,
        ):
            results = run(
                self._tasks(),
                executor=executor,
                checkpoint=results_file,
                window=2 * executor.workers,
                total=self.games,
            )
            with closing(results):
                for result in results:
                    self.save_game(store, result.value, result.resumed)
                    score.add(result.value)
                    status_writer.add_game(describe_game(result.value, score.names))
                    status_writer.update()
                    if on_game is not None:
                        on_game(score, result.value)
                    if score.verdict is not None:
                        break
        return score

    def describe(self) -> str:
        """The match in one line."""
        test = "" if self.sprt is None else f", SPRT {self.sprt.elo0:g} to {self.sprt.elo1:g} Elo"
        return f"{self.game.describe()}, {self.games} games{test}"

    def _status(self, score: MatchScore, executor: Executor, state: str) -> RunStatus:
        played = len(score.counted())
        verdict = "" if score.verdict is None else f", {score.decision()}"
        return RunStatus(
            f"{self.players[0].name} – {self.players[1].name}",
            self.describe(),
            self.game.name,
            state,
            f"{played} of {self.games} games{verdict}",
            match_report.sections(score),
            figures=match_report.figures(score),
            done=played,
            total=self.games,
            workers=worker_rows(executor),
            result={**score.to_dict(), "played": None},
        )

    def play_in_process(self) -> MatchScore:
        """Play all games one after the other in this process. Nothing is stored, so nothing can be resumed."""
        score = MatchScore((self.players[0].name, self.players[1].name), self.sprt)
        for task in self._tasks():
            score.add(task.function(*task.args))
            if score.verdict is not None:
                break
        return score

    def _tasks(self) -> Iterator[Task[PlayedGame]]:
        setup = self.setup
        lines = Openings(self.game, self.plies, self.seed, self.lines)
        for number in range(self.games):
            yield Task(f"game {number}", play_game, (setup, number, lines[number // 2]))

    def save_game(self, store: Store, played: PlayedGame, resumed: bool) -> None:
        """Store a game, unless it was resumed from a checkpoint and is stored already."""
        if resumed:
            try:
                store.load(played.id)
                return
            except NotStored:
                pass
        store.save(self.entry(played))

    def entry(self, played: PlayedGame) -> GameEntry:
        """A game in the form that the store saves."""
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

    def record(self, played: PlayedGame) -> Record:
        """The record of a game, with the time of each move after the opening.

        It is built here because results reach the parent, and the checkpoint, as plain numbers.
        """
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
