"""Time control of GTP: time_settings and time_left, KGS's overtime systems and KataGo's increment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tengen.core.errors import OptionError
from tengen.play.clock import Clock
from tengen.play.time_control import MAX_MOVES, MAX_SECONDS, TimeControl, TimeLeft
from tengen.play.time_management import limits_for
from tengen.protocols.gtp.session import Session
from tengen.protocols.gtp.syntax import Arguments, GtpError, command
from tengen.search.limits import Limits


class Timing:
    """The clocks of both players as sent by the controller. Between updates, our own moves are deducted."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.control = TimeControl()
        self.left = [self.control.start(), self.control.start()]

    def restart(self) -> None:
        """Reset the clocks for a new game."""
        self.left = [self.control.start(), self.control.start()]

    def _set(self, control: TimeControl) -> str:
        self.control = control
        self.restart()
        return ""

    @contextmanager
    def move_limits(self, player: int, *, counts: bool = True) -> Iterator[Limits]:
        """The limits of a move. The time spent in the block is deducted from the player's clock if `counts`."""
        own = self.session.runner.limits(has_clock=not self.control.is_none)
        now = time.monotonic()
        clock = Clock((self.control, self.control), (self.left[0], self.left[1])).begin(player, now)
        yield limits_for(clock, now, own)
        if counts:
            self.left[player] = self.control.after_move(self.left[player], time.monotonic() - now)

    @command("time_settings")
    def time_settings(self, arguments: Arguments) -> str:
        """Main time, overtime, stones per overtime. Overtime with 0 stones means no limit."""
        main, overtime = _seconds(arguments, "main time"), _seconds(arguments, "overtime")
        stones = arguments.integer("stones", high=MAX_MOVES, last=True)
        if (overtime and not stones) or not (main or overtime):
            return self._set(TimeControl())
        return self._set(_canadian(main, overtime, stones))

    @command("kgs-time_settings", "kata-time_settings")
    def kgs_time_settings(self, arguments: Arguments) -> str:
        kind = arguments.word("a time system").lower()
        try:
            if kind == "none":
                control = TimeControl()
            elif kind == "absolute":
                control = TimeControl(_seconds(arguments, "main time"))
            elif kind == "byoyomi":
                main, period = _seconds(arguments, "main time"), _seconds(arguments, "a period")
                periods = arguments.integer("periods", 1, MAX_MOVES)
                control = TimeControl(main, period=period, periods=periods, moves=1)
            elif kind == "canadian":
                main, period = _seconds(arguments, "main time"), _seconds(arguments, "a period")
                control = _canadian(main, period, arguments.integer("stones", 1, MAX_MOVES))
            elif kind == "fischer":
                main, increment = _seconds(arguments, "main time"), _seconds(arguments, "an increment")
                control = TimeControl(main, increment)
            else:
                raise GtpError(
                    f"syntax error: expected none, absolute, byoyomi, canadian or fischer, not {kind!r}"
                )
        except OptionError as error:
            raise GtpError(f"invalid time: {error}") from None
        arguments.finish()
        return self._set(control)

    @command("kata-list_time_settings")
    def kinds(self) -> str:
        return "none absolute byoyomi canadian fischer"

    @command("time_left")
    def time_left(self, arguments: Arguments) -> None:
        """Seconds, then 0 in main time, the stones left in Canadian overtime, or the byo-yomi periods left."""
        player, seconds = arguments.colour(), _seconds(arguments, "seconds")
        stones = arguments.integer("stones", high=MAX_MOVES) if arguments.left else 0
        arguments.finish()
        control = self.control
        if control.is_none:
            return
        if not stones or not control.period:
            self.left[player] = TimeLeft(seconds, control.period, control.periods, control.moves)
        elif control.moves == 1:
            self.left[player] = TimeLeft(0.0, seconds, stones, 1)
        else:
            self.left[player] = TimeLeft(0.0, seconds, 1, stones)


def _canadian(main: float, period: float, stones: int) -> TimeControl:
    try:
        if not period:
            return TimeControl(main)
        return TimeControl(main, period=period, periods=1, moves=stones)
    except OptionError as error:
        raise GtpError(f"invalid time: {error}") from None


def _seconds(arguments: Arguments, what: str) -> float:
    return round(arguments.number(what, 0.0, MAX_SECONDS), 3)
