"""The options of a game that people set when they begin one, and what is wrong with what they wrote."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from tengen import games
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game


@dataclass(frozen=True)
class Option:
    """One option: a choice if there are `choices`, a switch if `usual` is a bool, else text, perhaps empty."""

    name: str
    label: str
    usual: str | bool = ""
    choices: tuple[str, ...] = ()
    help: str = ""


def options_of(name: str) -> tuple[Option, ...]:
    """The options of a game that people set; of one that somebody registered, all of them."""
    if name == "go":
        from tengen.games.go.game import RULE_SETS

        return (
            Option("size", "Size", "19", help="9, 13, 19, or columns x rows such as 9x13"),
            Option("rules", "Rules", "chinese", tuple(RULE_SETS)),
            Option("komi", "Komi", help="Default: the rules' komi (0.5 with handicap)"),
            Option("handicap", "Handicap", "0", help="stones Black starts with"),
            Option("free_handicap", "Black places handicap stones", False),
        )
    if name == "othello":
        return (
            Option("size", "Size", "8", ("4", "6", "8")),
            Option("board", "Board", help="Leave empty for the standard start"),
        )
    if name == "clobber":
        return (
            Option("size", "Size", "20", help="20 for a strip, or rows x columns such as 6x5"),
            Option("board", "Board", help="custom start, for example XOXO..XO/OXOX..OX"),
            Option("first", "First move", "X", ("X", "O")),
        )
    if name == "pente":
        from tengen.games.pente.game import OPENINGS
        from tengen.games.pente.variants import VARIANTS

        return (
            Option("size", "Size", "19", help="5 to 19"),
            Option("variant", "Variant", "standard", tuple(VARIANTS)),
            Option("opening", "Opening", "none", tuple(OPENINGS), "how the sides are balanced"),
        )
    return tuple(
        Option(
            option.name, option.name, option.default if isinstance(option.default, bool) else str(option.default)
        )
        for option in fields(games.game_class(name))
    )


def read_options(name: str, given: dict[str, str | bool]) -> tuple[Game | None, dict[str, str]]:
    """The game, or None with what is wrong, by the option (empty for what concerns several)."""
    values: dict[str, Any] = {key: value for key, value in given.items() if value != ""}
    if name == "clobber" and "board" in values:
        values.pop("size", None)
    try:
        return games.game(name, **values), {}
    except TengenError as error:
        problems = {}
        for key, value in values.items():
            try:
                games.game(name, **{key: value})
            except OptionError as single:
                problems[key] = str(single)
            except TengenError as single:  # a board that cannot occur
                problems[key] = str(single)
        return None, problems or {"": str(error)}
