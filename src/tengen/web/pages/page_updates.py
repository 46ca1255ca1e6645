"""Updates of a page outside its event handlers: at a limited rate, and only while the page is open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from nicegui import context

from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.core.translation import translate
from tengen.web.pages.layout import NOTICE_DELAY_S, PREPARING
from tengen.web.panels import ShownPosition

Data = TypeVar("Data")


class ThrottledUpdate:
    """Calls `update` in the page's context, at most every `interval_s` seconds."""

    def __init__(self, update: Callable[[], None], interval_s: float = 0.0) -> None:
        self._update = update
        self._interval_s = interval_s
        self._client = context.client
        self._timer: asyncio.TimerHandle | None = None
        self._updated_at = 0.0

    def schedule(self, delay_s: float = 0.0) -> None:
        """Update after `delay_s` seconds or later, unless an update is scheduled already."""
        if self._timer is None:
            pause = max(delay_s, self._updated_at + self._interval_s - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(pause, self._run)

    def _run(self) -> None:
        self._timer = None
        self._updated_at = time.monotonic()
        if not self._client.is_deleted:
            with self._client:
                self._update()


class PositionLoader(Generic[Data]):
    """Loads data about the position shown; results that a later load has overtaken are dropped.

    `note` receives a notice if loading takes long, and errors. Positions left within `delay_s` are not loaded.
    """

    def __init__(
        self,
        load: Callable[[Position], Awaitable[Data]],
        show: Callable[[Data], object],
        note: Callable[[str], object],
        delay_s: float = 0.0,
    ) -> None:
        self.position: Position | None = None
        self._load, self._show = load, show
        self._note: Callable[[str], object] = lambda text: note(translate(text))
        self._delay_s = delay_s
        self._client = context.client
        self._loads = 0

    def __call__(self, seen: ShownPosition) -> None:
        if seen.position is not self.position:
            self.position = seen.position
            self.reload()

    def reload(self) -> None:
        self._loads += 1
        if self.position is not None:
            asyncio.ensure_future(self._run(self.position, self._loads))  # noqa: RUF006

    async def _run(self, position: Position, number: int) -> None:
        await asyncio.sleep(self._delay_s)
        if number != self._loads:
            return
        work = asyncio.ensure_future(self._load(position))
        done, _ = await asyncio.wait({work}, timeout=NOTICE_DELAY_S)
        if not done:
            self._apply(number, self._note, PREPARING)
        try:
            found = await work
        except TengenError as error:
            self._apply(number, self._note, str(error))
        else:
            self._apply(number, self._show, found)

    def _apply(self, number: int, show: Callable[[Any], object], found: Any) -> None:
        if number == self._loads and not self._client.is_deleted:
            with self._client:
                show(found)
