"""Opening a stored game or a new match in its screen. Compiles the game's kernels first if needed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from tengen import games
from tengen.core.compiled.cache import compile_listener
from tengen.core.game import Game
from tengen.play.match import Match
from tengen.players.opponents import opponents
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


def compile_rules(game: Game, say: Callable[[str], None]) -> None:
    """Load or compile the kernels of a game's rules in advance, so that no key press waits for them."""

    def announce(kernel: str) -> None:
        say(f"Compiling for this machine, once: {kernel} …")

    with compile_listener(announce):
        position = game.start()
        if not position.is_over:
            after = position.play(position.legal_moves[0])
            assert after.diagram() is not None
            len(after.legal_moves)
        game.compile_kernels()


def open_game(app: TengenApp, session: AppSession, identity: str) -> None:
    """Continue a stored game, or review it if it is finished."""

    def load(say: Callable[[str], None]) -> Match:
        say("Loading …")
        entry = session.store.load(identity)
        compile_rules(entry.record.game, say)
        return Match.open(entry, save=session.store.save)

    app.run_with_dialog("Opening the game", load, lambda match: show(app, session, match))


def start_game(
    app: TengenApp, session: AppSession, game: Game, make: Callable[[], Match], *, ponder: bool = False
) -> None:
    """Start a new match. `make` runs in the background because it saves to disk."""

    def begin(say: Callable[[str], None]) -> Match:
        compile_rules(game, say)
        return make()

    app.run_with_dialog("Setting up the board", begin, lambda match: show(app, session, match, ponder=ponder))


def show(app: TengenApp, session: AppSession, match: Match, *, ponder: bool = False) -> None:
    if match.result is None:
        app.push_screen(GameScreen(session, match, ponder=ponder))
    else:
        app.push_screen(ReviewScreen(session, match))


def start_demo(app: TengenApp, session: AppSession) -> None:
    """Start a game between two random built-in opponents."""
    assert session.is_demo
    name, options = random.choice(DEMO_GAMES)
    game = games.game(name, **options)
    first, second = random.sample(opponents(name)[2:4], 2)
    start_game(app, session, game, lambda: Match.new(game, (first, second), rated=False, save=session.store.save))
