"""What happens in a match, and those who are told.

Observers are told in the order in which things happened, each of everything before the next thing is told of, also
when an observer makes a move itself or several threads do. One that fails is logged and disturbs nobody.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from tengen.core.diagram import Change
from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.play.clock import Clock
from tengen.play.match_result import End
from tengen.runtime.messages import Progress

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Started:
    """The clock runs: the game has begun, or goes on."""

    clock: Clock


@dataclass(frozen=True)
class Adjourned:
    """The clock stands."""

    clock: Clock


@dataclass(frozen=True)
class Moved:
    """A move of the game. `changes` has the stone placed and those captured or turned."""

    position: Position
    move: Move
    player: int
    changes: tuple[Change, ...]
    clock: Clock


@dataclass(frozen=True)
class TakenBack:
    """The game has gone back. `moves` were taken back, the last one first; `changes` has what came back then."""

    position: Position
    moves: tuple[Move, ...]
    changes: tuple[Change, ...]
    clock: Clock


@dataclass(frozen=True)
class Looked:
    """Another move is being looked at, in the game or in a variation. The game has not changed."""

    position: Position
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Thinking:
    """News of the search for the next move.

    `line` holds the positions that the engine expects, as far as the observer wanted to look ahead.
    """

    player: int
    position: Position
    progress: Progress
    line: tuple[Position, ...] = ()


@dataclass(frozen=True)
class Counting:
    """The moves are made, and the players should agree on dead stones: the match waits for `count`."""

    position: Position


@dataclass(frozen=True)
class Ended:
    """The game is over."""

    end: End


@dataclass(frozen=True)
class Altered:
    """Players, clock or rules are others now; the game is the same."""

    what: str


@dataclass(frozen=True)
class Annotated:
    """Somebody with a view of their own has changed variations or comments. The game has not changed."""


@dataclass(frozen=True)
class NotSaved:
    """The game goes on, but the last change is not in the store. The next one is saved with it, if it can be."""

    error: TengenError


@dataclass(frozen=True)
class Saved:
    """The store works again, and has all that was not saved before."""


@dataclass(frozen=True)
class Trouble:
    """An engine failed to move. The clock stands, so that somebody can do something about it."""

    player: int
    error: TengenError


Event: TypeAlias = (
    Started
    | Adjourned
    | Moved
    | TakenBack
    | Looked
    | Annotated
    | Thinking
    | Counting
    | Ended
    | Altered
    | NotSaved
    | Saved
    | Trouble
)
Observer: TypeAlias = Callable[[Event], None]


@dataclass(eq=False)
class _Seat:
    observer: Observer
    depth: int


class Observers:
    """Those who watch one match."""

    def __init__(self) -> None:
        self._seats: list[_Seat] = []
        self._waiting: deque[Event] = deque()
        self._lock = threading.Lock()
        self._telling = False

    def add(self, observer: Observer, depth: int = 0) -> Callable[[], None]:
        """Tell this observer too, of searches with the next `depth` positions; returns how to end this."""
        seat = _Seat(observer, depth)
        with self._lock:
            self._seats.append(seat)

        def leave() -> None:
            with self._lock:
                if seat in self._seats:
                    self._seats.remove(seat)

        return leave

    def post(self, *events: Event) -> None:
        """Note events to be told, in this order."""
        with self._lock:
            self._waiting.extend(events)

    def tell(self) -> None:
        """Tell of what was noted. If that is being done already, by this thread or another, it goes on there."""
        with self._lock:
            if self._telling:
                return
            self._telling = True
        while True:
            with self._lock:
                if not self._waiting:
                    self._telling = False
                    return
                event, seats = self._waiting.popleft(), list(self._seats)
            for seat in seats:
                try:
                    seat.observer(_with_line(event, seat.depth) if isinstance(event, Thinking) else event)
                except Exception:
                    _log.exception("an observer of the match failed at %s", type(event).__name__)
                except BaseException:  # Ctrl-C: whoever tells next goes on
                    self._telling = False
                    raise


def _with_line(event: Thinking, depth: int) -> Thinking:
    """The event with the positions that the running search expects, `depth` moves at most."""
    report = event.progress.report
    if report is None or depth <= 0:
        return event
    line = []
    position = event.position
    for move in report.line[:depth]:
        try:
            position = position.play(move)
        except TengenError:  # a line may go further than the rules allow, as at a repetition
            break
        line.append(position)
    return replace(event, line=tuple(line))
