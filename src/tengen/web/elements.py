"""NiceGUI elements for our own Vue components.

Props give the initial content. Later changes are sent by methods, because changing a prop sends all props again.
Therefore such an element must not be placed where it is removed from the page and added again, as in a tab.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import events
from nicegui.element import Element

from tengen.core.translation import gettext as _
from tengen.core.translation import translate
from tengen.web.component_script import tag_of

Handler = Callable[[Any], Any]


def _arguments(handler: Handler) -> Callable[[events.GenericEventArguments], Any]:
    return lambda event: handler(event.args)


def _board_words() -> dict[str, str]:
    """The words of the board component; it fills in the placeholders."""
    return {
        "play": _("Play {move}"),
        "cancel": _("Cancel"),
        "zoom in": _("Zoom in"),
        "zoom out": _("Show the whole board"),
        "size": _("{columns} by {rows}"),
        "strip": _("a strip of {columns}"),
        "picture": _("{title}, {size}: {firsts} {first}, {seconds} {second}"),
        "summary": _(
            "{title}, {size}: {firsts} {first}, {seconds} {second}. "
            "Enter shows a cursor, arrow keys move it, Enter plays, Escape hides it."
        ),
        "empty": _("empty"),
        "point": _("{point}, {what}"),
        "playable": _("{point}, {what}, can be played"),
        "effect": _("{move}, captures or flips {points}"),
        "can go to": _("{point} can go to {points}"),
        "cursor off": _("Arrow keys step through the game"),
    }


def _translated(board: dict[str, Any]) -> dict[str, Any]:
    """Board data, which visitors share, with the words of this page's language."""
    return {**board, "title": _(board["title"]), "players": [_(name) for name in board["players"]]}


class Board(Element):
    """A board. Events: `move`, `aim` (a point was touched; answer with `show_aim`), `mark`, `tap`."""

    def __init__(self, board: dict[str, Any], config: dict[str, Any], **handlers: Handler) -> None:
        super().__init__(tag_of("board"))
        self._props["board"] = _translated(board)
        self._props["config"] = config
        self._props["overlays"] = {}
        self._props["words"] = _board_words()
        for name, handler in handlers.items():
            self.on(name, _arguments(handler))

    def show(self, board: dict[str, Any]) -> None:
        with self.client:  # the caller may be a task that belongs to no page
            self.run_method("show", _translated(board))

    def set_overlays(self, overlays: dict[str, Any]) -> None:
        """Replace all overlays: heat, labels, candidates, arrows, ghosts, dead, bar."""
        self.run_method("setOverlays", overlays)

    def preview(self, line: dict[str, Any] | None) -> None:
        """Show the board after a line of moves (see `line_preview`); None ends the preview."""
        self.run_method("preview", line)

    def show_aim(self, aim: dict[str, Any]) -> None:
        self.run_method("showAim", aim)

    def reject(self, reason: str) -> None:
        """Show why a move was not accepted."""
        with self.client:
            self.run_method("reject", translate(reason))

    def turn(self) -> None:
        """Turn the board by a quarter, a single row by half a turn."""
        self.run_method("turn")

    def sound(self, name: str) -> None:
        """Play a sound of components/board/sound.js, such as `win`, if the visitor wants sounds."""
        self.run_method("sound", name)

    def configure(self, **config: Any) -> None:
        if {**self._props["config"], **config} != self._props["config"]:
            self._props["config"] = {**self._props["config"], **config}
            self.update()


class Graph(Element):
    """A graph of values over moves; `go` is called with the ply clicked."""

    def __init__(self, data: dict[str, Any], label: str, go: Handler) -> None:
        super().__init__(tag_of("graph"))
        self._props["start"] = data
        self._props["label"] = label
        self.on("go", _arguments(go))

    def show(self, data: dict[str, Any]) -> None:
        self.run_method("show", data)


class MoveList(Element):
    """The move list; `go` is called with the number of the move clicked.

    Only rows that differ from those on the page are sent. Each patch names the version that it applies to; a page
    that has another one, because a message was lost, asks for all rows.
    """

    def __init__(self, rows: list[dict[str, Any]], at: int, go: Handler) -> None:
        super().__init__(tag_of("moves"))
        self._rows = list(rows)
        self._at = at
        self._version = 0
        self._props["start"] = {"rows": rows, "at": at}
        self._props["words"] = {"moves": _("Moves"), "none": _("No moves yet")}
        self.on("go", _arguments(go))
        self.on("resync", lambda _event: self._send(0, None, self._rows))

    def show(self, rows: list[dict[str, Any]] | None, at: int) -> None:
        """Show these rows, or those already shown if None, and highlight the move with the number `at`."""
        self._at = at
        if rows is None:
            self.run_method("show", {"at": at})
            return
        before, self._rows = self._rows, list(rows)
        first, end = _changed_range(before, rows)
        self._version += 1
        self._send(first, len(before) - end - first, rows[first : len(rows) - end])

    def _send(self, first: int, removed: int | None, rows: list[dict[str, Any]]) -> None:
        """Replace `removed` rows from `first` on; None replaces everything."""
        patch = {"first": first, "removed": removed, "rows": rows}
        self.run_method("show", {"at": self._at, "version": self._version, "patch": patch})


def _changed_range(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> tuple[int, int]:
    """The number of equal rows at the start, and of those at the end."""
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and (before[start] is after[start] or before[start] == after[start]):
        start += 1
    end = 0
    while end < shorter - start and (before[-1 - end] is after[-1 - end] or before[-1 - end] == after[-1 - end]):
        end += 1
    return start, end


class Lines(Element):
    """The candidate lines of an engine. Events: `hover`, `leave`, `follow` (click).

    Their argument has the row, the step in its line, and the moves up to there as the page showed them.
    """

    def __init__(self, placeholder: str, **handlers: Handler) -> None:
        super().__init__(tag_of("lines"))
        self._props["placeholder"] = placeholder
        for name, handler in handlers.items():
            self.on(name, _arguments(handler))

    def show(self, rows: list[dict[str, Any]], placeholder: str = "") -> None:
        self.run_method("show", rows, placeholder)


class ClockFace(Element):
    """A clock that ticks in the browser."""

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(tag_of("clock"))
        self._props["start"] = data

    def show(self, data: dict[str, Any]) -> None:
        self.run_method("show", data)


class Music(Element):
    """A player for the named music tracks."""

    def __init__(self, names: list[str], volume: int) -> None:
        super().__init__(tag_of("music"))
        self._props["names"] = names
        self._props["volume"] = volume
        words = {"music": _("Music"), "pause": _("Pause music"), "play": _("Play music"), "next": _("Next track")}
        self._props["words"] = words


class PasteField(Element):
    """A field for pasted games or a file, which is sent to `target`.

    If the answer names a page, it is opened; otherwise the event `done` has the answer.
    """

    def __init__(self, texts: dict[str, str], limit: int, target: str, **handlers: Handler) -> None:
        super().__init__(tag_of("paste"))
        for name, handler in handlers.items():
            self.on(name, _arguments(handler))
        # The API answers in English.
        self.on("refused", lambda event: self.run_method("explain", translate(str(event.args))))
        self._props["texts"] = texts
        self._props["limit"] = limit
        self._props["target"] = target
