"""The server's log: one line per event."""

from __future__ import annotations

import asyncio
import io
import logging
import re
from collections.abc import Iterator

import pytest
from starlette.types import Message, Receive, Scope, Send

from tengen.core.errors import OptionError
from tengen.web.logs import RequestLog, configure_logging


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is logged at level info. Other tests get back the handlers that they had."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    stream = io.StringIO()
    configure_logging("info", stream)
    yield stream
    root.handlers[:], _ = before
    root.setLevel(before[1])


def test_an_event_is_one_line_of_fields(log: io.StringIO) -> None:
    logging.getLogger("tengen.x").warning("a game\nwas lost", extra={"fields": {"game": "7f", "why": 'a "b"'}})
    (line,) = log.getvalue().splitlines()
    assert re.match(r"time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z level=warning logger=tengen\.x ", line)
    assert line.endswith(r'event="a game\nwas lost" game=7f why="a \"b\""')


def test_an_error_of_a_user_has_no_traceback_and_a_bug_has_one_in_the_line(log: io.StringIO) -> None:
    for kind in (OptionError, ZeroDivisionError):
        try:
            raise kind("that is wrong")
        except Exception:
            logging.getLogger("tengen.x").exception("failed")
    user, bug = log.getvalue().splitlines()
    assert 'error="OptionError: that is wrong"' in user
    assert "traceback" not in user
    assert 'error="ZeroDivisionError: that is wrong"' in bug
    assert "test_logs.py" in bug


@pytest.mark.parametrize("fails", [False, True])
def test_a_request_is_logged_without_its_query(log: io.StringIO, fails: bool) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if fails:
            raise ValueError("a bug")
        await send({"type": "http.response.start", "status": 404, "headers": []})

    async def send(message: Message) -> None:
        pass

    async def receive() -> Message:
        return {"type": "http.request"}

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/a b\n",
        "query_string": b"token=secret",
        "client": ("127.0.0.1", 5),
    }
    try:
        asyncio.run(RequestLog(app)(scope, receive, send))
    except ValueError:
        assert fails
    (line,) = log.getvalue().splitlines()
    assert f'event=request method=GET path="/a b\\n" status={500 if fails else 404} ms=' in line
    assert line.endswith("client=127.0.0.1")
    assert "secret" not in line


def test_secrets_in_addresses_are_not_logged(log: io.StringIO) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Message) -> None:
        pass

    async def receive() -> Message:
        return {"type": "http.request"}

    for path in ("/invite/secret-token", "/join/some-game/secret-key"):
        asyncio.run(RequestLog(app)({"type": "http", "method": "GET", "path": path}, receive, send))
    assert "secret" not in log.getvalue()
    assert "/invite/" in log.getvalue()
    logging.getLogger("uvicorn.error").info('("WebSocket /api/games?token=secret" [accepted])')
    assert "secret" not in log.getvalue()
