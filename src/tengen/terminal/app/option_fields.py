"""The options of a game as fields to fill in, each with what the game says about it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input, Label, Select, Static, Switch

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
            Option("size", "Size", "19", help="9, 13, 19, or columns x rows as 9x13"),
            Option("rules", "Rules", "chinese", tuple(RULE_SETS)),
            Option("komi", "Komi", help="empty: as the rules have it, or 0.5 with a handicap"),
            Option("handicap", "Handicap", "0", help="stones that Black has from the start"),
            Option("free_handicap", "Placed by Black", False),
        )
    if name == "othello":
        return (
            Option("size", "Size", "8", ("4", "6", "8")),
            Option("board", "Board", help="empty: the usual start"),
        )
    if name == "clobber":
        return (
            Option("size", "Size", "20", help="a strip as 20, or rows x columns as 6x5; or else:"),
            Option("board", "Board", help="a start of your own, as XOXO..XO/OXOX..OX"),
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


class OptionFields(Vertical):
    """The fields of one game. `game` is what they say now."""

    DEFAULT_CSS = "OptionFields { height: auto; }"

    def __init__(self, game: str) -> None:
        super().__init__()
        self.game_name = game
        self._options = options_of(game)

    def compose(self) -> ComposeResult:
        for option in self._options:
            yield Row(option.label, _field(option), option.help, id=f"option-{option.name}")
        yield Static("", id="option-", classes="note -wrong", markup=False)

    def check(self) -> Game | None:
        """The game that the fields describe; None if there is something wrong, which is then said beside it."""
        given: dict[str, str | bool] = {}
        for option in self._options:
            value = self.query_one(f"#option-{option.name} .field", Widget)
            assert isinstance(value, Input | Select | Switch)
            given[option.name] = value.value if isinstance(value, Switch) else str(value.value).strip()
        game, problems = read_options(self.game_name, given)
        for option in self._options:
            self.query_one(f"#option-{option.name}", Row).complain(problems.get(option.name))
        self.query_one("#option-", Static).update(problems.get("", ""))
        return game


def _field(option: Option) -> Widget:
    if option.choices:
        return Select(
            [(choice, choice) for choice in option.choices],
            value=str(option.usual),
            allow_blank=False,
            compact=True,
        )
    if isinstance(option.usual, bool):
        return Switch(option.usual)
    return Input(option.usual, compact=True)


class Row(Horizontal):
    """A label, a field and room for what is wrong with it."""

    DEFAULT_CSS = """
    Row { height: auto; min-height: 1; }
    Row > Label { width: 16; color: $text-muted; }
    Row > Input, Row > Select { width: 26; }
    Row > Switch { border: none; height: 1; padding: 0; background: transparent; }
    Row > .note { width: 1fr; height: auto; padding-left: 1; color: $text-muted; }
    Row > .note.-wrong { color: $text-error; }
    """

    def __init__(self, label: str, field: Widget, help: str = "", id: str | None = None) -> None:
        field.add_class("field")
        note = Static(help, classes="note", markup=False)
        super().__init__(Label(label, markup=False), field, note, id=id)
        self._help = help

    def complain(self, problem: str | None) -> None:
        """Say beside the field what is wrong; None: nothing is, and how to fill it in is said again."""
        note = self.query_one(".note", Static)
        note.update(problem or self._help)
        note.set_class(problem is not None, "-wrong")
