"""A tuning run: plays the games of a tuning method in parallel, and validation matches against the start.

The checkpoint in the data folder stores the points of games. A resumed run creates its method again and replays
the stored results, so it ends like an uninterrupted one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from tengen.arena import openings, plots
from tengen.arena.game_runner import GameSetup, PlayedGame, play_game
from tengen.arena.match_score import MatchScore
from tengen.arena.openings import Openings
from tengen.arena.run_checkpoint import config_for_fingerprint, run_checkpoint, setting_names
from tengen.arena.run_status import RunStatus, StatusWriter, worker_rows
from tengen.arena.seeds import derived_seed
from tengen.arena.statistics import elo_of, interval, score
from tengen.arena.tuning.gaussian_process import GaussianProcess
from tengen.arena.tuning.genetic import Genetic
from tengen.arena.tuning.method import Bout, Method
from tengen.arena.tuning.space import Point, Space
from tengen.arena.tuning.spsa import Spsa
from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.jobs import Checkpoint, Task, run
from tengen.play.time_control import TimeControl
from tengen.players.config import EngineConfig
from tengen.players.configure import check_plays, config_name
from tengen.search.tunables import Number

METHODS: dict[str, type[Method]] = {method.name: method for method in (Genetic, Spsa, GaussianProcess)}
OPENINGS = 100  # used in a cycle by the games of steps; validation uses others
VERSION = 1


def points_of(setup: GameSetup, number: int, opening: tuple[int, ...]) -> float:
    """Play a game and return the points of contestant 0."""
    winner = play_game(setup, number, opening).winner
    return 0.5 if winner is None else 1.0 - winner


@dataclass(frozen=True)
class Validation:
    """A match of new games between the best configuration after some steps and the start."""

    step: int
    tally: MatchScore

    def __str__(self) -> str:
        won, drawn, lost = self.tally.results(0)
        share = 100 * float(score(self.tally.counts()))
        return f"after step {self.step}: +{won} ={drawn} -{lost} ({share:.1f} %), {self.tally.difference()}"


@dataclass
class Progress:
    """The progress of a run: the best values after each step, and the validation matches."""

    tuning_run: TuningRun
    games: int = 0
    course: list[dict[str, Number]] = field(default_factory=list)
    validations: list[Validation] = field(default_factory=list)
    best: Point = ()

    @property
    def config(self) -> EngineConfig:
        """The best configuration so far."""
        return self.tuning_run.space.at(self.best)

    def to_dict(self) -> dict[str, Any]:
        """Data for JSON."""
        tuning_run = self.tuning_run
        return {
            "version": VERSION,
            "method": tuning_run.method,
            "game": tuning_run.game.name,
            "options": tuning_run.game.options(),
            "tuned": [str(parameter) for parameter in tuning_run.space.parameters],
            "start": tuning_run.space.values(tuning_run.space.start()),
            "best": self.course[-1] if self.course else None,
            "config": self.config.to_dict(),
            "games": self.games,
            "course": self.course,
            "validations": [{"step": one.step, **one.tally.to_dict(), "played": None} for one in self.validations],
        }

    def to_html(self) -> str:
        """A self-contained HTML page with plots."""
        return plots.document(f"Tuning {self.tuning_run.space.config.engine}", self.sections())

    def status(self, executor: Executor, state: str) -> RunStatus:
        """The status for other programs."""
        tuning_run = self.tuning_run
        about = f"{tuning_run.method}, {tuning_run.game.describe()}"
        caption = f"{len(self.course)} of {tuning_run.steps} steps, {self.games} games"
        return RunStatus(
            config_name(tuning_run.space.config),
            about,
            tuning_run.game.name,
            state,
            caption,
            self.sections(),
            figures=[(name, f"{value:g}") for name, value in (self.course[-1] if self.course else {}).items()][:4],
            done=len(self.course),
            total=tuning_run.steps,
            workers=worker_rows(executor),
            result=self.to_dict(),
        )

    def sections(self) -> list[tuple[str, str]]:
        """The sections of the HTML page: each parameter over the steps, the validation matches, the values."""
        start = self.tuning_run.space.values(self.tuning_run.space.start())
        sections = []
        for parameter in self.tuning_run.space.parameters:
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
class TuningRun:
    """The definition of a run. `games` is per bout; `validation` games follow every `every` steps and the last."""

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
            raise OptionError(f"tuning methods are {', '.join(METHODS)}, not {self.method!r}")
        if not self.games:
            object.__setattr__(self, "games", METHODS[self.method].games)
        if self.games < 2 or self.games % 2 or self.validation < 0 or self.validation % 2:
            raise OptionError("games are played in pairs: an even number of each bout and of each validation")
        if self.steps < 1 or self.every < 0:
            raise OptionError(f"a tuning has at least one step, not {self.steps}")
        check_plays(self.space.config, self.game)

    def checkpoint(self, path: Path | None = None) -> Checkpoint:
        """The checkpoint in a file, by default in the data folder."""
        return run_checkpoint("tunings", self._facts, path, self._current_task)

    def _facts(self, former: bool) -> dict[str, Any]:
        """Everything that a game depends on besides its task id; the number of steps matters too."""
        names = setting_names(self.space.config, former)
        return {
            "game": self.game.name,
            "options": self.game.options(),
            "genome": config_for_fingerprint(self.space.config, former),
            "tuned": [parameter.write(names) for parameter in self.space.parameters],
            "method": [self.method, self.games, self.steps],
            "time": str(self.control),
            "openings": self.plies,
            "seed": self.seed,
        }

    def _current_task(self, task: str) -> str:
        """A task's id with the current names of the settings that the id of a validation contains."""
        validation = re.fullmatch(r"(validation \d+) (\{.*\}) (game \d+)", task)
        if validation is None:
            return task
        values = self.space.with_current_names(json.loads(validation[2]))
        return f"{validation[1]} {json.dumps(values, sort_keys=True)} {validation[3]}"

    def run(
        self,
        executor: Executor,
        *,
        window: int,
        checkpoint: Path | None = None,
        on_step: Callable[[Progress], None] = lambda progress: None,
        on_game: Callable[[str], None] = lambda what: None,
    ) -> Progress:
        """Play all steps and validations.

        `on_step` is called after each step, `on_game` with a text after each game.
        """
        results_file = self.checkpoint(checkpoint)
        method = METHODS[self.method](self.space, steps=self.steps, games=self.games, seed=self.seed)
        progress = Progress(self, best=self.space.start())
        fresh = Openings(self.game, self.plies, self.seed + 1_000_003)
        lines = Openings(self.game, self.plies, self.seed)

        def results(what: str, tasks: Sequence[Task[Any]]) -> dict[str, Any]:
            work = run(tasks, executor=executor, checkpoint=results_file, window=window)
            found: dict[str, Any] = {}
            with closing(work):
                for result in work:
                    found[result.id] = result.value
                    on_game(f"{what}: {len(found)} of {len(tasks)} games")
            return found

        status = partial(progress.status, executor)
        with StatusWriter(Path(results_file.path), status) as status_writer:
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
                status_writer.update()
                on_step(progress)
        return progress

    def _setup(self, first: Point, second: Point, name: str) -> GameSetup:
        configs = (self.space.at(first), self.space.at(second))
        return GameSetup.of(self.game, configs, self.control, derived_seed(self.seed, name))

    def _tasks(self, step: int, bouts: Sequence[Bout], lines: Openings) -> Iterator[Task[float]]:
        pair = (step - 1) * sum(bout.games // 2 for bout in bouts)
        for number, bout in enumerate(bouts):
            setup = self._setup(bout.first, bout.second, f"{step} {number}")
            for game in range(bout.games):
                if setup.configs[0] != setup.configs[1]:  # equal configurations score one half without playing
                    opening = lines[(pair + game // 2) % OPENINGS]
                    yield Task(f"step {step} bout {number} game {game}", points_of, (setup, game, opening))
            pair += bout.games // 2

    def _share(self, step: int, number: int, bout: Bout, points: dict[str, Any]) -> float:
        found = [points.get(f"step {step} bout {number} game {game}", 0.5) for game in range(bout.games)]
        return float(sum(found)) / bout.games

    def _validation(self, step: int, best: Point, lines: Openings) -> Iterator[Task[PlayedGame]]:
        setup = self._setup(best, self.space.start(), f"validation {step}")
        values = json.dumps(self.space.values(best), sort_keys=True)
        setup = replace(setup, configs=(self.space.at(best), self.space.config))
        for game in range(self.validation):
            yield Task(f"validation {step} {values} game {game}", play_game, (setup, game, lines[game // 2]))
