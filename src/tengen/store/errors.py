"""What can go wrong with a store by no fault of the program: one line each, fit to be shown."""

from __future__ import annotations

from tengen.core.errors import TengenError


class StoreError(TengenError):
    """The store cannot be opened, read or written. What was stored before is as it was."""


class StoreConflict(StoreError):
    """An entry was changed elsewhere since it was loaded. Nothing was saved: load it again."""


class StoreUnavailable(StoreError):
    """The database cannot be reached or written now. Nothing was changed; try again."""


class NotStored(StoreError):
    """There is no such game or player in the store."""
