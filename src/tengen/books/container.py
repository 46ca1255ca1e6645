"""What the files of all books have in common: how they begin, and that only one program changes them at a time."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tengen.books.errors import BookError
from tengen.jobs.lock import try_lock, unlock

PATIENCE = 10.0
"""Seconds that one who wants to change a book waits for another."""


def read_bytes(path: Path) -> bytes:
    """What a file holds."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise BookError(f"{path} cannot be read: {error.strerror}") from None


def read_head(
    data: bytes, name: str, head: struct.Struct, magic: bytes, version: int, kind: str
) -> tuple[Any, ...]:
    """The numbers of a head that begins with these, after them; `name` and `kind` are for messages."""
    if not data.startswith(magic):
        raise BookError(f"{name} is not {kind}: it should begin with {magic.decode()}")
    if len(data) < head.size:
        raise BookError(f"{name} is cut off at byte {len(data)}, in its head")
    _, found, *rest = head.unpack_from(data)
    if found != version:
        raise BookError(f"{name} is a book of version {found}; this program reads version {version}")
    return tuple(rest)


@contextmanager
def changing(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Read a book, change it and write it within this, and nobody's changes are lost.

    Raises `BookError` if another program, or another thread, is at it for longer than one has patience.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path.with_name(f".{path.name}.lock"), "ab")  # noqa: SIM115  closed below
    except OSError as error:
        raise BookError(f"{path} cannot be changed: {error.strerror}") from None
    with file:
        until = time.monotonic() + patience
        while not try_lock(file):
            if time.monotonic() > until:
                raise BookError(f"{path} is being changed by another program: try again when that has ended")
            time.sleep(0.02)
        try:
            yield
        finally:
            unlock(file)
