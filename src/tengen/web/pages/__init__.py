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
        daily_puzzle,
        deck,
        drills,
        error_pages,
        external_engine,
        find_level,
        home,
        join,
        learn,
        lesson,
        library,
        new_game,
        pente,
        play,
        player_report,
        players,
        position_editor,
        proofs,
        puzzles,
        settings,
        timed_run,
    )

    error_pages.register(sessions)
    modules = (
        home,
        new_game,
        play,
        join,
        analysis,
        analysis_start,
        position_editor,
        library,
        external_engine,  # before the page of a player, whose path also matches
        players,
        timed_run,  # its address is more special than that of a kind of puzzles
        puzzles,
        books,
    )
    for module in (
        *modules,
        deck,
        player_report,
        drills,
        daily_puzzle,
        learn,
        lesson,
        find_level,
        settings,
        clobber,
        pente,
        proofs,
        arena,
    ):
        module.register(sessions)
