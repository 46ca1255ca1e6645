"""Errors of the store, each with a one-line message for the user."""

from __future__ import annotations

from tengen.core.errors import TengenError


class StoreError(TengenError):
    """The store cannot perform a request. Stored data is unchanged."""


class StoreUnavailable(StoreError):
    """The database is temporarily unavailable: full disk, lost connection, lock timeout.

    The request was valid and may succeed later; servers answer 503. An unconfirmed save may or may not be stored.
    """


class StoreConflict(StoreError):
    """An entry was changed elsewhere since it was loaded. Nothing was saved; load it again."""


class NotStored(StoreError):
    """No such game, player, puzzle or account is stored."""
