"""The pages, a module each. `register` tells NiceGUI of all of them."""

from __future__ import annotations

from tengen.web.game_sessions import GameSessions


def register(sessions: GameSessions) -> None:
    """Make every page known. Once in a process: NiceGUI has one app."""
    from tengen.web.pages import (
        analysis,
        analysis_start,
        arena,
        books,
        clobber,
        drills,
        home,
        join,
        layout,
        library,
        new_game,
        pente,
        play,
        players,
        puzzles,
        settings,
    )

    layout.register_error_pages()
    modules = (home, new_game, play, join, analysis, analysis_start, library, players, puzzles, books)
    for module in (*modules, drills, settings, clobber, pente, arena):
        module.register(sessions)
