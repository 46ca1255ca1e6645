"""Time controls: main time, increments and overtime, their text form, and how they use up.

Every control is main time followed by overtime in periods of a number of moves; most have only one of the two:

    10m            absolute time: ten minutes for the whole game
    5m+3s          five minutes, and three seconds more after each move (Fischer)
    10m+3x30s      ten minutes, then three periods of 30 seconds; a move within its period keeps it (byo-yomi)
    10m+25/10m     ten minutes, then 25 moves in each ten minutes (Canadian)
    30s/move       half a minute for every move
    none           no limit

Times of a running clock are rounded to microseconds after every addition, so the result does not depend on the
order of additions.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal

from tengen.core.errors import OptionError
from tengen.core.resource_limits import resource_limits
from tengen.core.translation import mark

MAX_SECONDS = 1000 * 3600.0
MAX_MOVES = 1000

_UNITS = {"h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}  # in milliseconds
_DURATION = r"(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s))+"
_CONTROL = re.compile(
    rf"(?P<per_move>{_DURATION})/move"
    rf"|(?:(?P<main>{_DURATION})\+)?(?P<count>\d{{1,9}})(?P<kind>[x/])(?P<period>{_DURATION})"
    rf"|(?P<absolute>{_DURATION})(?:\+(?P<increment>{_DURATION}))?",
    re.ASCII,
)


def microseconds(seconds: float) -> float:
    """Seconds rounded to a whole microsecond."""
    return round(seconds, 6)


@dataclass(frozen=True)
class TimeLeft:
    """The time left on one player's clock. Overtime begins when `main` is 0; `main` is infinite without a limit.

    `period` is the rest of the current overtime period (during main time, the length of the first), `periods` the
    number left including that one, `moves` the moves still to be made in it.
    """

    main: float
    period: float = 0.0
    periods: int = 0
    moves: int = 0

    @property
    def in_overtime(self) -> bool:
        return self.main <= 0 and self.periods > 0

    @property
    def seconds(self) -> float:
        """The time that a display counts down: main time, then the current period."""
        return self.period if self.in_overtime else self.main

    def __str__(self) -> str:
        """`4:59`, in overtime with the periods `0:30 (3)` or the moves to be made `9:12/25`; `-` for no limit."""
        if math.isinf(self.main):
            return "-"
        whole = math.ceil(self.seconds)  # 0:00 is shown only when nothing is left
        hours, minutes, seconds = whole // 3600, whole // 60 % 60, whole % 60
        text = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
        if self.in_overtime:
            text += f"/{self.moves}" if self.moves > 1 else f" ({self.periods})"
        return text


@dataclass(frozen=True)
class TimeControl:
    """The time control of a player; `TimeControl()` is no limit. `str` and `parse` convert it to and from text.

    Times are seconds in whole milliseconds. In overtime, `moves` moves must be made in each `period`; a player who
    does not loses one of the `periods`, and with the last one the game. Moves count, not turns: two stones in one
    turn are two moves.
    """

    main: float = math.inf
    increment: float = 0.0
    period: float = 0.0
    periods: int = 0
    moves: int = 0

    def __post_init__(self) -> None:
        for name in ("main", "increment", "period"):
            value = getattr(self, name)
            if name == "main" and value == math.inf:
                continue
            if not 0 <= value <= MAX_SECONDS or round(value, 3) != value:
                raise OptionError(
                    mark("{name} should be 0 to 1000 hours in whole milliseconds, not {value} s").format(
                        name=_NAMES[name], value=value
                    )
                )
        if bool(self.period) != bool(self.periods) or bool(self.period) != bool(self.moves):
            raise OptionError(mark("overtime should have a length, a number of periods and a number of moves"))
        if not (0 <= self.periods <= MAX_MOVES and 0 <= self.moves <= MAX_MOVES):
            raise OptionError(
                mark("overtime should have 1 to {max_moves} periods or moves").format(max_moves=MAX_MOVES)
            )
        if self.periods > 1 and self.moves > 1:
            raise OptionError(mark("overtime should be several periods or several moves in one, not both"))
        if self.increment and (self.period or not 0 < self.main < math.inf):
            raise OptionError(mark("an increment needs main time and no overtime"))
        if self.period and self.main == math.inf:
            raise OptionError(mark("overtime needs main time that ends, or none at all"))
        if not self.main and not self.period:
            raise OptionError("a time control should give some time; write none for no limit")

    # ---- text

    @classmethod
    def parse(cls, text: str, *, stored: bool = False) -> TimeControl:
        """Read `10m`, `5m+3s`, `10m+3x30s`, `10m+25/10m`, `30s/move` or `none`; spaces do not matter.

        New controls must respect the limit of this machine (`clock_seconds`); `stored` ones need not.
        """
        control = cls._parse(text)
        most = resource_limits().clock_seconds
        longest = max(control.increment, control.period, 0.0 if control.is_none else control.main)
        if not stored and longest > most:
            raise OptionError(
                mark("each part of a time control may be at most {duration}, not {text!r}").format(
                    duration=_duration(most), text=text
                )
            )
        return control

    @classmethod
    def _parse(cls, text: str) -> TimeControl:
        packed = "".join(text.lower().replace("×", "x").split())
        if packed == "none":
            return cls()
        found = _CONTROL.fullmatch(packed)
        if found is None:
            if re.fullmatch(r"[\d.]+(\+[\d.]+)?", packed, re.ASCII):
                raise OptionError(
                    mark("{text!r} lacks units: write minutes and seconds as in 5m+3s").format(text=text)
                )
            raise OptionError(
                mark(
                    "{text!r} is not a time control: write it as 10m, 5m+3s, 10m+3x30s, 10m+25/10m, "
                    "30s/move or none"
                ).format(text=text)
            )
        if found["per_move"]:
            return cls(main=0.0, period=_seconds(found["per_move"]), periods=1, moves=1)
        if found["period"]:
            count, main = int(found["count"]), _seconds(found["main"] or "0s")
            periods, moves = (count, 1) if found["kind"] == "x" else (1, count)
            return cls(main=main, period=_seconds(found["period"]), periods=periods, moves=moves)
        return cls(main=_seconds(found["absolute"]), increment=_seconds(found["increment"] or "0s"))

    def __str__(self) -> str:
        if self == TimeControl():
            return "none"
        if self.increment:
            return f"{_duration(self.main)}+{_duration(self.increment)}"
        if not self.period:
            return _duration(self.main)
        if self.moves == 1 and self.periods == 1 and not self.main:
            return f"{_duration(self.period)}/move"
        overtime = f"{self.moves}/" if self.moves > 1 else f"{self.periods}x"
        return (f"{_duration(self.main)}+" if self.main else "") + overtime + _duration(self.period)

    # ---- using time

    @property
    def is_none(self) -> bool:
        return self.main == math.inf

    def start(self) -> TimeLeft:
        """The time of a player before the first move."""
        return TimeLeft(self.main, self.period, self.periods, self.moves)

    def until_fall(self, left: TimeLeft) -> float:
        """The seconds until the flag falls, if no move is made."""
        overtime = left.period + (left.periods - 1) * self.period if left.periods else 0.0
        return microseconds(left.main + overtime)

    def run(self, left: TimeLeft, seconds: float) -> TimeLeft:
        """The time left after `seconds` of one move."""
        if seconds < left.main:
            return replace(left, main=microseconds(left.main - seconds))
        over = microseconds(seconds - left.main)
        period, periods, moves = left.period, left.periods, left.moves
        while periods and over >= period:
            over = microseconds(over - period)
            period, periods, moves = self.period, periods - 1, self.moves
        if not periods:
            return TimeLeft(0.0)
        return TimeLeft(0.0, microseconds(period - over), periods, moves)

    def after_move(self, left: TimeLeft, seconds: float) -> TimeLeft:
        """The time left after a move that took `seconds`, with the increment or the new period."""
        now = self.run(left, seconds)
        if self.increment:
            return replace(now, main=microseconds(now.main + self.increment))
        if not now.in_overtime:
            return now
        if now.moves > 1:
            return replace(now, moves=now.moves - 1)
        return TimeLeft(0.0, self.period, now.periods, self.moves)


_NAMES = {"main": mark("main time"), "increment": mark("the increment"), "period": mark("a period of overtime")}


def _seconds(duration: str) -> float:
    """Seconds from `1h30m`, `2.5s`, `100ms`."""
    total = sum(
        (Decimal(number) * _UNITS[unit] for number, unit in re.findall(r"([\d.]+)(h|ms|m|s)", duration)), Decimal()
    )
    return float(total / 1000)


def _duration(seconds: float) -> str:
    """The shortest text that `_seconds` reads as the same number."""
    thousandths = round(seconds * 1000)
    hours, rest = divmod(thousandths, _UNITS["h"])
    minutes, rest = divmod(rest, _UNITS["m"])
    text = (f"{hours}h" if hours else "") + (f"{minutes}m" if minutes else "")
    if rest or not text:
        text += f"{rest / 1000:.3f}".rstrip("0").rstrip(".") + "s"
    return text
