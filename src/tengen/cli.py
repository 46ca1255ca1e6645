"""All commands, brought together. Each lives in the layer that it is about, and is thin.

Heavy modules are imported inside the commands, so that `tengen --help` answers at once.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console

import tengen
from tengen.arena import commands as arena
from tengen.arena import rating_commands, tournament_commands, tuning_commands
from tengen.core.errors import TengenError
from tengen.protocols import commands as protocols
from tengen.terminal import (
    analysis_commands,
    backup_commands,
    book_commands,
    clobber_commands,
    cluster_commands,
    game_commands,
    go_commands,
    library_commands,
    machine_commands,
    pente_commands,
    player_commands,
    record_commands,
    train_commands,
)
from tengen.web import commands as web_commands

app = typer.Typer(
    name="tengen",
    help="Play, analyse and solve abstract board games.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

console = Console()
errors = Console(stderr=True)

for _command in (
    game_commands.games,
    game_commands.play,
    game_commands.terminal,
    web_commands.web,
    record_commands.convert,
    record_commands.show,
    analysis_commands.analyse,
    analysis_commands.solve,
    analysis_commands.perft,
    arena.match,
    arena.calibrate,
    rating_commands.ratings,
    tournament_commands.tournament,
    tuning_commands.tune,
    arena.bench,
    arena.tactics,
    protocols.gtp,
    protocols.nboard,
    protocols.gomocup,
    machine_commands.warm,
    machine_commands.doctor,
    backup_commands.backup,
    backup_commands.restore,
):
    app.command()(_command)
app.add_typer(book_commands.app, name="book")
app.add_typer(clobber_commands.app, name="clobber")
app.add_typer(cluster_commands.app, name="cluster")
app.add_typer(go_commands.app, name="go")
app.add_typer(library_commands.app, name="library")
app.add_typer(pente_commands.app, name="pente")
app.add_typer(player_commands.app, name="players")
app.add_typer(train_commands.app, name="train")


def main() -> None:
    """The entry point: errors become one line, Ctrl-C a clean end."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command line; returns its exit code. Without a word it is the web app that starts."""
    try:
        result = _commands()(arguments or ["web"], prog_name="tengen", standalone_mode=False)
        code = result if isinstance(result, int) else 0
        if code == 130:  # newer versions of typer turn Ctrl-C into its exit code
            errors.print("stopped")
        return code
    except TengenError as error:
        _complain(str(error))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        errors.print("stopped")
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:
        # What is wrong with the command line itself; typer's class for it has no public name.
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            console.print(message(), highlight=False, markup=False)
            return 0
        _complain(f"{message().rstrip('.')} (see: tengen --help)")
        return int(getattr(error, "exit_code", 2))


@functools.cache
def _commands() -> Callable[..., Any]:
    """All commands, made from their functions once: that takes longer than most of them."""
    return typer.main.get_command(app)


def _complain(message: str) -> None:
    errors.print(f"tengen: {message}", style="red", highlight=False, markup=False, soft_wrap=True)


def _version(wanted: bool) -> None:
    if wanted:
        console.print(f"tengen {tengen.__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _tengen(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    pass


if __name__ == "__main__":
    main()
