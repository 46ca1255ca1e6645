"""Errors raised inside methods that do not fail otherwise."""

from __future__ import annotations

import threading
from typing import Any

import pytest


def fail_once(monkeypatch: pytest.MonkeyPatch, owner: type, method: str, times: int = 1) -> threading.Event:
    """Let a method raise `ZeroDivisionError` in its first `times` calls after the returned event is set.

    Only objects created from now on are affected: threads of older ones, as in fixtures, may be running.
    """
    armed, left, affected = threading.Event(), [times], []
    original, initialize = getattr(owner, method), owner.__init__  # type: ignore[misc]

    def initialized(self: Any, *args: Any, **kwargs: Any) -> None:
        affected.append(self)
        initialize(self, *args, **kwargs)

    def faulty(self: Any, *args: Any, **kwargs: Any) -> Any:
        if armed.is_set() and left[0] and any(self is one for one in affected):
            left[0] -= 1
            raise ZeroDivisionError("injected")
        return original(self, *args, **kwargs)

    monkeypatch.setattr(owner, "__init__", initialized)
    monkeypatch.setattr(owner, method, faulty)
    return armed
