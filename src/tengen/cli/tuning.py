"""The command `tengen tune`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, errors
from tengen.cli.inputs import check_folders, create_game, open_store
from tengen.cli.option_groups import ParallelGames, grouped
from tengen.cli.options import GameOption, HtmlFile, JsonFile, Options, Seed, TimeControlText

if TYPE_CHECKING:
    from tengen.app.arena_plans import TuningPlan
    from tengen.arena.tuning.tuning_run import Progress
    from tengen.core.game import Game


@dataclass(frozen=True)
class TuningOptions:
    """What is tuned, with how many games."""

    what: Annotated[
        list[str] | None,
        typer.Option(
            "--tune", metavar="SETTING", help="setting to tune: rave, rave=100..5000 or …:log; default: all"
        ),
    ] = None
    steps: Annotated[int, typer.Option(help="number of steps or generations")] = 30
    games: Annotated[int, typer.Option(help="games per comparison, even; default: by the method")] = 0
    clock: TimeControlText = "none"
    plies: Annotated[int, typer.Option(help="opening length")] = 4
    validation: Annotated[int, typer.Option(help="validation games of the best against the original")] = 100
    every: Annotated[int, typer.Option(help="also validate every N steps; 0 means only at the end")] = 0
    seed: Seed = 1

    def plan(self, game: Game, player: str, method: str) -> TuningPlan:
        from tengen.app.arena_plans import TuningPlan

        return TuningPlan(
            game.name,
            method,
            player,
            game.options(),
            tuple(self.what or ()),
            steps=self.steps,
            games=self.games,
            time=self.clock,
            plies=self.plies,
            validation=self.validation,
            every=self.every,
            seed=self.seed,
        )


@dataclass(frozen=True)
class OutputOptions:
    """Where the result goes."""

    name: Annotated[str, typer.Option(help="name of the tuned player; default: made from the settings")] = ""
    output: JsonFile = None
    html: HtmlFile = None


@grouped
def tune(
    method: Annotated[str, typer.Argument(metavar="METHOD", help="genetic, spsa or surface")],
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="the player to start from, such as uct:nodes=500,rave=100")
    ],
    tuning: TuningOptions,
    result: OutputOptions,
    parallel: ParallelGames,
    options: Options = None,
    game: GameOption = "othello",
) -> None:
    """Tune the settings of an engine by playing games, validate them, and store the result as a player.

    Each finished game is saved. Run the same command again to continue.

    Example: tengen tune spsa othello:nodes=2000,greed=4 --tune greed=0..8 --steps 40

    Example: tengen tune genetic uct:nodes=300 size=9 --game pente --tune rave=0..5000 --tune exploration=0..2
    """
    from tengen.app.arena_plans import store_tuned_player
    from tengen.games import records
    from tengen.players.configure import config_name

    rules = create_game(game, options)
    check_folders(result.output, result.html)
    with open_store() as store:
        tuning_run = tuning.plan(rules, player, method).create(store)
    config = tuning_run.space.config
    parameters = ", ".join(map(str, tuning_run.space.parameters))
    console.print(f"{config_name(config)}: {parameters}; {rules.describe()}, {tuning.steps} steps")

    def on_step(progress: Progress) -> None:
        if result.output is not None:
            data = json.dumps(progress.to_dict(), indent=1, allow_nan=False)
            records.save(result.output, data.encode())
        if result.html is not None:
            records.save(result.html, progress.to_html().encode())
        values = ", ".join(f"{key} {value:g}" for key, value in progress.course[-1].items())
        errors.print(f"step {len(progress.course)}: {values}")
        if progress.validations and progress.validations[-1].step == len(progress.course):
            console.print(f"validation {progress.validations[-1]}")

    with parallel.open(config.threads) as executor, errors.status("The first games …") as status:
        progress = tuning_run.run(executor, window=2 * executor.workers, on_step=on_step, on_game=status.update)
    with open_store() as store:
        stored = store_tuned_player(store, progress, result.name)
    if stored is None:
        console.print("no better settings were found")
        return
    console.print(f"{stored.id[:8]} {stored.name}: stored as a player after {progress.games} games")
