"""Rules and notation of the games: one subpackage per game, imported on first use.

Other packages add games through the entry point group `tengen.games`; their names must not be those of built-in
games. `register` adds a game to the current process only.
"""

from __future__ import annotations

from typing import Any

from tengen.core.errors import OptionError
from tengen.core.game import Game
from tengen.core.plugins import describe_plugin, import_object, load_plugin, plugins

PLUGIN_GROUP = "tengen.games"

_GAMES = {
    "clobber": "tengen.games.clobber:Clobber",
    "go": "tengen.games.go:Go",
    "othello": "tengen.games.othello:Othello",
    "pente": "tengen.games.pente:Pente",
}

# Games that share one foundation, `games.rulesets`. Front ends list them apart from those above.
_MORE = {
    "amazons": "tengen.games.rulesets.playable:Amazons",
    "cannibal_clobber": "tengen.games.rulesets.playable:CannibalClobber",
    "domineering": "tengen.games.rulesets.playable:Domineering",
    "elephants": "tengen.games.rulesets.playable:Elephants",
    "kayles": "tengen.games.rulesets.playable:Kayles",
    "nim": "tengen.games.rulesets.playable:Nim",
    "nogo": "tengen.games.rulesets.playable:Nogo",
    "toads_and_frogs": "tengen.games.rulesets.playable:ToadsAndFrogs",
    "toppling_dominoes": "tengen.games.rulesets.playable:TopplingDominoes",
}


def names() -> list[str]:
    """The names of the main games, including registered ones and plugins."""
    return sorted(_GAMES.keys() | plugins(PLUGIN_GROUP).keys())


def more_names() -> list[str]:
    """The names of the small games, which have no opponents of measured strength, lessons or books."""
    return sorted(_MORE.keys() - set(names()))


def all_names() -> list[str]:
    """The names of all games."""
    return [*names(), *more_names()]


def register(name: str, import_path: str) -> None:
    """Add a game in this process: `register("nim", "my_package.nim:Nim")`."""
    _GAMES[name.lower()] = import_path


def import_path(name: str) -> str:
    """The import path `module:Class` of a game. Another process can `register` it."""
    known = name.lower()
    if known in _GAMES:
        return _GAMES[known]
    if known in plugins(PLUGIN_GROUP):
        return plugins(PLUGIN_GROUP)[known].value
    if known in _MORE:
        return _MORE[known]
    raise OptionError(f"there is no game {name!r}; there are: {', '.join(all_names())}")


def game_class(name: str) -> type[Game]:
    """The class of a game."""
    path = import_path(name)
    plugin = None if name.lower() in _GAMES else plugins(PLUGIN_GROUP).get(name.lower())
    if plugin is None:
        return import_object(path)  # type: ignore[no-any-return]
    found = load_plugin(plugin)
    if not (isinstance(found, type) and issubclass(found, Game)) or found.name != plugin.name.lower():
        raise OptionError(f"{describe_plugin(plugin)} is not a Game whose name is {plugin.name.lower()!r}")
    return found


def game(name: str, /, **options: Any) -> Game:
    """Create a game by name: `game("go", size=9, komi=7)`. Options may be values or their text."""
    return game_class(name).create(**options)
