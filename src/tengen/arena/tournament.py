"""A tournament defined by a TOML file, played in parallel. It can be interrupted and resumed.

Each game is a task of `tengen.jobs`, identified by its players and number. The checkpoint in the data folder is
named after everything that games depend on. The schedule is computed again from the results so far, so a resumed
run ends like an uninterrupted one. A status file lies next to the checkpoint (`tengen.arena.run_status`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tengen import games
from tengen.arena import openings
from tengen.arena.adjudication import Adjudication
from tengen.arena.engine_match import EngineMatch
from tengen.arena.game_runner import PlayedGame, play_game
from tengen.arena.openings import Opening, Openings
from tengen.arena.pairings import KINDS, Pairing, schedule
from tengen.arena.run_checkpoint import config_for_fingerprint, run_checkpoint
from tengen.arena.run_status import RunStatus, StatusWriter, worker_rows
from tengen.arena.seeds import derived_seed
from tengen.arena.standings import Key, Standings
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.jobs import Checkpoint, Task, run
from tengen.play.player_lookup import find_engine_player, known, save_new_players
from tengen.play.time_control import TimeControl
from tengen.players.configure import check_plays
from tengen.players.player import EnginePlayer
from tengen.store.store import Store

MAX_GAMES = 10_000  # of two players
_SETTINGS = (
    *(
        "name",
        "game",
        "options",
        "kind",
        "games",
        "rounds",
        "champions",
        "players",
        "time",
        "openings",
        "moves",
        "plies",
    ),
    *("seed", "rated", "adjudication"),
)


@dataclass(frozen=True)
class Tournament:
    """The definition of a tournament. `games` is per pairing; without `lines`, openings are generated."""

    name: str
    game: Game
    players: tuple[EnginePlayer, ...]
    kind: str = "round robin"
    games: int = 2
    rounds: int = 0
    champions: int = 1
    control: TimeControl = field(default_factory=TimeControl)
    lines: tuple[Opening, ...] | None = None
    plies: int = openings.PLIES
    seed: int = 1
    rated: bool = False
    adjudication: Adjudication = field(default_factory=Adjudication)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise OptionError(f"a tournament's kind is {', '.join(KINDS)}, not {self.kind!r}")
        if not 2 <= self.games <= MAX_GAMES or self.games % 2:
            raise OptionError(f"games are played in pairs: an even number from 2 to {MAX_GAMES}, not {self.games}")
        if len(self.players) < 2:
            raise OptionError("a tournament has at least two players")
        names = [player.name.casefold() for player in self.players]
        for name in names:
            if names.count(name) > 1:
                raise OptionError(f"two players are called {name!r}: give them different names")
        if self.kind == "swiss" and not 1 <= self.rounds < len(self.players):
            raise OptionError(f"a Swiss tournament has 1 to {len(self.players) - 1} rounds, not {self.rounds}")
        if not 1 <= self.champions < len(self.players):
            raise OptionError(f"champions should be from 1 to {len(self.players) - 1}, not {self.champions}")
        for player in self.players:
            check_plays(player.config, self.game)

    @classmethod
    def read(cls, path: Path, store: Store) -> Tournament:
        """Read a file as described in docs/guide/arena.md. Raises `OptionError` if it is invalid."""
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise OptionError(f"{path} cannot be read: {error.strerror}") from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise OptionError(f"{path} cannot be read: {error}") from None
        try:
            return cls.from_dict(data, store, path.stem, path.parent)
        except OptionError as error:
            raise OptionError(f"{path}: {error}") from None

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], store: Store, name: str = "Tournament", folder: Path | None = None
    ) -> Tournament:
        """From the data of such a file. `name` is used if it has none; files are looked up in `folder`."""
        for key in data:
            if key not in _SETTINGS:
                raise OptionError(f"there is no setting {key!r}; there are: {', '.join(_SETTINGS)}")
        kind, options = _value(data, "game", str, "othello"), _value(data, "options", dict, {})
        game = games.game_class(kind).create(**options)
        source, moves = _value(data, "openings", str, ""), _value(data, "moves", list, [])
        lines, plies = openings.choose(game, source, _value(data, "plies", int, None), moves, folder)
        return cls(
            _value(data, "name", str, name),
            game,
            tuple(_players(data.get("players", {}), game, store)),
            _value(data, "kind", str, "round robin"),
            _value(data, "games", int, 2),
            _value(data, "rounds", int, 0),
            _value(data, "champions", int, 1),
            TimeControl.parse(_value(data, "time", str, "none")),
            lines,
            plies,
            _value(data, "seed", int, 1),
            _value(data, "rated", bool, False),
            Adjudication.read(_value(data, "adjudication", dict, {})),
        )

    def checkpoint(self, path: Path | None = None) -> Checkpoint:
        """The checkpoint in a file, by default in the data folder."""
        return run_checkpoint("tournaments", self._facts, path)

    def _facts(self, former: bool) -> dict[str, Any]:
        """Everything that a game depends on besides its players and number. Not the kind or the rounds."""
        return {
            **self.match(0, 1).facts(former),
            "tournament": self.name,
            "players": [config_for_fingerprint(player.config, former) for player in self.players],
            "seed": self.seed,
            "adjudication": self.adjudication.to_dict(),
        }

    def describe(self) -> str:
        """The tournament in one line."""
        return f"{self.kind}, {self.game.describe()}, {len(self.players)} players, {self.games} games of each two"

    def play(
        self,
        store: Store,
        executor: Executor,
        *,
        window: int,
        checkpoint: Path | None = None,
        on_game: Callable[[Standings], None] = lambda standings: None,
    ) -> Standings:
        """Play the missing games.

        `on_game` is called after each game is stored, also for games of earlier runs.
        """
        results_file = self.checkpoint(checkpoint)
        save_new_players(store, self.players)
        names = [player.name for player in self.players]
        standings = Standings(self.kind, names, self.games)
        plan = schedule(self.kind, len(self.players), self.games, rounds=self.rounds, champions=self.champions)
        lines = Openings(self.game, self.plies, self.seed, self.lines)
        if self.kind in ("round robin", "gauntlet"):
            standings.total = sum(pairing.games for pairing in plan({}))
        status = partial(self._status, standings, executor)
        with StatusWriter(Path(results_file.path), status) as status_writer:
            while pairings := plan(standings.meetings):
                tasks = self._tasks(pairings, lines)
                results = run(
                    tasks,
                    executor=executor,
                    checkpoint=results_file,
                    window=window,
                    total=sum(pairing.games for pairing in pairings),
                )
                with closing(results):
                    for result in results:
                        key = _key(result.id)
                        self.match(*key[:2]).save_game(store, result.value, result.resumed)
                        standings.add(key, result.value)
                        status_writer.add_game(standings.describe(key))
                        status_writer.update()
                        on_game(standings)
                for pairing in pairings:
                    numbers = range(pairing.start, pairing.start + pairing.games)
                    standings.meetings[pairing] = sum(
                        standings.points((pairing.first, pairing.second, number)) for number in numbers
                    )
        return standings

    def _status(self, standings: Standings, executor: Executor, state: str) -> RunStatus:
        return RunStatus(
            self.name,
            self.describe(),
            self.game.name,
            state,
            standings.caption(),
            standings.sections(),
            figures=standings.figures(),
            done=len(standings.played),
            total=standings.total,
            workers=worker_rows(executor),
            result={**standings.to_dict(), "played": None},
        )

    def load_standings(self) -> Standings:
        """The standings from the checkpoint. Fails while another run uses it."""
        standings = Standings(self.kind, [player.name for player in self.players], self.games)
        checkpoint = self.checkpoint()
        if Path(checkpoint.path).exists():
            with checkpoint.open() as results:
                for task in sorted(results.ids(), key=_key):
                    played = results.load(task)
                    assert isinstance(played, PlayedGame)
                    standings.add(_key(task), played)
        return standings

    def match(self, first: int, second: int) -> EngineMatch:
        """The match between two players."""
        seed = derived_seed(self.seed, first, second)
        return EngineMatch(
            self.game,
            (self.players[first], self.players[second]),
            self.games,
            self.control,
            None,
            seed,
            self.plies,
            self.lines,
            self.rated,
            self.name,
            self.adjudication,
        )

    def _tasks(self, pairings: list[Pairing], lines: Openings) -> Iterator[Task[PlayedGame]]:
        # One pair of games of each pairing at a time, so that all players have played about equally often.
        max_games = max(pairing.games for pairing in pairings)
        setups = [self.match(pairing.first, pairing.second).setup for pairing in pairings]
        for offset in range(0, max_games, 2):
            for pairing, setup in zip(pairings, setups, strict=True):
                if offset >= pairing.games:
                    continue
                for number in (pairing.start + offset, pairing.start + offset + 1):
                    task_id = f"{pairing.first}-{pairing.second} game {number}"
                    yield Task(task_id, play_game, (setup, number, lines[number // 2]))


def _value(data: Mapping[str, Any], name: str, kind: type, default: Any) -> Any:
    value = data.get(name, default)
    if name in data and type(value) is not kind:
        words = {str: "a text", int: "a whole number", bool: "true or false", dict: "a table", list: "a list"}
        raise OptionError(f"{name} should be {words[kind]}, not {value!r}")
    return value


def _players(data: Any, game: Game, store: Store) -> Iterator[EnginePlayer]:
    """The players from a list of texts as `tengen match` takes them, or a table of names and such texts."""
    if not isinstance(data, dict | list):
        raise OptionError(f"players are a list or a table, not {data!r}")
    given = list(data.items()) if isinstance(data, dict) else [("", word) for word in data]
    for name, word in given:
        if not isinstance(word, str):
            raise OptionError(f'a player is written as a text, as "uct:nodes=100", not {word!r}')
        player = find_engine_player(store, word, game.name)
        if name:
            player = EnginePlayer(name, player.config)
            stored = known(store, player)
            assert isinstance(stored, EnginePlayer)
            player = stored
        yield player


def _key(task: str) -> Key:
    players, _, number = task.partition(" game ")
    first, _, second = players.partition("-")
    return int(first), int(second), int(number)
