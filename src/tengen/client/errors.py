"""Errors of the client. Each is a `TengenError` with one line."""

from __future__ import annotations

import httpx

from tengen.core.errors import TengenError


class ClientError(TengenError):
    """The server refused a request. `status` is the HTTP status, 0 if there was no answer."""

    status = 0

    def __init__(self, message: str, status: int = 0, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s


class CannotConnect(ClientError):
    """The server does not answer, or the connection was lost."""


class NotAllowed(ClientError):
    """A token or account is missing or wrong, or another player's key is needed (401, 403)."""


class NotFound(ClientError):
    """There is no such game, puzzle or path (404)."""


class Conflict(ClientError):
    """Somebody else changed it first (409)."""


class Invalid(ClientError):
    """The request is wrong: an illegal move, an unknown option, a text that is too long (413, 422)."""


class Busy(ClientError):
    """The server has too much to do, or its database is away (429, 503): try again after `retry_after_s`."""


_KINDS: dict[int, type[ClientError]] = {
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: Invalid,
    422: Invalid,
    429: Busy,
    503: Busy,
}


def error_of(response: httpx.Response) -> ClientError:
    """The error that a response stands for."""
    status = response.status_code
    wait = response.headers.get("retry-after", "")
    message = _detail(response) or f"the server answered with status {status}"
    return _KINDS.get(status, ClientError)(message, status, float(wait) if wait.isdecimal() else None)


def _detail(response: httpx.Response) -> str:
    try:
        detail = response.json()["detail"]
    except (ValueError, KeyError, TypeError):
        return response.text.strip().partition("\n")[0][:200]
    if isinstance(detail, list):  # of a request that does not fit the models: the first fault, with its place
        first = detail[0]
        return f"{' '.join(map(str, first['loc']))}: {first['msg']}"
    return str(detail)
