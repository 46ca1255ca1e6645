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
    """The moves; `go` is called with the number of the one that was clicked."""

    def __init__(self, rows: list[dict[str, Any]], at: int, go: Handler) -> None:
        super().__init__()
        self._props["start"] = {"rows": rows, "at": at}
        self.on("go", _arguments(go))

    def show(self, rows: list[dict[str, Any]] | None, at: int) -> None:
        """Without rows, those that are shown stay."""
        self.run_method("show", {"at": at} if rows is None else {"rows": rows, "at": at})


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
