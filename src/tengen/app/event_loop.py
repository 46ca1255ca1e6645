"""Helpers for code that runs beside an asyncio event loop: calls into the loop, and blocking calls in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import ParamSpec, TypeVar, TypeVarTuple

P = ParamSpec("P")
R = TypeVar("R")
Ts = TypeVarTuple("Ts")


def call_in_loop(loop: asyncio.AbstractEventLoop, function: Callable[[*Ts], object], *args: *Ts) -> None:
    """Schedule a call in the loop from any thread. Does nothing if the loop is closed: searches may outlive it."""
    try:
        loop.call_soon_threadsafe(function, *args)
    except RuntimeError:
        if not loop.is_closed():
            raise


async def run_in_executor(executor: Executor, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a blocking call in a thread of `executor`; unlike the loop's method, it accepts keyword arguments."""
    return await asyncio.get_running_loop().run_in_executor(executor, partial(function, *args, **kwargs))
