"""Files put in place whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tengen.games.records.errors import RecordError


class Saving:
    """Files being written under other names.

    As a context: at its end each is put in place by one renaming, the first last, because it may refer to the
    others. After any error, Ctrl-C among them, none is, and nothing is left behind.
    """

    def __init__(self) -> None:
        self._files: dict[Path, tuple[BinaryIO, Path]] = {}

    def add(self, path: Path, data: bytes) -> None:
        """Append to what a file will hold."""
        with _blaming(path):
            if path not in self._files:
                if path.is_dir():
                    raise RecordError("this is a folder, not a file", file=str(path))
                place = path.resolve() if path.is_symlink() else path
                unfinished = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
                self._files[path] = (open(unfinished, "xb"), unfinished)  # noqa: SIM115  closed by `__exit__`
            self._files[path][0].write(data)

    def __enter__(self) -> Saving:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                for path, (file, _unfinished) in self._files.items():
                    with _blaming(path):
                        file.flush()
                        os.fsync(file.fileno())
                for path, (file, unfinished) in reversed(self._files.items()):
                    with _blaming(path):
                        file.close()
                        os.replace(unfinished, path.resolve() if path.is_symlink() else path)
        finally:
            for file, unfinished in self._files.values():
                with contextlib.suppress(OSError):
                    file.close()
                with contextlib.suppress(OSError):
                    unfinished.unlink()


def save(path: Path, data: bytes) -> None:
    """Put a file in place by one renaming, so that nobody ever finds half of it."""
    with Saving() as saving:
        saving.add(path, data)


@contextlib.contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """What the system refuses, as an error that names the file."""
    try:
        yield
    except OSError as error:
        reason = "there is no such folder" if error.errno == errno.ENOENT else error.strerror or str(error)
        raise RecordError(reason, file=str(path)) from None
