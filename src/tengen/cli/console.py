"""Consoles of the commands: results go to standard output, errors and progress to standard error."""

from __future__ import annotations

from rich.console import Console

console = Console()
errors = Console(stderr=True)
unwrapped = Console(soft_wrap=True)  # for text that other programs may read
unwrapped_errors = Console(stderr=True, soft_wrap=True)


def say(text: str) -> None:
    """Print plain text: no highlighting, markup or wrapping."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)
