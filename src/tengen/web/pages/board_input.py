"""Input helpers of pages with a board: points sent by the browser, move previews, stepping through a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from nicegui import ui

from tengen.app.move_preview import Aim, aim, moves_off_board
from tengen.core.position import Position
from tengen.core.translation import gettext as _
from tengen.web.board_data import MAX_LINE_MOVES, aim_data
from tengen.web.elements import Board
from tengen.web.pages.widgets import button, chip, note


def parse_point(given: Any) -> tuple[int, int] | None:
    """The point sent by a browser, or None if it is invalid."""
    if (
        isinstance(given, list)
        and len(given) == 2
        and all(type(part) is int and 0 <= part < 4096 for part in given)
    ):
        return given[0], given[1]
    return None


def parse_line(given: dict[str, Any]) -> list[str]:
    """The moves of an event of `Lines`, up to the one that was pointed at or clicked."""
    moves = given.get("moves")
    return [str(move)[:100] for move in moves[:MAX_LINE_MOVES]] if isinstance(moves, list) else []


def show_aim(board: Board, position: Position, given: dict[str, Any]) -> Aim | None:
    """Show the effect of a move at the point of an `aim` event, and return it; None if the point is invalid.

    `hover` says that the pointer only rests there.
    """
    point, diagram = parse_point(given.get("point")), position.diagram()
    if point is None or point[0] >= len(diagram.columns) or point[1] >= len(diagram.rows):
        return None
    found = aim(position, point, parse_point(given.get("from")))
    board.show_aim({**aim_data(found, point), "hover": given.get("hover") is True})
    return found


class OffBoardMoves:
    """Buttons for the moves without a point, such as a pass.

    They are built again only if they differ, because a click is lost if its button is replaced meanwhile.
    """

    def __init__(self, play: Callable[[dict[str, Any]], object]) -> None:
        self._play = play
        self._place = ui.element("div").classes("tg-row tg-off-board")
        self._shown: tuple[object, ...] | None = None

    def show(
        self, position: Position | None, *, enabled: bool = True, notes: Mapping[str, str] | None = None
    ) -> None:
        """Offer the moves of a position, each with the note about it; None offers nothing."""
        notes = notes or {}
        words = [] if position is None or position.is_over else moves_off_board(position)
        shown = (position and position.line_key, words, enabled, dict(notes))
        if shown == self._shown:
            return
        self._shown = shown
        self._place.clear()
        if position is None:
            return
        with self._place:
            for word in words:
                move = {"move": word, "ply": position.ply}
                chip(_(word.capitalize()), partial(self._play, move)).set_enabled(enabled)
                if notes.get(word):
                    note(notes[word])


def build_step_buttons(step: Callable[[int], object], end: str, board: Board | None = None) -> None:
    """Buttons that step through a game; the last one is called `end`. With a `board`, also one that turns it."""
    with ui.element("div").classes("tg-steps"):
        for icon, name, count in (
            ("first_page", _("Start"), -9999),
            ("chevron_left", _("Back"), -1),
            ("chevron_right", _("Forward"), 1),
            ("last_page", end, 9999),
        ):
            button("", partial(step, count), icon, aria_label=name).props("dense")
        if board is not None:
            button("", board.turn, "rotate_right", aria_label=_("Turn the board")).props("dense")


def step_with_arrow_keys(step: Callable[[int], object]) -> None:
    def on_key(event: Any) -> None:
        modifiers = event.modifiers  # with one of these the key belongs to the browser
        if event.action.keydown and not (modifiers.alt or modifiers.ctrl or modifiers.meta):
            if event.key.arrow_left:
                step(-1)
            elif event.key.arrow_right:
                step(1)

    ui.keyboard(on_key=on_key, ignore=["input", "select", "textarea"])
