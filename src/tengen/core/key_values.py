"""Parsing of `name=value` arguments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tengen.core.errors import OptionError


def pairs(words: Iterable[str] | None) -> dict[str, Any]:
    """Parse `name=value` words into a dictionary."""
    found: dict[str, Any] = {}
    for word in words or ():
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise OptionError(f"an option is written as name=value, not {word!r}")
        if name in found:
            raise OptionError(f"{name} is given twice")
        found[name] = value
    return found
