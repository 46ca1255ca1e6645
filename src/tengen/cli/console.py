"""Consoles of the commands: results go to standard output, errors and progress to standard error."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import RenderableType
from rich.live import Live

from tengen.terminal.console import plain_console

console = plain_console()
errors = plain_console(stderr=True)

TERMINAL_INTERVAL_S = 0.5
PLAIN_INTERVAL_S = 30.0


class LiveResult(Live):
    """Intermediate results of games: redrawn in place on a terminal, otherwise a line from time to time."""

    def __init__(self) -> None:
        super().__init__("The first games …", console=errors, transient=True)
        self._shown = time.monotonic()

    def show(self, draw: Callable[[], RenderableType], line: Callable[[], str]) -> None:
        now = time.monotonic()
        if now - self._shown < (TERMINAL_INTERVAL_S if errors.is_terminal else PLAIN_INTERVAL_S):
            return
        self._shown = now
        if errors.is_terminal:
            self.update(draw())
        else:
            errors.print(line())


def show_step(text: str) -> None:
    """Print progress if the output is a terminal."""
    if errors.is_terminal:
        errors.print(f"{text} …", style="dim")
