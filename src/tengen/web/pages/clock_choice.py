"""Choosing a clock: presets, fields for minutes, increment and byo-yomi, or the code of any time control."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nicegui import ui

from tengen.core.errors import OptionError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.play.time_control import TimeControl
from tengen.web.pages.choices import ChoiceButtons, problem_label, show_problem

CUSTOM = "custom"
PRESETS = {
    "none": mark("No limit"),
    "5m+3s": mark("5 min + 3 s"),
    "10m": mark("10 min"),
    "10m+3x30s": mark("10 min + 3 × 30 s byo-yomi"),
    "30s/move": mark("30 s per move"),
}
_FIELDS = (
    ("minutes", mark("Minutes"), 10),
    ("increment", mark("Seconds added per move"), 0),
    ("periods", mark("Byo-yomi periods"), 0),
    ("seconds", mark("Seconds per period"), 30),
)


def control_from_fields(minutes: float, increment: float, periods: int, seconds: float) -> TimeControl:
    """The time control of the fields. Raises `OptionError` with a text for the user."""
    if periods and increment:
        raise OptionError(_("Use seconds added per move or byo-yomi periods, not both"))
    if not minutes and not periods and not increment:
        raise OptionError(_("Give some time, or choose “No limit”"))
    if periods and not seconds:
        raise OptionError(_("Give the seconds of a byo-yomi period"))
    if not minutes and increment:  # no main time: so long for every move
        return TimeControl(main=0.0, period=float(increment), periods=1, moves=1)
    main = 60.0 * minutes
    if periods:
        return TimeControl(main=main, period=float(seconds), periods=periods, moves=1)
    return TimeControl(main=main, increment=float(increment))


def describe_clock(clock: str) -> str:
    """A clock in words where it is a preset, otherwise its code."""
    return _(PRESETS[clock]) if clock in PRESETS else clock


class ClockChoice:
    """The fields for a clock. `value` is its code, or None if a field is wrong; then the error is shown."""

    def __init__(self, on_change: Callable[[], object]) -> None:
        self._on_change = on_change
        self._clock = "none"
        self._buttons = ChoiceButtons(_("Time"), self._choose)
        self._buttons.add_texts({**{code: _(text) for code, text in PRESETS.items()}, CUSTOM: _("Custom …")})
        with ui.element("div").classes("tg-custom") as self._custom:
            with ui.element("div").classes("tg-short-fields"):
                self._fields = {
                    name: ui.number(_(label), value=usual, min=0, on_change=self._field_changed)
                    .props("outlined dense")
                    .mark(name)
                    for name, label, usual in _FIELDS
                }
            self._code = ui.input(_("Or as a code"), on_change=self._code_changed).props(
                f'outlined dense hint="{_("For example 5m+3s, 10m+25/10m or 45s/move")}"'
            )
        self._problem = problem_label()
        self._custom.set_visibility(False)

    @property
    def value(self) -> str | None:
        return None if self._problem.visible else self._clock

    def show(self, clock: str) -> None:
        """Show a clock that is valid."""
        self._clock = clock
        self._buttons.press(clock if clock in PRESETS else CUSTOM)
        self._custom.set_visibility(clock not in PRESETS)
        if clock not in PRESETS:
            self._code.set_value(clock)
        show_problem(self._problem, None)

    def _choose(self, value: str) -> object:
        self._custom.set_visibility(value == CUSTOM)
        if value == CUSTOM:
            return self._read_code() if self._code.value else self._read_fields()
        self._clock = value
        show_problem(self._problem, None)
        return self._on_change()

    def _field_changed(self, _event: Any) -> object:
        if self._buttons.value != CUSTOM:
            return None
        if self._code.value:
            self._code.set_value("")  # what was changed last counts; this reads the fields
            return None
        return self._read_fields()

    def _code_changed(self, _event: Any) -> object:
        if self._buttons.value != CUSTOM:
            return None
        return self._read_code() if self._code.value else self._read_fields()

    def _read_fields(self) -> object:
        given = {name: float(field.value or 0) for name, field in self._fields.items()}
        return self._read(
            lambda: control_from_fields(
                given["minutes"], given["increment"], int(given["periods"]), given["seconds"]
            )
        )

    def _read_code(self) -> object:
        return self._read(lambda: TimeControl.parse(str(self._code.value)))

    def _read(self, make: Callable[[], TimeControl]) -> object:
        try:
            control = make()
            TimeControl.parse(str(control))  # respects the limits of this machine
        except OptionError as error:
            show_problem(self._problem, translate(str(error)))
        else:
            self._clock = "none" if math.isinf(control.main) else str(control)
            show_problem(self._problem, None)
        return self._on_change()
