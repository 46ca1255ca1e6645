"""`tengen train …`: train evaluation weights from self-play."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tengen.cli.console import console
from tengen.cli.inputs import check_folders
from tengen.cli.option_groups import Workers, command_group, grouped
from tengen.cli.options import Seed
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs

app = command_group("Train the weights of engines from self-play.")


@dataclass(frozen=True)
class TrainingOptions:
    """Options of every training."""

    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="weights file to write")
    ] = None
    seed: Seed = 1
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="folder for the games; default: in the data folder")
    ] = None

    def files(self, weights: str, games: str) -> tuple[Path, Path]:
        """The weights file to write and the folder of the games, with these names by default."""
        from tengen.core.folders import data_folder

        check_folders(self.output)
        if self.output and self.output.is_dir():
            raise OptionError(f"{self.output} is a folder: name a file")
        return self.output or Path(weights), self.folder or data_folder() / f"training-{games}"


@app.command()
@grouped
def othello(
    training: TrainingOptions,
    workers: Workers,
    measure: Annotated[
        bool, typer.Option("--measure", "--judge", help="only measure the accuracy of existing weights")
    ] = False,
) -> None:
    """Train the evaluation weights of Othello from self-play, in less than an hour.

    Each finished batch of games is saved. Run the same command again to continue.

    Example: tengen train othello --output my.weights

    Example: tengen train othello --measure
    """
    from tengen.engines.othello.midgame import weights
    from tengen.engines.othello.training import accuracy, job

    if measure:
        path = training.output or weights.SHIPPED
        errors = accuracy.measure_errors(weights.load_weights(path), accuracy.read_solved_positions())
        console.print(f"{path.name}: {errors}")
        return
    output, folder = training.files("othello.weights", f"othello-{training.seed}")
    with workers.open() as executor:
        job.train(folder, output, seed=training.seed, executor=executor, log=console.print)


@app.command()
@grouped
def go(
    training: TrainingOptions,
    workers: Workers,
    features: Annotated[
        bool,
        typer.Option(
            "--features", help="train the feature weights of priors without a network, in about half an hour"
        ),
    ] = False,
    start: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="continue from this network, or from the `shipped` one"),
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="most games of a generation of the network; default: all of its plan")
    ] = None,
    games_of: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="play no games: train longer on those of the run in this folder (may be repeated)",
        ),
    ] = None,
    blocks: Annotated[
        int | None, typer.Option(min=1, max=40, help="residual blocks of the network, with --games-of")
    ] = None,
) -> None:
    """Train the network of Go from self-play; each generation that wins its match is written.

    Each finished game is saved. Run the same command again to continue. Needs torch: install tengen[train].

    Example: tengen train go --output my.network

    Example: tengen train go --start shipped --games 150 --output better.network

    Example: tengen train go --start better.network --games-of FOLDER --blocks 6 --output best.network

    Example: tengen train go --features --output my.weights
    """
    if features:
        if start or games or games_of or blocks:
            raise OptionError("--features trains no network: omit --start, --games, --games-of and --blocks")
        from tengen.engines.go.training import job

        output, folder = training.files("go.looks", f"go-{training.seed}")
        with workers.open() as executor:
            job.train(folder, output, seed=training.seed, executor=executor, on_message=console.print)
        return
    if blocks and not games_of:
        raise OptionError("--blocks needs --games-of")
    if games_of and start is None:
        raise OptionError("--games-of trains a network further: name it with --start")
    if games_of and (games or training.folder):
        raise OptionError("--games-of plays no games: omit --games and --folder")
    from tengen.engines.go.network.files import SHIPPED, read_go_network
    from tengen.engines.go.training import network_job

    weights = None if start is None else read_go_network(SHIPPED if start == "shipped" else Path(start))
    output, folder = training.files("go.network", f"go-network-{training.seed}")
    if games_of:
        from tengen.engines.go.training.network_refit import refit

        assert weights is not None
        refit(games_of, output, weights, blocks=blocks, seed=training.seed, on_message=console.print)
        return
    with workers.open() as executor:
        network_job.train(
            folder,
            output,
            seed=training.seed,
            start=weights,
            max_games=games,
            executor=executor,
            on_message=console.print,
        )


@app.command()
@grouped
def pente(
    training: TrainingOptions,
    workers: Workers,
    options: Annotated[
        list[str] | None,
        typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options; default: the tournament rules"),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="number of games")] = 4000,
    nodes: Annotated[int, typer.Option(min=1, help="nodes per move")] = 1500,
) -> None:
    """Train the evaluation weights of Pente from self-play, in about ten minutes.

    Each finished game is saved. Run the same command again to continue.

    Example: tengen train pente --output my-weights.json

    Example: tengen train pente variant=connect6
    """
    from tengen.engines.pente.engine import PenteEngine
    from tengen.engines.pente.training import job
    from tengen.games.pente import Pente

    game = Pente.create(**pairs(options)) if options else job.DEFAULT_GAME
    if not PenteEngine.plays(game):
        raise OptionError(f"the engine pente does not support {game.describe()}")
    variant = "" if game == job.DEFAULT_GAME else f"{game.variant or 'variant'}-"
    output, folder = training.files("weights.json", f"pente-{variant}{training.seed}-{nodes}-by-shape")
    with workers.open() as executor:
        job.train(
            folder,
            output,
            game,
            seed=training.seed,
            games=games,
            nodes=nodes,
            executor=executor,
            log=console.print,
        )
