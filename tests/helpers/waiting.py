"""Waiting for a condition instead of for a time."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMEOUT_S = 240.0  # for what usually takes a second or two: the machine may be busy


def wait_until(condition: Callable[[], object], message: str = "the condition was not met in time") -> None:
    """Poll `condition` until it is true. Fails with `message` after `TIMEOUT_S`."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, message
        time.sleep(0.01)
