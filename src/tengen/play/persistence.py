"""The stored form of a match: its `GameEntry`, and whether its newest change has been saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.translation import mark
from tengen.play.clock import Clock
from tengen.play.game_tree import MatchError
from tengen.play.match_result import MatchResult
from tengen.store.game_entry import GameEntry

STATE_VERSION = 1  # of `GameEntry.state`

Save = Callable[[GameEntry], object]  # stores an entry and updates its revision, as `Store.save` does


class MatchStorage:
    """Saves a match after each change. The entry is not a copy: the match continues with it."""

    def __init__(self, entry: GameEntry, save: Save | None) -> None:
        self.entry = entry
        self.write = save
        self.error: TengenError | None = None  # why the newest change is not stored
        self.wants_rating = bool(entry.state.get("rated", entry.rated))  # as agreed at the start of the game
        dead = entry.state.get("dead_stones")
        # A stone of each string that was removed before the count; None if the game was not counted.
        self.dead_stones: tuple[str, ...] | None = None if dead is None else tuple(map(str, dead))
        self.saved_cursor: Mapping[str, Any] | None = entry.state.get("looked_at")  # of a `View`

    def update(self, clock: Clock, result: MatchResult | None) -> GameEntry:
        """Bring the entry up to date."""
        entry = self.entry
        if result is not None:
            entry.record.result = result.code
            entry.end = result.reason
        state = {"version": STATE_VERSION, "clock": clock.to_dict(), "rated": self.wants_rating}
        if self.saved_cursor is not None:
            state["looked_at"] = self.saved_cursor
        if self.dead_stones is not None:
            state["dead_stones"] = list(self.dead_stones)
        entry.state = state
        return entry

    def save(self, clock: Clock, result: MatchResult | None) -> TengenError | None:
        """Save the match as it is now; returns the error if that fails."""
        entry = self.update(clock, result)
        entry.changed = datetime.now(UTC)
        error: TengenError | None = None
        if self.write is not None:
            try:
                self.write(entry)
            except TengenError as failed:
                error = failed
        self.error = error  # assigned once: until a save has succeeded, other threads must not read None
        return error


def read_clock(state: Mapping[str, Any]) -> Clock:
    """The clock in the state of a stored match. Raises `MatchError` if this version cannot read it."""
    if state.get("version") != STATE_VERSION:
        raise MatchError(mark("this game was saved by a newer version of Tengen and cannot be continued here"))
    try:
        return Clock.from_dict(state["clock"])
    except (ValueError, KeyError) as error:
        raise MatchError(mark("the game's clock cannot be read: {error}").format(error=error)) from None
