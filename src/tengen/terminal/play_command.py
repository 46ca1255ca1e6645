"""`tengen play`: a new, loaded or resumed game, then rematches until the user quits."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from rich.console import Console

from tengen.core.compiled.kernel import expect_background_compilation
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
from tengen.players.syntax import write_config
from tengen.runtime.background_warmup import BackgroundWarmUp
from tengen.runtime.engine_runner import EngineRunner
from tengen.runtime.kernel_groups import KernelGroup, groups_of_player
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store
from tengen.terminal.autosave import AutoSaver, GameFile
from tengen.terminal.match_prompt import MatchPrompt
from tengen.terminal.record_files import find
from tengen.terminal.stored_games import SHORT_ID_LENGTH, find_game

SIDES = {"first": (True, False), "second": (False, True), "both": (True, True), "none": (False, False)}
GUEST = "Guest"


@dataclass(frozen=True)
class PlayOptions:
    """Options of `tengen play`."""

    config: EngineConfig  # of the engine; the game's default engine if it has no name
    opponent: str = ""  # name of a player, instead of an engine
    side: str = "first"
    name: str = ""
    time: str = "none"
    rated: bool = True
    demo: bool = False


class PlayCommand:
    """Creates or opens the match, and runs it in the terminal."""

    def __init__(self, console: Console, errors: Console, store: Store, options: PlayOptions) -> None:
        self.console = console
        self.errors = errors
        self.store = store
        self.options = options
        self._file: GameFile | None = None
        expect_background_compilation()  # begun by `run`, when the match is known

    # ---- matches

    def new(self, game: Game, moves: Sequence[str], save: Path | None) -> Match:
        """A new match in which `moves` have already been played."""
        players = self._players(game)
        file = None if save is None else GameFile.for_game(self.errors, save, Record(game), None, 0)
        start = game.start().play_all(moves)  # raises before anything is stored
        rated = self.options.rated and not moves
        control = TimeControl.parse(self.options.time)
        self._open(file, Record(game))
        match = Match.new(game, players, control, rated=rated, save=AutoSaver(self.store, file))
        match.start()
        for move in start.moves:
            match.play(move)
        match.adjourn()
        return match

    def load(self, path: Path, number: int, save: Path | None) -> Match:
        """Continue a game from a file."""
        record, games = find(self.errors, path, number, all_counted=True)
        file = None if save is None else GameFile.for_game(self.errors, save, record, path, games)
        record = normalize_record(record)
        entry = GameEntry(record, self._players(record.game))
        self._open(file, record)
        return Match.open(entry, save=AutoSaver(self.store, file))

    def _open(self, file: GameFile | None, record: Record) -> None:
        self._file = file
        if file is not None:
            file.save(record)  # raises now if the file cannot be written

    def resume(self, text: str, save: Path | None) -> Match:
        """Continue a stored game: the last unfinished one, or the one whose id starts with `text`."""
        entry = find_game(self.store, text, unfinished=True)
        file = None
        if save is not None and save.exists():  # continued if it contains only this game
            held, games = find(self.errors, save, 1, all_counted=True)
            file = GameFile.for_game(self.errors, save, held, save, games)
        elif save is not None:
            file = GameFile.for_game(self.errors, save, entry.record, None, 0)
        self._file = file
        return Match.open(entry, save=AutoSaver(self.store, file))

    def rematch(self, text: str) -> Match:
        """A new game between the players of a stored one."""
        match = Match.open(find_game(self.store, text), save=AutoSaver(self.store)).rematch()
        if not self.options.rated:
            match.unrate()
        return match

    # ---- playing

    def run(self, match: Match) -> None:
        """Play a match and its rematches until the user quits."""
        next_match: Match | None = match
        while next_match is not None:
            engines, advisor = self._engines(next_match)
            with closing(BackgroundWarmUp(partial(_kernel_groups, next_match.game, (*engines.values(), advisor)))):
                next_match = MatchPrompt(
                    self.console, self.errors, next_match, engines, advisor, self._resume_command
                ).run()
            self._file = None  # a rematch is saved only in the store

    def _resume_command(self, match: Match) -> str:
        save = [] if self._file is None else ["--save", str(self._file.path)]
        if not self.options.demo:
            return shlex.join(["tengen", "play", "--resume", match.id[:SHORT_ID_LENGTH], *save])
        options = [f"{name}={value}" for name, value in match.game.options().items() if value != ""]
        chosen, config = self.options, self._config(match.game)
        who = ["--engine", write_config(config), "--side", chosen.side, "--time", chosen.time]
        moves = " ".join(match.live.write_moves(match.live.moves))
        return shlex.join(["tengen", "play", match.game.name, *options, *who, "--demo", "--moves", moves])

    def _engines(self, match: Match) -> tuple[dict[int, EngineRunner], EngineRunner]:
        """Runners of the engine players and one for hints."""
        engines = {
            player: self._runner(participant.config, match.game, player)
            for player, participant in enumerate(match.players)
            if isinstance(participant, EnginePlayer)
        }
        own = [runner.requested for runner in engines.values() if runner.requested.program is None]
        advisor = self._runner(own[0] if own else self._config(match.game), match.game, 2)
        return engines, advisor

    def _runner(self, config: EngineConfig, game: Game, player: int) -> EngineRunner:
        return EngineRunner(replace(config, seed=self.options.config.seed + player), game)

    def _config(self, game: Game) -> EngineConfig:
        """The requested engine as a player configuration, which has no seed."""
        return replace(configured(for_game(self.options.config, game)), seed=0)

    # ---- players

    def _players(self, game: Game) -> tuple[Player, Player]:
        if self.options.side not in SIDES:
            raise OptionError(f"--side must be {', '.join(SIDES)}, not {self.options.side!r}")
        people = SIDES[self.options.side]
        if self.options.opponent:
            engine = find_player(self.store, self.options.opponent, game.name)
        else:
            engine = known(self.store, engine_player(self._config(game)))
        if not any(people):
            return engine, engine
        me = person(self.store, self.options.name)
        if all(people):
            other = engine if isinstance(engine, Person) else person(self.store, GUEST)
            return me, other
        return (me, engine) if people[0] else (engine, me)


def _kernel_groups(game: Game, runners: Iterable[EngineRunner]) -> list[KernelGroup]:
    configs = [runner.config for runner in runners if runner.config.program is None]
    return [group for config in configs for group in groups_of_player(game, config)]
