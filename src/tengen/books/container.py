"""Shared parts of book files: header, size limits, and a lock against concurrent changes."""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tengen.books.errors import BookError
from tengen.core.file_lock import try_lock, unlock
from tengen.core.resource_limits import resource_limits

LOCK_TIMEOUT_S = 10.0  # a program that wants to change a book waits this long for another

# Protects against decompression bombs: real books unpack to 5 to 20 times their size.
UNPACKED_RATIO = 50
MIN_UNPACKED_BYTES = 1 << 20


# Exceptions that reading a damaged file may raise, besides our own errors.
DAMAGE = (
    ValueError,  # includes errors of JSON, Unicode and NumPy
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
    """Read a book file. Raises `BookError` if it is too large."""
    try:
        most = resource_limits().book_bytes
        if path.stat().st_size > most:
            raise BookError(f"{path} has more than {most:,} bytes: raise book_bytes in limits.toml to read it")
        return path.read_bytes()
    except OSError as error:
        raise BookError(f"{path} cannot be read: {error.strerror}") from None


def max_unpacked_bytes(packed_bytes: int) -> int:
    """Limit for the unpacked size of `packed_bytes` of compressed data."""
    return min(resource_limits().book_bytes, max(MIN_UNPACKED_BYTES, UNPACKED_RATIO * packed_bytes))


def unpack(packed: bytes, name: str) -> bytes:
    """Decompress zlib data. Raises `BookError` beyond `max_unpacked_bytes`."""
    most = max_unpacked_bytes(len(packed))
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, most)
    except zlib.error as error:
        raise BookError(f"{name} is damaged: {error}") from None
    if not stream.eof:
        if len(data) >= most:
            raise BookError(f"{name} unpacks to more than {most:,} bytes: too large for a book")
        raise BookError(f"{name} is damaged: its compressed data is truncated")
    return data


def read_head(
    data: bytes, name: str, head: struct.Struct, magic: bytes, version: int, kind: str
) -> tuple[Any, ...]:
    """Check magic and version of a header and return its other fields; `name` and `kind` are for messages."""
    if not data.startswith(magic):
        raise BookError(f"{name} is not {kind}: it should begin with {magic.decode()}")
    if len(data) < head.size:
        raise BookError(f"{name} is cut off at byte {len(data)}, in its head")
    _, found, *rest = head.unpack_from(data)
    if found != version:
        raise BookError(f"{name} is a book of version {found}; this program reads version {version}")
    return tuple(rest)


@contextmanager
def book_lock(path: Path, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
    """Lock a book file while reading, changing and writing it, against other programs and threads.

    Raises `BookError` if the lock is not available within `timeout_s` seconds.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path.with_name(f".{path.name}.lock"), "ab")  # noqa: SIM115  closed below
    except OSError as error:
        raise BookError(f"{path} cannot be changed: {error.strerror}") from None
    with file:
        until = time.monotonic() + timeout_s
        while not try_lock(file):
            if time.monotonic() > until:
                raise BookError(f"{path} is being changed by another program: try again later")
            time.sleep(0.02)
        try:
            yield
        finally:
            unlock(file)
