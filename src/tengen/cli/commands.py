"""The application with all commands."""

from __future__ import annotations

from typing import Annotated

import typer

import tengen
from tengen.cli import (
    accounts,
    analysis,
    backup,
    books,
    clobber,
    cluster,
    engines,
    games,
    go,
    library,
    machine,
    matches,
    pente,
    players,
    problem,
    proofs,
    protocols,
    puzzles,
    ratings,
    records,
    reviews,
    sums,
    tournaments,
    training,
    tuning,
    web,
)
from tengen.cli.console import console
from tengen.cli.entry import APP_SETTINGS

app = typer.Typer(
    help="Play, analyse and solve Clobber, Go, Othello and Pente. With no arguments, starts the web app.",
    **APP_SETTINGS,
)

for _command in (
    games.games,
    games.play,
    games.terminal,
    web.web,
    records.convert,
    records.show,
    records.picture,
    analysis.analyse,
    reviews.review,
    reviews.report,
    analysis.solve,
    analysis.verify,
    analysis.perft,
    matches.match,
    matches.calibrate,
    ratings.ratings,
    tournaments.tournament,
    tuning.tune,
    matches.bench,
    matches.tactics,
    puzzles.puzzles,
    problem.problem,
    protocols.gtp,
    protocols.nboard,
    protocols.gomocup,
    machine.warm,
    machine.doctor,
    backup.backup,
    backup.restore,
):
    app.command()(_command)
app.add_typer(accounts.app, name="accounts")
app.add_typer(books.app, name="book")
app.add_typer(clobber.app, name="clobber")
app.add_typer(cluster.app, name="cluster")
app.add_typer(engines.app, name="engines")
app.add_typer(go.app, name="go")
app.add_typer(protocols.katago, name="katago")
app.add_typer(library.app, name="library")
app.add_typer(pente.app, name="pente")
app.add_typer(players.app, name="players")
app.add_typer(proofs.app, name="proofs")
app.add_typer(sums.app, name="sums")
app.add_typer(training.app, name="train")


def _version(wanted: bool) -> None:
    if wanted:
        console.print(f"tengen {tengen.__version__}")
        raise typer.Exit


@app.callback()
def _tengen(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    pass
