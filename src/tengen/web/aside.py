"""Helper processes beside the server, for short questions that need compiled code but no engine's search.

They start with the first question; that one may take long on a new machine, where its kernels have to be compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from tengen.jobs.helper_pool import HelperPool

_P = ParamSpec("_P")
_R = TypeVar("_R")

SLOW_AT_FIRST = "The first time, this is compiled for this machine: that may take a minute …"


class Aside(HelperPool):
    """Two such processes at most: what takes long keeps only one of them."""

    def __init__(self) -> None:
        super().__init__("questions", workers=2)

    async def ask(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """What a function of a module says in the other process. Raises its `TengenError`s."""
        return await self.run(work, *args, **kwargs)
