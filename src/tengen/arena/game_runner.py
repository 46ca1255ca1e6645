"""Plays one game of an engine match, in a worker process. The engines run in that process too, so nothing lies
between the clock and the search.

An engine that fails loses its game and the match continues: a program that cannot be started, crashes, hangs,
floods, answers nonsense or raises an error forfeits, and the reason is recorded. In timed games the search is
stopped when the flag falls, so a program that hangs loses on time.

Tengen's own engines are created for each game, so that with a node limit a game depends only on its seed. External
programs are started once per worker, because some take seconds to start.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Timer
from typing import Any

from tengen import games
from tengen.arena.adjudication import Adjudication, Adjudicator
from tengen.arena.seeds import derived_seed
from tengen.core.errors import EngineResigned, TengenError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.engines.dead_stones import estimate_dead_stones
from tengen.jobs.checkpoint import register_former_name
from tengen.jobs.task import one_line
from tengen.play.clock import TimeIsUp
from tengen.play.match import Match
from tengen.play.match_result import MatchResult
from tengen.play.time_control import TimeControl
from tengen.play.time_management import limits_for
from tengen.players.config import EngineConfig
from tengen.players.player import EnginePlayer
from tengen.players.program import ExternalProgram
from tengen.protocols.external import ExternalEngine
from tengen.runtime.external import create_external_engine
from tengen.runtime.turn import create_engine, take_turn
from tengen.runtime.warmup import prepare
from tengen.search.engine import Engine
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report

_NO_ADJUDICATION = Adjudication()
MAX_PLAYOUT_LENGTHS = 10  # a game longer than this many playouts is a draw


@dataclass(frozen=True)
class GameSetup:
    """What the games of a match have in common, as plain data that is sent to workers."""

    game: str
    place: str  # import path of the game's class, which may be registered in the parent only
    options: Mapping[str, Any]
    configs: tuple[EngineConfig, EngineConfig]
    control: str = "none"
    seed: int = 0
    adjudication: Adjudication = _NO_ADJUDICATION

    @classmethod
    def of(
        cls,
        game: Game,
        configs: tuple[EngineConfig, EngineConfig],
        control: TimeControl,
        seed: int,
        adjudication: Adjudication = _NO_ADJUDICATION,
    ) -> GameSetup:
        place = games.import_path(game.name)
        return cls(game.name, place, game.options(), configs, str(control), seed, adjudication)

    def rules(self) -> Game:
        games.register(self.game, self.place)
        return games.game(self.game, **self.options)


@dataclass(frozen=True)
class PlayedGame:
    """A finished game. Contestant `first` (0 or 1) moved first; `winner` is a contestant too, None for a draw.

    `seconds` has the time of each move after the opening, `thinking` and `nodes` the search time and nodes of each
    contestant, `wall` the time of the whole game including the creation of engines. Checkpoints store its fields.
    """

    number: int
    id: str
    started: datetime
    first: int
    opening: int
    moves: tuple[int, ...]
    seconds: tuple[float, ...]
    winner: int | None
    result: str
    reason: str
    thinking: tuple[float, float]
    nodes: tuple[int, int]
    wall: float


def describe_game(played: PlayedGame, names: Sequence[str]) -> dict[str, Any]:
    """A game as data for a list of games; `names` are the contestants'. `points` are those of contestant 0."""
    return {
        "id": played.id,
        "players": [names[played.first], names[1 - played.first]],
        "contestants": list(names),
        "number": played.number + 1,
        "result": played.result,
        "reason": played.reason,
        "points": 0.5 if played.winner is None else 1.0 - played.winner,
        "moves": len(played.moves),
        "opening": played.opening,
        "seconds": played.wall,
    }


def list_faults(games: Iterable[tuple[PlayedGame, Sequence[str]]]) -> list[str]:
    """The reasons of forfeited games, each with its number of games; `games` come with contestants' names."""
    reasons = Counter(
        f"{names[1 - played.winner]}: {played.reason}"
        for played, names in games
        if played.result.endswith("+F") and played.winner is not None
    )
    return [f"{count} × {reason}" for reason, count in reasons.items()]


register_former_name("tengen.arena.duel", "Played", PlayedGame)


class _EngineFault(Exception):
    """An engine cannot continue; the text says why."""


def play_game(setup: GameSetup, number: int, opening: tuple[int, ...]) -> PlayedGame:
    """Play game `number` of a match, counted from 0: contestant 0 moves first in even games."""
    return _GameRunner(setup, number, opening).run()


class _GameRunner:
    """Plays one game between two engines as a `Match`, with the engines in this process."""

    def __init__(self, setup: GameSetup, number: int, opening: tuple[int, ...]) -> None:
        self.setup = setup
        self.number = number
        self.first = number % 2
        self.opening = len(opening)
        self.configs = [
            replace(config, seed=derived_seed(setup.seed, number, contestant))
            for contestant, config in enumerate(setup.configs)
        ]
        configs = setup.configs[:: -1 if self.first else 1]
        self.match = Match.new(
            setup.rules(),
            (EnginePlayer("first", configs[0]), EnginePlayer("second", configs[1])),
            TimeControl.parse(setup.control, stored=True),
            opening=[Move(move) for move in opening],
        )
        self.search_s = [0.0, 0.0]
        self.nodes = [0, 0]
        self.engines: list[Engine] = []
        self.adjudicator = Adjudicator(setup.adjudication) if setup.adjudication else None

    def contestant(self, player: int) -> int:
        """The contestant who plays a side; also the side of a contestant."""
        return player ^ self.first

    def run(self) -> PlayedGame:
        started, began = datetime.now(UTC), time.monotonic()
        match = self.match
        failure = self._prepare()
        if failure is not None:
            match.adjudicate(failure)
        else:
            self._play()
        result = match.result
        assert result is not None
        return PlayedGame(
            number=self.number,
            id=match.id,
            started=started,
            first=self.first,
            opening=self.opening,
            moves=tuple(int(move) for move in match.live.moves),
            seconds=tuple(made.seconds for made in match.clock.moves[self.opening :]),
            winner=None if result.winner is None else self.contestant(result.winner),
            result=result.code,
            reason=result.reason,
            thinking=(self.search_s[0], self.search_s[1]),
            nodes=(self.nodes[0], self.nodes[1]),
            wall=time.monotonic() - began,
        )

    def _prepare(self) -> MatchResult | None:
        """Warm up both engines before the clock starts; returns a result if one of them cannot play."""
        for contestant, config in enumerate(self.configs):
            try:
                self.engines.append(_engine(config, contestant, self.match.live))
            except EngineResigned:
                return MatchResult.resigned(self.match.game, self.contestant(contestant))
            except _EngineFault as fault:
                return MatchResult.forfeited(self.contestant(contestant), str(fault))
        return None

    def _play(self) -> None:
        """Play until the match has a result."""
        match = self.match
        max_moves = self.opening + MAX_PLAYOUT_LENGTHS * match.game.max_playout_length
        match.start()
        while (player := match.to_move) is not None:
            if match.live.ply >= max_moves:
                match.adjudicate(MatchResult.draw(f"unfinished after {max_moves} moves"))
                return
            try:
                match.play(self._choose_move(player))
            except TimeIsUp:
                return
            except EngineResigned:
                match.adjudicate(MatchResult.resigned(match.game, player))
            except (_EngineFault, TengenError) as fault:
                match.adjudicate(MatchResult.forfeited(player, str(fault)))
            if self.adjudicator is not None and match.to_move is not None:
                match.adjourn()  # no player's time is used
                verdict = self.adjudicator.verdict(match.live)
                if verdict is not None:
                    match.adjudicate(verdict)
                else:
                    match.start()
        if match.is_counting:
            # Under area rules dead stones that nobody captured count as alive. Under territory rules capturing
            # them would cost points, and programs cannot agree on them: playouts estimate which are dead.
            match.finish_counting(estimate_dead_stones(match.live))

    def _choose_move(self, player: int) -> str:
        """The move of the engine that plays this side. Raises an error for whatever the engine does wrong."""
        contestant = self.contestant(player)
        limits = self.configs[contestant].search_limits()
        began = time.monotonic()
        clock = self.match.clock
        if clock.falls_at is None:
            report = self._search(contestant, limits, None)  # without a stop flag: the engine must end by itself
        else:
            stop = StopFlag()
            flag_timer = Timer(clock.falls_at - began, stop.set)
            flag_timer.daemon = True
            flag_timer.start()
            # The clock replaces the time limit of the level; limits of depth and nodes apply as well.
            limits = limits_for(clock, began, replace(limits, seconds=None))
            try:
                report = self._search(contestant, limits, stop)
            finally:
                flag_timer.cancel()
        self.search_s[contestant] += time.monotonic() - began
        self.nodes[contestant] += report.nodes
        if self.adjudicator is not None:
            self.adjudicator.add_value(player, report.value)
        return str(report.best)

    def _search(self, contestant: int, limits: Limits, stop: StopFlag | None) -> Report:
        engine = self.engines[contestant]
        try:
            return take_turn(engine, self.configs[contestant], self.match.live, limits, stop=stop)
        except TengenError:
            raise
        except Exception as error:  # a bug in the engine loses this game, not the whole match
            raise _EngineFault(f"{engine.name} failed: {one_line(error)}") from error


# ---- the engines of this process

_programs: dict[tuple[int, ExternalProgram], ExternalEngine] = {}
_ready: dict[ExternalEngine, int] = {}  # the number of troubles of a program when it was last warmed up
_warmed: set[tuple[str, object]] = set()


def _engine(config: EngineConfig, contestant: int, position: Position) -> Engine:
    """A contestant's engine, warmed up."""
    if config.program is not None:
        return _program(config.program, contestant, position)
    try:
        if (config.engine, position.game.record) not in _warmed:
            prepare(create_engine(config, position.game), position)
            _warmed.add((config.engine, position.game.record))
        engine = create_engine(config, position.game)
        engine.search(position, Limits(nodes=1))  # allocates its tables, which takes longer than a clock forgives
        return engine
    except Exception as error:  # any error is the engine's fault
        raise _EngineFault(str(error) if isinstance(error, TengenError) else one_line(error)) from error


def _program(spec: ExternalProgram, contestant: int, position: Position) -> ExternalEngine:
    """A running program. Searching once starts it, and restarts it after a trouble."""
    key = contestant, spec
    if key not in _programs:
        engine = create_external_engine(spec)
        assert isinstance(engine, ExternalEngine)
        _programs[key] = engine
    engine = _programs[key]
    if _ready.get(engine) != len(engine.incidents):
        try:
            engine.search(position, Limits(seconds=0.1, nodes=1, depth=1))
        except EngineResigned:
            raise
        except TengenError as error:
            raise _EngineFault(str(error)) from error
        _ready[engine] = len(engine.incidents)
    return engine
