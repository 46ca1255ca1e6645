"""Helpers for code that runs beside an asyncio event loop: calls into the loop, and blocking calls in threads."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Executor
from typing import ParamSpec, TypeVar, TypeVarTuple

from tengen.core.errors import TengenError
from tengen.core.translation import language, mark, use_language

P = ParamSpec("P")
R = TypeVar("R")
Ts = TypeVarTuple("Ts")


class ShuttingDown(TengenError):
    """The program is about to end and starts no more work."""


def call_in_loop(loop: asyncio.AbstractEventLoop, function: Callable[[*Ts], object], *args: *Ts) -> None:
    """Schedule a call in the loop from any thread. Does nothing if the loop is closed: searches may outlive it.

    The call does not inherit the context, and so the language, of the thread.
    """
    try:
        loop.call_soon_threadsafe(function, *args, context=contextvars.Context())
    except RuntimeError:
        if not loop.is_closed():
            raise


async def run_in_executor(executor: Executor, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a blocking call in a thread of `executor`, in the current language.

    Unlike the loop's method, it accepts keyword arguments. Raises `ShuttingDown` if the executor is closed.
    """
    reader = language()

    def run() -> R:
        with use_language(reader):
            return function(*args, **kwargs)

    try:
        future = executor.submit(run)
    except RuntimeError as error:
        raise ShuttingDown(mark("the server is shutting down")) from error
    return await asyncio.wrap_future(future)
