"""Groups of buttons of which one is pressed: games, opponents, colours, clocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import isawaitable
from typing import Any

from nicegui import ui

from tengen.core.translation import translate
from tengen.web.pages.widgets import prop_text


class ChoiceButtons:
    """Buttons of which at most one is pressed. `on_change` is called with the value that the user chose."""

    def __init__(self, label: str, on_change: Callable[[str], Any], classes: str = "tg-choices") -> None:
        self._on_change = on_change
        self._buttons: dict[str, ui.element] = {}
        self._value: str | None = None
        self._group = ui.element("div").classes(classes).props(f'role="group" aria-label="{prop_text(label)}"')

    def add(self, value: str, build: Callable[[], object], classes: str = "tg-choice-button") -> ui.element:
        """Add a button; `build` makes its content."""
        with self._group:
            made = ui.element("button").classes(classes).props('type="button" aria-pressed="false"')
        made.on("click", partial(self._choose, value), [])
        with made:
            build()
        self._buttons[value] = made
        return made

    def add_texts(self, choices: Mapping[str, str]) -> ChoiceButtons:
        for value, text in choices.items():
            self.add(value, partial(ui.label, text))
        return self

    def clear(self) -> None:
        self._group.clear()
        self._buttons.clear()
        self._value = None

    @property
    def value(self) -> str | None:
        return self._value

    def press(self, value: str | None) -> None:
        """Show a value as chosen, without calling `on_change`; None or an unknown value presses no button."""
        self._value = value
        for name, made in self._buttons.items():
            is_chosen = name == value
            made.classes(add="tg-picked" if is_chosen else "", remove="" if is_chosen else "tg-picked")
            made.props(f'aria-pressed="{"true" if is_chosen else "false"}"')

    async def _choose(self, value: str) -> None:
        self.press(value)
        result = self._on_change(value)
        if isawaitable(result):
            await result


def show_problem(place: ui.label, problem: str | None) -> None:
    """Show an error below its field, or hide it."""
    place.set_text(translate(problem or ""))
    place.set_visibility(bool(problem))


def problem_label() -> ui.label:
    """A place for an error below a field. Screen readers announce it."""
    made = ui.label("").classes("tg-problem-text").props('role="alert"')
    made.set_visibility(False)
    return made
