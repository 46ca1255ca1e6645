"""The commands `tengen games`, `tengen play` and `tengen terminal`."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from tengen.cli.console import console, errors
from tengen.cli.options import Book, EngineName, Level, Moves, Number, Options, Settings, Threads
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs


def games() -> None:
    """List the games and their options.

    Example: tengen games
    """
    from dataclasses import fields

    from tengen import games as registry

    table = Table("game", "option", "default")
    for name in registry.names():
        kind = registry.game_class(name)
        first = True
        for option in fields(kind):
            table.add_row(name if first else "", option.name, str(option.default) or "(standard start)")
            first = False
        table.add_section()
    console.print(table)
    console.print(
        "Short forms: go size=9, size=9x13, rules=japanese; clobber size=20, size=6x5; pente variant=keryo.",
        highlight=False,
    )


def play(
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="clobber, go, othello or pente; default: choose from a list")
    ] = "",
    options: Options = None,
    engine: EngineName = "",
    side: Annotated[
        str, typer.Option("--side", "-s", help="which side you play: first, second, both or none")
    ] = "first",
    seconds: Annotated[float, typer.Option(help="the engine's time per move")] = 1.0,
    nodes: Annotated[int | None, typer.Option(help="maximum of positions or simulations per move")] = None,
    seed: Annotated[int, typer.Option(help="random seed")] = 0,
    threads: Threads = 1,
    settings: Settings = None,
    level: Level = "",
    book: Book = True,
    moves: Moves = "",
    opponent: Annotated[str, typer.Option(help="play against this player (see `tengen players list`)")] = "",
    name: Annotated[str, typer.Option(help="your name; default: your user name")] = "",
    clock: Annotated[
        str, typer.Option("--time", help="time control: 10m, 5m+3s, 10m+3x30s, 10m+25/10m, 30s/move")
    ] = "none",
    resume: Annotated[str, typer.Option(metavar="ID", help="continue a stored game: its id, or last")] = "",
    rematch: Annotated[
        str, typer.Option(metavar="ID", help="play the same opponent again: game id, or last")
    ] = "",
    save: Annotated[Path | None, typer.Option(help="also save the game to this file after every move")] = None,
    load: Annotated[Path | None, typer.Option(help="continue the game in this file")] = None,
    number: Number = 1,
    unrated: Annotated[bool, typer.Option("--unrated", help="do not rate the game")] = False,
    demo: Annotated[bool, typer.Option("--demo", help="do not store the game")] = False,
) -> None:
    """Play against an engine or another person in the terminal. The game is saved after every move.

    Example: tengen play go size=9 komi=7 --side second --seconds 2 --time 10m

    Example: tengen play --resume last
    """
    from tengen.app.live_books import live_books
    from tengen.games import game as create_game
    from tengen.players.config import Level as SearchLevel
    from tengen.players.syntax import parse_config, parse_level, with_items
    from tengen.store.store import Store
    from tengen.terminal.play_command import PlayCommand, PlayOptions
    from tengen.terminal.progress import run_with_progress

    sources = [f"--{word}" for word, given in (("load", load), ("resume", resume), ("rematch", rematch)) if given]
    if len(sources) > 1 or (sources and (game or options or moves)):
        raise OptionError(
            f"{' and '.join(sources)} determines the game and its moves: give no other game, options or moves"
        )
    if (resume or rematch) and ((engine, side, clock, opponent, name) != ("", "first", "none", "", "") or demo):
        raise OptionError(f"{sources[0]} keeps the players and the clock: do not give others")
    if rematch and save is not None:
        raise OptionError("--rematch cannot be combined with --save: use `tengen library export` afterwards")
    if not sources and not game:
        game = _ask_for_game()
        if not game:
            return
    config = with_items(parse_config(engine), pairs(settings))
    config = replace(
        config,
        level=parse_level(level) if level else config.level or SearchLevel(seconds=seconds, nodes=nodes),
        threads=threads,
        seed=seed,
        book=book and config.book,
    )
    play_options = PlayOptions(config, opponent, side, name, clock, not unrated, demo)
    with Store.in_memory() if demo else Store.open() as store:
        command = PlayCommand(console, errors, store, play_options)
        if load is not None:
            match = run_with_progress(errors, lambda: command.load(load, number, save))
        elif resume or rematch:
            match = run_with_progress(
                errors, lambda: command.resume(resume, save) if resume else command.rematch(rematch)
            )
        else:
            match = run_with_progress(
                errors, lambda: command.new(create_game(game, **pairs(options)), moves.split(), save)
            )
        with nullcontext() if demo else live_books(store, [match.game.name]):
            command.run(match)


def _ask_for_game() -> str:
    """Let the user choose a game from a list; empty if they cancel."""
    from tengen import games as registry

    names = registry.names()
    for number, name in enumerate(names, 1):
        console.print(f"  {number}  {registry.game_class(name).title}", highlight=False)
    while True:
        try:
            answer = input(f"Which game? 1 to {len(names)}> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            console.print("\nGood-bye. To start a game directly: tengen play othello", highlight=False)
            return ""
        if answer in names:
            return answer
        if answer.isdigit() and 1 <= int(answer) <= len(names):
            return names[int(answer) - 1]


def terminal(
    demo: Annotated[bool, typer.Option("--demo", help="watch two engines play; nothing is stored")] = False,
) -> None:
    """Start the full-screen terminal app, to play and review games by keyboard or mouse.

    Example: tengen terminal --demo
    """
    from tengen.terminal.app.main import run

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise OptionError("this app needs a terminal; in scripts, use tengen.terminal.headless_match")
    run(demo=demo)
