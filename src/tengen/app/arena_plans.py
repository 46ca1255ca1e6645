"""Matches, groups of variants, tournaments and tuning runs as plain data: what front ends start and queues store.

A plan names players as `tengen match` takes them and is turned into the definition of a run by `create`. Reading
openings from files needs a `folder`, which only the command line gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias

from tengen import games
from tengen.arena import openings
from tengen.arena.adjudication import Adjudication
from tengen.arena.engine_match import EngineMatch
from tengen.arena.statistics import Sprt
from tengen.arena.tournament import Tournament
from tengen.arena.tuning.space import Space
from tengen.arena.tuning.tuning_run import Progress, TuningRun
from tengen.arena.variant_match import VariantMatch
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.translation import mark
from tengen.games import records
from tengen.jobs import Checkpoint
from tengen.play.player_lookup import find_engine_player, known
from tengen.play.time_control import TimeControl
from tengen.players.configure import config_name, engine_player
from tengen.players.player import EnginePlayer, Player
from tengen.store.store import Store

Options: TypeAlias = dict[str, Any]
DEFAULT_SPRT = "0,20"
MAX_OPENINGS = 5_000  # of a plan


class Definition(Protocol):
    """What the definitions of all kinds of runs have."""

    def checkpoint(self, path: Path | None = None) -> Checkpoint: ...


@dataclass(frozen=True)
class MatchPlan:
    """A match of two players. With `sprt`, such as `0,10`, it ends when one of two Elo differences is accepted."""

    kind: ClassVar[str] = "matches"

    game: str
    players: tuple[str, str]
    options: Options = field(default_factory=dict)
    games: int = 100
    sprt: str = ""
    time: str = "none"
    openings: str = ""
    moves: tuple[str, ...] = ()  # openings, each as moves separated by spaces
    plies: int | None = None
    seed: int = 1
    rated: bool = False
    adjudication: Options = field(default_factory=dict)

    def create(self, store: Store, folder: Path | None = None) -> EngineMatch:
        game = games.game(self.game, **self.options)
        lines, plies = openings.choose(game, self.openings, self.plies, self.moves, folder)
        one, two = (find_engine_player(store, text, game.name) for text in self.players)
        return EngineMatch(
            game,
            (one, two),
            self.games,
            TimeControl.parse(self.time),
            Sprt.parse(self.sprt) if self.sprt else None,
            self.seed,
            plies,
            lines,
            self.rated,
            adjudication=Adjudication.read(self.adjudication),
        )

    def title(self, store: Store) -> tuple[str, str]:
        """Name and description of the run."""
        made = self.create(store)
        return f"{made.players[0].name} – {made.players[1].name}", made.describe()


@dataclass(frozen=True)
class VariantsPlan:
    """Several variants against a base, tested as a group; `games` is the maximum for each."""

    kind: ClassVar[str] = "variants"

    game: str
    base: str
    variants: tuple[str, ...]
    options: Options = field(default_factory=dict)
    games: int = 1000
    sprt: str = DEFAULT_SPRT
    time: str = "none"
    openings: str = ""
    moves: tuple[str, ...] = ()
    plies: int | None = None
    seed: int = 1
    rated: bool = False
    adjudication: Options = field(default_factory=dict)

    def create(self, store: Store, folder: Path | None = None) -> VariantMatch:
        game = games.game(self.game, **self.options)
        lines, plies = openings.choose(game, self.openings, self.plies, self.moves, folder)
        return VariantMatch(
            game,
            find_engine_player(store, self.base, game.name),
            tuple(find_engine_player(store, text, game.name) for text in self.variants),
            self.games,
            Sprt.parse(self.sprt),
            TimeControl.parse(self.time),
            self.seed,
            plies,
            lines,
            self.rated,
            adjudication=Adjudication.read(self.adjudication),
        )

    def title(self, store: Store) -> tuple[str, str]:
        made = self.create(store)
        return f"{made.base.name}: {len(made.variants)} variants", made.describe()


@dataclass(frozen=True)
class TournamentPlan:
    """A tournament, as in a file for `tengen tournament`. `kind_of` is its kind, such as `round robin`."""

    kind: ClassVar[str] = "tournaments"

    game: str
    players: tuple[str, ...]
    name: str = "Tournament"
    kind_of: str = "round robin"
    options: Options = field(default_factory=dict)
    games: int = 2
    rounds: int = 0
    champions: int = 1
    time: str = "none"
    openings: str = ""
    moves: tuple[str, ...] = ()
    plies: int | None = None
    seed: int = 1
    rated: bool = False
    adjudication: Options = field(default_factory=dict)

    def create(self, store: Store, folder: Path | None = None) -> Tournament:
        data = {**asdict(self), "kind": self.kind_of, "players": list(self.players), "moves": list(self.moves)}
        del data["kind_of"]
        data["options"] = games.game(self.game, **self.options).options()
        return Tournament.from_dict(
            {name: value for name, value in data.items() if value is not None}, store, folder=folder
        )

    def title(self, store: Store) -> tuple[str, str]:
        made = self.create(store)
        return made.name, made.describe()


@dataclass(frozen=True)
class TuningPlan:
    """A tuning run: `tune` are settings such as `rave=100..5000:log`. The tuned player is stored as `name`."""

    kind: ClassVar[str] = "tunings"

    game: str
    method: str
    player: str
    options: Options = field(default_factory=dict)
    tune: tuple[str, ...] = ()
    steps: int = 30
    games: int = 0
    time: str = "none"
    plies: int = openings.PLIES
    validation: int = 100
    every: int = 0
    seed: int = 1
    name: str = ""

    def create(self, store: Store, folder: Path | None = None) -> TuningRun:
        game = games.game(self.game, **self.options)
        config = find_engine_player(store, self.player, game.name).config
        return TuningRun(
            game,
            Space.from_config(config, self.tune),
            self.method,
            self.steps,
            self.games,
            TimeControl.parse(self.time),
            self.plies,
            self.seed,
            self.validation,
            self.every,
        )

    def title(self, store: Store) -> tuple[str, str]:
        made = self.create(store)
        parameters = ", ".join(map(str, made.space.parameters))
        return config_name(made.space.config), f"{self.method}, {made.game.describe()}, {parameters}"


Plan: TypeAlias = MatchPlan | VariantsPlan | TournamentPlan | TuningPlan
PLANS: dict[str, Callable[..., Plan]] = {
    plan.kind: plan for plan in (MatchPlan, VariantsPlan, TournamentPlan, TuningPlan)
}


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    """Data for JSON."""
    return {"plan": plan.kind, **asdict(plan)}


def plan_from_dict(data: Mapping[str, Any]) -> Plan:
    """The plan that `plan_to_dict` described. Raises `OptionError`."""
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
    }
    kind = PLANS.get(str(given.pop("plan", "")))
    if kind is None:
        raise OptionError(f"a run is one of {', '.join(PLANS)}")
    try:
        return kind(**given)
    except TypeError as error:
        raise OptionError(f"this is not a plan of a run: {error}") from None


def players_of(plan: Plan, store: Store) -> list[EnginePlayer]:
    """The players of a run. Raises `OptionError` if there is no such player."""
    if isinstance(plan, MatchPlan | TournamentPlan):
        texts: tuple[str, ...] = plan.players
    else:
        texts = (plan.base, *plan.variants) if isinstance(plan, VariantsPlan) else (plan.player,)
    return [find_engine_player(store, text, plan.game) for text in texts]


def check_programs(plan: Plan, store: Store) -> None:
    """Raise `OptionError` if a plan would start an external program that is not stored as a player yet."""
    stored = {player.id for player in store.players()}
    for player in players_of(plan, store):
        if player.config.program is not None and player.id not in stored:
            raise OptionError(
                mark(
                    "external programs can be started from the browser only if the server runs with "
                    "--allow-programs, or if they were added with tengen engines add"
                )
            )


def openings_from_text(game: Game, text: str, plies: int | None = None) -> tuple[str, ...]:
    """Openings for a plan: the first `plies` moves, or all, of games in any format, or one opening per line."""
    lines: list[list[str]]
    if records.recognise(text.encode()) is None:
        lines = [line.split() for line in text.splitlines() if line.strip()]
    else:
        lines = []
        for record in records.parse(text):
            if record.game.name != game.name or record.game.start().key != game.start().key:
                raise OptionError(
                    mark("these openings are of {theirs}, not of {ours}").format(
                        theirs=record.game.describe(), ours=game.describe()
                    )
                )
            lines.append(game.start().write_moves(record.moves()))
    if not lines:
        raise OptionError(mark("give at least one opening"))
    if len(lines) > MAX_OPENINGS:
        raise OptionError(
            mark("at most {most:,} openings, not {count:,}").format(most=MAX_OPENINGS, count=len(lines))
        )
    found = tuple(" ".join(line[:plies]) for line in lines)
    openings.choose(game, moves=found)  # for its errors
    return found


def store_tuned_player(store: Store, progress: Progress, name: str = "") -> Player | None:
    """Store the best settings of a tuning run as a player; None if they are those of the start."""
    if progress.config == progress.tuning_run.space.config:
        return None
    tuned = EnginePlayer(name, progress.config) if name else engine_player(progress.config)
    stored = known(store, tuned)
    store.save_player(stored)
    return stored
