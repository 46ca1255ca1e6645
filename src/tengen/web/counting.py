"""Dead stones at the end of a game: marked by the Go player, corrected by people, agreed on, then counted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from concurrent.futures import BrokenExecutor, CancelledError

from tengen.core.diagram import Point
from tengen.core.errors import TengenError
from tengen.play.aim import point_name, string_at
from tengen.play.match import Match
from tengen.play.request import Request
from tengen.web.aside import Aside
from tengen.web.go_reading import read_dead


class Counting:
    """The dead stones of one match. `tell` is called, in any thread, when others are marked or somebody agrees."""

    def __init__(self, match: Match, aside: Aside, tell: Callable[[], None]) -> None:
        self.dead: set[Point] = set()  # at least one stone of each string
        self.agreed: set[int] = set()
        self.is_guessing = False  # the Go player is at it
        self._match = match
        self._aside = aside
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
            dead = self._aside.submit(read_dead, Request.of(position)).result()
            with self._lock:
                if self._match.is_counting and self._match.live is position and not (self.dead or self.agreed):
                    self.dead |= set(dead)
        except (TengenError, BrokenExecutor, CancelledError):
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
