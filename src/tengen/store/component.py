"""Base class of the mixins that make up `Store`."""

from __future__ import annotations

from datetime import UTC, datetime

from tengen.store.database import Database


class StoreComponent:
    """A group of `Store` methods that work on the same tables."""

    def __init__(self, database: Database) -> None:
        self._database = database


def now() -> datetime:
    return datetime.now(UTC)
