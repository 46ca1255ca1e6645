"""The settings of the board's look: theme with a preview, rotation, preview of moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from tengen.core.translation import gettext as _
from tengen.web.elements import Board
from tengen.web.pages.widgets import card
from tengen.web.preferences import Preferences

Keep = Callable[[str, Any], None]

_SAMPLES = (
    ("go", "points", (".....", ".XOX.", "..XO.", ".OOX.", "....."), [(3, 3)]),
    ("othello", "cells", ("....", "OXX.", ".OX.", ".O.."), [(0, 1)]),
)


def build_board_settings(preferences: Preferences, keep: Keep) -> None:
    """A card; `keep(name, event)` stores a preference."""
    themes = {
        "classic": _("Wood and felt"),
        "night": _("Night"),
        "contrast": _("High contrast"),
        "paper": _("Paper"),
    }
    turns = {0: _("As usual"), 1: _("Quarter turn right"), 2: _("Half turn"), 3: _("Quarter turn left")}
    with card(_("Board")):
        with ui.element("div").classes("tg-samples"):
            config = {**preferences.board_config(), "coordinates": False, "numbers": False, "picture": True}
            boards = [Board(_sample(*sample), config) for sample in _SAMPLES]

        def choose_theme(event: Any) -> None:
            keep("board_theme", event)
            for board in boards:
                board.configure(theme=event.value)

        ui.radio(themes, value=preferences.board_theme, on_change=choose_theme).props("dense inline")
        ui.select(
            turns,
            value=preferences.rotation,
            label=_("Turn the board"),
            on_change=lambda event: keep("rotation", event),
        ).props("outlined dense")
        ui.switch(
            _("Show what a move captures or flips before it is made"),
            value=preferences.preview,
            on_change=lambda event: keep("preview", event),
        )


def _sample(game: str, kind: str, rows: tuple[str, ...], last: list[tuple[int, int]]) -> dict[str, Any]:
    """A small position, made without the rules, which may have to be compiled."""
    return {
        "game": game,
        "title": _("Sample board"),
        "players": [_("Black"), _("White")],
        "kind": kind,
        "columns": list("abcdefgh"[: len(rows[0])]),
        "rows": [str(number) for number in range(1, len(rows) + 1)],
        "stones": "".join(rows),
        "stars": [],
        "last": last,
        "lastText": "",
        "ply": 0,
        "toMove": 0,
        "moves": [],
        "numbers": [],
        "marks": [],
    }
