"""Modal dialogs: text input, choice, help and progress."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, LoadingIndicator, OptionList, Static

from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark

_BOX = """
{name} {{ align: center middle; background: $background 60%; }}
{name} > Vertical {{
    width: 64; max-width: 95%; height: auto; max-height: 95%; padding: 1 2;
    background: $panel; border: round $primary;
}}
{name} Label {{ width: 100%; margin-bottom: 1; }}
{name} Horizontal {{ height: auto; align-horizontal: right; margin-top: 1; }}
{name} Button {{ margin-left: 2; }}
"""


class Cancelled(TengenError):
    """The user cancelled a progress dialog with Escape."""


class TextDialog(ModalScreen[str | None]):
    """Asks for one line of text. Returns None if cancelled, or if it is empty and must not be."""

    CSS = _BOX.format(name="TextDialog")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", mark("Cancel"))]

    def __init__(
        self, question: str, text: str = "", placeholder: str = "", *, may_be_empty: bool = False
    ) -> None:
        super().__init__()
        self._question, self._text, self._placeholder = question, text, placeholder
        self._may_be_empty = may_be_empty

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(self._question, markup=False)
            yield Input(self._text, placeholder=self._placeholder)
            with Horizontal():
                yield Button(_("OK"), variant="primary", id="ok", compact=True)
                yield Button(_("Cancel"), id="cancel", compact=True)

    @on(Input.Submitted)
    @on(Button.Pressed, "#ok")
    def answer(self) -> None:
        text = self.query_one(Input).value.strip()
        self.dismiss(text if text or self._may_be_empty else None)

    @on(Button.Pressed, "#cancel")
    def leave(self) -> None:
        self.dismiss(None)


class ChoiceDialog(ModalScreen[int | None]):
    """Asks for one of several choices. Returns its index, or None if cancelled."""

    CSS = (
        _BOX.format(name="ChoiceDialog")
        + "ChoiceDialog OptionList { height: auto; max-height: 16; background: $panel; }"
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", mark("Cancel"))]

    def __init__(self, question: str, choices: Sequence[str]) -> None:
        super().__init__()
        self._question, self._choices = question, choices

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(self._question, markup=False)
            yield OptionList(*self._choices, markup=False, compact=True)

    @on(OptionList.OptionSelected)
    def answer(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)


class HelpDialog(ModalScreen[None]):
    """Shows a page of text."""

    CSS = _BOX.format(name="HelpDialog") + "HelpDialog > Vertical { width: 76; overflow-y: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q,question_mark,f1", "dismiss", mark("Close"))]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._text, markup=False)

    def on_click(self) -> None:
        self.dismiss()


class ProgressDialog(ModalScreen[None]):
    """Shown during slow work. The working thread calls `say`, which raises `Cancelled` after Escape."""

    CSS = _BOX.format(name="ProgressDialog") + "ProgressDialog LoadingIndicator { height: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", mark("Cancel"))]

    class Updated(Message):
        """New text for the dialog."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self._cancelled = threading.Event()

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(self._title, markup=False)
            yield LoadingIndicator()
            yield Static("", id="said", markup=False)

    def say(self, text: str) -> None:
        if self._cancelled.is_set():
            raise Cancelled("stopped")
        self.post_message(self.Updated(text))

    def on_progress_dialog_updated(self, message: Updated) -> None:
        if self.is_mounted:
            self.query_one("#said", Static).update(message.text)

    def action_cancel(self) -> None:
        self._cancelled.set()
        self.query_one("#said", Static).update(_("stopping …"))

    def close(self) -> None:
        """Close the dialog because the work has finished or failed."""
        if self.is_current:
            self.app.pop_screen()
