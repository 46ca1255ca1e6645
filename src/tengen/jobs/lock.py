"""One writer at a time: a lock on an open file that the system drops when the process ends, however it ends.

The lock belongs to the open file, not to the process: the same process cannot take it twice either. Spawned
workers do not inherit it, because Python opens files so that they are closed on exec.
"""

from __future__ import annotations

import sys
from typing import IO

if sys.platform == "win32":
    import msvcrt

    # Windows locks bytes, and nobody may then read them: lock one that lies behind any data.
    _FAR = 1 << 62

    def try_lock(file: IO[bytes]) -> bool:
        """Take the lock if it is free; it lasts until the file is closed."""
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(file: IO[bytes]) -> bool:
        """Take the lock if it is free; it lasts until the file is closed."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
