"""The command line: one thin module per group of commands, over the layers below.

Slow modules are imported inside the functions that need them, so that `tengen --help` and usage errors are fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.cli.entry import main, run

if TYPE_CHECKING:
    from tengen.cli.commands import app

__all__ = ["app", "main", "run"]


def __getattr__(name: str) -> Any:
    """All commands, imported on first use."""
    if name == "app":
        from tengen.cli.commands import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
