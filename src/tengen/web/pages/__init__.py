"""The pages, a module each. `register` tells NiceGUI of all of them."""

from __future__ import annotations

from tengen.web.hall import Hall


def register(hall: Hall) -> None:
    """Make every page known. Once in a process: NiceGUI has one app."""
    from tengen.web.pages import (
        analysis,
        arena,
        books,
        clobber,
        drills,
        library,
        new_game,
        play,
        players,
        puzzles,
        settings,
        start,
    )

    modules = (start, new_game, play, analysis, library, players, puzzles, books, drills, settings, clobber, arena)
    for module in modules:
        module.register(hall)
