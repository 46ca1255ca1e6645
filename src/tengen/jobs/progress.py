"""Progress of a run, and the estimated time left."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from tengen.core.translation import mark

# The rate is measured over at least this many recent seconds and tasks: long enough to smooth the bursts in which
# equal tasks on many cores end, short enough to follow tasks that get harder.
RATE_WINDOW_S = 30.0
RATE_WINDOW_TASKS = 50


@dataclass(frozen=True, slots=True)
class Progress:
    """A snapshot of a run. `str()` gives one line of text."""

    total: int | None
    """Number of tasks; None if unknown."""
    done: int
    """Tasks with a result, including resumed ones."""
    resumed: int
    """Tasks whose result was in the checkpoint."""
    failed: int
    """Tasks that failed."""
    rate: float | None
    """Recent tasks per second, without resumed ones; None before the first one has finished."""

    @property
    def seconds_left(self) -> float | None:
        """Estimated time for the remaining tasks; None if unknown."""
        if self.total is None:
            return None
        left = max(0, self.total - self.done - self.failed)
        if left == 0:
            return 0.0
        return left / self.rate if self.rate else None

    def __str__(self) -> str:
        if self.resumed:
            some, of_all = (
                mark("{count} done ({resumed:d} resumed)"),
                mark("{count} of {total} done ({resumed:d} resumed)"),
            )
        else:
            some, of_all = mark("{count} done"), mark("{count} of {total} done")
        text = some if self.total is None else of_all
        parts = [text.format(count=self.done, total=self.total, resumed=self.resumed)]
        if self.failed:
            parts.append(mark("{count} failed").format(count=self.failed))
        if self.rate:
            rate = f"{self.rate:.3g}" if self.rate < 100 else f"{self.rate:.0f}"
            parts.append(mark("{count} a second").format(count=rate))
        if self.seconds_left:
            parts.append(mark("{duration} left").format(duration=duration(self.seconds_left)))
        return ", ".join(parts)


class Meter:
    """Counts the tasks of a run."""

    def __init__(self, total: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._clock = clock
        self._done = self._resumed = self._failed = 0
        # (time, number of finished tasks), oldest first. The first mark is the start of the work.
        self._marks: deque[tuple[float, int]] = deque()

    def work_starts(self) -> None:
        """Start measuring: the first task is submitted. Time spent on reading stored results does not count."""
        if not self._marks:
            self._marks.append((self._clock(), 0))

    def resume(self, done: int = 1) -> None:
        self._done += done
        self._resumed += done

    def finish(self, *, done: int, failed: int) -> None:
        """Count tasks that finished at the same time."""
        self._done += done
        self._failed += failed
        ended = self._done - self._resumed + self._failed
        now = self._clock()
        self._marks.append((now, ended))
        while True:
            then, before = self._marks[1]
            if now - then < RATE_WINDOW_S or ended - before < RATE_WINDOW_TASKS:
                break
            self._marks.popleft()

    def snapshot(self) -> Progress:
        return Progress(self._total, self._done, self._resumed, self._failed, self._rate())

    def _rate(self) -> float | None:
        # Measure up to the last finished task, not up to now; otherwise the rate would drop between bursts.
        if len(self._marks) < 2:
            return None
        (first, before), (last, ended) = self._marks[0], self._marks[-1]
        return (ended - before) / (last - first) if last > first else None


def duration(seconds: float) -> str:
    """Format a duration: '45 s', '3 min 20 s', '2 h 05 min', '3 d 4 h'."""
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
