"""Which HTTP status an error is answered with, for the API, downloads and pages."""

from __future__ import annotations

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, TooLarge
from tengen.store.errors import NotStored, StoreConflict, StoreUnavailable
from tengen.web.game_session import NotYours
from tengen.web.permissions import NotAllowed

_STATUS: tuple[tuple[type[TengenError], int], ...] = (  # the first that fits
    (NotStored, 404),
    (NotYours, 403),
    (NotAllowed, 403),
    (StoreConflict, 409),
    (StoreUnavailable, 503),
    (TooLarge, 413),
    (LimitExceeded, 429),
    (TengenError, 422),
)
_RETRY_AFTER_S = {429: 5, 503: 5}


def status_of(error: TengenError) -> int:
    """The status for an error: 403, 404, 409, 413, 422, 429 or 503."""
    return next(status for kind, status in _STATUS if isinstance(error, kind))


def retry_header(status: int) -> dict[str, str]:
    """The header that says when to try again, for a status that allows it."""
    return {"retry-after": str(_RETRY_AFTER_S[status])} if status in _RETRY_AFTER_S else {}
