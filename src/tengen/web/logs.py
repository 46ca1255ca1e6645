"""The server's log: one line per event, in the logfmt style that log collectors read.

    time=2026-11-18T09:30:00.123Z level=warning logger=tengen.web.server event="game not saved" game=…

Fields come from `extra={"fields": {…}}`. A `TengenError` is logged with its message only, any other exception with
its traceback, escaped into the same line. At level `info` every request is logged as well.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from datetime import UTC, datetime
from typing import IO, Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tengen.core.errors import TengenError

SECRET_PATHS = frozenset({"invite", "join"})
LEVELS = ("debug", "info", "warning", "error")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/+%@[]")
_requests = logging.getLogger("tengen.web.requests")


class LineFormatter(logging.Formatter):
    """Writes a log record as `key=value` pairs on one line."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields: dict[str, Any] = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            fields["error"] = f"{type(error).__name__}: {error}"
            if not isinstance(error, TengenError):
                fields["traceback"] = "".join(traceback.format_exception(error))
        return " ".join(f"{name}={_quoted(value)}" for name, value in fields.items())


def _quoted(value: object) -> str:
    text = str(value)
    return text if text and _PLAIN.issuperset(text) else json.dumps(text)


def _masked(path: str) -> str:
    """The path without the secret of a one-time link or a seat."""
    first = path.split("/", 2)[1] if path.startswith("/") else ""
    return f"/{first}/…" if first in SECRET_PATHS else path


def configure_logging(level: str = "warning", stream: IO[str] | None = None) -> None:
    """Send the log of this process to `stream`, standard error by default."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(LineFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "nicegui"):  # they have formats of their own
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    quiet = level != "debug"
    for name in ("nicegui", "alembic.runtime.plugins"):  # noise: missing pages, loaded extensions
        logging.getLogger(name).setLevel("ERROR" if quiet else "DEBUG")
    # At info level it logs the query of every WebSocket, which can contain a token.
    logging.getLogger("uvicorn.error").setLevel("WARNING" if quiet else "DEBUG")
    logging.getLogger("uvicorn.access").disabled = True  # replaced by `RequestLog`


class RequestLog:
    """ASGI middleware that logs each HTTP request after the response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _requests.isEnabledFor(logging.INFO):
            await self._app(scope, receive, send)
            return
        began = time.monotonic()
        status = 500

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, note_status)
        finally:
            fields = {
                "method": scope["method"],
                "path": _masked(scope["path"]),  # without the query, which may contain a token
                "status": status,
                "ms": round(1000 * (time.monotonic() - began), 1),
                "client": (scope.get("client") or ("-", 0))[0],
            }
            _requests.info("request", extra={"fields": fields})
