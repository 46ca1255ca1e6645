"""Files and folders with access for their owner only, regardless of the umask."""

from __future__ import annotations

import os
import stat
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def make_private_folder(folder: Path) -> None:
    """Create a folder with mode 0700, and its parents with default modes. An existing folder is not changed."""
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=FOLDER_MODE)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return
    folder.chmod(FOLDER_MODE)  # a strict umask may have removed more


def make_private_file(file: Path) -> None:
    """Create an empty file with mode 0600, or remove access by others from an existing one.

    A group-writable file is assumed to be shared on purpose: its group keeps access.
    """
    try:
        handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE)
    except FileExistsError:
        _remove_access_by_others(file)
        return
    try:
        if hasattr(os, "fchmod"):
            os.fchmod(handle, FILE_MODE)
    finally:
        os.close(handle)


def _remove_access_by_others(file: Path) -> None:
    found = file.stat()
    if not hasattr(os, "getuid") or found.st_uid != os.getuid() or not stat.S_ISREG(found.st_mode):
        return
    mode = stat.S_IMODE(found.st_mode)
    private = mode & (0o770 if mode & stat.S_IWGRP else 0o700)
    if private != mode:
        file.chmod(private)
