"""Panels beside the board, for every game or for particular games. Engines register their panels here.

A panel has a title and a function that builds its content and returns a callback that shows a position in it.
Pages do not know individual panels, so adding one takes one call:

    def build(context: PanelContext) -> ShowPosition:
        label = ui.label()
        return lambda shown: label.set_text(str(shown.report))

    register_panel("Mine", build, games=("go",))

Overlays of a report need no panel: each can be selected by name. A panel may offer more overlays
(`PanelContext.add_overlays`). A panel with `playing=True` is also available beside games in progress.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from tengen.core.position import Position
from tengen.play.match import Match
from tengen.search.report import Report
from tengen.web.game_sessions import GameSessions

OverlayData: TypeAlias = dict[str, Any]  # as for `Board.set_overlays`, and a `legend`


@dataclass(frozen=True)
class ShownPosition:
    """The position shown and the best report on it."""

    position: Position
    report: Report | None


@dataclass(frozen=True)
class PanelContext:
    """What a panel can use: the sessions with store and engines, the match, and functions of the board.

    `play` makes a move. `preview` shows a line on the board, until it is called with None. `add_overlays` offers
    overlays by name for the position shown last and selects one of them if it is named.
    """

    sessions: GameSessions
    play: Callable[[str], Awaitable[None]]
    match: Match
    preview: Callable[[dict[str, Any] | None], None]
    add_overlays: Callable[[dict[str, OverlayData], str], None]
    may_edit_books: bool = False


ShowPosition: TypeAlias = Callable[[ShownPosition], None]
BuildPanel: TypeAlias = Callable[[PanelContext], ShowPosition]


@dataclass(frozen=True)
class Panel:
    title: str
    build: BuildPanel
    games: tuple[str, ...] = ()
    playing: bool = False


_panels: list[Panel] = []


def register_panel(title: str, build: BuildPanel, games: tuple[str, ...] = (), *, playing: bool = False) -> None:
    """Add a panel for these games, or for all games. It replaces a panel with the same title and games."""
    _panels[:] = [panel for panel in _panels if panel.title != title or panel.games != games]
    _panels.append(Panel(title, build, games, playing))


def panels_for(game: str) -> list[Panel]:
    """The panels for a game; those for every game come first."""
    found = [panel for panel in _panels if not panel.games or game in panel.games]
    return sorted(found, key=lambda panel: bool(panel.games))
