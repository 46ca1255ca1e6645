"""Music while one plays, from a folder that the user named when the server was started."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, PlainTextResponse, Response
from nicegui import ui

from tengen.web.pages.frame import Visit

_SUFFIXES = {".mp3", ".ogg", ".oga", ".opus", ".m4a", ".flac", ".wav"}
_pieces: list[Path] = []


def find_music(folder: Path | None) -> int:
    """Note the pieces of a folder; returns how many there are."""
    found = sorted(folder.iterdir()) if folder is not None else []
    _pieces[:] = [path for path in found if path.suffix.lower() in _SUFFIXES and path.is_file()]
    return len(_pieces)


def serve_music(app: FastAPI) -> None:
    @app.get("/music/{number}", include_in_schema=False)
    async def piece(number: int) -> Response:
        if 0 <= number < len(_pieces):
            return FileResponse(_pieces[number])
        return PlainTextResponse("there is no such piece", 404)


def player_of_music(visit: Visit) -> None:
    """An audio player on this page, if there is music and the visitor wants it: one piece after the other."""
    if not _pieces or not visit.options.music:
        return
    audio = ui.audio("/music/0", controls=True).style("width: 100%; height: 32px; padding: 0 16px")
    at = 0

    def next_piece() -> None:
        nonlocal at
        at = (at + 1) % len(_pieces)
        audio.set_source(f"/music/{at}")
        audio.play()

    audio.on("ended", next_piece)
    ui.run_javascript(f"getElement({audio.id}).$el.volume = {visit.options.volume / 100}")
