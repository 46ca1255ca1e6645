"""The command `tengen analyse`. Heavy modules are imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tengen.core.errors import OptionError
from tengen.core.words import pairs

console = Console()
errors = Console(stderr=True)

EngineName = Annotated[
    str,
    typer.Option("--engine", "-e", help="an engine's name, as alphabeta or uct; the game's default if left out"),
]
Threads = Annotated[int, typer.Option(help="threads for the engine")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="an engine's setting, as table=256")]


def analyse(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="games in any format that is read here")],
    number: Annotated[int, typer.Option("--number", "-n", help="only this game of the file, from 1")] = 0,
    engine: EngineName = "",
    seconds: Annotated[float | None, typer.Option(help="for each position; 1 if no limit is given")] = None,
    nodes: Annotated[int | None, typer.Option(help="at most so many positions or simulations")] = None,
    depth: Annotated[int | None, typer.Option(help="plies, for engines that count them")] = None,
    threads: Threads = 1,
    settings: Settings = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="a line of JSON for each game instead of tables")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="write the games with values, comments and marks")] = None,
) -> None:
    """Value every move of the games in a file: losses, better moves, where the game turned, what is proved.

    Games that cannot be read are named and left out; the exit code is 1 then. Ctrl-C shows what is known so far.

    Example: tengen analyse game.sgf --seconds 2 --save analysed.sgf
    """
    from tengen.play.choice import USUAL, Choice
    from tengen.play.host import EngineHost
    from tengen.store.players import Level
    from tengen.terminal.analyse import MEMORY, Reading

    if number < 0:
        raise OptionError(f"games are counted from 1, not {number}")
    level = USUAL if seconds is nodes is depth is None else Level(seconds, nodes, depth)
    choice = Choice(engine, level, threads, settings=pairs(settings))
    reading = Reading(console, errors, source, choice, number, as_json, save)
    with EngineHost(1, threads=threads, memory=MEMORY) as host:
        reading.run(host)
    if reading.interrupted:
        raise KeyboardInterrupt
    if reading.bad:
        raise typer.Exit(1)
