"""The HTTP status of each error, for the API, downloads and pages."""

from __future__ import annotations

from tengen.app.event_loop import ShuttingDown
from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, TooLarge
from tengen.store.errors import NotStored, StoreConflict, StoreUnavailable
from tengen.web.permissions import NotAllowed

_STATUS: tuple[tuple[type[TengenError], int], ...] = (  # the first match counts
    (NotStored, 404),
    (NotAllowed, 403),
    (StoreConflict, 409),
    (StoreUnavailable, 503),
    (ShuttingDown, 503),
    (TooLarge, 413),
    (LimitExceeded, 429),
    (TengenError, 422),
)
_RETRY_AFTER_S = {429: 5, 503: 5}


def status_of(error: TengenError) -> int:
    return next(status for kind, status in _STATUS if isinstance(error, kind))


def retry_header(status: int) -> dict[str, str]:
    """The `Retry-After` header for statuses that invite a retry."""
    return {"retry-after": str(_RETRY_AFTER_S[status])} if status in _RETRY_AFTER_S else {}
