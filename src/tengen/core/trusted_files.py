"""Folders and files that only this user or root can have written, independent of the umask.

Compiled kernels are executed, so only this user or root may have written them. Others may read them, because an
administrator may fill a cache for all users. On systems without POSIX owners and modes nothing is checked; user
folders are private there.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o755, 0o644  # reduced by the umask
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class Untrusted(Exception):
    """Another user owns this file or folder, or can modify it."""


def check_trusted_folder(path: Path, *, empty_if_shared: bool = False) -> None:
    """Ensure that no other user can write to a folder; it need not exist.

    If others could write to it until now, its content is not trusted: with `empty_if_shared` it is deleted. Raises
    `Untrusted` if the folder belongs to another user or is a link.
    """
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISDIR(found.st_mode):
        raise Untrusted(f"{path} is not a folder")
    if not _has_trusted_owner(found):
        raise Untrusted(f"{path} belongs to another user")
    if _is_shared(found):
        if empty_if_shared:
            for child in path.iterdir():
                if child.is_dir() and not child.is_symlink():
                    shutil.rmtree(child)
                else:
                    child.unlink()
        path.chmod(stat.S_IMODE(found.st_mode) & ~_WRITABLE_BY_OTHERS)


def make_trusted_folder(path: Path) -> None:
    """Create a folder and its parents, writable only by this user."""
    if not path.parent.exists():
        make_trusted_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=FOLDER_MODE)


def read_trusted_file(path: Path) -> bytes:
    """Read a file that no other user can have written. Raises `Untrusted` otherwise; does not follow links."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or not _has_trusted_owner(found) or _is_shared(found):
            raise Untrusted(f"{path} can be changed by another user")
        return file.read()


def write_trusted_file(path: Path, content: bytes) -> None:
    """Write a new file that only this user can modify. Raises FileExistsError if it exists."""
    path.touch(mode=FILE_MODE, exist_ok=False)
    path.write_bytes(content)


def _has_trusted_owner(found: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or found.st_uid in (0, os.geteuid())


def _is_shared(found: os.stat_result) -> bool:
    return hasattr(os, "geteuid") and bool(found.st_mode & _WRITABLE_BY_OTHERS)
