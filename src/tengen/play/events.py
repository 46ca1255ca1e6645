"""Events of a match, and their delivery to observers.

Every observer gets every event, in the order in which they happened, even if an observer makes a move itself or
several threads do. An observer that raises is logged and does not affect the others.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from tengen.core.diagram import Change
from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.play.clock import Clock
from tengen.play.game_tree import TreeNode
from tengen.play.match_result import MatchResult
from tengen.runtime.messages import Progress

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Started:
    """The clock started: the game has begun or was resumed."""

    clock: Clock


@dataclass(frozen=True)
class Adjourned:
    """The clock was stopped; the game can be resumed."""

    clock: Clock


@dataclass(frozen=True)
class Moved:
    """A move of the game; `position` is the one after it."""

    position: Position
    move: Move
    player: int
    clock: Clock

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The stone placed and those captured or flipped."""
        assert self.position.parent is not None
        return self.position.parent.diagram().changes(self.position.diagram())


@dataclass(frozen=True)
class TakenBack:
    """Moves were taken back. `position` is the current one, `before` the one until then."""

    position: Position
    before: Position
    clock: Clock

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves taken back, the last one first."""
        return self.before.moves[self.position.ply :][::-1]

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The points that differ on the board."""
        return self.before.diagram().changes(self.position.diagram())


@dataclass(frozen=True)
class CountingStarted:
    """All moves are made; the players agree on the dead stones, then `Match.finish_counting` is called."""

    position: Position


@dataclass(frozen=True)
class Ended:
    """The game is over."""

    result: MatchResult


@dataclass(frozen=True)
class VariationAdded:
    """A move was added to the tree outside the game."""

    node: TreeNode


@dataclass(frozen=True)
class VariationDeleted:
    """A move outside the game was deleted from the tree, with everything after it."""

    node: TreeNode


@dataclass(frozen=True)
class CommentChanged:
    """The comment of a move was edited."""

    node: TreeNode


@dataclass(frozen=True)
class PlayersChanged:
    """Other players continue the game."""


@dataclass(frozen=True)
class ClockChanged:
    """The game continues with another time control."""

    clock: Clock


@dataclass(frozen=True)
class RulesChanged:
    """The game continues under other rules; positions have been recomputed."""


@dataclass(frozen=True)
class WinnerPresumed:
    """The game was left unfinished for a rematch; `winner` decides who moves first there, None if unknown."""

    winner: int | None


@dataclass(frozen=True)
class SearchProgress:
    """Progress of the search for the next move.

    `line` holds the positions that the engine expects, up to the depth for which the observer asked.
    """

    player: int
    position: Position
    progress: Progress
    line: tuple[Position, ...] = ()


@dataclass(frozen=True)
class EngineFailed:
    """An engine failed to move. The clock was stopped so that people can react."""

    player: int
    error: TengenError


@dataclass(frozen=True)
class SaveFailed:
    """The last change could not be saved. The game continues; the next save includes it."""

    error: TengenError


@dataclass(frozen=True)
class Saved:
    """Saving works again, and everything that had not been saved is."""


SettingsChanged: TypeAlias = PlayersChanged | ClockChanged | RulesChanged | WinnerPresumed
TreeEdited: TypeAlias = VariationAdded | VariationDeleted | CommentChanged
Event: TypeAlias = (
    Started
    | Adjourned
    | Moved
    | TakenBack
    | CountingStarted
    | Ended
    | TreeEdited
    | SettingsChanged
    | SearchProgress
    | EngineFailed
    | SaveFailed
    | Saved
)
Observer: TypeAlias = Callable[[Event], None]


@dataclass(eq=False)
class _Subscription:
    observer: Observer
    depth: int


class EventQueue:
    """Queues the events of one match and delivers them to its observers."""

    def __init__(self) -> None:
        self._operation_lock = threading.RLock()
        self._nesting = 0  # of operations
        self._subscriptions: list[_Subscription] = []
        self._queue: deque[Event] = deque()
        self._lock = threading.Lock()
        self._is_delivering = False

    def subscribe(self, observer: Observer, depth: int = 0) -> Callable[[], None]:
        """Add an observer whose `SearchProgress.line` has up to `depth` positions; returns how to unsubscribe."""
        subscription = _Subscription(observer, depth)
        with self._lock:
            self._subscriptions.append(subscription)

        def unsubscribe() -> None:
            with self._lock:
                if subscription in self._subscriptions:
                    self._subscriptions.remove(subscription)

        return unsubscribe

    @contextmanager
    def operation(self) -> Iterator[None]:
        """Run the block while no other thread runs one, then deliver its events. Operations may nest."""
        is_outermost = False
        try:
            with self._operation_lock:
                self._nesting += 1
                try:
                    yield
                finally:
                    self._nesting -= 1
                    is_outermost = not self._nesting
        finally:
            if is_outermost:
                self.deliver()

    def post(self, *events: Event) -> None:
        """Queue events for `deliver`."""
        with self._lock:
            self._queue.extend(events)

    def deliver(self) -> None:
        """Deliver the queued events. If another call is delivering, in any thread, that call delivers them."""
        with self._lock:
            if self._is_delivering:
                return
            self._is_delivering = True
        while True:
            with self._lock:
                if not self._queue:
                    self._is_delivering = False
                    return
                event, subscriptions = self._queue.popleft(), list(self._subscriptions)
            for one in subscriptions:
                try:
                    one.observer(_with_line(event, one.depth) if isinstance(event, SearchProgress) else event)
                except Exception:
                    _log.exception("an observer of the match failed at %s", type(event).__name__)
                except BaseException:  # Ctrl-C: the next call of `deliver` continues
                    self._is_delivering = False
                    raise


def _with_line(event: SearchProgress, depth: int) -> SearchProgress:
    """The event with up to `depth` positions of the principal variation."""
    report = event.progress.report
    if report is None or depth <= 0:
        return event
    line = []
    position = event.position
    for move in report.line[:depth]:
        try:
            position = position.play(move)
        except TengenError:  # a principal variation may be longer than the rules allow, as at a repetition
            break
        line.append(position)
    return replace(event, line=tuple(line))
