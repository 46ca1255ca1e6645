"""The clock of a match in real time: `Clock` measured by the system's monotonic time, and the fall of the flag.

`Clock` is immutable and has the time passed to it; this is the only place where a match asks for the time.
"""

from __future__ import annotations

import time

from tengen.play.clock import Clock
from tengen.play.time_control import TimeControl


class MatchClock:
    """Holds the clock of a match. Change it under the match's lock; `reading` may be read by any thread."""

    def __init__(self, clock: Clock) -> None:
        self.reading = clock
        # Of moves received but not yet played, see `expect_move`; each access is a single operation of the list.
        self._arrivals: list[float] = []

    def start(self, player: int) -> None:
        """Start the clock: at the beginning of a game, or after a pause."""
        now = time.monotonic()
        self.reading = self.reading.begin(player, now) if self.reading.player is None else self.reading.resume(now)

    def pause(self) -> None:
        self.reading = self.reading.pause(time.monotonic())

    def move(self, arrived: float | None, then: int | None) -> None:
        """The player to move has moved, and `then` moves next; None stops the clock.

        The player's time ends at `arrived`, by default now, and the next player's begins now. Raises `TimeIsUp`.
        """
        now = time.monotonic()
        moved = now if arrived is None else max(min(arrived, now), self.reading.since or now)
        self.reading = self.reading.move(moved, then=then, starts=now)

    def take_back(self, count: int, *, resume: bool) -> None:
        """Give back the time of the last `count` moves; `resume` starts a clock that had stopped for counting."""
        now = time.monotonic()
        self.reading = self.reading.take_back(now, count)
        if resume:
            self.reading = self.reading.resume(now)

    def withdraw(self, count: int) -> None:
        """Start a stopped clock again before its last `count` moves, whose time stays used."""
        self.reading = self.reading.withdraw(time.monotonic(), count)

    def change(self, control: TimeControl, second: TimeControl | None) -> None:
        """Give both players the full time of new time controls. A running clock keeps running."""
        now = time.monotonic()
        changed = self.reading.pause(now).change(control, second)
        self.reading = changed.resume(now) if self.reading.is_running else changed

    # ---- the flag

    def expect_move(self, arrived: float) -> None:
        """A move arrived at this time and will soon be played or refused: if in time, the flag does not fall."""
        self._arrivals.append(arrived)

    def stop_expecting(self, arrived: float) -> None:
        self._arrivals.remove(arrived)

    def fallen(self) -> Clock | None:
        """The stopped clock if a flag has fallen, unless a move that arrived in time is still to be played."""
        clock = self.reading.check(time.monotonic())
        if clock.fallen is None:
            return None
        in_time = any(clock.fell_at is not None and arrived < clock.fell_at for arrived in tuple(self._arrivals))
        return None if in_time else clock
