"""`tengen engines …`: well-known external engines, for analysis and play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from tengen.cli.console import console, errors
from tengen.cli.inputs import open_store
from tengen.cli.option_groups import LimitOptions, command_group, grouped
from tengen.core.translation import translate

if TYPE_CHECKING:
    from tengen.players.config import EngineConfig

app = command_group("External engines: find them, check them, use them for analysis.")


@app.command()
def find() -> None:
    """Search the path for well-known engines, and say what each still needs.

    Example: tengen engines find
    """
    from tengen.players.configure import configure_program
    from tengen.players.profiles import PROFILES, search
    from tengen.players.syntax import write_config

    table = Table("engine", "game", "reports", "found")
    ready = []
    for profile in PROFILES:
        found = search(profile)
        state = str(found.path) if found.path and not found.missing else "; ".join(map(translate, found.missing))
        table.add_row(profile.name, profile.game, translate(profile.reports), state)
        if found.path and not found.missing:
            program = found.program()
            if not program.folder:
                ready.append(f'tengen analyse FILE --engine "{write_config(configure_program(program))}"')
            ready.append(f"tengen engines add {profile.name}")
    console.print(table)
    for line in ready:
        console.print(line, soft_wrap=True)


@app.command()
@grouped
def add(
    name: Annotated[
        str, typer.Argument(help="katago, leela, gnugo, pachi, edax, egaroucid, ntest, rapfi or yixin")
    ],
    limits: LimitOptions,
    path: Annotated[str, typer.Option(help="the program, if it is not on the path")] = "",
    called: Annotated[str, typer.Option("--name", help="name of the player; default: that of the engine")] = "",
) -> None:
    """Check a well-known engine and store it as a player, who can also analyse games in both apps.

    Example: tengen engines add gnugo

    Example: tengen engines add rapfi --path ~/rapfi/pbrain-rapfi --seconds 2
    """
    from tengen.players.configure import configure_program
    from tengen.players.player import EnginePlayer
    from tengen.players.profiles import profile, search

    wanted = profile(name)
    config = configure_program(search(wanted, path or None).program(), limits.limits() or None)
    _try(config, wanted.game)
    player = EnginePlayer(called or wanted.title, config)
    with open_store() as store:
        store.save_player(player)
    console.print(f"{player.id[:8]} {player.name}")


@app.command()
def check(
    engine: Annotated[str, typer.Argument(help='a known engine, or a program such as "gtp:gnugo --mode gtp"')],
    game: Annotated[str, typer.Option("--game", "-g", help="the game to try; default: the engine's")] = "",
    path: Annotated[str, typer.Option(help="the program, if it is not on the path")] = "",
) -> None:
    """Start an engine, ask for an analysis of an early position, and show what it reports.

    Example: tengen engines check gnugo

    Example: tengen engines check "katago:katago analysis -config a.cfg -model b.bin.gz"
    """
    from tengen.app.external_engines import config_of
    from tengen.players.configure import configure_program
    from tengen.players.profiles import profile, search

    if ":" in engine:
        _try(config_of(engine), game)
    else:
        wanted = profile(engine)
        _try(configure_program(search(wanted, path or None).program()), game or wanted.game)


def _try(config: EngineConfig, game: str) -> None:
    """Analyse an early position and show the result. Raises the engine's error."""
    from tengen.app.external_engines import try_engine

    assert config.program is not None
    with errors.status(f"starting {config.program.command[0]} …"):
        trial = try_engine(config, game)
    first, *others = trial.lines()
    console.print(first.replace(":", " works:", 1))
    for line in others:
        console.print(f"  {line}")
