"""Work that may have to compile kernels first: people see why they wait, and Ctrl-C is heeded at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from rich.console import Console
from rich.status import Status

Result = TypeVar("Result")

_MOMENT = 2.0  # seconds
NOTICE = "Compiling for this machine, once: the next start takes no such time"


def patiently(
    console: Console,
    work: Callable[[], Result],
    progress: Callable[[], str] = lambda: "",
    stop: threading.Event | None = None,
) -> Result:
    """The result of `work`, done in a thread of its own because a compiler cannot be interrupted.

    What takes longer than a second shows what `progress` says, if it says anything. On Ctrl-C that thread is left
    behind: it is a daemon, and the program is about to end. Work that has to clean up watches `stop`, and is given
    a moment to.
    """
    from tengen.core.compiled.cache import compile_listener
    from tengen.core.interrupt import BackgroundCall

    compiling = threading.Event()
    started = time.monotonic()
    notice: Notice | None = None
    with ExitStack() as stack:
        stack.enter_context(compile_listener(lambda name: compiling.set()))
        call = BackgroundCall(work)
        try:
            while not call.wait(0.05):
                text = progress() if time.monotonic() - started > 1 else ""
                if notice is None and (text or compiling.is_set()):
                    notice = stack.enter_context(Notice(console))
                    if compiling.is_set():
                        notice.say(NOTICE)
                if notice is not None and text:
                    notice.say(text, again=True)
        except KeyboardInterrupt:
            if stop is not None:
                stop.set()
                call.wait(_MOMENT)
            raise
    return call.result()


class Notice(ExitStack):
    """A spinner where somebody is watching, else one line for each thing that is new."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._status: Status | None = None

    def say(self, text: str, again: bool = False) -> None:
        """Show a text; one that comes `again` and again goes only to a spinner."""
        if not self._console.is_terminal:
            if not again:
                self._console.print(f"{text}.", highlight=False)
        elif self._status is None:
            self._status = self.enter_context(self._console.status(f"{text} …"))
        else:
            self._status.update(f"{text} …")
