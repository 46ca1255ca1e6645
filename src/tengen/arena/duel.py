"""One game of a match, as a worker process plays it. Engines live in that process: nothing lies between the clock
and the search.

Whatever an engine does wrong, the game ends by the rules and the match goes on: a program that cannot be started,
dies, hangs, floods, answers nonsense or raises an error loses the game, and the reason is recorded. Under a clock
a stop comes with the fall of the flag, so that a program that hangs loses on time.

Our own engines are made anew for each game, so that with a limit of nodes a game depends on nothing but its seed;
other programs stay for all the games of a worker, because some take seconds to start, and end with it.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Timer
from typing import Any

from tengen import games
from tengen.arena.adjudication import Adjudication, Referee
from tengen.core.errors import EngineResigned, TengenError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.engines.go.mcts.dead_stones import dead_points
from tengen.jobs.task import one_line
from tengen.play.clock import Clock, TimeIsUp
from tengen.play.match_result import MatchResult
from tengen.play.time_control import TimeControl
from tengen.play.time_management import limits_for
from tengen.players.config import EngineConfig
from tengen.players.program import ExternalProgram
from tengen.protocols.external import ExternalEngine
from tengen.runtime.external import create_external_engine
from tengen.runtime.turn import create_engine, take_turn
from tengen.runtime.warmup import prepare
from tengen.search.engine import Engine
from tengen.search.limits import Limits, StopFlag

_TO_THE_END = Adjudication()
LONGEST = 10  # playouts long: a game that has not ended by then is a draw


@dataclass(frozen=True)
class Setup:
    """All that the games of a match have in common: plain data that travels to workers."""

    game: str
    place: str  # where the game's class is: it may be registered in the parent only
    options: Mapping[str, Any]
    configs: tuple[EngineConfig, EngineConfig]
    control: str = "none"
    seed: int = 0
    adjudication: Adjudication = _TO_THE_END

    def rules(self) -> Game:
        games.register(self.game, self.place)
        return games.game(self.game, **self.options)


@dataclass(frozen=True)
class Played:
    """A game that was played. Contestant `first` (0 or 1) moved first; `winner` is a contestant too, None a draw.

    `seconds` are those of each move after the opening. `thinking` are the seconds of each contestant's searches,
    `nodes` what they looked at; `wall` is what the game took in all, with the making of engines.
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


class _Fault(Exception):
    """A contestant's engine cannot go on; the text says why."""


def play_game(setup: Setup, number: int, opening: tuple[int, ...]) -> Played:
    """Play game `number` of a match, from 0: contestant 0 moves first in even ones."""
    return _Duel(setup, number, opening).play()


class _Duel:
    def __init__(self, setup: Setup, number: int, opening: tuple[int, ...]) -> None:
        self.setup = setup
        self.number = number
        self.first = number % 2
        self.opening = len(opening)
        self.position = setup.rules().start().play_all([Move(move) for move in opening])
        self.clock = Clock.from_control(TimeControl.parse(setup.control, stored=True))
        self.thinking = [0.0, 0.0]
        self.nodes = [0, 0]
        self.engines: list[Engine] = []
        self.referee = Referee(setup.adjudication) if setup.adjudication else None

    def contestant(self, player: int) -> int:
        """Who plays this side; and the other way round."""
        return player ^ self.first

    def play(self) -> Played:
        started, began = datetime.now(UTC), time.monotonic()
        end = self._prepare() or self._play()
        return Played(
            number=self.number,
            id=str(uuid.uuid4()),
            started=started,
            first=self.first,
            opening=self.opening,
            moves=tuple(int(move) for move in self.position.moves),
            seconds=tuple(made.seconds for made in self.clock.moves),
            winner=None if end.winner is None else self.contestant(end.winner),
            result=end.code,
            reason=end.reason,
            thinking=(self.thinking[0], self.thinking[1]),
            nodes=(self.nodes[0], self.nodes[1]),
            wall=time.monotonic() - began,
        )

    def _prepare(self) -> MatchResult | None:
        """Both engines ready before the clock starts; an end if one cannot be."""
        for contestant, config in enumerate(self.setup.configs):
            text = f"{self.setup.seed} {self.number} {contestant}"
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little")
            try:
                self.engines.append(_engine(config, contestant, seed, self.position))
            except EngineResigned:
                return MatchResult.resigned(self.position.game, self.contestant(contestant))
            except _Fault as fault:
                return MatchResult.forfeited(self.contestant(contestant), str(fault))
        return None

    def _play(self) -> MatchResult:
        game = self.position.game
        longest = self.opening + LONGEST * game.max_playout_length
        self.clock = self.clock.begin(self.position.to_move, time.monotonic())
        while not self.position.is_over:
            player = self.position.to_move
            if self.position.ply >= longest:
                return MatchResult.draw(f"unfinished after {longest} moves")
            try:
                after = self.position.play(self._ask(self.contestant(player)))
                self.clock = self.clock.move(time.monotonic(), then=None)
            except TimeIsUp:
                return MatchResult.on_time(game, player)
            except EngineResigned:
                return MatchResult.resigned(game, player)
            except (_Fault, TengenError) as fault:
                return MatchResult.forfeited(player, str(fault))
            self.position = after
            if self.referee is not None and not after.is_over:
                end = self.referee.end(after)  # in nobody's time
                if end is not None:
                    return end
            if not after.is_over:
                self.clock = self.clock.begin(after.to_move, time.monotonic())
        # Under area rules whoever leaves dead stones on the board has them counted as alive. Under territory rules
        # it would cost points to take them, and programs cannot agree: playouts tell which are dead.
        dead = dead_points(self.position) if game.counts_dead_stones else []
        return MatchResult.from_outcome(game, game.count(self.position, dead), counted=game.counts_dead_stones)

    def _ask(self, contestant: int) -> str:
        """An engine's move. Raises what it does wrong."""
        level = self.setup.configs[contestant].limits()
        now = time.monotonic()
        falls_at = self.clock.falls_at
        if falls_at is None:
            report = self._think(contestant, level, None)  # nothing else ends it: it may say so
        else:
            stop = StopFlag()
            alarm = Timer(falls_at - now, stop.set)
            alarm.daemon = True
            alarm.start()
            # The clock takes the place of the level's own time; a depth or a number of nodes holds as well.
            limits = limits_for(self.clock, now, replace(level, seconds=None))
            try:
                report = self._think(contestant, limits, stop)
            finally:
                alarm.cancel()
        self.thinking[contestant] += time.monotonic() - now
        self.nodes[contestant] += report.nodes
        if self.referee is not None:
            self.referee.told(self.position.to_move, report.value)
        return str(report.best)

    def _think(self, contestant: int, limits: Limits, stop: StopFlag | None) -> Any:
        engine = self.engines[contestant]
        try:
            return take_turn(engine, self.setup.configs[contestant], self.position, limits, stop=stop)
        except TengenError:
            raise
        except Exception as error:  # a bug of that engine, which must not cost the match
            raise _Fault(f"{engine.name} failed: {one_line(error)}") from error


# ---- engines of this process

_programs: dict[tuple[int, ExternalProgram], ExternalEngine] = {}
_ready: dict[ExternalEngine, int] = {}  # the troubles that a program had had when it was last made ready
_warmed: set[tuple[str, object]] = set()


def _engine(config: EngineConfig, contestant: int, seed: int, position: Position) -> Engine:
    """A contestant's engine, ready to think at once."""
    if config.program is not None:
        return _program(config.program, contestant, position)
    config = replace(config, seed=seed)
    try:
        if (config.engine, position.game.record) not in _warmed:
            prepare(create_engine(config, position.game), position)
            _warmed.add((config.engine, position.game.record))
        engine = create_engine(config, position.game)
        engine.search(position, Limits(nodes=1))  # makes its table, which takes longer than the slack of a clock
        return engine
    except Exception as error:  # whatever it is, it is this engine's fault
        raise _Fault(str(error) if isinstance(error, TengenError) else one_line(error)) from error


def _program(spec: ExternalProgram, contestant: int, position: Position) -> ExternalEngine:
    """A program that runs: started, or started again after a trouble, by asking it for a move."""
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
            raise _Fault(str(error)) from error
        _ready[engine] = len(engine.incidents)
    return engine
