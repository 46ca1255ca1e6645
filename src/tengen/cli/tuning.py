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
    from tengen.arena.tuning.space import Space
    from tengen.arena.tuning.tuning_run import Progress, TuningRun
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

    def create(self, game: Game, space: Space, method: str) -> TuningRun:
        from tengen.arena.tuning.tuning_run import TuningRun
        from tengen.play.time_control import TimeControl

        clock = TimeControl.parse(self.clock)
        return TuningRun(
            game, space, method, self.steps, self.games, clock, self.plies, self.seed, self.validation, self.every
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
    from tengen.arena.tuning.space import Space
    from tengen.games import records
    from tengen.play.player_lookup import find_engine_player, known
    from tengen.players.configure import config_name, engine_player
    from tengen.players.player import EnginePlayer

    rules = create_game(game, options)
    check_folders(result.output, result.html)
    with open_store() as store:
        config = find_engine_player(store, player, rules.name).config
    space = Space.from_config(config, tuning.what or ())
    tuning_run = tuning.create(rules, space, method)
    parameters = ", ".join(map(str, space.parameters))
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
    if progress.config == config:
        console.print("no better settings were found")
        return
    tuned = EnginePlayer(result.name, progress.config) if result.name else engine_player(progress.config)
    with open_store() as store:
        stored = known(store, tuned)
        store.save_player(stored)
    console.print(f"{stored.id[:8]} {stored.name}: stored as a player after {progress.games} games")
