"""Fields for the options of a game: board size and handicap as buttons, the others under *Details*."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from nicegui import ui

from tengen import games
from tengen.app.game_options import options_of
from tengen.core.game_option import GameOption
from tengen.core.translation import gettext as _
from tengen.core.translation import ngettext, translate
from tengen.web.pages.choices import ChoiceButtons, problem_label, show_problem
from tengen.web.pages.widgets import prop_text

_OTHER = "other"
_HANDICAPS = ("0", "2", "3", "4", "5", "6", "9")
_MAIN = ("size", "handicap")


class OptionFields:
    """The fields of a game's options, in two places of the page. `on_change` is called after each change."""

    def __init__(self, main: ui.element, details: ui.element, on_change: Callable[[], object]) -> None:
        self._main = main
        self._details = details
        self._on_change = on_change
        self._values: dict[str, str | bool] = {}
        self._problems: dict[str, Callable[[str | None], object]] = {}

    @property
    def values(self) -> dict[str, str | bool]:
        return dict(self._values)

    def show(self, game: str, values: Mapping[str, str | bool]) -> None:
        """Build the fields of a game."""
        self._values = dict(values)
        self._problems = {}
        self._main.clear()
        self._details.clear()
        for option in options_of(game):
            if option.name in _MAIN:
                with self._main:
                    self._build_buttons(game, option)
            else:
                with self._details:
                    self._build_field(game, option)
        with self._main:
            self._common = problem_label()

    def show_problems(self, problems: Mapping[str, str]) -> None:
        """Show errors next to their fields; "" is an error of several."""
        for name, show in self._problems.items():
            show(problems.get(name))
        unknown = [text for name, text in problems.items() if name not in self._problems]
        show_problem(self._common, unknown[0] if unknown else None)

    def _set(self, name: str, value: str | bool) -> object:
        self._values[name] = value
        return self._on_change()

    def _build_buttons(self, game: str, option: GameOption) -> None:
        """Buttons for the usual values, and a field for others where any text is allowed."""
        usual = option.choices or option.suggestions or (_HANDICAPS if option.name == "handicap" else ())
        value = str(self._values[option.name])
        with ui.element("h3"):
            ui.label(_("Board") if option.name == "size" else _(option.label))

        def choose(chosen: str) -> object:
            if other is not None:
                other.set_visibility(chosen == _OTHER)
            if other is not None and chosen == _OTHER:
                return None  # the value stays until another one is typed
            return self._set(option.name, chosen)

        buttons = ChoiceButtons(_(option.label), choose)
        buttons.add_texts({one: _button_text(game, option.name, one) for one in usual})
        other: ui.input | None = None
        if not option.choices:
            buttons.add(_OTHER, partial(ui.label, _("Other …")))
            is_swapped = option.name == "size" and games.game_class(game).size_is_rows_first

            def read(event: Any) -> object:
                text = str(event.value or "").strip()
                return self._set(option.name, _swapped(text) if is_swapped else text)

            other = ui.input(_(option.label), value=_swapped(value) if is_swapped else value, on_change=read)
            about = _("Length of a strip (20), or columns x rows (5x6)") if is_swapped else _(option.help)
            other.props(f'outlined dense hint="{prop_text(about)}"').style("max-width: 340px")
            other.set_visibility(value not in usual)
        buttons.press(value if value in usual else _OTHER)
        self._problems[option.name] = partial(show_problem, problem_label())

    def _build_field(self, game: str, option: GameOption) -> None:
        value = self._values[option.name]
        field: Any
        if option.choices:
            players = games.game_class(game).players
            labels = {one: _(one) for one in option.choices}
            if option.choices == ("X", "O"):
                labels = dict(zip(option.choices, (_(name) for name in players), strict=True))
            shown = value if value in labels else option.default
            field = ui.select(labels, label=_(option.label), value=shown, on_change=partial(self._changed, option))
            field.props("outlined dense options-dense")
        elif isinstance(option.default, bool):
            ui.switch(_(option.label), value=bool(value), on_change=partial(self._changed, option))
            return
        else:
            field = ui.input(_(option.label), value=str(value), on_change=partial(self._changed, option))
            field.props("outlined dense")
        if option.help:
            field.props(f'hint="{prop_text(_(option.help))}"')
        self._problems[option.name] = partial(_mark_field, field)

    def _changed(self, option: GameOption, event: Any) -> object:
        value = event.value
        return self._set(option.name, value if isinstance(value, bool) else str(value or "").strip())


def _mark_field(field: Any, problem: str | None) -> None:
    if problem:
        field.props(f'error error-message="{prop_text(translate(problem))}"')
    else:
        field.props(remove="error")


def _button_text(game: str, option: str, value: str) -> str:
    if option == "handicap":
        return (
            _("None")
            if value == "0"
            else ngettext("{count} stone", "{count} stones", int(value)).format(count=value)
        )
    return size_text(game, value)


def size_text(game: str, size: str) -> str:
    """A board size as columns × rows; a number alone is a square board, or a strip in Clobber."""
    if "x" not in size:
        return (
            _("Strip of {length}").format(length=size)
            if games.game_class(game).size_of_strip
            else f"{size} × {size}"
        )
    shown = _swapped(size) if games.game_class(game).size_is_rows_first else size
    return shown.replace("x", " × ")


def _swapped(size: str) -> str:
    """A size with columns and rows exchanged: pages always give columns first."""
    first, cross, second = size.lower().partition("x")
    return f"{second.strip()}x{first.strip()}" if cross else size
