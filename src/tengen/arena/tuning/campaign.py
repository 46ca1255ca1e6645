"""The games of a tuning, side by side, kept as they end; and matches that tell whether anything was won.

Only the points of games are kept, in a checkpoint in the data folder. Games of a step and those of a validation
are tasks with ids of their own; a campaign that was stopped or killed asks its method anew and finds all that was
played.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from tengen import games
from tengen.arena import openings, plots
from tengen.arena.game_runner import GameSetup, PlayedGame, play_game
from tengen.arena.match_score import MatchScore
from tengen.arena.openings import Line
from tengen.arena.statistics import elo_of, interval, score
from tengen.arena.status import Status, Teller, folder
from tengen.arena.tuning.genetic import Genetic
from tengen.arena.tuning.method import Bout, Method
from tengen.arena.tuning.space import Point, Space
from tengen.arena.tuning.spsa import Spsa
from tengen.arena.tuning.surface import Surface
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.results_version import RESULTS_VERSION
from tengen.jobs import Checkpoint, Task, run
from tengen.play.time_control import TimeControl
from tengen.players.config import EngineConfig, Number
from tengen.players.configure import check_plays, config_name

METHODS: dict[str, type[Method]] = {method.name: method for method in (Genetic, Spsa, Surface)}
OPENINGS = 100  # that the games of steps go through again and again; validation has others
VERSION = 1


def points_of(setup: GameSetup, number: int, opening: tuple[int, ...]) -> float:
    """Play a game; the points of contestant 0."""
    winner = play_game(setup, number, opening).winner
    return 0.5 if winner is None else 1.0 - winner


@dataclass(frozen=True)
class Validation:
    """A match of fresh games between the best after some steps and the start."""

    step: int
    tally: MatchScore

    def __str__(self) -> str:
        won, drawn, lost = self.tally.results(0)
        share = 100 * float(score(self.tally.counts()))
        return f"after step {self.step}: +{won} ={drawn} -{lost} ({share:.1f} %), {self.tally.difference()}"


@dataclass
class Progress:
    """How far a campaign is: what was best after each step, and what validation said."""

    campaign: Campaign
    games: int = 0
    course: list[dict[str, Number]] = field(default_factory=list)
    validations: list[Validation] = field(default_factory=list)
    best: Point = ()

    @property
    def config(self) -> EngineConfig:
        """The best one as far as is known."""
        return self.campaign.space.at(self.best)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        campaign = self.campaign
        return {
            "version": VERSION,
            "method": campaign.method,
            "game": campaign.game.name,
            "options": campaign.game.options(),
            "tuned": [str(parameter) for parameter in campaign.space.parameters],
            "start": campaign.space.values(campaign.space.start()),
            "best": self.course[-1] if self.course else None,
            "genome": self.config.to_dict(),
            "games": self.games,
            "course": self.course,
            "validations": [{"step": one.step, **one.tally.to_dict(), "played": None} for one in self.validations],
        }

    def to_html(self) -> str:
        """A page with plots that stands alone."""
        return plots.document(f"Tuning {self.campaign.space.config.engine}", self.sections())

    def status(self, state: str) -> Status:
        """For whoever watches."""
        campaign = self.campaign
        about = f"{campaign.method}, {campaign.game.describe()}"
        caption = f"{len(self.course)} of {campaign.steps} steps, {self.games} games"
        return Status(
            config_name(campaign.space.config), about, campaign.game.name, state, caption, self.sections()
        )

    def sections(self) -> list[tuple[str, str]]:
        """Plots: each parameter over the steps, and the validation matches; then the values."""
        start = self.campaign.space.values(self.campaign.space.start())
        sections = []
        for parameter in self.campaign.space.parameters:
            name = parameter.tunable.name
            values = [float(start[name]), *(float(values[name]) for values in self.course)]
            line = [plots.Point(step, value) for step, value in enumerate(values)]
            sections.append((name, plots.lines({name: line}, f"{name} over the steps")))
        if self.validations:
            bars = []
            for one in self.validations:
                low, high = (elo_of(min(0.999, max(0.001, float(end)))) for end in interval(one.tally.counts()))
                bars.append((f"after step {one.step}", (low + high) / 2, (high - low) / 2))
            sections.append(("Against the start", plots.error_bars(bars)))
        rows = [
            ["", name, f"{start[name]:g}", f"{value:g}"] for name, value in (self.course or [start])[-1].items()
        ]
        sections.append(("Values", plots.html_table(("", "setting", "start", "best"), rows)))
        return sections


@dataclass(frozen=True)
class Campaign:
    """What is tuned and how. `games` are those of a bout; each `every` steps and at the end `validation` games."""

    game: Game
    space: Space
    method: str = "spsa"
    steps: int = 30
    games: int = 0
    control: TimeControl = field(default_factory=TimeControl)
    plies: int = openings.PLIES
    seed: int = 1
    validation: int = 0
    every: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(f"tuning is done by {', '.join(METHODS)}, not by {self.method!r}")
        if not self.games:
            object.__setattr__(self, "games", METHODS[self.method].games)
        if self.games < 2 or self.games % 2 or self.validation < 0 or self.validation % 2:
            raise OptionError("games are played in pairs: an even number of each bout and of each validation")
        if self.steps < 1 or self.every < 0:
            raise OptionError(f"a tuning has at least one step, not {self.steps}")
        check_plays(self.space.config, self.game)

    def fingerprint(self) -> str:
        """All that a game depends on besides its task's id. With other numbers of steps it is another way."""
        facts = {
            "tengen": RESULTS_VERSION,
            "game": self.game.name,
            "options": self.game.options(),
            "genome": self.space.config.to_dict(),
            "tuned": [str(parameter) for parameter in self.space.parameters],
            "method": [self.method, self.games, self.steps],
            "time": str(self.control),
            "openings": self.plies,
            "seed": self.seed,
        }
        return json.dumps(facts, sort_keys=True)

    def checkpoint(self) -> Path:
        """Where the results are kept."""
        digest = hashlib.blake2b(self.fingerprint().encode(), digest_size=12).hexdigest()
        return folder("tunings") / f"{digest}.jobs"

    def run(
        self,
        executor: Executor,
        *,
        window: int,
        checkpoint: Path | None = None,
        on_step: Callable[[Progress], None] = lambda progress: None,
        on_game: Callable[[str], None] = lambda what: None,
    ) -> Progress:
        """Play all steps and the validation. `on_step` is told of each step, `on_game` in words of each game."""
        path = checkpoint or self.checkpoint()
        path.parent.mkdir(parents=True, exist_ok=True)
        method = METHODS[self.method](self.space, steps=self.steps, games=self.games, seed=self.seed)
        progress = Progress(self, best=self.space.start())
        fresh = _Lines(self.game, self.plies, self.seed + 1_000_003)
        lines = _Lines(self.game, self.plies, self.seed)

        def results(what: str, tasks: Sequence[Task[Any]]) -> dict[str, Any]:
            work = run(tasks, executor=executor, checkpoint=Checkpoint(path, self.fingerprint()), window=window)
            found: dict[str, Any] = {}
            with closing(work):
                for result in work:
                    found[result.id] = result.value
                    on_game(f"{what}: {len(found)} of {len(tasks)} games")
            return found

        with Teller(path, progress.status) as teller:
            for step in range(1, self.steps + 1):
                bouts = method.bouts()
                points = results(f"step {step}", list(self._tasks(step, bouts, lines)))
                method.learn([self._share(step, number, bout, points) for number, bout in enumerate(bouts)])
                progress.games += len(points)
                progress.best = method.best
                progress.course.append(self.space.values(progress.best))
                if self.validation and (step == self.steps or (self.every and step % self.every == 0)):
                    tally = MatchScore(("tuned", "start"))
                    tasks = list(self._validation(step, progress.best, fresh))
                    for played in results(f"validation after step {step}", tasks).values():
                        tally.add(cast(PlayedGame, played))
                    progress.validations.append(Validation(step, tally))
                teller.tell()
                on_step(progress)
        return progress

    def _setup(self, first: Point, second: Point, name: str) -> GameSetup:
        seed = int.from_bytes(hashlib.blake2b(f"{self.seed} {name}".encode(), digest_size=4).digest(), "little")
        configs = (self.space.at(first), self.space.at(second))
        place = games.import_path(self.game.name)
        return GameSetup(self.game.name, place, self.game.options(), configs, str(self.control), seed)

    def _tasks(self, step: int, bouts: Sequence[Bout], lines: _Lines) -> Iterator[Task[float]]:
        pair = (step - 1) * sum(bout.games // 2 for bout in bouts)
        for number, bout in enumerate(bouts):
            setup = self._setup(bout.first, bout.second, f"{step} {number}")
            for game in range(bout.games):
                if setup.configs[0] != setup.configs[1]:  # against itself it makes one half without playing
                    opening = lines[(pair + game // 2) % OPENINGS]
                    yield Task(f"step {step} bout {number} game {game}", points_of, (setup, game, opening))
            pair += bout.games // 2

    def _share(self, step: int, number: int, bout: Bout, points: dict[str, Any]) -> float:
        found = [points.get(f"step {step} bout {number} game {game}", 0.5) for game in range(bout.games)]
        return float(sum(found)) / bout.games

    def _validation(self, step: int, best: Point, lines: _Lines) -> Iterator[Task[PlayedGame]]:
        setup = self._setup(best, self.space.start(), f"validation {step}")
        values = json.dumps(self.space.values(best), sort_keys=True)
        setup = replace(setup, configs=(self.space.at(best), self.space.config))
        for game in range(self.validation):
            yield Task(f"validation {step} {values} game {game}", play_game, (setup, game, lines[game // 2]))


class _Lines:
    """Openings by number, made when they are needed."""

    def __init__(self, game: Game, plies: int, seed: int) -> None:
        self._made = openings.made(game, plies, seed)
        self._kept: list[Line] = []

    def __getitem__(self, number: int) -> tuple[int, ...]:
        while len(self._kept) <= number:
            self._kept.append(next(self._made))
        return tuple(int(move) for move in self._kept[number])
