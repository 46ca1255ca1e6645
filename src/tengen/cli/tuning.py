"""The command `tengen tune`."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import errors, say
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs
from tengen.jobs.arguments import Cluster

if TYPE_CHECKING:
    from tengen.arena.tuning.tuning_run import Progress


def tune(
    method: Annotated[str, typer.Argument(metavar="METHOD", help="genetic, spsa or surface")],
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="where it begins, as uct:nodes=500,rave=100")],
    options: Annotated[
        list[str] | None, typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options, as size=9")
    ] = None,
    game: Annotated[str, typer.Option("--game", "-g", help="clobber, go, othello or pente")] = "othello",
    what: Annotated[
        list[str] | None,
        typer.Option("--tune", metavar="SETTING", help="as rave, rave=100..5000 or …:log; all if left out"),
    ] = None,
    steps: Annotated[int, typer.Option(help="generations, or steps")] = 30,
    games: Annotated[int, typer.Option(help="of each bout, an even number; by the method if left out")] = 0,
    clock: Annotated[str, typer.Option("--time", help="100ms/move, …; else by the player's own level")] = "none",
    plies: Annotated[int, typer.Option(help="the length of an opening")] = 4,
    validation: Annotated[int, typer.Option(help="fresh games of the best against the start")] = 100,
    every: Annotated[int, typer.Option(help="validate after so many steps as well; 0: at the end only")] = 0,
    name: Annotated[str, typer.Option(help="the tuned player's; one is made if left out")] = "",
    seed: Annotated[int, typer.Option(help="another seed, other games")] = 1,
    concurrency: Annotated[int | None, typer.Option(help="games at once; as many as cores allow")] = None,
    cluster: Cluster = "",
    output: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="write the result here")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="write a page with plots here")] = None,
) -> None:
    """Find better values for an engine's settings by games, check them, and keep them as a player.

    Each game is kept as it ends: the same command again goes on where it was.

    Example: tengen tune spsa othello:nodes=2000,greed=4 --tune greed=0..8 --steps 40

    Example: tengen tune genetic uct:nodes=300 size=9 --game pente --tune rave=0..5000 --tune exploration=0..2
    """
    from tengen.arena.tuning.space import Space
    from tengen.arena.tuning.tuning_run import TuningRun
    from tengen.games import game as create_game
    from tengen.games import records
    from tengen.jobs import available_cores, open_executor
    from tengen.play.player_lookup import find_engine_player
    from tengen.play.time_control import TimeControl
    from tengen.players.configure import config_name, engine_player
    from tengen.players.player import EnginePlayer
    from tengen.store.store import Store

    rules = create_game(game, **pairs(options))
    if concurrency is not None and concurrency < 1:
        raise OptionError(f"at least one game is played at a time, not {concurrency}")
    for path in (output, html):
        if path is not None and not path.absolute().parent.is_dir():
            raise OptionError(f"{path}: there is no such folder")
    with Store.open() as store:
        config = find_engine_player(store, player, rules.name).config
    space = Space.from_config(config, what or ())
    clocked = TimeControl.parse(clock)
    tuning_run = TuningRun(rules, space, method, steps, games, clocked, plies, seed, validation, every)
    workers = concurrency if concurrency or cluster else max(1, available_cores() // config.threads)
    say(f"{config_name(config)}: {', '.join(map(str, space.parameters))}; {rules.describe()}, {steps} steps")

    def on_step(progress: Progress) -> None:
        for path, text in ((output, _json(progress)), (html, progress.to_html())):
            if path is not None:
                records.save(path, text.encode())
        values = ", ".join(f"{key} {value:g}" for key, value in progress.course[-1].items())
        errors.print(f"step {len(progress.course)}: {values}", highlight=False, markup=False, soft_wrap=True)
        if progress.validations and progress.validations[-1].step == len(progress.course):
            say(f"validation {progress.validations[-1]}")

    with open_executor(workers, cluster) as executor, ExitStack() as stack:
        watched = stack.enter_context(errors.status("The first games …")) if errors.is_terminal else None
        on_game = watched.update if watched is not None else lambda what: None
        progress = tuning_run.run(executor, window=2 * executor.workers, on_step=on_step, on_game=on_game)
    if progress.config == config:
        say("nothing better was found")
        return
    tuned = EnginePlayer(name, progress.config) if name else engine_player(progress.config)
    with Store.open() as store:
        from tengen.play.player_lookup import known

        stored = known(store, tuned)
        store.save_player(stored)
    say(f"{stored.id[:8]} {stored.name}: kept as a player, after {progress.games} games")


def _json(progress: Progress) -> str:
    return json.dumps(progress.to_dict(), indent=1, allow_nan=False)
