"""Work that may have to compile kernels first: people see why they wait, and Ctrl-C is heeded at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from rich.console import Console

Result = TypeVar("Result")

NOTICE = "Compiling for this machine, once: the next start takes no such time"


def patiently(console: Console, work: Callable[[], Result]) -> Result:
    """The result of `work`, done in a thread of its own because a compiler cannot be interrupted.

    On Ctrl-C that thread is left behind: it is a daemon, and the program is about to end.
    """
    from tengen.core.compiled.cache import announcing

    results: list[Result] = []
    errors: list[BaseException] = []
    compiling = threading.Event()

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="work", daemon=True)
    with ExitStack() as stack:
        stack.enter_context(announcing(lambda name: compiling.set()))
        thread.start()
        while thread.is_alive():
            thread.join(0.05)
            if compiling.is_set():
                stack.enter_context(_notice(console))
                while thread.is_alive():
                    thread.join(0.1)
    if errors:
        raise errors[0]
    return results[0]


def _notice(console: Console) -> ExitStack:
    """A spinner where somebody is watching, else one line."""
    stack = ExitStack()
    if console.is_terminal:
        stack.enter_context(console.status(f"{NOTICE} …"))
    else:
        console.print(f"{NOTICE}.", highlight=False)
    return stack
