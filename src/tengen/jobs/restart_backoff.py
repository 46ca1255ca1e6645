"""Exponential backoff between restarts after crashes."""

from __future__ import annotations

import threading
import time

FIRST_DELAY_S = 0.1
MAX_DELAY_S = 30.0
HEALTHY_AFTER_S = 60.0  # after this long without a crash, the delay starts again at the minimum


class RestartBackoff:
    """Crashes of one supervised thread or process. Thread-safe.

    The first restart is almost immediate; the delay doubles with each further one, so that a permanent failure
    does not keep a core busy.
    """

    def __init__(
        self,
        first_delay_s: float = FIRST_DELAY_S,
        max_delay_s: float = MAX_DELAY_S,
        healthy_after_s: float = HEALTHY_AFTER_S,
    ) -> None:
        self._first_delay_s = first_delay_s
        self._max_delay_s = max_delay_s
        self._healthy_after_s = healthy_after_s
        self._lock = threading.Lock()
        self._crashed_at = float("-inf")
        self.count = 0  # total
        self.in_a_row = 0
        self.last_failure = ""

    def note_crash(self, reason: str) -> float:
        """Count a crash; return the seconds to wait before the restart."""
        with self._lock:
            now = time.monotonic()
            if now - self._crashed_at > self._healthy_after_s:
                self.in_a_row = 0
            self._crashed_at = now
            self.count += 1
            self.in_a_row += 1
            self.last_failure = reason
            return float(min(self._max_delay_s, self._first_delay_s * 2 ** min(self.in_a_row - 1, 30)))

    def note_success(self) -> None:
        """Reset the delay after successful work."""
        with self._lock:
            self.in_a_row = 0
