"""Dead stones at the end of a game: marked by the Go player, corrected by people, agreed on, then counted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from concurrent.futures import CancelledError

from tengen.core.diagram import Point
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.engines.go.dead import dead_among
from tengen.games.go import PASS
from tengen.play.aim import point_name, string_at
from tengen.play.host import EngineHost
from tengen.play.match import Match
from tengen.play.request import EngineSpec
from tengen.search.limits import Limits

DEAD_NODES = 400  # simulations that tell which stones are dead


class Counting:
    """The dead stones of one match. `tell` is called, in any thread, when others are marked or somebody agrees."""

    def __init__(self, match: Match, host: EngineHost, tell: Callable[[], None]) -> None:
        self.dead: set[Point] = set()  # at least one stone of each string
        self.agreed: set[int] = set()
        self.is_guessing = False  # the Go player is at it
        self._match = match
        self._host = host
        self._tell = tell
        self._lock = threading.RLock()

    def forget(self) -> None:
        with self._lock:
            self.dead.clear()
            self.agreed.clear()

    def begin(self) -> None:
        """The Go player begins to mark what it takes for dead, and tells when it is done."""
        self.is_guessing = True
        threading.Thread(target=self._guess, daemon=True).start()

    def toggle(self, point: Point) -> None:
        """Mark a string as dead, or as alive again; whoever had agreed has to look again."""
        if not self._match.is_counting:
            return
        with self._lock:
            string = string_at(self._match.live.diagram(), point)
            if string & self.dead:
                self.dead -= string
            elif string:
                self.dead.add(point)
            self.agreed.clear()
        self._tell()

    def mark_only(self, points: Collection[Point]) -> None:
        """These are dead, and no others."""
        with self._lock:
            if self.dead != set(points):
                self.dead = set(points)
                self.agreed.clear()

    def agree(self, sides: Collection[int], needed: Collection[int]) -> None:
        """These sides agree on the stones marked. When all that are needed do, the game is counted."""
        with self._lock:
            self.agreed |= set(sides)
            all_agree = set(needed) <= self.agreed
        if all_agree:
            self._match.count(self.names())
        else:
            self._tell()

    def _guess(self) -> None:
        """Mark what the Go player takes for dead; it comes too late if people have begun to. Takes a second."""
        try:
            position = self._match.live
            dead = self._dead_stones(position)
            with self._lock:
                if self._match.is_counting and self._match.live is position and not (self.dead or self.agreed):
                    self.dead |= dead
        except (TengenError, CancelledError):
            pass  # then people mark all of them
        finally:
            self.is_guessing = False
            self._tell()

    def _dead_stones(self, position: Position) -> set[Point]:
        """One stone of each string that the Go player takes for dead."""
        place = position
        while place.parent is not None and place.move == PASS:
            place = place.parent
        handle = self._host.search(
            EngineSpec("go"), place, Limits(nodes=DEAD_NODES), game_id=f"{self._match.id} dead"
        )
        overlays = {overlay.name: overlay.points for overlay in handle.future.result().overlays}
        owners = {(column, row): float(own) for column, row, own in overlays["ownership"]}
        return {points[0] for points in dead_among(position, owners)}

    def names(self) -> list[str]:
        """One stone of each dead string, as `Game.count` takes them."""
        diagram = self._match.live.diagram()
        return [point_name(diagram, point) for point in sorted(self.dead)]

    def points(self) -> list[Point]:
        """Every dead stone."""
        diagram = self._match.live.diagram()
        return sorted(frozenset[Point]().union(*(string_at(diagram, point) for point in self.dead)))
