"""Running a long kernel so that Ctrl-C still works.

Python handles a signal only between its own instructions, so a kernel in the main thread would make Ctrl-C wait
for its end. Here it runs in a thread of its own, on code that releases the GIL, and is told to stop by a flag.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

Result = TypeVar("Result")


def run_interruptible(work: Callable[[np.ndarray[Any, Any]], Result]) -> Result:
    """The result of `work(stop)`, where `stop` is an int64 array that the kernel watches; Ctrl-C sets it."""
    stop = np.zeros(1, np.int64)
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work(stop))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="kernel", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except BaseException:
        stop[0] = 1
        thread.join()
        raise
    if errors:
        raise errors[0]
    return results[0]
