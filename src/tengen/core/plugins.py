"""Extensions from other installed packages, found through entry points.

A package declares them in its `pyproject.toml`:

    [project.entry-points."tengen.games"]
    heap = "heap_plugin:Heap"
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from tengen.core.errors import OptionError


@cache
def plugins(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name in lower case. Nothing is imported; the lookup is done once per
    process.
    """
    return {entry.name.lower(): entry for entry in _installed().select(group=group)}


@cache
def _installed() -> Any:
    return entry_points()


def load_plugin(entry: EntryPoint) -> Any:
    """Import the object of an entry point. Raises an `OptionError` that names the package if that fails."""
    try:
        return entry.load()
    except Exception as error:  # importing a package may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise OptionError(f"{describe_plugin(entry)} cannot be loaded: {reason}") from error


def describe_plugin(entry: EntryPoint) -> str:
    """For messages: `the plugin 'heap' (tengen.games) of the package heap-plugin 1.0`."""
    package = f" of the package {entry.dist.name} {entry.dist.version}" if entry.dist is not None else ""
    return f"the plugin {entry.name!r} ({entry.group}){package}"


def import_object(path: str) -> Any:
    """Import the object at `module:attribute`. Raises ImportError, AttributeError or ValueError."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)
