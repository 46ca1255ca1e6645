"""Which games went through a position, and what was played there."""

from __future__ import annotations

from sqlalchemy import Connection

from tengen.games.records import Record
from tengen.store.part import Part


class Explorer(Part):
    """Games by position."""


def reindex(connection: Connection, number: int, before: Record | None, after: Record | None) -> None:
    """Make the positions of a game those of its new record."""
