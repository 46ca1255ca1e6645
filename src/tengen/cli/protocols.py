"""The commands `tengen gtp`, `tengen nboard` and `tengen gomocup`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.options import Book, EngineName, Level, Options, Seed, Settings, Threads
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.core.game import Game
    from tengen.players.config import EngineConfig
    from tengen.protocols.line_protocol import InputQueue, LineProtocol


def gtp(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="clobber, go, othello or pente")] = "go",
    options: Options = None,
    engine: EngineName = "",
    level: Level = "",
    threads: Threads = 1,
    seed: Seed = 0,
    settings: Settings = None,
    book: Book = True,
) -> None:
    """Run as an engine for Go programs such as Sabaki and GoGui (GTP 2 on standard input and output).

    Example: tengen gtp go size=9 --level 2s --set rave=1000
    """
    from tengen.games import game as create_game
    from tengen.protocols.gtp.server import Gtp

    words = options or []
    if "=" in game:  # the game was left out
        game, words = "go", [game, *words]
    rules = create_game(game, **pairs(words))
    config = _config(rules, engine, level, threads, seed, settings, book)
    _serve(lambda inbox, write: Gtp(inbox, write, rules, config))


def nboard(
    engine: EngineName = "",
    level: Level = "",
    threads: Threads = 1,
    seed: Seed = 0,
    settings: Settings = None,
    book: Book = True,
) -> None:
    """Run as an engine for Othello programs (NBoard 2 on standard input and output).

    Example: tengen nboard --level 5s
    """
    from tengen.games import game as create_game
    from tengen.protocols.nboard import NBoard

    config = _config(create_game("othello"), engine, level, threads, seed, settings, book)
    _serve(lambda inbox, write: NBoard(inbox, write, config))


def gomocup(
    options: Options = None,
    engine: EngineName = "",
    level: Level = "",
    threads: Threads = 1,
    seed: Seed = 0,
    settings: Settings = None,
    book: Book = True,
) -> None:
    """Run as an engine for gomoku programs such as Piskvork (Gomocup's protocol on standard input and output).

    Options choose the variant, such as variant=keryo. By default the command INFO rule does: five or more
    in a row, or exactly five.

    Example: tengen gomocup variant=standard --level 5s
    """
    from tengen.games import game as create_game
    from tengen.protocols.gomocup import Gomocup

    rules = create_game("pente", **(pairs(options) or {"variant": "gomoku"}))
    config = _config(rules, engine, level, threads, seed, settings, book)
    _serve(lambda inbox, write: Gomocup(inbox, write, config, pairs(options)))


def _config(
    game: Game, engine: str, level: str, threads: int, seed: int, settings: list[str] | None, book: bool
) -> EngineConfig:
    from tengen.players.syntax import config_from_options
    from tengen.runtime.turn import create_engine

    config = config_from_options(
        game, engine, level, threads=threads, seed=seed, book=book, settings=pairs(settings)
    )
    create_engine(config, game)  # raises while there is a terminal to show the error
    return config


def _serve(protocol: Callable[[InputQueue, Callable[[str], None]], LineProtocol]) -> None:
    from tengen.protocols.line_protocol import run_protocol

    run_protocol(protocol, sys.stdin.buffer, sys.stdout.buffer)
