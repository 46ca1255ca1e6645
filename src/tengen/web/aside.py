"""A process beside the server for short questions that need compiled code, but no engine's search.

It starts with the first question; that one may take long on a new machine, where its kernels have to be compiled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from typing import ParamSpec, TypeVar

from tengen.core.errors import TengenError
from tengen.jobs import LocalExecutor
from tengen.jobs.processes import give_way

_P = ParamSpec("_P")
_R = TypeVar("_R")

SLOW_AT_FIRST = "The first time, this is compiled for this machine: that may take a minute …"


class Aside:
    """Two such processes at most: what takes long keeps only one of them."""

    def __init__(self) -> None:
        self._executor = LocalExecutor(2, initializer=give_way)

    def submit(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> Future[_R]:
        """Begin to ask what a function of a module says in the other process."""
        try:
            return self._executor.submit(work, *args, **kwargs)
        except (BrokenExecutor, RuntimeError) as error:
            raise TengenError(f"this could not be found out: {error}") from None

    async def ask(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """What a function of a module says in the other process. Raises its `TengenError`s."""
        try:
            return await asyncio.wrap_future(self.submit(work, *args, **kwargs))
        except BrokenExecutor as error:
            raise TengenError(f"this could not be found out: {error}") from None

    def close(self) -> None:
        self._executor.terminate()
