"""Consoles that print text as it is: no markup, no highlighting, no emoji codes, no wrapping."""

from __future__ import annotations

from typing import IO

from rich.console import Console


def plain_console(file: IO[str] | None = None, *, stderr: bool = False, width: int | None = None) -> Console:
    return Console(
        file=file, stderr=stderr, width=width, markup=False, highlight=False, emoji=False, soft_wrap=True
    )
