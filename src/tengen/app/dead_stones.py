"""Dead stones at the end of a game: marked by the Go player, corrected by people, agreed on, then counted.

They stay marked when the game has been counted, with the territory, so that everybody sees why it ended so.
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

GUESS_TIMEOUT_S = 300.0  # on a new machine, the first guess waits for a compiler


def read_dead(request: Request) -> list[Point]:
    """Return one stone of each dead string at the end of a game of Go. Loads compiled code: run it in a helper."""
    from tengen.engines.go.mcts.dead_stones import dead_strings

    game = games.game(request.game, **request.options)
    position = game.start().play_all(request.moves)  # type: ignore[arg-type]
    return [points[0] for points in dead_strings(position)]


def territory(diagram: Diagram, dead: Collection[Point]) -> dict[Point, int]:
    """Whose each point is that has no living stone: 0 or 1; points that both sides touch are nobody's."""
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
    """The dead stones of one match. `tell` is called, in any thread, when others are marked or somebody agrees."""

    def __init__(self, match: Match, pool: HelperPool, tell: Callable[[], None]) -> None:
        self.dead: set[Point] = set()  # at least one stone of each string
        self.agreed: set[int] = set()
        self.is_guessing = False  # the Go player is at it
        self._is_counted = False
        self._match = match
        self._pool = pool
        self._tell = tell
        self._lock = threading.RLock()

    def forget(self) -> None:
        with self._lock:
            self.dead.clear()
            self.agreed.clear()
            self._is_counted = False

    def begin(self) -> None:
        """The Go player begins to mark what it takes for dead, and tells when it is done."""
        self.is_guessing = True
        threading.Thread(target=self._guess, daemon=True).start()

    def toggle(self, point: Point) -> None:
        """Mark a string as dead, or as alive again; whoever had agreed has to look again."""
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
        self._tell()

    def mark_only(self, points: Collection[Point]) -> None:
        """The strings at these points are dead, and no others. Raises `OptionError` where there is no stone."""
        diagram = self._match.live.diagram()
        strings = {point: string_at(diagram, point) for point in points}
        for point, string in sorted(strings.items()):
            if not string:
                raise OptionError(
                    f"there is no stone at {point_name(diagram, point)}: name one of each dead string"
                )
        with self._lock:
            if frozenset[Point]().union(*strings.values()) == frozenset(self.points()):
                return
            self.dead = set(points)
            self.agreed.clear()
        self._tell()

    def agree(self, sides: Collection[int], needed: Collection[int]) -> None:
        """These sides agree on the stones marked. When all that are needed do, the game is counted."""
        with self._lock:
            self._check()
            self.agreed |= set(sides)
            all_agree = set(needed) <= self.agreed
        if all_agree:
            self._is_counted = True  # before everybody hears of the end
            try:
                self._match.count(self.names())
            except TengenError:
                self._is_counted = self._match.end is not None
                raise
        else:
            self._tell()

    def _check(self) -> None:
        if not self._match.is_counting:
            raise MatchError("there is nothing to count: moves are still to be made, or the game has ended")

    def _guess(self) -> None:
        """Mark what the Go player takes for dead; it comes too late if people have begun to. Takes a second."""
        try:
            position = self._match.live
            dead = self._pool.submit(read_dead, Request.of(position)).result(GUESS_TIMEOUT_S)
            with self._lock:
                if self._match.is_counting and self._match.live is position and not (self.dead or self.agreed):
                    self.dead |= set(dead)
        except (TengenError, BrokenExecutor, CancelledError, TimeoutError):
            pass  # then people mark all of them
        finally:
            self.is_guessing = False
            self._tell()

    def names(self) -> list[str]:
        """One stone of each dead string, as `Game.count` takes them."""
        diagram = self._match.live.diagram()
        return [point_name(diagram, point) for point in sorted(self.dead)]

    def points(self) -> list[Point]:
        """Every dead stone."""
        diagram = self._match.live.diagram()
        return sorted(frozenset[Point]().union(*(string_at(diagram, point) for point in self.dead)))

    @property
    def is_shown(self) -> bool:
        """Whether stones are being marked, or the game was counted by those that are marked."""
        return self._match.is_counting or self._is_counted

    def forget_unless_counted(self) -> None:
        """The game has ended: in another way than by a count, nobody agreed on anything."""
        if not self._is_counted:
            self.forget()
