"""Engines for tests of protocols: one that is slow to stop, and one that fails."""

from __future__ import annotations

import threading
from typing import ClassVar

from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.search.engine import Engine, OnProgress
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Report
from tengen.search.simple import RandomPlayer

let_go = threading.Event()


class Slow(Engine):
    """Reports once, and returns only after `let_go` is set."""

    name: ClassVar[str] = "slow"
    summary: ClassVar[str] = "returns when it is let go"

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        report = RandomPlayer().search(position, limits)
        if on_progress is not None:
            on_progress(report)
        if limits.nodes is None:
            assert let_go.wait(60)
            if on_progress is not None:
                on_progress(report)  # too late: this must not be delivered
        return report


class Failing(Engine):
    """Refuses every position."""

    name: ClassVar[str] = "failing"
    summary: ClassVar[str] = "refuses"

    def search(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> Report:
        raise OptionError("not today")
