"""The dialog with keyboard shortcuts, opened by `?` or from the header. Pages add theirs with `add_shortcuts`."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from nicegui import Client, context, ui

from tengen.core.translation import gettext as _
from tengen.core.translation import mark

DIALOG_ID = "tg-shortcuts"
STEPPING = {"← →": mark("Previous or next move")}
BOARD = {
    "Tab": mark("Go to the board, to its buttons, and on"),
    "← ↑ → ↓": mark("On the board: move the cursor"),
    "Enter": mark("On the board: play at the cursor"),
    "Esc": mark("On the board: leave the cursor or the aimed move"),
}
_EVERYWHERE = {
    "?": mark("Show keyboard shortcuts"),
    "Esc": mark("Close a dialog or menu"),
    "Tab": mark("Next button or field"),
}
_lists: WeakKeyDictionary[Client, ui.element] = WeakKeyDictionary()


def build_shortcuts() -> None:
    """The dialog of a page. The frame calls it before the content of the page is built."""
    dialog = (
        ui.element("dialog").classes("tg-dialog").props(f'id="{DIALOG_ID}" aria-labelledby="{DIALOG_ID}-title"')
    )
    with dialog:
        with ui.element("h2").props(f'id="{DIALOG_ID}-title"'):
            ui.label(_("Keyboard shortcuts"))
        _lists[context.client] = ui.element("div").classes("tg-shortcuts")
        with ui.element("form").props('method="dialog"'), ui.element("button").classes("tg-plain-button"):
            ui.label(_("Close"))
    add_shortcuts(mark("Everywhere"), _EVERYWHERE)


def add_shortcuts(title: str, shortcuts: Mapping[str, str]) -> None:
    """List shortcuts of this page in the dialog. Title and descriptions are translated here.

    Call it within `frame`. It only describes the keys; the page that handles them calls it.
    """
    with _lists[context.client]:
        with ui.element("h3"):
            ui.label(_(title))
        with ui.element("dl"):
            for keys, description in shortcuts.items():
                with ui.element("dt"), ui.element("kbd"):
                    ui.label(keys)
                with ui.element("dd"):
                    ui.label(_(description))
