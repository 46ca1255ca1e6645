"""From the threads of searches into the server's loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVarTuple

Ts = TypeVarTuple("Ts")


def call_in(loop: asyncio.AbstractEventLoop, function: Callable[[*Ts], object], *args: *Ts) -> None:
    """Have the loop call the function soon, unless it has ended: searches outlive it while the server stops."""
    try:
        loop.call_soon_threadsafe(function, *args)
    except RuntimeError:
        if not loop.is_closed():
            raise
