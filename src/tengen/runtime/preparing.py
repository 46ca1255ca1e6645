"""Texts for the user while kernels are compiled in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

OnPreparing = Callable[[str], None]
_listeners: list[OnPreparing] = []


def announce(text: str) -> None:
    """Send a text to all listeners."""
    for listener in list(_listeners):
        listener(text)


@contextmanager
def preparing_listener(listener: OnPreparing) -> Iterator[None]:
    """Within this block, call `listener` with texts for the user while kernels are compiled in this process."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
