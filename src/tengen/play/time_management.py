"""Time management: the search time of an engine on a clock, and the refresh interval of clock displays."""

from __future__ import annotations

import math
from dataclasses import replace

from tengen.play.clock import Clock, ClockError
from tengen.search.limits import Limits

LATENCY_S = 0.05  # from the time limit of a search to its move on the clock: last slice, report, processes
OVERHEAD = 0.05  # share of a long search: an engine may copy its tree before it starts to measure time
MOVES_TO_GO = 30  # main time is divided as if this many moves were left, at any stage of the game
# Reserve of main time, in latencies: for hiccups of the machine if time is added during the game, for all moves of
# a long game if not. Never more than a tenth of main time.
RESERVE_LATENCIES, RESERVE_LATENCIES_ABSOLUTE = 20, 300
MIN_SEARCH_S = 0.001


def limits_for(clock: Clock, now: float, limits: Limits | None = None, *, latency: float = LATENCY_S) -> Limits:
    """Limits for the search of the player to move, within their own `limits`.

    An engine that exceeds them by at most `latency` (long searches: by `OVERHEAD`) never loses on time if the
    increment, or the share of a move in overtime, is longer than that. Absolute time runs out eventually.
    """
    limits = limits or Limits()
    if clock.player is None:
        raise ClockError("no player is to move: there is nothing to search")
    control = clock.controls[clock.player]
    if control.is_none:
        return limits
    left = clock.left_at(clock.player, now)
    adds_time = control.increment or control.period
    reserve = min((RESERVE_LATENCIES if adds_time else RESERVE_LATENCIES_ABSOLUTE) * latency, control.main / 10)
    share = max(0.0, left.main - reserve) / MOVES_TO_GO
    if left.periods:
        # Overtime may begin during a move without loss. So a period, or the share of a move in it, is added to the
        # main time from the start and used up fully afterwards. Further periods stay in reserve.
        seconds = share + _safe(left.period / left.moves, latency)
    else:
        seconds = min(share + _safe(control.increment, latency), _safe(left.main, latency))
    if limits.seconds is not None:
        seconds = min(seconds, limits.seconds)
    return replace(limits, seconds=max(MIN_SEARCH_S, seconds))


def _safe(seconds: float, latency: float) -> float:
    """The part of a time that a search may use, at least a quarter even if it is shorter than the latency."""
    return max(seconds - max(latency, OVERHEAD * seconds), seconds / 4)


def tick_interval(clock: Clock, now: float) -> float:
    """Seconds until a display should refresh the clock: 1 at first, 1/4 when time runs out.

    The interval is (½ (1 + left/total))² s; left and total are those of main time, or of the period in overtime.
    """
    if clock.player is None or clock.controls[clock.player].is_none:
        return 1.0
    control = clock.controls[clock.player]
    left = clock.left_at(clock.player, now)
    total = control.period if left.in_overtime else control.main
    share = left.seconds / total if total else 0.0
    return math.pow(0.5 * (1 + min(1.0, share)), 2)  # increments may add up to more than the total
