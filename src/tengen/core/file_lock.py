"""Exclusive lock on an open file, which the system releases when the process ends.

The lock belongs to the open file, not to the process: the same process cannot take it twice either. Spawned
workers do not inherit it, because Python opens files with close-on-exec. Between fork and exec they hold it
briefly, so closing the file could leave it locked for a moment; call `unlock` first.
"""

from __future__ import annotations

import sys
from typing import IO

if sys.platform == "win32":
    import msvcrt

    # Windows locks byte ranges and blocks reading them, so lock one beyond any data.
    _LOCKED_BYTE = 1 << 62

    def try_lock(file: IO[bytes]) -> bool:
        """Take the lock if it is free; hold it until `unlock` or the end of the process."""
        file.seek(_LOCKED_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def unlock(file: IO[bytes]) -> None:
        """Release the lock."""
        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(file: IO[bytes]) -> bool:
        """Take the lock if it is free; hold it until `unlock` or the end of the process."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(file: IO[bytes]) -> None:
        """Release the lock, also for copies of the file in a process that is just being started."""
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)
