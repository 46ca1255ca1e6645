"""Small elements in the app's style, notifications and questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from nicegui import ui

from tengen.core.errors import TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.games import records

COPY_TIMEOUT_S = 20.0  # the browser may ask for permission


def heading(text: str, level: int = 1) -> None:
    with ui.element(f"h{level}"):
        ui.label(text)


@contextmanager
def card(title: str = "") -> Iterator[ui.element]:
    with ui.element("section").classes("tg-card") as section:
        if title:
            heading(title, 2)
        yield section


def note(text: str) -> ui.label:
    """A label in small, grey type."""
    return ui.label(text).classes("tg-quiet")


def text_link(text: str, target: str, classes: str = "") -> ui.element:
    """A link within the app. Unlike `ui.link`, it needs no component to be loaded."""
    made = ui.element("a").classes(classes).props(f'href="{target}"')
    with made:
        ui.label(text)
    return made


def show_figures(place: ui.element, figures: Mapping[str, str]) -> None:
    """Replace the content of an element by numbers with their names below."""
    place.clear()
    with place.classes("tg-figures"):
        for name, number in figures.items():
            with ui.element("div"):
                ui.label(number).classes("tg-figure").mark(name)
                note(name)


def table_row(*cells: str | Callable[[], object], tag: str = "td") -> ui.element:
    """A row of a table. A cell is a text, or a function that builds its content."""
    with ui.element("tr") as row:
        for cell in cells:
            with ui.element(tag):
                if isinstance(cell, str):
                    ui.label(cell)
                else:
                    cell()
    return row


def strong(text: str) -> Callable[[], object]:
    """A cell in bold type, for `table_row`."""
    return lambda: ui.label(text).style("font-weight: 650")


def show_error(error: TengenError | str) -> None:
    """Show an error as a notification. The text is never interpreted as HTML."""
    ui.notify(translate(str(error)), type="negative", position="top", close_button="✕", timeout=7000)


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show a `TengenError` raised in the block, whose rest is then skipped."""
    try:
        yield
    except TengenError as error:
        show_error(error)


def show_message(text: str) -> None:
    ui.notify(text, color="dark", position="top", timeout=3500)


def chip(text: str, act: Callable[[], Any]) -> ui.button:
    """A small button for a common choice."""
    return ui.button(text, on_click=act).props("outline no-caps dense color=primary").classes("tg-choice")


def button(text: str, act: Callable[[], Any], icon: str = "", *, main: bool = False, **props: str) -> ui.button:
    """A button in the app's style."""
    made = ui.button(text, on_click=act, icon=icon or None)
    made.props("unelevated no-caps" if main else "flat no-caps").props("color=primary")
    for name, value in props.items():
        made.props(f'{name.replace("_", "-")}="{value}"')
    return made


def named_dialog(name: str) -> ui.dialog:
    """A dialog with a name for screen readers. It is opened once, and deleted when it has closed."""
    dialog = ui.dialog().props(f'aria-label="{prop_text(name)}"')
    return dialog.on("hide", dialog.delete)


async def confirm(question: str, yes: str) -> bool:
    """Ask for confirmation."""
    with named_dialog(question) as dialog, ui.card():
        ui.label(question)
        with ui.row():
            button(yes, lambda: dialog.submit(True), main=True)
            button(_("Cancel"), lambda: dialog.submit(False))
    return bool(await dialog)


def paste_texts() -> dict[str, str]:
    """Texts of a `PasteField`, without its label and its button."""
    return {
        "placeholder": _("Paste it here, or drop a file"),
        "file": _("Choose a file"),
        "empty": _("Paste a game first."),
        "large": _("This has {size} MB; the limit is {limit} MB."),
        "failed": _("The server did not answer. Please try again."),
    }


def prop_text(text: str | None) -> str:
    """Text for a prop, which NiceGUI parses between double quotes."""
    return (text or "").replace("\\", "\\\\").replace('"', "'")


def download_formats(game: str) -> list[str]:
    """The formats offered for download: SGF and GGF, if they support the game, and text."""
    return [name for name in ("sgf", "ggf", "text") if records.format_named(name).holds(game)]


def download_text(form: str) -> str:
    """The text of a menu item that downloads a game."""
    return _("Download as {format}").format(format=_(form) if form == "text" else form.upper())


def download_items(game: str, game_id: str) -> None:
    """Menu items that download a game: its record, an animation, a page to print."""
    path = f"/record/{game_id}"
    for form in download_formats(game):
        ui.menu_item(download_text(form), partial(ui.download.from_url, f"{path}.{form}"))
    ui.menu_item(_("Animation (GIF)"), partial(ui.download.from_url, f"{path}.gif"))
    ui.menu_item(_("Print with diagrams"), partial(ui.navigate.to, f"{path}.html", new_tab=True))


async def copy_text(expression: str, done: str) -> None:
    """Copy the value of a JavaScript expression to the clipboard; then show `done`, or an error."""
    try:
        is_copied = await ui.run_javascript(f"tengenCopy({expression})", timeout=COPY_TIMEOUT_S)
    except TimeoutError:
        is_copied = False
    if is_copied:
        show_message(done)
    else:
        show_error(_("Your browser does not allow copying here. Select the link and copy it."))
