"""A game clock for two players, as an immutable value: each event returns a new clock.

The clock never reads the time. Callers pass `now`, in seconds of a monotonic clock (`time.monotonic()`), so the
same events always give the same times and tests need not wait.

Invariants:
- `left` is the time of both players when the move in progress began. It changes when a move is made or taken back.
- `used` is the time that the move in progress had used at `since`, when the clock was last started. A stopped
  clock has no `since`, so it can be stored and resumed by another process.
- Each move stores the time its player had when it began. Taking back restores that and computes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tengen.core.errors import OptionError, TengenError
from tengen.core.translation import mark
from tengen.play.time_control import TimeControl, TimeLeft, microseconds

VERSION = 1

_WHO = (mark("the first player"), mark("the second player"))


class ClockError(TengenError):
    """An event that is impossible in the state of the clock."""


class TimeIsUp(ClockError):
    """A move came after the flag had fallen. `clock` is the clock with the fallen flag."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(mark("{who} has run out of time").format(who=_WHO[clock.player or 0]))
        self.clock = clock


@dataclass(frozen=True)
class TimedMove:
    """A move on the clock: its player, its duration, and the time of that player when it began."""

    player: int
    seconds: float
    before: TimeLeft


@dataclass(frozen=True)
class Clock:
    """The clock of a game. `player` is the player to move, 0 or 1; None before the start and after the end.

    The players may have different time controls. `fell_at` is the exact time at which a flag fell; it is unknown
    for a clock that was loaded from a file.
    """

    controls: tuple[TimeControl, TimeControl]
    left: tuple[TimeLeft, TimeLeft]
    moves: tuple[TimedMove, ...] = ()
    player: int | None = None
    used: float = 0.0
    since: float | None = None
    fell_at: float | None = field(default=None, compare=False)

    @classmethod
    def from_control(cls, control: TimeControl, second: TimeControl | None = None) -> Clock:
        """A stopped clock at the start of a game, with one time control for both players or one for each."""
        controls = (control, second or control)
        return cls(controls, (controls[0].start(), controls[1].start()))

    @classmethod
    def replay(cls, control: TimeControl, moves: Iterable[tuple[int, float]]) -> Clock:
        """The clock of a recorded game, from the player and the seconds of each move.

        A replay never loses on time: a player who used too much has no time left, and the game continues.
        """
        clock = cls.from_control(control)
        left, made = list(clock.left), []
        for player, seconds in moves:  # as `_with_move`, without a new clock for each of thousands of moves
            taken = microseconds(_checked_seconds(seconds))
            made.append(TimedMove(_checked_player(player), taken, left[player]))
            left[player] = control.after_move(left[player], taken)
        return replace(clock, left=(left[0], left[1]), moves=tuple(made))

    # ---- reading the clock

    @property
    def is_running(self) -> bool:
        return self.since is not None

    @property
    def fallen(self) -> int | None:
        """The player whose flag has fallen. On a running clock it is found by `check`."""
        if self.player is None or self.is_running or self.used < self._until_fall():
            return None
        return self.player

    @property
    def falls_at(self) -> float | None:
        """The time at which the flag will fall if nothing happens; None if it will not."""
        if self.since is None or math.isinf(self._until_fall()):
            return None
        return self.since + (self._until_fall() - self.used)

    def seconds_used(self, now: float) -> float:
        """The time used by the move in progress."""
        return self.used if self.since is None else microseconds(self.used + max(0.0, now - self.since))

    def left_at(self, player: int, now: float) -> TimeLeft:
        """The time that a player has left at `now`."""
        left = self.left[player]
        return self.controls[player].run(left, self.seconds_used(now)) if player == self.player else left

    # ---- events

    def begin(self, player: int, now: float) -> Clock:
        """Start the clock for a player: at the start of the game, or after `move(then=None)`."""
        if self.player is not None:
            raise ClockError(f"{_WHO[self.player]} is to move already")
        return replace(self, player=_checked_player(player), used=0.0, since=now)

    def move(self, now: float, *, then: int | None, starts: float | None = None) -> Clock:
        """The player to move has moved, and `then`, possibly the same player, moves next; None stops the clock.

        `starts` is when the next player's time begins: by default `now`, later if the move was delayed on the way.
        Raises `TimeIsUp` if the flag fell before.
        """
        if self.player is None or not self.is_running:
            raise ClockError(mark("the clock is stopped: start it before a move"))
        checked = self.check(now)
        if checked.fallen is not None:
            raise TimeIsUp(checked)
        made = self._with_move(self.player, self.seconds_used(now))
        if then is None:
            return made
        return replace(made, player=_checked_player(then), since=now if starts is None else max(now, starts))

    def add_untimed_move(self, player: int) -> Clock:
        """The clock after a move that uses no time and gets no increment, such as a move of a given opening."""
        made = TimedMove(_checked_player(player), 0.0, self.left[player])
        return replace(self, moves=(*self.moves, made))

    def check(self, now: float) -> Clock:
        """The same clock, or one stopped by a flag that has fallen by `now`."""
        if self.since is None:
            return self
        if now < self.since:
            raise ClockError(f"time cannot go back: {now} is before {self.since}")
        if self.seconds_used(now) < self._until_fall():
            return self
        return replace(self, used=self._until_fall(), since=None, fell_at=self.falls_at)

    def pause(self, now: float) -> Clock:
        """Stop the clock, unless the flag has fallen before."""
        clock = self.check(now)
        return replace(clock, used=clock.seconds_used(now), since=None) if clock.is_running else clock

    def resume(self, now: float) -> Clock:
        """Start a stopped clock again."""
        if self.fallen is not None:
            raise ClockError(f"{_WHO[self.fallen]} has run out of time: there is nothing to resume")
        if self.player is None:
            raise ClockError("no player is to move: there is nothing to resume")
        return self if self.is_running else replace(self, since=now)

    def take_back(self, now: float, count: int = 1) -> Clock:
        """Take back the last `count` moves: both players have the time they had when the first of these began.

        A running clock keeps running; a stopped one stays stopped.
        """
        if not 1 <= count <= len(self.moves):
            raise ClockError(f"{count} moves cannot be taken back: the clock has {len(self.moves)}")
        running = self.check(now).is_running
        return replace(self.at(len(self.moves) - count), since=now if running else None)

    def withdraw(self, now: float, count: int) -> Clock:
        """Start a stopped clock again before its last `count` moves, whose time stays used."""
        earlier = self.at(len(self.moves) - count)
        return replace(earlier, left=self.left, since=now)

    def at(self, count: int) -> Clock:
        """The clock as it was after the first `count` moves, stopped; for displays that look back."""
        if not 0 <= count <= len(self.moves):
            raise ClockError(f"there is no move {count} to go to: the clock has {len(self.moves)}")
        left = list(self.left)
        for made in reversed(self.moves[count:]):
            left[made.player] = made.before
        player = self.moves[count].player if count < len(self.moves) else self.player
        return Clock(self.controls, (left[0], left[1]), self.moves[:count], player)

    def change(self, control: TimeControl, second: TimeControl | None = None) -> Clock:
        """Change the time controls of a stopped clock: both players get the full new time.

        Earlier moves keep their durations; taking one back gives the full new time.
        """
        if self.is_running:
            raise ClockError("the time control of a running clock cannot be changed: pause it first")
        fresh = Clock.from_control(control, second)
        moves = tuple(replace(made, before=fresh.left[made.player]) for made in self.moves)
        return replace(fresh, moves=moves, player=self.player)

    # ---- files

    def to_dict(self) -> dict[str, Any]:
        """Data for JSON: the clock at its last event, without time stamps."""
        return {
            "version": VERSION,
            "controls": [str(control) for control in self.controls],
            "left": [_write_left(left) for left in self.left],
            "moves": [[made.player, made.seconds, _write_left(made.before)] for made in self.moves],
            "player": self.player,
            "used": self.used,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Clock:
        """A stopped clock from the data of `to_dict`. Raises ValueError for anything else."""
        try:
            if data["version"] != VERSION:
                raise ValueError(f"a clock of version {data['version']}; this program reads {VERSION}")
            first, second = (TimeControl.parse(text, stored=True) for text in data["controls"])
            one, two = (_read_left(left) for left in data["left"])
            player = data["player"]
            return cls(
                controls=(first, second),
                left=(one, two),
                moves=tuple(
                    TimedMove(_checked_player(mover), _checked_seconds(seconds), _read_left(before))
                    for mover, seconds, before in data["moves"]
                ),
                player=None if player is None else _checked_player(player),
                used=_checked_seconds(data["used"]),
            )
        except (KeyError, TypeError, AttributeError, OptionError, ClockError) as error:
            raise ValueError(f"not a clock: {error}") from None

    # ---- private

    def _until_fall(self) -> float:
        """The seconds that the move in progress may take in total."""
        if self.player is None:
            return math.inf
        return self.controls[self.player].until_fall(self.left[self.player])

    def _with_move(self, player: int, seconds: float) -> Clock:
        """The clock after a move of this duration, with no player to move."""
        before = self.left[player]
        left = list(self.left)
        left[player] = self.controls[player].after_move(before, seconds)
        moves = (*self.moves, TimedMove(player, seconds, before))
        return replace(self, left=(left[0], left[1]), moves=moves, player=None, used=0.0, since=None)


def _checked_player(player: Any) -> int:
    if type(player) is not int or player not in (0, 1):
        raise ClockError(f"a player is 0 or 1, not {player!r}")
    return player


def _checked_seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise ClockError(f"a time is 0 seconds or more, not {value!r}")
    return float(value)


def _write_left(left: TimeLeft) -> list[float | int | None]:
    return [None if math.isinf(left.main) else left.main, left.period, left.periods, left.moves]


def _read_left(data: Any) -> TimeLeft:
    main, period, periods, moves = data
    for count in (periods, moves):
        if type(count) is not int or count < 0:
            raise ClockError(f"a number of periods or moves is 0 or more, not {count!r}")
    return TimeLeft(math.inf if main is None else _checked_seconds(main), _checked_seconds(period), periods, moves)
