"""How much of a run is done, and how long the rest will take."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

# The rate is that of the recent past, which reaches back at least so many seconds and tasks: far enough to
# see through the bunches in which equal tasks on many cores end, near enough to follow tasks that grow
# harder.
RECENT_SECONDS = 30.0
RECENT_TASKS = 50


@dataclass(frozen=True, slots=True)
class Progress:
    """A snapshot of a run. `str()` of it is one line for people."""

    total: int | None
    """All tasks; None if their number is not known."""
    done: int
    """Tasks with a result, resumed ones included."""
    resumed: int
    """Tasks whose result was in the checkpoint."""
    failed: int
    """Tasks that were tried and have none."""
    rate: float | None
    """Tasks a second of late, resumed ones not counted; None before the first one has ended."""

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest will take at this rate; None if that cannot be told."""
        if self.total is None:
            return None
        left = max(0, self.total - self.done - self.failed)
        if left == 0:
            return 0.0
        return left / self.rate if self.rate else None

    def __str__(self) -> str:
        text = f"{self.done} done" if self.total is None else f"{self.done} of {self.total} done"
        if self.resumed:
            text += f" ({self.resumed} resumed)"
        if self.failed:
            text += f", {self.failed} failed"
        if self.rate:
            text += f", {self.rate:.3g} a second" if self.rate < 100 else f", {self.rate:.0f} a second"
        if self.seconds_left:
            text += f", {duration(self.seconds_left)} left"
        return text


class Meter:
    """Counts what happens in a run and makes snapshots of it."""

    def __init__(self, total: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._clock = clock
        self._done = self._resumed = self._failed = 0
        # (when, how many tasks had ended by then), the oldest first. The first mark is the start of the work.
        self._marks: deque[tuple[float, int]] = deque()

    def work_starts(self) -> None:
        """The first task is sent; the time before that, spent on reading results, does not count."""
        if not self._marks:
            self._marks.append((self._clock(), 0))

    def resume(self) -> None:
        self._done += 1
        self._resumed += 1

    def finish(self, *, done: int, failed: int) -> None:
        """Some tasks have ended at the same time."""
        self._done += done
        self._failed += failed
        ended = self._done - self._resumed + self._failed
        now = self._clock()
        self._marks.append((now, ended))
        while True:
            then, before = self._marks[1]
            if now - then < RECENT_SECONDS or ended - before < RECENT_TASKS:
                break
            self._marks.popleft()

    def snapshot(self) -> Progress:
        return Progress(self._total, self._done, self._resumed, self._failed, self._rate())

    def _rate(self) -> float | None:
        # Up to the last end of a task, not up to now: between two bunches the rate would seem to fall.
        if len(self._marks) < 2:
            return None
        (first, before), (last, ended) = self._marks[0], self._marks[-1]
        return (ended - before) / (last - first) if last > first else None


def duration(seconds: float) -> str:
    """A time for people: '45 s', '3 min 20 s', '2 h 05 min', '3 d 4 h'."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    minutes = round(seconds / 60)
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60:02} min"
    hours = round(seconds / 3600)
    return f"{hours // 24} d {hours % 24} h"
