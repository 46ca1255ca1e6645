"""Options that users set when they start a game, validation of their input, and a game in words."""

from __future__ import annotations

from typing import Any

from tengen import games
from tengen.core.errors import TengenError
from tengen.core.game import Game
from tengen.core.game_option import GameOption
from tengen.core.translation import gettext as _


def options_of(name: str) -> tuple[GameOption, ...]:
    """The options of a game that users can set."""
    return games.game_class(name).user_options()


def read_options(name: str, given: dict[str, str | bool]) -> tuple[Game | None, dict[str, str]]:
    """The game, or None and the errors by option name ("" for an error that concerns several options)."""
    values: dict[str, Any] = {key: value for key, value in given.items() if value != ""}
    for option in options_of(name):
        if option.name in values:
            for replaced in option.replaces:
                values.pop(replaced, None)
    try:
        return games.game(name, **values), {}
    except TengenError as error:
        problems = {}
        for key, value in values.items():
            try:
                games.game(name, **{key: value})
            except TengenError as single:
                problems[key] = str(single)
        return None, problems or {"": str(error)}


def describe_game(game: Game) -> str:
    """A short description of a game: `Go 9×9, japanese`."""
    diagram = game.start().diagram()
    size = f"{len(diagram.columns)}×{len(diagram.rows)}" if len(diagram.rows) > 1 else f"{len(diagram.columns)}"
    rules = [_(str(value)) for name, value in game.options().items() if name in ("rules", "variant") and value]
    handicap = game.options().get("handicap")
    parts = [f"{_(game.title)} {size}", *rules]
    if handicap:
        parts.append(_("handicap {count}").format(count=handicap))
    return ", ".join(parts)
