"""Telling people why they wait: kernels are compiled on first use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def compile_notice(console: Console) -> Iterator[None]:
    """Within this block, the first compilation is announced, once."""
    from tengen.core.compiled.cache import announcing

    told = False

    def listener(name: str) -> None:
        nonlocal told
        if not told:
            told = True
            console.print("[dim]Compiling for this machine, once: the next start takes no such time.[/dim]")

    with announcing(listener):
        yield
