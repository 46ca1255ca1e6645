"""Music while one plays, from a folder that the user named when the server was started."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, PlainTextResponse, Response

from tengen.web.elements import Music
from tengen.web.pages.layout import Visit

_SUFFIXES = {".mp3", ".ogg", ".oga", ".opus", ".m4a", ".flac", ".wav"}
_pieces: list[Path] = []


def find_music(folder: Path | None) -> list[Path]:
    """Note the pieces in a folder and those below it, but nothing that a link leads to elsewhere."""
    _pieces.clear()
    if folder is not None:
        home = folder.resolve()
        found = (path.resolve() for path in sorted(folder.rglob("*")) if path.suffix.lower() in _SUFFIXES)
        _pieces.extend(path for path in found if path.is_file() and path.is_relative_to(home))
    return list(_pieces)


def serve_music(app: FastAPI) -> None:
    """Pieces are asked for by number, so that no request can name a file."""

    @app.get("/music/{number}", include_in_schema=False)
    async def piece(number: int) -> Response:
        if 0 <= number < len(_pieces) and _pieces[number].is_file():
            return FileResponse(_pieces[number])
        return PlainTextResponse("there is no such piece", 404)


def has_music() -> bool:
    return bool(_pieces)


def build_music_player(visit: Visit) -> None:
    """Something to hear on this page, if there is music and the visitor wants it."""
    if _pieces and visit.preferences.music:
        Music([path.stem for path in _pieces], visit.preferences.volume)
