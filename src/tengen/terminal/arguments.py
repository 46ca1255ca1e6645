"""Arguments that several commands have in common, and what they mean."""

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
    typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options, as size=9; `tengen games` lists them"),
]
Number = Annotated[int, typer.Option("--number", "-n", help="which game of the file, from 1")]
Moves = Annotated[str, typer.Option("--moves", "-m", help="moves to play first, separated by blanks")]
EngineName = Annotated[
    str,
    typer.Option("--engine", "-e", help="an engine's name, as alphabeta or uct; the game's default if left out"),
]
Threads = Annotated[int, typer.Option(help="threads for the engine")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="an engine's setting, as rave=3000")]


def described(game: str, options: list[str] | None, moves: str) -> Position:
    """The position that a command line describes."""
    from tengen.games import game as create_game

    return create_game(game, **pairs(options)).start().play_all(moves.split())


def whole(word: str, what: str) -> int:
    """A number as somebody wrote it."""
    digits = word.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        raise OptionError(f"{what} should be a whole number, not {word!r}")
    return int(word)
