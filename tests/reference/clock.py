"""The times of a game by a second, simple way: from the list of its moves, in whole microseconds.

`main`, `period` and the like are microseconds here; `used` is one player's time for each move, the last one being
in progress if `thinking`. The result is (main, period, periods, moves) as a display shows it; None: out of time.
"""

from __future__ import annotations

Shown = tuple[int, int, int, int] | None


def absolute(main: int, increment: int, used: list[int], thinking: bool) -> Shown:
    for i, time in enumerate(used):
        main -= time
        if main <= 0:
            return None
        if not (thinking and i == len(used) - 1):
            main += increment
    return main, 0, 0, 0


def byo_yomi(main: int, period: int, periods: int, used: list[int], thinking: bool) -> Shown:
    for i, time in enumerate(used):
        if time < main:
            main -= time
            continue
        over, main = time - main, 0
        periods -= over // period
        if periods <= 0:
            return None
        if thinking and i == len(used) - 1:
            return 0, period - over % period, periods, 1
    return main, period, periods, 1


def canadian(main: int, period: int, stones: int, used: list[int], thinking: bool) -> Shown:
    left, to_make = period, stones
    for i, time in enumerate(used):
        if time < main:
            main -= time
            continue
        left -= time - main
        main = 0
        if left <= 0:
            return None
        if not (thinking and i == len(used) - 1):
            to_make -= 1
            if to_make == 0:
                left, to_make = period, stones
    return main, left, 1, to_make
