"""Rules and notation: one folder a game, imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tengen.core.errors import OptionError
from tengen.core.game import Game

_GAMES = {
    "clobber": "tengen.games.clobber:Clobber",
    "go": "tengen.games.go:Go",
    "othello": "tengen.games.othello:Othello",
    "pente": "tengen.games.pente:Pente",
}


def names() -> list[str]:
    """The names of all games."""
    return sorted(_GAMES)


def register(name: str, place: str) -> None:
    """Add a game of your own: `register("nim", "my_package.nim:Nim")`."""
    _GAMES[name.lower()] = place


def place(name: str) -> str:
    """Where a game's class is, as it was registered; another process needs that to know the game."""
    found = _GAMES.get(name.lower())
    if found is None:
        raise OptionError(f"there is no game {name!r}; there are: {', '.join(names())}")
    return found


def game_class(name: str) -> type[Game]:
    """The class of a game."""
    module, _, attribute = place(name).partition(":")
    return getattr(import_module(module), attribute)  # type: ignore[no-any-return]


def game(name: str, **options: Any) -> Game:
    """A game by its name: `game("go", size=9, komi=7)`. Options may be values or their text."""
    return game_class(name).create(**options)
