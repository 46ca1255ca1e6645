"""The application with all commands, and the entry point."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

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
    protocols,
    puzzles,
    ratings,
    records,
    tournaments,
    training,
    tuning,
    web,
)
from tengen.cli.console import console, errors
from tengen.core.errors import TengenError
from tengen.core.translation import translate

app = typer.Typer(
    name="tengen",
    help="Play, analyse and solve Clobber, Go, Othello and Pente. With no arguments, starts the web app.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
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
    analysis.solve,
    analysis.perft,
    matches.match,
    matches.calibrate,
    ratings.ratings,
    tournaments.tournament,
    tuning.tune,
    matches.bench,
    matches.tactics,
    puzzles.puzzles,
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
app.add_typer(training.app, name="train")


def main() -> None:
    """Entry point. Errors are printed as one line; Ctrl-C exits cleanly."""
    # NumPy would start threads for linear algebra; they take longer to start than they save on our small matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command line; returns its exit code. With no arguments, starts the web app."""
    try:
        result = _commands()(arguments or ["web"], prog_name="tengen", standalone_mode=False)
        code = result if isinstance(result, int) else 0
        if code == 130:  # newer versions of typer turn Ctrl-C into its exit code
            errors.print("stopped")
        return code
    except TengenError as error:
        _print_error(translate(str(error)))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        errors.print("stopped")
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:
        # Usage errors: typer's exception class has no public name.
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            console.print(message())
            return 0
        context = getattr(error, "ctx", None)
        command = "tengen" if context is None else context.command_path
        _print_error(f"{message().rstrip('.')} (see: {command} --help)")
        return int(getattr(error, "exit_code", 2))


@functools.cache
def _commands() -> Callable[..., Any]:
    """The click command, built once because that is slow."""
    return typer.main.get_command(app)


def _print_error(message: str) -> None:
    errors.print(f"tengen: {message}", style="red")


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
