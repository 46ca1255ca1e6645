"""What the files of all books have in common.

How they begin, how large they may be, and that only one program changes them at a time.
"""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tengen.books.errors import BookError
from tengen.core.resource_limits import resource_limits
from tengen.jobs.file_lock import try_lock, unlock

PATIENCE = 10.0
"""Seconds that one who wants to change a book waits for another."""


# A file of a few bytes must not fill the memory. Books unpack to 5 to 20 times their size.
UNPACKED_RATIO = 50
LEAST_UNPACKED_BYTES = 1 << 20


# What reading a damaged file may raise besides an error of ours: one place names all of them.
DAMAGE = (
    ValueError,  # with those of JSON, of Unicode and of NumPy
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    EOFError,
    OSError,
    RecursionError,
    NotImplementedError,
    RuntimeError,  # an encrypted zip file
    MemoryError,
    struct.error,
    zlib.error,
)


def read_bytes(path: Path) -> bytes:
    """What a file holds. Raises `BookError` if it is larger than books may be."""
    try:
        most = resource_limits().book_bytes
        if path.stat().st_size > most:
            raise BookError(f"{path} has more than {most:,} bytes: raise book_bytes in limits.toml to read it")
        return path.read_bytes()
    except OSError as error:
        raise BookError(f"{path} cannot be read: {error.strerror}") from None


def most_unpacked(packed_bytes: int) -> int:
    """The bytes that a packed part of a file may unpack to."""
    return min(resource_limits().book_bytes, max(LEAST_UNPACKED_BYTES, UNPACKED_RATIO * packed_bytes))


def unpack(packed: bytes, name: str) -> bytes:
    """Unpack what zlib packed. Stops with a `BookError` where that is suspiciously much."""
    most = most_unpacked(len(packed))
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, most)
    except zlib.error as error:
        raise BookError(f"{name} is damaged: {error}") from None
    if not stream.eof:
        if len(data) >= most:
            raise BookError(f"{name} unpacks to more than {most:,} bytes, which no book does")
        raise BookError(f"{name} is damaged: what is packed in it has no end")
    return data


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
