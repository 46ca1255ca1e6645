"""Errors of the store that are no fault of the program: one line each, fit to be shown."""

from __future__ import annotations

from tengen.core.errors import TengenError


class StoreError(TengenError):
    """The store refuses what was asked for, or cannot do it. What was stored before is as it was."""


class StoreUnavailable(StoreError):
    """The database cannot be read or written now: a full disk, a lost connection, a lock held for too long.

    The request itself was fine and may work later; servers answer 503. What was to be saved may not be saved.
    """


class StoreConflict(StoreError):
    """An entry was changed elsewhere since it was loaded. Nothing was saved: load it again."""


class NotStored(StoreError):
    """There is no such game or player in the store."""
