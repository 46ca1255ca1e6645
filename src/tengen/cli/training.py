"""`tengen train`: what is learned from self-play is made anew by one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tengen.cli.console import say
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs
from tengen.jobs.arguments import Cluster

app = typer.Typer(help="Learn from self-play what engines know.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _train() -> None:
    """Learn from self-play what engines know."""


@app.command()
def othello(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="where the weights go")
    ] = None,
    seed: Annotated[int, typer.Option(help="another seed, other games")] = 1,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="where games are kept until the run has ended")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="processes; as many as there are cores")] = None,
    cluster: Cluster = "",
    judge: Annotated[bool, typer.Option("--judge", help="only judge the weights that there are")] = False,
) -> None:
    """Learn the weights of Othello's evaluation, from nothing but games against itself, in less than an hour.

    Each batch of games is kept as it ends: the same command again goes on where it was.

    Example: tengen train othello --output my.weights

    Example: tengen train othello --judge
    """
    from tengen.core.folders import data_folder
    from tengen.engines.othello.midgame import weights
    from tengen.engines.othello.training import accuracy, job
    from tengen.jobs import open_executor

    if judge:
        path = output or weights.SHIPPED
        errors = accuracy.measure_errors(weights.load_weights(path), accuracy.read_solved_positions())
        say(f"{path.name}: {errors}")
        return
    output = _place(output, "othello.weights")
    with open_executor(workers, cluster) as executor:
        job.train(
            folder or data_folder() / f"training-othello-{seed}", output, seed=seed, executor=executor, log=say
        )


@app.command()
def go(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="where the weights go")
    ] = None,
    seed: Annotated[int, typer.Option(help="another seed, other games")] = 1,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="where games are kept until the run has ended")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="processes; as many as there are cores")] = None,
    cluster: Cluster = "",
) -> None:
    """Learn what good moves of Go look like, from games against itself, in about half an hour.

    Each game is kept as it ends: the same command again goes on where it was.

    Example: tengen train go --output my.looks
    """
    from tengen.core.folders import data_folder
    from tengen.engines.go.training import job
    from tengen.jobs import open_executor

    output = _place(output, "go.looks")
    with open_executor(workers, cluster) as executor:
        job.train(
            folder or data_folder() / f"training-go-{seed}", output, seed=seed, executor=executor, on_message=say
        )


@app.command()
def pente(
    options: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[OPTION=VALUE]...", help="the game's options; those of a tournament if none are given"
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="where the weights go")
    ] = None,
    seed: Annotated[int, typer.Option(help="another seed, other games")] = 1,
    games: Annotated[int, typer.Option(help="games to play and to learn from")] = 400,
    nodes: Annotated[int, typer.Option(help="positions searched for each move")] = 2000,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="where games are kept until the run has ended")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="processes; as many as there are cores")] = None,
    cluster: Cluster = "",
) -> None:
    """Learn the weights of Pente's evaluation from games of the strong player with itself, in minutes.

    Each game is kept as it ends: the same command again goes on where it was, or with more --games.

    Example: tengen train pente --output my-weights.json

    Example: tengen train pente variant=connect6
    """
    from tengen.core.folders import data_folder
    from tengen.engines.pente import training
    from tengen.engines.pente.engine import PenteEngine
    from tengen.games.pente import Pente
    from tengen.jobs import open_executor

    if games < 1 or nodes < 1:
        raise OptionError("at least 1 game is played, of 1 node a move")
    game = Pente.create(**pairs(options)) if options else training.DEFAULT_GAME
    if not PenteEngine.plays(game):
        raise OptionError(f"pente does not play {game.describe()}")
    output = _place(output, "weights.json")
    name = "" if game == training.DEFAULT_GAME else f"{game.variant or 'variant'}-"
    folder = folder or data_folder() / f"training-pente-{name}{seed}-{nodes}"
    with open_executor(workers, cluster) as executor:
        training.train(folder, output, game, seed=seed, games=games, nodes=nodes, executor=executor, log=say)


def _place(output: Path | None, usual: str) -> Path:
    """Where weights are written, found out before the work begins."""
    output = output or Path(usual)
    if not output.absolute().parent.is_dir():
        raise OptionError(f"{output}: there is no such folder")
    return output
