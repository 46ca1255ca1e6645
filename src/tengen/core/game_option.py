"""User-facing description of a game's options, from which front ends build their forms."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GameOption:
    """One option as `Game.create` accepts it.

    A choice if it has `choices`, a switch if `default` is a bool, otherwise text, possibly empty. `suggestions`
    are common values of a text. If the option is set, the options named in `replaces` are ignored.
    """

    name: str
    label: str
    default: str | bool = ""
    choices: tuple[str, ...] = ()
    help: str = ""
    suggestions: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
