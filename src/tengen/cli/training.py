"""`tengen train …`: train evaluation weights from self-play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tengen.cli.console import say
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs
from tengen.jobs.arguments import Cluster

app = typer.Typer(help="Train the weights of engines from self-play.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _train() -> None:
    """Train the weights of engines from self-play."""


@app.command()
def othello(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="weights file to write")
    ] = None,
    seed: Annotated[int, typer.Option(help="random seed")] = 1,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="folder for the games; default: in the data folder")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="number of worker processes; default: one per core")] = None,
    cluster: Cluster = "",
    measure: Annotated[
        bool, typer.Option("--measure", "--judge", help="only measure the accuracy of existing weights")
    ] = False,
) -> None:
    """Train the evaluation weights of Othello from self-play, in less than an hour.

    Each finished batch of games is saved. Run the same command again to continue.

    Example: tengen train othello --output my.weights

    Example: tengen train othello --measure
    """
    from tengen.core.folders import data_folder
    from tengen.engines.othello.midgame import weights
    from tengen.engines.othello.training import accuracy, job
    from tengen.jobs import open_executor

    if measure:
        path = output or weights.SHIPPED
        errors = accuracy.measure_errors(weights.load_weights(path), accuracy.read_solved_positions())
        say(f"{path.name}: {errors}")
        return
    output = _output_file(output, "othello.weights")
    with open_executor(workers, cluster) as executor:
        job.train(
            folder or data_folder() / f"training-othello-{seed}", output, seed=seed, executor=executor, log=say
        )


@app.command()
def go(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="weights file to write")
    ] = None,
    seed: Annotated[int, typer.Option(help="random seed")] = 1,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="folder for the games; default: in the data folder")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="number of worker processes; default: one per core")] = None,
    cluster: Cluster = "",
) -> None:
    """Train the feature weights of Go's move priors from self-play, in about half an hour.

    Each finished game is saved. Run the same command again to continue.

    Example: tengen train go --output my.weights
    """
    from tengen.core.folders import data_folder
    from tengen.engines.go.training import job
    from tengen.jobs import open_executor

    output = _output_file(output, "go.looks")
    with open_executor(workers, cluster) as executor:
        job.train(
            folder or data_folder() / f"training-go-{seed}", output, seed=seed, executor=executor, on_message=say
        )


@app.command()
def pente(
    options: Annotated[
        list[str] | None,
        typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options; default: the tournament rules"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="weights file to write")
    ] = None,
    seed: Annotated[int, typer.Option(help="random seed")] = 1,
    games: Annotated[int, typer.Option(help="number of games")] = 400,
    nodes: Annotated[int, typer.Option(help="nodes per move")] = 2000,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="folder for the games; default: in the data folder")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="number of worker processes; default: one per core")] = None,
    cluster: Cluster = "",
) -> None:
    """Train the evaluation weights of Pente from self-play, in minutes.

    Each finished game is saved. Run the same command again to continue, also with more --games.

    Example: tengen train pente --output my-weights.json

    Example: tengen train pente variant=connect6
    """
    from tengen.core.folders import data_folder
    from tengen.engines.pente import training
    from tengen.engines.pente.engine import PenteEngine
    from tengen.games.pente import Pente
    from tengen.jobs import open_executor

    if games < 1 or nodes < 1:
        raise OptionError("--games and --nodes must be 1 or more")
    game = Pente.create(**pairs(options)) if options else training.DEFAULT_GAME
    if not PenteEngine.plays(game):
        raise OptionError(f"the engine pente does not support {game.describe()}")
    output = _output_file(output, "weights.json")
    name = "" if game == training.DEFAULT_GAME else f"{game.variant or 'variant'}-"
    folder = folder or data_folder() / f"training-pente-{name}{seed}-{nodes}"
    with open_executor(workers, cluster) as executor:
        training.train(folder, output, game, seed=seed, games=games, nodes=nodes, executor=executor, log=say)


def _output_file(output: Path | None, default: str) -> Path:
    """The file to write; raises before the training if its folder does not exist."""
    output = output or Path(default)
    if not output.absolute().parent.is_dir():
        raise OptionError(f"{output}: folder not found")
    return output
