"""A foreign engine as the engine host runs it: made from plain settings, in a worker, like any other engine."""

from __future__ import annotations

import json
from typing import ClassVar

from tengen.core.position import Position
from tengen.players.program import ExternalProgram
from tengen.protocols.external.engine import external_engine
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report


class Hosted(Engine):
    """Another program, by its `ExternalProgram` as JSON. The program ends with this object or its process."""

    name: ClassVar[str] = "foreign"
    summary: ClassVar[str] = "another program, over a protocol"
    max_threads: ClassVar[int] = 1024  # which is the program's own business

    def __init__(self, *, spec: str, seed: int = 0, threads: int = 1) -> None:
        super().__init__(seed=seed, threads=threads)
        self._engine = external_engine(ExternalProgram.from_dict(json.loads(spec)))

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        return self._engine.search(position, limits, stop=stop, on_progress=on_progress)

    def __del__(self) -> None:
        if "_engine" in self.__dict__:
            self._engine.close()
