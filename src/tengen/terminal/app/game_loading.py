"""Opening a stored game or a new match in its screen."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from tengen import games
from tengen.core.game import Game
from tengen.core.translation import gettext as _
from tengen.play.match import Match
from tengen.players.opponents import demo_opponents
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.game_screen import GameScreen
from tengen.terminal.app.review_screen import ReviewScreen

if TYPE_CHECKING:
    from tengen.terminal.app.main import TengenApp

DEMO_GAMES: tuple[tuple[str, dict[str, object]], ...] = (
    ("othello", {}),
    ("go", {"size": 9}),
    ("pente", {"size": 13}),
    ("clobber", {"size": "5x6"}),
)


def open_game(app: TengenApp, session: AppSession, identity: str) -> None:
    """Continue a stored game, or review it if it is finished."""

    def load(say: Callable[[str], None]) -> Match:
        say(_("Loading …"))
        entry = session.store.load(identity)
        session.host.prefer_kernels(entry.record.game.name)
        return Match.open(entry, save=session.store.save)

    app.run_with_dialog(_("Opening the game"), load, lambda match: show(app, session, match))


def start_game(
    app: TengenApp, session: AppSession, game: Game, make: Callable[[], Match], *, ponder: bool = False
) -> None:
    """Start a new match. `make` runs in the background because it saves to disk."""

    def begin(say: Callable[[str], None]) -> Match:
        session.host.prefer_kernels(game.name)
        return make()

    app.run_with_dialog(_("Preparing the board"), begin, lambda match: show(app, session, match, ponder=ponder))


def show(app: TengenApp, session: AppSession, match: Match, *, ponder: bool = False) -> None:
    if match.result is None:
        app.push_screen(GameScreen(session, match, ponder=ponder))
    else:
        app.push_screen(ReviewScreen(session, match))


def start_demo(app: TengenApp, session: AppSession) -> None:
    """Start a game between two strong built-in opponents."""
    assert session.is_demo
    name, options = random.choice(DEMO_GAMES)
    game = games.game(name, **options)
    first, second = random.sample(demo_opponents(name), 2)
    start_game(app, session, game, lambda: Match.new(game, (first, second), rated=False, save=session.store.save))
