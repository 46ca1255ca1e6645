"""`tengen play`: a game that is new, in a file or in the library; then sittings until nobody wants another."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from rich.console import Console

from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.games.records import Record
from tengen.play.match import Match
from tengen.play.player_lookup import find_player, known, person
from tengen.play.record_import import normalize_record
from tengen.play.time_control import TimeControl
from tengen.players.config import EngineConfig
from tengen.players.configure import configured, engine_player, for_game
from tengen.players.player import EnginePlayer, Person, Player
from tengen.runtime.engine_runner import EngineRunner
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store
from tengen.terminal.keeping import GameFile, Keeper
from tengen.terminal.library import SHORT, find_game
from tengen.terminal.records import find
from tengen.terminal.session import Session
from tengen.terminal.wait import patiently

SIDES = {"first": (True, False), "second": (False, True), "both": (True, True), "none": (False, False)}
GUEST = "Guest"


@dataclass(frozen=True)
class Wanted:
    """How somebody wants to play, as the command line says it."""

    config: EngineConfig  # of the engine; without a name, the game's default
    opponent: str = ""  # a player's name instead of an engine
    side: str = "first"
    name: str = ""
    time: str = "none"
    rated: bool = True
    demo: bool = False


class Room:
    """Where `tengen play` happens: a console, a store, and how somebody wants to play."""

    def __init__(self, console: Console, errors: Console, store: Store, wanted: Wanted) -> None:
        self.console = console
        self.errors = errors
        self.store = store
        self.wanted = wanted
        self._file: GameFile | None = None

    # ---- matches

    def new(self, game: Game, moves: Sequence[str], save: Path | None) -> Match:
        """A new game, with the first moves made already."""
        players = self._players(game)
        file = None if save is None else GameFile.for_game(self.errors, save, Record(game), None, 0)
        start = game.start().play_all(moves)  # refused before anything is kept
        rated = self.wanted.rated and not moves
        control = TimeControl.parse(self.wanted.time)
        self._open(file, Record(game))
        match = Match.new(game, players, control, rated=rated, save=Keeper(self.store, file))
        match.start()
        for move in start.moves:
            match.play(move)
        match.adjourn()
        return match

    def load(self, path: Path, number: int, save: Path | None) -> Match:
        """The game in a file, to go on with."""
        record, games = find(self.errors, path, number, all_counted=True)
        file = None if save is None else GameFile.for_game(self.errors, save, record, path, games)
        record = normalize_record(record)
        entry = GameEntry(record, self._players(record.game))
        self._open(file, record)
        return Match.open(entry, save=Keeper(self.store, file))

    def _open(self, file: GameFile | None, record: Record) -> None:
        self._file = file
        if file is not None:
            file.save(record)  # fails now, if it must

    def resume(self, text: str, save: Path | None) -> Match:
        """A game from the library: the last unfinished one, or by how its id begins."""
        entry = find_game(self.store, text, unfinished=True)
        file = None
        if save is not None and save.exists():  # it is gone on with, if it holds nothing else
            held, games = find(self.errors, save, 1, all_counted=True)
            file = GameFile.for_game(self.errors, save, held, save, games)
        elif save is not None:
            file = GameFile.for_game(self.errors, save, entry.record, None, 0)
        self._file = file
        return Match.open(entry, save=Keeper(self.store, file))

    def rematch(self, text: str) -> Match:
        """Another game between the players of one from the library."""
        match = Match.open(find_game(self.store, text), save=Keeper(self.store)).rematch()
        if not self.wanted.rated:
            match.unrate()
        return match

    # ---- sittings

    def sit(self, match: Match) -> None:
        """Play a match, and rematches as long as they are wanted."""
        following: Match | None = match
        while following is not None:
            engines, advisor = patiently(self.errors, partial(self._engines, following))
            following = Session(self.console, self.errors, following, engines, advisor, self._how_to_go_on).run()
            self._file = None  # a rematch is kept in the library

    def _how_to_go_on(self, match: Match) -> str:
        save = [] if self._file is None else ["--save", str(self._file.path)]
        if not self.wanted.demo:
            return shlex.join(["tengen", "play", "--resume", match.id[:SHORT], *save])
        options = [f"{name}={value}" for name, value in match.game.options().items() if value != ""]
        wanted, config = self.wanted, self._config(match.game)
        level = [f"--{name}={value}" for name, value in asdict(config.level).items() if value is not None]
        who = ["--engine", config.engine, *level, "--side", wanted.side, "--time", wanted.time]
        moves = " ".join(match.live.write_moves(match.live.moves))
        return shlex.join(["tengen", "play", match.game.name, *options, *who, "--demo", "--moves", moves])

    def _engines(self, match: Match) -> tuple[dict[int, EngineRunner], EngineRunner]:
        """An engine for each player that is one, and one for hints; compiled, so that no clock waits for that."""
        engines = {
            player: self._runner(sitter.config, match.game, player)
            for player, sitter in enumerate(match.players)
            if isinstance(sitter, EnginePlayer)
        }
        own = [runner.requested for runner in engines.values() if runner.requested.program is None]
        advisor = self._runner(own[0] if own else self._config(match.game), match.game, 2)
        for runner in (*engines.values(), advisor):
            if runner.requested.program is None:
                runner.warm_up(match.live)
        return engines, advisor

    def _runner(self, config: EngineConfig, game: Game, player: int) -> EngineRunner:
        return EngineRunner(replace(config, seed=self.wanted.config.seed + player), game)

    def _config(self, game: Game) -> EngineConfig:
        """The engine that the user asked for, as a player has it: without a seed."""
        return replace(configured(for_game(self.wanted.config, game)), seed=0)

    # ---- players

    def _players(self, game: Game) -> tuple[Player, Player]:
        if self.wanted.side not in SIDES:
            raise OptionError(f"side should be {', '.join(SIDES)}, not {self.wanted.side!r}")
        people = SIDES[self.wanted.side]
        if self.wanted.opponent:
            engine = find_player(self.store, self.wanted.opponent, game.name)
        else:
            engine = known(self.store, engine_player(self._config(game)))
        if not any(people):
            return engine, engine
        me = person(self.store, self.wanted.name)
        if all(people):
            other = engine if isinstance(engine, Person) else person(self.store, GUEST)
            return me, other
        return (me, engine) if people[0] else (engine, me)
