"""The components of our own, as elements of NiceGUI.

Props say what is drawn at first. What changes goes by methods, because a change of props sends all of them again;
so such an element must not be put where it is taken out of the page and back, as in a tab.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import events
from nicegui.element import Element

Handler = Callable[[Any], Any]


def _arguments(handler: Handler) -> Callable[[events.GenericEventArguments], Any]:
    return lambda event: handler(event.args)


class Board(Element, component="components/board.js"):
    """A board. It calls back with what somebody did: `move`, `ask`, `mark`, `tap`."""

    def __init__(self, picture: dict[str, Any], config: dict[str, Any], **handlers: Handler) -> None:
        super().__init__()
        self._props["picture"] = picture
        self._props["config"] = config
        self._props["dressing"] = {}
        for name, handler in handlers.items():
            self.on(name, _arguments(handler))

    def show(self, picture: dict[str, Any]) -> None:
        self.run_method("show", picture)

    def dress(self, dressing: dict[str, Any]) -> None:
        """Draw these overlays instead of those before: heat, labels, candidates, arrows, ghosts, dead, bar."""
        self.run_method("dress", dressing)

    def look(self, ahead: dict[str, Any] | None) -> None:
        """Show a line played out, until None."""
        self.run_method("look", ahead)

    def answer(self, aim: dict[str, Any]) -> None:
        self.run_method("answer", aim)

    def refuse(self, why: str) -> None:
        self.run_method("refuse", why)

    def configure(self, **config: Any) -> None:
        if {**self._props["config"], **config} != self._props["config"]:
            self._props["config"] = {**self._props["config"], **config}
            self.update()


class Graph(Element, component="components/graph.js"):
    """Values over moves; `go` is called with the ply that was clicked."""

    def __init__(self, data: dict[str, Any], label: str, go: Handler) -> None:
        super().__init__()
        self._props["start"] = data
        self._props["label"] = label
        self.on("go", _arguments(go))

    def show(self, data: dict[str, Any]) -> None:
        self.run_method("show", data)


class MoveList(Element, component="components/moves.js"):
    """The moves; `go` is called with the number of the one that was clicked.

    Only rows that differ from those on the page are sent. Each patch names the version that it applies to; a page
    that has another one, because a message was lost, asks for all rows.
    """

    def __init__(self, rows: list[dict[str, Any]], at: int, go: Handler) -> None:
        super().__init__()
        self._rows = list(rows)
        self._at = at
        self._version = 0
        self._props["start"] = {"rows": rows, "at": at}
        self.on("go", _arguments(go))
        self.on("resync", lambda _: self._send(0, None, self._rows))

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


class Lines(Element, component="components/lines.js"):
    """An engine's candidates. Calls back with `peek`, `unpeek` and `follow`."""

    def __init__(self, quiet: str, **handlers: Handler) -> None:
        super().__init__()
        self._props["quietly"] = quiet
        for name, handler in handlers.items():
            self.on(name, _arguments(handler))

    def show(self, rows: list[dict[str, Any]], quiet: str = "") -> None:
        self.run_method("show", rows, quiet)


class ClockFace(Element, component="components/clock.js"):
    """A clock, which ticks by itself."""

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__()
        self._props["start"] = data

    def show(self, data: dict[str, Any]) -> None:
        self.run_method("show", data)


class Music(Element, component="components/music.js"):
    """Pieces of music, by their names."""

    def __init__(self, names: list[str], volume: int) -> None:
        super().__init__()
        self._props["names"] = names
        self._props["volume"] = volume
