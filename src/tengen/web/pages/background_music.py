"""Background music from a folder given at server start."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, PlainTextResponse, Response

from tengen.web.elements import Music
from tengen.web.pages.layout import Visit

_SUFFIXES = {".mp3", ".ogg", ".oga", ".opus", ".m4a", ".flac", ".wav"}
_tracks: list[Path] = []


def find_music(folder: Path | None) -> list[Path]:
    """Find the tracks in a folder and its subfolders; symbolic links out of the folder are ignored."""
    _tracks.clear()
    if folder is not None:
        home = folder.resolve()
        found = (path.resolve() for path in sorted(folder.rglob("*")) if path.suffix.lower() in _SUFFIXES)
        _tracks.extend(path for path in found if path.is_file() and path.is_relative_to(home))
    return list(_tracks)


def serve_music(app: FastAPI) -> None:
    """Serve tracks by number, so that requests cannot name files."""

    @app.get("/music/{number}", include_in_schema=False)
    async def track(number: int) -> Response:
        if 0 <= number < len(_tracks) and _tracks[number].is_file():
            return FileResponse(_tracks[number])
        return PlainTextResponse("no such track", 404)


def has_music() -> bool:
    return bool(_tracks)


def build_music_player(visit: Visit) -> None:
    """Add the music player to the page, if there is music and the visitor has enabled it."""
    if _tracks and visit.preferences.music:
        Music([path.stem for path in _tracks], visit.preferences.volume)
