"""One writer at a time: a lock on an open file that the system drops when the process ends, however it ends.

The lock belongs to the open file, not to the process: the same process cannot take it twice either. Spawned
workers do not keep it, because Python opens files so that they are closed on exec. Between fork and exec they do
hold it for a moment, so closing the file would leave it locked now and then: `unlock` first.
"""

from __future__ import annotations

import sys
from typing import IO

if sys.platform == "win32":
    import msvcrt

    # Windows locks bytes, and nobody may then read them: lock one that lies behind any data.
    _FAR = 1 << 62

    def try_lock(file: IO[bytes]) -> bool:
        """Take the lock if it is free; it lasts until `unlock` or the end of the process."""
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def unlock(file: IO[bytes]) -> None:
        """Give the lock back."""
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(file: IO[bytes]) -> bool:
        """Take the lock if it is free; it lasts until `unlock` or the end of the process."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(file: IO[bytes]) -> None:
        """Give the lock back, also for copies of the file that a process being started still has."""
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)
