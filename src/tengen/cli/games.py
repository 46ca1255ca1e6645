"""The commands `tengen games`, `tengen play` and `tengen terminal`."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from tengen.cli.console import console, errors
from tengen.cli.inputs import check_game, create_game
from tengen.cli.option_groups import EngineOptions, grouped
from tengen.cli.options import Moves, Number, Options
from tengen.core.errors import OptionError

if TYPE_CHECKING:
    from tengen.play.match import Match


def games() -> None:
    """List the games and their options.

    Example: tengen games
    """
    from tengen import games as registry

    table = Table("game", "option", "default")
    for name in registry.all_names():
        for number, option in enumerate(fields(registry.game_class(name))):
            table.add_row("" if number else name, option.name, str(option.default) or "(standard start)")
        table.add_section()
    console.print(table)
    console.print(
        "Short forms: go size=9, size=9x13, rules=japanese; clobber size=20, size=6x5; pente variant=keryo."
    )


@dataclass(frozen=True)
class Opponents:
    """Who plays whom."""

    side: Annotated[str, typer.Option("--side", "-s", help="which side you play: first, second, both or none")] = (
        "first"
    )
    opponent: Annotated[str, typer.Option(help="play against this player (see `tengen players list`)")] = ""
    name: Annotated[str, typer.Option(help="your name; default: your user name")] = ""
    clock: Annotated[
        str, typer.Option("--time", help="time control: 10m, 5m+3s, 10m+3x30s, 10m+25/10m, 30s/move")
    ] = "none"


@dataclass(frozen=True)
class StoredGames:
    """Which existing game to continue, and where to save."""

    resume: Annotated[str, typer.Option(metavar="ID", help="continue a stored game: its id, or last")] = ""
    rematch: Annotated[str, typer.Option(metavar="ID", help="play the same opponent again: game id, or last")] = ""
    load: Annotated[Path | None, typer.Option(help="continue the game in this file")] = None
    number: Number = 1
    save: Annotated[Path | None, typer.Option(help="also save the game to this file after every move")] = None
    unrated: Annotated[bool, typer.Option("--unrated", help="do not rate the game")] = False
    demo: Annotated[bool, typer.Option("--demo", help="do not store the game")] = False


@grouped
def play(
    engine: EngineOptions,
    who: Opponents,
    stored: StoredGames,
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="clobber, go, othello or pente; default: choose from a list")
    ] = "",
    options: Options = None,
    seconds: Annotated[float, typer.Option(help="the engine's time per move")] = 1.0,
    nodes: Annotated[int | None, typer.Option(help="maximum of positions or simulations per move")] = None,
    moves: Moves = "",
    openings: Annotated[
        str,
        typer.Option(
            metavar="FILE|xot", help="start from a random opening of this file; xot: eight random balanced moves"
        ),
    ] = "",
) -> None:
    """Play against an engine or another person in the terminal. The game is saved after every move.

    Example: tengen play go size=9 komi=7 --side second --seconds 2 --time 10m

    Example: tengen play othello --openings xot

    Example: tengen play --resume last
    """
    from tengen.core.translation import use_environment_language

    use_environment_language()
    sources = [f"--{word}" for word in ("load", "resume", "rematch") if getattr(stored, word)]
    if len(sources) > 1 or (sources and (game or options or moves or openings)):
        raise OptionError(
            f"{' and '.join(sources)} determines the game and its moves: give no other game, options or moves"
        )
    if moves and openings:
        raise OptionError("--moves and --openings cannot be combined")
    if (stored.resume or stored.rematch) and (engine.engine or who != Opponents() or stored.demo):
        raise OptionError(f"{sources[0]} keeps the players and the clock: do not give others")
    if stored.rematch and stored.save is not None:
        raise OptionError("--rematch cannot be combined with --save: use `tengen library export` afterwards")
    if not sources and not game:
        game = _ask_for_game()
        if not game:
            return
    check_game(game)  # before the imports that playing needs

    from tengen.app.live_books import live_books
    from tengen.search.limits import Limits
    from tengen.store.store import Store
    from tengen.terminal.play_command import PlayCommand, PlayOptions
    from tengen.terminal.progress import run_with_progress

    config = engine.config()
    config = replace(config, limits=config.limits or Limits(seconds=seconds, nodes=nodes))
    play_options = PlayOptions(
        config, who.opponent, who.side, who.name, who.clock, not stored.unrated, stored.demo
    )
    with Store.in_memory() if stored.demo else Store.open() as store:
        command = PlayCommand(console, errors, store, play_options)

        def open_match() -> Match:
            if stored.load is not None:
                return command.load(stored.load, stored.number, stored.save)
            if stored.resume:
                return command.resume(stored.resume, stored.save)
            if stored.rematch:
                return command.rematch(stored.rematch)
            rules = create_game(game, options)
            first = moves.split()
            if openings:
                from tengen.arena.openings import random_opening

                first = [rules.write_move(move) for move in random_opening(rules, openings, engine.seed)]
                errors.print(f"Opening: {' '.join(first)}")
            return command.new(rules, first, stored.save)

        match = run_with_progress(errors, open_match)
        with nullcontext() if stored.demo else live_books(store, [match.game.name]):
            command.run(match)


def _ask_for_game() -> str:
    """Let the user choose a game from a list; empty if they cancel."""
    from tengen import games as registry

    names = registry.names()
    for number, name in enumerate(names, 1):
        console.print(f"  {number}  {registry.game_class(name).title}")
    while True:
        try:
            answer = input(f"Which game? 1 to {len(names)}> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            console.print("\nGood-bye. To start a game directly: tengen play othello")
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
