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


def game_class(name: str) -> type[Game]:
    """The class of a game."""
    place = _GAMES.get(name.lower())
    if place is None:
        raise OptionError(f"there is no game {name!r}; there are: {', '.join(names())}")
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)  # type: ignore[no-any-return]


def game(name: str, **options: Any) -> Game:
    """A game by its name: `game("go", size=9, komi=7)`. Options may be values or their text."""
    return game_class(name).create(**options)
