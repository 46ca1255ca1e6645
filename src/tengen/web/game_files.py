"""A game as a file: a record in any format, or a picture. For the downloads of pages and of the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from tengen.app.pictures import ANIMATED, PictureOptions, picture
from tengen.games import records
from tengen.web.concurrency_limiter import Slots
from tengen.web.game_sessions import GameSessions

PICTURES = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
    "html": "text/html; charset=utf-8",
}
MAX_HEIGHT = 1200  # of a picture, in pixels
MAX_ANIMATIONS = 1  # of a visitor at the same time
_animations = Slots("animations")


@dataclass(frozen=True)
class FileWanted:
    """A format, and for pictures the number of moves of the main line, by default all, and the size."""

    form: str
    upto: int | None = None
    options: PictureOptions = field(default_factory=lambda: PictureOptions(height=480))

    @property
    def media_type(self) -> str:
        return PICTURES.get(self.form, "application/octet-stream")


async def game_file(sessions: GameSessions, game_id: str, wanted: FileWanted, caller: str) -> bytes:
    """The content of a file. Animations are drawn in a helper process, one at a time for each caller."""
    session = await sessions.get(game_id)
    record = (await sessions.run_in_thread(session.match.to_entry)).record
    suffix = f".{wanted.form}"
    if suffix in ANIMATED:
        with _animations.take(caller, MAX_ANIMATIONS):
            return await sessions.helper_pool.run(picture, record, suffix, wanted.upto, wanted.options)
    if wanted.form in PICTURES:
        return await sessions.run_in_thread(picture, record, suffix, wanted.upto, wanted.options)
    return await sessions.run_in_thread(
        lambda: records.serialise([record], records.format_named(wanted.form)).data
    )
