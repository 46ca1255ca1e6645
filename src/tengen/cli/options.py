"""Arguments and options that several commands share, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tengen.core.errors import OptionError
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from tengen.core.position import Position

GameName = Annotated[str, typer.Argument(metavar="GAME", help="clobber, go, othello or pente")]
Options = Annotated[
    list[str] | None,
    typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options, such as size=9; see `tengen games`"),
]
Number = Annotated[int, typer.Option("--number", "-n", help="which game of the file, from 1")]
Moves = Annotated[str, typer.Option("--moves", "-m", help="moves to play first, separated by spaces")]

EngineName = Annotated[
    str,
    typer.Option(
        "--engine", "-e", help="an engine, such as uct or uct:500nodes,rave=100; default: the game's own engine"
    ),
]
Level = Annotated[
    str, typer.Option("--level", "-l", help="search limits for a move: 1s, 500nodes, depth4 or 2s,500nodes")
]
Threads = Annotated[int, typer.Option(help="search threads")]
Seed = Annotated[int, typer.Option(help="seed of the engine's random choices")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="an engine setting, such as rave=3000")]
Book = Annotated[bool, typer.Option("--book/--no-book", help="whether the engine plays from its opening book")]


def position_from(game: str, options: list[str] | None, moves: str) -> Position:
    """The position that a command line describes."""
    from tengen.games import game as create_game

    return create_game(game, **pairs(options)).start().play_all(moves.split())


def parse_integer(text: str, what: str) -> int:
    """A whole number as typed. `what` names it in the error."""
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        raise OptionError(f"{what} should be a whole number, not {text!r}")
    return int(text)
