"""What every part of a store has: the database."""

from __future__ import annotations

from datetime import UTC, datetime

from tengen.store.database import Database


class Part:
    """A part of `Store` that owns some of the tables."""

    def __init__(self, database: Database) -> None:
        self._database = database


def now() -> datetime:
    return datetime.now(UTC)
