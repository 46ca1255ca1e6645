"""Panels: what stands beside the board in an analysis, for every game or for one. Engines add theirs here.

A panel has a title and a function that builds its content and returns how to show something in it. Pages know no
panel by name, so a new one is one call:

    def build(desk: Desk) -> Show:
        label = ui.label()
        return lambda seen: label.set_text(str(seen.report))

    register_panel("Mine", build, games=("go",))

What is drawn on the board needs not even that: every overlay of a report can be chosen there by its name. A panel
may offer more such layers (`Desk.draw`). One that is `playing` also stands beside games that are being played.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from tengen.core.position import Position
from tengen.play.match import Match
from tengen.search.report import Report
from tengen.web.game_sessions import GameSessions

Layer: TypeAlias = dict[str, Any]  # what `Board.dress` takes, and a `legend`


@dataclass(frozen=True)
class Seen:
    """What is looked at, and what is known of it."""

    position: Position
    report: Report | None


@dataclass(frozen=True)
class Desk:
    """What a panel can use: the sessions with its store and engines, moves to try on the board, and the game.

    `look` shows a line played out on the board, until None. `draw` offers layers by name for the position that was
    shown last, and has one of them chosen if it is named. `keeps_books` says that whoever looks may change books.
    """

    sessions: GameSessions
    play: Callable[[str], Awaitable[None]]
    match: Match
    look: Callable[[dict[str, Any] | None], None]
    draw: Callable[[dict[str, Layer], str], None]
    keeps_books: bool = False


Show: TypeAlias = Callable[[Seen], None]
Build: TypeAlias = Callable[[Desk], Show]


@dataclass(frozen=True)
class Panel:
    title: str
    build: Build
    games: tuple[str, ...] = ()
    playing: bool = False


_panels: list[Panel] = []


def register_panel(title: str, build: Build, games: tuple[str, ...] = (), *, playing: bool = False) -> None:
    """Add a panel for these games, or for all. One with a title that is there already takes its place."""
    _panels[:] = [panel for panel in _panels if panel.title != title or panel.games != games]
    _panels.append(Panel(title, build, games, playing))


def panels_for(game: str) -> list[Panel]:
    """Those of every game first, as all analyses begin with the same one."""
    found = [panel for panel in _panels if not panel.games or game in panel.games]
    return sorted(found, key=lambda panel: bool(panel.games))
