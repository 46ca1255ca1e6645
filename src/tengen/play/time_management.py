"""How an engine spends the time on its clock, and how often a display shows it."""

from __future__ import annotations

import math
from dataclasses import replace

from tengen.play.clock import Clock, ClockError
from tengen.search.limits import Limits

LATENCY = 0.05  # from a search's limit to its move on the clock: the last slice, the report, processes in between
SLACK = 0.05  # of a long search: before it counts its time, an engine may copy what it kept of the last one
MOVES_TO_COME = 30  # main time is shared as if so many moves were to come, however many were made
# Kept back of main time, in latencies: against hiccups of the machine where time comes back, and for all the moves
# of a long game where it does not; but never more than a tenth of main time.
RESERVE, LONG_GAME = 20, 300
LEAST = 0.001  # the shortest search


def limits_for(clock: Clock, now: float, limits: Limits | None = None, *, latency: float = LATENCY) -> Limits:
    """The limits within which the player on the move never oversteps; `limits` are its own and hold as well.

    An engine that takes what it is given and at most `latency` longer (of a long search, SLACK) never loses on
    time if a move's share of overtime, or the increment, is longer than that. Absolute time runs out in the end,
    whoever plays.
    """
    limits = limits or Limits()
    if clock.player is None:
        raise ClockError("nobody is on the move: there is nothing to think about")
    control = clock.controls[clock.player]
    if control.is_none:
        return limits
    left = clock.left_at(clock.player, now)
    comes_back = control.increment or control.period
    reserve = min((RESERVE if comes_back else LONG_GAME) * latency, control.main / 10)
    share = max(0.0, left.main - reserve) / MOVES_TO_COME
    if left.periods:
        # Overtime begins in the midst of a move without loss: a period, or a move's share of one, is added to main
        # time from the start, and spent in full when main time has gone. Periods in reserve stay there.
        seconds = share + _safe(left.period / left.moves, latency)
    else:
        seconds = min(share + _safe(control.increment, latency), _safe(left.main, latency))
    if limits.seconds is not None:
        seconds = min(seconds, limits.seconds)
    return replace(limits, seconds=max(LEAST, seconds))


def _safe(seconds: float, latency: float) -> float:
    """What may be spent of a time that must not run out; something even if it is shorter than the latency."""
    return max(seconds - max(latency, SLACK * seconds), seconds / 4)


def tick_interval(clock: Clock, now: float) -> float:
    """Seconds until a display should show the clock again: one a second at first, four when time runs out.

    The interval is (½ (1 + left/total))² s; left and total are those of main time, or of the period in overtime.
    """
    if clock.player is None or clock.controls[clock.player].is_none:
        return 1.0
    control = clock.controls[clock.player]
    left = clock.left_at(clock.player, now)
    total = control.period if left.in_overtime else control.main
    share = left.seconds / total if total else 0.0
    return math.pow(0.5 * (1 + min(1.0, share)), 2)  # increments may pile up above the total
