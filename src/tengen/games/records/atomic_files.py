"""Atomic writing of files."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tengen.core.translation import mark
from tengen.games.records.errors import RecordError


class AtomicFiles:
    """Context manager that writes several files under temporary names and renames them at the end.

    The first file is renamed last, because it may refer to the others. After any error, including Ctrl-C, nothing
    is renamed and the temporary files are removed.
    """

    def __init__(self) -> None:
        self._files: dict[Path, tuple[BinaryIO, Path]] = {}

    def add(self, path: Path, data: bytes) -> None:
        """Append data to a file."""
        with _naming_file(path):
            if path not in self._files:
                if path.is_dir():
                    raise RecordError(mark("this is a folder, not a file"), file=str(path))
                place = path.resolve() if path.is_symlink() else path
                unfinished = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
                self._files[path] = (open(unfinished, "xb"), unfinished)  # noqa: SIM115  closed by `__exit__`
            self._files[path][0].write(data)

    def __enter__(self) -> AtomicFiles:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                for path, (file, _unfinished) in self._files.items():
                    with _naming_file(path):
                        file.flush()
                        os.fsync(file.fileno())
                for path, (file, unfinished) in reversed(self._files.items()):
                    with _naming_file(path):
                        file.close()
                        os.replace(unfinished, path.resolve() if path.is_symlink() else path)
        finally:
            for file, unfinished in self._files.values():
                with contextlib.suppress(OSError):
                    file.close()
                with contextlib.suppress(OSError):
                    unfinished.unlink()


def save(path: Path, data: bytes) -> None:
    """Write a file atomically: readers see the old or the new content."""
    with AtomicFiles() as saving:
        saving.add(path, data)


@contextlib.contextmanager
def _naming_file(path: Path) -> Iterator[None]:
    """Convert an OSError into a `RecordError` that names the file."""
    try:
        yield
    except OSError as error:
        reason = mark("there is no such folder") if error.errno == errno.ENOENT else error.strerror or str(error)
        raise RecordError(reason, file=str(path)) from None
