"""The commands `tengen gtp`, `tengen nboard` and `tengen gomocup`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.core.game import Game
    from tengen.players.choice import Choice
    from tengen.protocols.lines import Inbox, Protocol

EngineName = Annotated[
    str,
    typer.Option("--engine", "-e", help="an engine's name, as alphabeta or uct; the game's default if left out"),
]
Level = Annotated[
    str,
    typer.Option("--level", "-l", help="how long to think: 1s, 500nodes, depth4; else as it is told, or 1s"),
]
Threads = Annotated[int, typer.Option(help="threads for the engine")]
Seed = Annotated[int, typer.Option(help="another seed, another game")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="an engine's setting, as rave=3000")]
Options = Annotated[
    list[str] | None,
    typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options, as size=9; `tengen games` lists them"),
]


def gtp(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="clobber, go, othello or pente")] = "go",
    options: Options = None,
    engine: EngineName = "",
    level: Level = "",
    threads: Threads = 1,
    seed: Seed = 0,
    settings: Settings = None,
) -> None:
    """Be an engine for Go programs such as Sabaki and GoGui (GTP 2 on standard input and output).

    Example: tengen gtp go size=9 --level 2s --set rave=1000
    """
    from tengen.games import game as create_game
    from tengen.protocols.gtp.server import Gtp

    words = options or []
    if "=" in game:  # the game was left out
        game, words = "go", [game, *words]
    rules = create_game(game, **pairs(words))
    choice = _choice(rules, engine, level, threads, seed, settings)
    _speak(lambda inbox, write: Gtp(inbox, write, rules, choice))


def nboard(
    engine: EngineName = "",
    level: Level = "",
    threads: Threads = 1,
    seed: Seed = 0,
    settings: Settings = None,
) -> None:
    """Be an engine for Othello programs (NBoard 2 on standard input and output).

    Example: tengen nboard --level 5s
    """
    from tengen.games import game as create_game
    from tengen.protocols.nboard import NBoard

    choice = _choice(create_game("othello"), engine, level, threads, seed, settings)
    _speak(lambda inbox, write: NBoard(inbox, write, choice))


def gomocup(
    options: Options = None,
    engine: EngineName = "",
    level: Level = "",
    threads: Threads = 1,
    seed: Seed = 0,
    settings: Settings = None,
) -> None:
    """Be an engine for gomoku programs such as Piskvork (Gomocup's protocol on standard input and output).

    Options choose the game, as variant=keryo; by default INFO rule does: five in a row, or exactly five.

    Example: tengen gomocup variant=standard --level 5s
    """
    from tengen.games import game as create_game
    from tengen.protocols.gomocup import Gomocup

    rules = create_game("pente", **(pairs(options) or {"variant": "gomoku"}))
    choice = _choice(rules, engine, level, threads, seed, settings)
    _speak(lambda inbox, write: Gomocup(inbox, write, choice, pairs(options)))


def _choice(game: Game, engine: str, level: str, threads: int, seed: int, settings: list[str] | None) -> Choice:
    from tengen.players.choice import Choice, read_level

    choice = Choice(engine, read_level(level) if level else None, threads, seed, pairs(settings))
    choice.create(game)  # for its errors, while there is a terminal to show them
    return choice


def _speak(protocol: Callable[[Inbox, Callable[[str], None]], Protocol]) -> None:
    from tengen.protocols.lines import converse

    converse(protocol, sys.stdin.buffer, sys.stdout.buffer)
