"""Dead stones at the end of a game: marked by the Go engine, corrected and agreed on by people, then counted.

The engine marks what playouts and reading are sure of, and its best guess about the rest, which people are asked
about. Against an engine, a person cannot take what the engine is sure of: playing on decides such disputes.

The dead stones stay marked after the count, with the territory, so that everybody sees how the result came about.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import BrokenExecutor, CancelledError
from typing import NamedTuple

from tengen.app.move_preview import point_name, string_at
from tengen.core.diagram import Diagram, Point
from tengen.core.errors import OptionError, TengenError
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.go.territory import dead_stones
from tengen.jobs.helper_pool import HelperPool
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.runtime.messages import Request

MARKING_TIMEOUT_S = 300.0  # generous: the first call may compile kernels


class Judgement(NamedTuple):
    """The engine's opinion on the string at `point`."""

    point: Point
    player: int
    is_dead: bool
    is_sure: bool


def judge_dead(request: Request) -> list[Judgement]:
    """Judge each string at the end of a game of Go. Loads compiled code: run it in a helper."""
    from tengen.engines.go.mcts.dead_stones import judge_strings

    return [
        Judgement(one.points[0], one.player, one.is_dead, one.is_sure) for one in judge_strings(request.position())
    ]


def disputed_points(judged: Iterable[Judgement], dead: Collection[Point], side: int) -> list[Point]:
    """A stone of each string whose mark favours `side` against what the engine is sure of.

    `dead` has every stone that is marked as dead.
    """
    return sorted(
        one.point
        for one in judged
        if one.is_sure and (one.point in dead) != one.is_dead and one.is_dead == (one.player == side)
    )


def dispute(diagram: Diagram, disputed: Iterable[Point]) -> MatchError:
    """The error that says about which stones an engine does not agree."""
    names = " ".join(point_name(diagram, point) for point in disputed)
    message = mark("your opponent does not agree about {points}: change the marks, or play on")
    return MatchError(message.format(points=names))


class DeadStones:
    """The dead stones of one match. `on_change` is called, in any thread, when marks or agreements change."""

    def __init__(self, match: Match, pool: HelperPool, on_change: Callable[[], object]) -> None:
        self.dead: set[Point] = set()  # at least one stone of each string
        self.agreed: set[int] = set()
        self._marked: Position | None = None  # for which the engine has finished
        self._judged: tuple[Judgement, ...] = ()  # by the engine, for the current position
        self._is_counted = match.dead_stones is not None
        self._match = match
        self._pool = pool
        self._on_change = on_change
        self._lock = threading.RLock()
        if match.dead_stones is not None:
            self.dead = set(points_named(match.live.diagram(), match.dead_stones))
        elif match.is_counting:
            self.start_marking()

    def clear(self) -> None:
        with self._lock:
            self.dead.clear()
            self.agreed.clear()
            self._judged = ()
            self._is_counted = False

    def start_marking(self) -> None:
        """Let the Go engine mark dead stones in the background."""
        threading.Thread(target=self._mark_by_engine, daemon=True).start()

    def toggle(self, point: Point) -> None:
        """Mark a string as dead, or as alive again. Withdraws all agreements."""
        if not self._match.is_counting:
            return
        diagram = self._match.live.diagram()
        if not (0 <= point[0] < len(diagram.columns) and 0 <= point[1] < len(diagram.rows)):
            return
        with self._lock:
            string = string_at(diagram, point)
            if string & self.dead:
                self.dead -= string
            elif string:
                self.dead.add(point)
            self.agreed.clear()
        self._on_change()

    def set_dead(self, points: Collection[Point]) -> None:
        """Mark exactly the strings at these points as dead. Raises `OptionError` for an empty point."""
        diagram = self._match.live.diagram()
        strings = {point: string_at(diagram, point) for point in points}
        for point, string in sorted(strings.items()):
            if not string:
                raise OptionError(
                    mark("there is no stone at {point}: give one stone of each dead string").format(
                        point=point_name(diagram, point)
                    )
                )
        with self._lock:
            if frozenset[Point]().union(*strings.values()) == frozenset(self.points()):
                return
            self.dead = set(points)
            self.agreed.clear()
        self._on_change()

    def reset(self) -> None:
        """Mark what the engine considers dead again. Withdraws all agreements."""
        with self._lock:
            self._check()
            self.dead = {one.point for one in self._judged if one.is_dead}
            self.agreed.clear()
        self._on_change()

    def unsure(self) -> list[Point]:
        """Every stone of the strings that the engine is not sure about."""
        diagram = self._match.live.diagram()
        return sorted(point for one in self._judged if not one.is_sure for point in string_at(diagram, one.point))

    def unsure_names(self) -> list[str]:
        """A stone of each string that the engine is not sure about."""
        diagram = self._match.live.diagram()
        return [point_name(diagram, one.point) for one in self._judged if not one.is_sure]

    def check_engine_agrees(self, side: int) -> None:
        """Raise `MatchError` unless an engine opponent of `side` agrees with the marks."""
        if self.is_engine_marking:
            raise MatchError(mark("your opponent is still looking for dead stones: try again in a moment"))
        disputed = self.disputed(side)
        if disputed:
            raise dispute(self._match.live.diagram(), disputed)

    def disputed(self, side: int) -> list[Point]:
        """See `disputed_points`."""
        return disputed_points(self._judged, set(self.points()), side)

    def agree(
        self, sides: Collection[int], needed: Collection[int], seen: Collection[Point] | None = None
    ) -> None:
        """Record that these sides agree; once all `needed` sides do, the game is counted.

        `seen` are the dead stones that were displayed; raises `MatchError` if the marks have changed since.
        """
        with self._lock:
            self._check()
            if seen is not None and set(seen) != set(self.points()):
                raise MatchError(mark("the marked stones have just changed: check them, then agree"))
            self.agreed |= set(sides)
            all_agree = set(needed) <= self.agreed
        if all_agree:
            self._is_counted = True  # before watchers are notified of the end
            try:
                self._match.finish_counting(self.names())
            except TengenError:
                self._is_counted = self._match.result is not None
                raise
        else:
            self._on_change()

    def _check(self) -> None:
        if not self._match.is_counting:
            raise MatchError(mark("there is nothing to count: the game is still being played, or has ended"))

    def _mark_by_engine(self) -> None:
        """Mark the stones the engine considers dead, unless people have already begun to mark or agree."""
        position = self._match.live
        try:
            judged = self._pool.submit(judge_dead, Request.from_position(position)).result(MARKING_TIMEOUT_S)
            with self._lock:
                if self._match.is_counting and self._match.live is position:
                    self._judged = tuple(judged)
                    if not (self.dead or self.agreed):
                        self.dead = {one.point for one in judged if one.is_dead}
        except (TengenError, BrokenExecutor, CancelledError, TimeoutError):
            pass  # people mark them instead
        finally:
            self._marked = position
            self._on_change()

    def names(self) -> list[str]:
        """One stone of each dead string, as `Game.count` expects them."""
        diagram = self._match.live.diagram()
        return [point_name(diagram, point) for point in sorted(self.dead)]

    def points(self) -> list[Point]:
        """Every dead stone."""
        return sorted(dead_stones(self._match.live.diagram(), self.dead))

    @property
    def is_engine_marking(self) -> bool:
        """Whether the engine has not finished yet, also before it has begun."""
        return self._match.is_counting and self._marked is not self._match.live

    @property
    def is_shown(self) -> bool:
        """Whether dead stones are shown: while they are marked, and after the game was counted by them."""
        return self._match.is_counting or self._is_counted

    def clear_unless_counted(self) -> None:
        """Clear the marks when a game ended in another way than by a count."""
        if not self._is_counted:
            self.clear()


def points_named(diagram: Diagram, names: Collection[str]) -> list[Point]:
    """The points with these names, such as D4; other names are ignored."""
    wanted = {name.upper() for name in names}
    return [point for point in diagram.contents() if point_name(diagram, point).upper() in wanted]
