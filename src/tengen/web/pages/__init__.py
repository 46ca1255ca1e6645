"""The pages of the web app, one module each; `register` adds all of them to NiceGUI."""

from __future__ import annotations

from tengen.web.game_sessions import GameSessions


def register(sessions: GameSessions) -> None:
    """Register every page. Call it once per process: NiceGUI has one global app."""
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
