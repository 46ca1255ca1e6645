"""How often something crashed, why, and how long to wait before it is started again."""

from __future__ import annotations

import threading
import time

FIRST_DELAY_S = 0.1
LONGEST_DELAY_S = 30.0
HEALTHY_AFTER_S = 60.0  # without a crash: the next one counts as the first again


class Restarts:
    """Crashes of one supervised thread or process. Safe to use from any thread.

    The first restart is almost immediate; each further one waits twice as long, so that something that always
    fails does not keep a core busy.
    """

    def __init__(
        self,
        first_delay_s: float = FIRST_DELAY_S,
        longest_delay_s: float = LONGEST_DELAY_S,
        healthy_after_s: float = HEALTHY_AFTER_S,
    ) -> None:
        self._first_delay_s = first_delay_s
        self._longest_delay_s = longest_delay_s
        self._healthy_after_s = healthy_after_s
        self._lock = threading.Lock()
        self._crashed_at = float("-inf")
        self.count = 0  # in all
        self.in_a_row = 0
        self.last_failure = ""

    def note_crash(self, reason: str) -> float:
        """Count a crash; returns the seconds to wait before the restart."""
        with self._lock:
            now = time.monotonic()
            if now - self._crashed_at > self._healthy_after_s:
                self.in_a_row = 0
            self._crashed_at = now
            self.count += 1
            self.in_a_row += 1
            self.last_failure = reason
            return float(min(self._longest_delay_s, self._first_delay_s * 2 ** min(self.in_a_row - 1, 30)))

    def note_success(self) -> None:
        """It works: the next crash counts as the first again."""
        with self._lock:
            self.in_a_row = 0
