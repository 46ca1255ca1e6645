"""Dead stones at the end of a game: marked by the Go engine, corrected and agreed on by people, then counted.

They stay marked after the count, with the territory, so that everybody sees how the result came about.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from concurrent.futures import BrokenExecutor, CancelledError

from tengen import games
from tengen.app.move_preview import point_name, string_at
from tengen.core.diagram import Diagram, Point, Stone
from tengen.core.errors import OptionError, TengenError
from tengen.jobs.helper_pool import HelperPool
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.runtime.messages import Request

MARKING_TIMEOUT_S = 300.0  # generous: the first call may compile kernels


def read_dead(request: Request) -> list[Point]:
    """Return one stone of each dead string at the end of a game of Go. Loads compiled code: run it in a helper."""
    from tengen.engines.go.mcts.dead_stones import dead_strings

    game = games.game(request.game, **request.options)
    position = game.start().play_all(request.moves)  # type: ignore[arg-type]
    return [points[0] for points in dead_strings(position)]


def territory(diagram: Diagram, dead: Collection[Point]) -> dict[Point, int]:
    """The owner, 0 or 1, of each point without a living stone; points that both sides touch are left out."""
    points = {
        (column, row): stone for row, stones in enumerate(diagram.stones) for column, stone in enumerate(stones)
    }
    points |= dict.fromkeys(dead, Stone.EMPTY)
    living = {point: stone for point, stone in points.items() if stone is not Stone.EMPTY}
    open_points = set(points) - set(living)
    owned: dict[Point, int] = {}
    while open_points:
        first = open_points.pop()
        region, front, touched = {first}, [first], set[Stone]()
        while front:
            column, row = front.pop()
            for beside in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
                if beside in open_points:
                    open_points.remove(beside)
                    region.add(beside)
                    front.append(beside)
                elif beside in living:
                    touched.add(living[beside])
        if len(touched) == 1:
            owned |= dict.fromkeys(region, int(touched.pop()) - 1)
    return owned


class DeadStones:
    """The dead stones of one match. `on_change` is called, in any thread, when marks or agreements change."""

    def __init__(self, match: Match, pool: HelperPool, on_change: Callable[[], None]) -> None:
        self.dead: set[Point] = set()  # at least one stone of each string
        self.agreed: set[int] = set()
        self.is_engine_marking = False
        self._is_counted = False
        self._match = match
        self._pool = pool
        self._on_change = on_change
        self._lock = threading.RLock()

    def clear(self) -> None:
        with self._lock:
            self.dead.clear()
            self.agreed.clear()
            self._is_counted = False

    def start_marking(self) -> None:
        """Let the Go engine mark dead stones in the background."""
        self.is_engine_marking = True
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
                    f"there is no stone at {point_name(diagram, point)}: give one stone of each dead string"
                )
        with self._lock:
            if frozenset[Point]().union(*strings.values()) == frozenset(self.points()):
                return
            self.dead = set(points)
            self.agreed.clear()
        self._on_change()

    def agree(self, sides: Collection[int], needed: Collection[int]) -> None:
        """Record that these sides agree; once all `needed` sides do, the game is counted."""
        with self._lock:
            self._check()
            self.agreed |= set(sides)
            all_agree = set(needed) <= self.agreed
        if all_agree:
            self._is_counted = True  # before watchers are notified of the end
            try:
                self._match.count(self.names())
            except TengenError:
                self._is_counted = self._match.result is not None
                raise
        else:
            self._on_change()

    def _check(self) -> None:
        if not self._match.is_counting:
            raise MatchError("there is nothing to count: the game is still being played, or has ended")

    def _mark_by_engine(self) -> None:
        """Mark the stones the engine considers dead, unless people have already begun to mark or agree."""
        try:
            position = self._match.live
            dead = self._pool.submit(read_dead, Request.from_position(position)).result(MARKING_TIMEOUT_S)
            with self._lock:
                if self._match.is_counting and self._match.live is position and not (self.dead or self.agreed):
                    self.dead |= set(dead)
        except (TengenError, BrokenExecutor, CancelledError, TimeoutError):
            pass  # people mark them instead
        finally:
            self.is_engine_marking = False
            self._on_change()

    def names(self) -> list[str]:
        """One stone of each dead string, as `Game.count` expects them."""
        diagram = self._match.live.diagram()
        return [point_name(diagram, point) for point in sorted(self.dead)]

    def points(self) -> list[Point]:
        """Every dead stone."""
        diagram = self._match.live.diagram()
        return sorted(frozenset[Point]().union(*(string_at(diagram, point) for point in self.dead)))

    @property
    def is_shown(self) -> bool:
        """Whether dead stones are shown: while they are marked, and after the game was counted by them."""
        return self._match.is_counting or self._is_counted

    def clear_unless_counted(self) -> None:
        """Clear the marks when a game ended in another way than by a count."""
        if not self._is_counted:
            self.clear()
