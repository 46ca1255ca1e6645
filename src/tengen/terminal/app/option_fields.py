"""Form fields for the options of a game, with help texts."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input, Label, Select, Static, Switch

from tengen.app.game_options import options_of, read_options
from tengen.core.game import Game
from tengen.core.game_option import GameOption
from tengen.core.translation import gettext as _
from tengen.core.translation import translate


class OptionFields(Vertical):
    """The option fields of one game."""

    DEFAULT_CSS = "OptionFields { height: auto; }"

    def __init__(self, game: str) -> None:
        super().__init__()
        self.game_name = game
        self._options = options_of(game)

    def compose(self) -> ComposeResult:
        for option in self._options:
            yield Row(
                _(option.label), _field(option), _(option.help) if option.help else "", id=f"option-{option.name}"
            )
        yield Static("", id="option-", classes="note -wrong", markup=False)

    def check(self) -> Game | None:
        """The game that the fields describe; None if a value is invalid, with errors shown beside the fields."""
        given: dict[str, str | bool] = {}
        for option in self._options:
            value = self.query_one(f"#option-{option.name} .field", Widget)
            assert isinstance(value, Input | Select | Switch)
            given[option.name] = value.value if isinstance(value, Switch) else str(value.value).strip()
        game, problems = read_options(self.game_name, given)
        for option in self._options:
            self.query_one(f"#option-{option.name}", Row).show_error(problems.get(option.name))
        self.query_one("#option-", Static).update(translate(problems.get("", "")))
        return game


def _field(option: GameOption) -> Widget:
    if option.choices:
        return Select(
            [(_(choice), choice) for choice in option.choices],
            value=str(option.default),
            allow_blank=False,
            compact=True,
        )
    if isinstance(option.default, bool):
        return Switch(option.default)
    return Input(option.default, compact=True)


class Row(Horizontal):
    """A label, a field, and its help text or error message."""

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

    def show_error(self, problem: str | None) -> None:
        """Show an error beside the field; None shows the help text again."""
        note = self.query_one(".note", Static)
        note.update(translate(problem or self._help))
        note.set_class(problem is not None, "-wrong")
