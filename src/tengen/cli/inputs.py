"""What arguments stand for: games, positions, the store, files to write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tengen.core.errors import OptionError
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from tengen.core.game import Game
    from tengen.core.position import Position
    from tengen.store.store import Store


def open_store() -> Store:
    from tengen.store.store import Store

    return Store.open()


def create_game(name: str, options: list[str] | None = None) -> Game:
    from tengen.games import game

    return game(name, **pairs(options))


def position_from(game: str, options: list[str] | None, moves: str) -> Position:
    """The position that a command line describes."""
    return create_game(game, options).start().play_all(moves.split())


def check_game(name: str) -> None:
    """Raise an error if `name` is given and is not a game."""
    from tengen.games import game_class

    if name:
        game_class(name)


def check_folders(*paths: Path | None) -> None:
    """Raise an error now, not after the work, if the folder of a file to write does not exist."""
    for path in paths:
        if path is not None and not path.absolute().parent.is_dir():
            raise OptionError(f"{path}: folder not found")


def delete_checkpoint(path: Path, of: str) -> None:
    """Delete the checkpoint of a match or tournament, if there is one; raise an error if it is another file."""
    from tengen.jobs.checkpoint import MAGIC

    if path.exists():
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise OptionError(f"{path} is not the checkpoint of {of} and was not deleted")
        path.unlink()


def parse_integer(text: str, what: str) -> int:
    """A whole number as typed. `what` names it in the error."""
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        raise OptionError(f"{what} should be a whole number, not {text!r}")
    return int(text)
