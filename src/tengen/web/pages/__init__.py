"""The pages, a module each. `register` tells NiceGUI of all of them."""

from __future__ import annotations

from tengen.web.hall import Hall


def register(hall: Hall) -> None:
    """Make every page known. Once in a process: NiceGUI has one app."""
    from tengen.web.pages import (
        analysis,
        arena,
        boards,
        books,
        clobber,
        drills,
        frame,
        join,
        library,
        new_game,
        pente,
        play,
        players,
        puzzles,
        settings,
        start,
    )

    frame.explain_errors()
    modules = (start, new_game, play, join, analysis, boards, library, players, puzzles, books)
    for module in (*modules, drills, settings, clobber, pente, arena):
        module.register(hall)
