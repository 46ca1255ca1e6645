"""Slow calls with a progress display; Ctrl-C works even while kernels are being compiled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from rich.console import Console
from rich.status import Status

from tengen.core.translation import gettext as _
from tengen.core.translation import mark

Result = TypeVar("Result")

_CLEANUP_TIMEOUT_S = 2.0
COMPILING_MESSAGE = mark("Preparing (first time only)")


def run_with_progress(
    console: Console,
    work: Callable[[], Result],
    progress: Callable[[], str] = lambda: "",
    stop: threading.Event | None = None,
) -> Result:
    """Return the result of `work`, run in a thread because a compiler cannot be interrupted.

    After a second the text of `progress` is shown, if it is not empty. On Ctrl-C the daemon thread is abandoned,
    because the program is about to exit; if `stop` is given, it is set and the work has a short time to clean up.
    """
    from tengen.core.compiled.cache import compile_listener
    from tengen.core.interrupt import BackgroundCall

    compiling = threading.Event()
    started = time.monotonic()
    display: ProgressDisplay | None = None
    with ExitStack() as stack:
        stack.enter_context(compile_listener(lambda name: compiling.set()))
        call = BackgroundCall(work)
        try:
            while not call.wait(0.05):
                text = progress() if time.monotonic() - started > 1 else ""
                if display is None and (text or compiling.is_set()):
                    display = stack.enter_context(ProgressDisplay(console))
                    if compiling.is_set():
                        display.show(_(COMPILING_MESSAGE))
                if display is not None and text:
                    display.show(text, is_update=True)
        except KeyboardInterrupt:
            if stop is not None:
                stop.set()
                call.wait(_CLEANUP_TIMEOUT_S)
            raise
    return call.result()


class ProgressDisplay(ExitStack):
    """A spinner on a terminal, otherwise one line per message."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._status: Status | None = None

    def show(self, text: str, is_update: bool = False) -> None:
        """Show a text. An `is_update` is shown only by a spinner."""
        if not self._console.is_terminal:
            if not is_update:
                self._console.print(f"{text}.")
        elif self._status is None:
            self._status = self.enter_context(self._console.status(f"{text} …"))
        else:
            self._status.update(f"{text} …")
