"""Each page has the language of its visitor, also in event handlers and updates caused by other visitors."""

from __future__ import annotations

import asyncio
import copy
from typing import cast

from nicegui import Client
from nicegui.language import Language
from nicegui.slot import Slot, get_task_id

from tengen.core.translation import LANGUAGES, set_language, set_language_source

_QUASAR_NAMES = {"en": "en-US"}  # where Quasar's name of a language differs from ours


def set_page_language(client: Client, name: str) -> None:
    """Show a page in this language: our texts, Quasar's, and the `lang` attribute. Call it in the page's task."""
    set_language(name)  # for tasks that build parts of the page later
    client.page = copy.copy(client.page)  # it is shared by all visitors
    client.page.language = cast(Language, _QUASAR_NAMES.get(name, name))


def install_language_source() -> None:
    """Translate into the language of the page that is being built or updated."""
    set_language_source(_current_page_language)


def _current_page_language() -> str | None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return None  # pages belong to the event loop's thread
    slots = Slot.stacks.get(get_task_id())
    if not slots:
        return None
    try:
        name = str(slots[-1].parent.client.page.language).partition("-")[0]
    except RuntimeError:
        return None  # the element was deleted
    return name if name in LANGUAGES else None
