"""Cancellation of long requests whose client disconnects."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from fastapi import HTTPException, Request

_R = TypeVar("_R")
CLIENT_CLOSED_REQUEST = 499  # only visible in logs


async def while_connected(request: Request, work: Awaitable[_R]) -> _R:
    """Wait for `work`; cancel it if the client disconnects first."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise HTTPException(CLIENT_CLOSED_REQUEST, "the client has disconnected")
        if task.cancelled():
            raise HTTPException(503, "the server is shutting down")
        return task.result()
    finally:
        task.cancel()
        gone.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
