"""Errors raised inside methods that do not fail otherwise."""

from __future__ import annotations

import threading
from typing import Any

import pytest


def fail_once(monkeypatch: pytest.MonkeyPatch, owner: type, method: str, times: int = 1) -> threading.Event:
    """Let a method raise `ZeroDivisionError` in its first `times` calls after the returned event is set."""
    armed, left, original = threading.Event(), [times], getattr(owner, method)

    def faulty(self: Any, *args: Any, **kwargs: Any) -> Any:
        if armed.is_set() and left[0]:
            left[0] -= 1
            raise ZeroDivisionError("injected")
        return original(self, *args, **kwargs)

    monkeypatch.setattr(owner, method, faulty)
    return armed
