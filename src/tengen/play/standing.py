"""How a match stands: what there is to see of it, who is told of changes, and how it is kept.

Two places in the tree matter. *Live* is where the game stands: the end of the main line. *Looked at* is what
people see: they may go back, try variations and come forward again while the game goes on, undisturbed.

Invariants: the clock has as many moves as the game, and waits for the player whose move it is. What observers are
told of has been handed to the store before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from tengen.core.errors import TengenError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.games.records import Node, Record
from tengen.play import events
from tengen.play.clock import Clock
from tengen.play.game_tree import Place, write_path
from tengen.play.match_result import End
from tengen.play.view import View
from tengen.players.player import Player
from tengen.store.game_entry import GameEntry

VERSION = 1  # of `state` in a stored game

Save = Callable[[GameEntry], object]  # keeps an entry and gives it its new revision; `Store.save` is one

_P = ParamSpec("_P")
_R = TypeVar("_R")
_S = TypeVar("_S", bound="Standing")


def acts(method: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
    """A method that changes the match: one at a time, and observers are told when it is done."""

    @wraps(method)
    def act(self: _S, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        outermost = False
        try:
            with self._lock:
                self._acting += 1
                try:
                    return method(self, *args, **kwargs)
                finally:
                    self._acting -= 1
                    outermost = not self._acting
        finally:
            if outermost:
                self._observers.tell()

    return act


class Standing:
    """The state of a match, one change at a time. `Match` is what others use."""

    def __init__(self, entry: GameEntry, clock: Clock, *, save: Save | None = None) -> None:
        """`entry.record` is in a match's form."""
        self._lock = threading.RLock()
        self._acting = 0
        self._observers = events.Observers()
        self._entry = entry
        self._save = save
        self._clock = clock
        self._end: End | None = None
        self._unsaved: TengenError | None = None
        self._expected: list[float] = []  # when moves arrived that are not made yet; see `expect_move`
        self._expected_lock = threading.Lock()
        self._wants_rating = bool(entry.state.get("rated", entry.rated))  # at the start, whatever happened then
        self._live = Place(entry.record.root, entry.record.game.start()).game_end()
        self._view = View(self._live)

    # ---- what there is to see

    @property
    def id(self) -> str:
        return self._entry.id

    @property
    def game(self) -> Game:
        return self._entry.record.game

    @property
    def players(self) -> tuple[Player | None, Player | None]:
        """Who plays, the first in front; None where a record names somebody we do not know."""
        return self._entry.players

    @property
    def record(self) -> Record:
        """The game's record, to read only: it grows with the match."""
        return self._entry.record

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def end(self) -> End | None:
        """How the match ended, or None while it goes on."""
        return self._end

    @property
    def live(self) -> Position:
        """Where the game stands."""
        return self._live.position

    @property
    def looked_at(self) -> Position:
        """What people see: the live position, an earlier one, or one of a variation."""
        return self._view.place.position

    @property
    def node(self) -> Node:
        """The node looked at, with its comment and its variations."""
        return self._view.place.node

    @property
    def line(self) -> list[Position]:
        """The line that is looked at, from the start to its end, beyond what is looked at as well."""
        return self._view.line

    @property
    def is_at_live(self) -> bool:
        return self.node is self._live.node

    @property
    def is_running(self) -> bool:
        return self._clock.is_running

    @property
    def is_counting(self) -> bool:
        """Whether the match waits for the players to agree on dead stones."""
        return self._end is None and self.live.is_over

    @property
    def to_move(self) -> int | None:
        """The player whose move the game waits for, clock running or not; None when there is none to make."""
        return None if self._end is not None or self.live.is_over else self.live.to_move

    @property
    def unsaved(self) -> TengenError | None:
        """Why the newest change is not in the store; None if it is."""
        return self._unsaved

    @acts
    def save_again(self) -> None:
        """Save what could not be saved before; observers are told if it works now."""
        if self._unsaved is not None and self._keep() is None:
            self._observers.post(events.Saved())

    @acts
    def entry(self) -> GameEntry:
        """The match as a store keeps it. Not a copy: the match goes on with it."""
        self._entry.state = {
            "version": VERSION,
            "clock": self._clock.to_dict(),
            "looked_at": write_path(self._view.place),
            "rated": self._wants_rating,
        }
        return self._entry

    def watch(self, observer: events.Observer, *, depth: int = 0) -> Callable[[], None]:
        """Tell an observer of every event from now on; returns a function that ends this.

        It is also shown what a running search expects, `depth` moves deep.
        """
        return self._observers.add(observer, depth)

    # ---- for what changes it

    def _look_from(self, before: Position) -> events.Looked:
        return events.Looked(self.looked_at, before.diagram().changes(self.looked_at.diagram()))

    def _end_on_board(self) -> End | None:
        """The end that the board shows, unless the game goes on or dead stones must be counted."""
        outcome = None if self.game.counts_dead_stones else self.live.outcome
        return None if outcome is None else End.by_rules(self.game, outcome)

    def _changed(self, *told: events.Event) -> None:
        """Keep the match as it is now, then tell of it."""
        self._entry.changed = datetime.now(UTC)
        error = self._keep()
        self._observers.post(*told, *([] if error is None else [events.NotSaved(error)]))

    def _keep(self) -> TengenError | None:
        if self._end is not None:
            self.record.result = self._end.result
            self._entry.end = self._end.reason
        entry = self.entry()
        error: TengenError | None = None
        if self._save is not None:
            try:
                self._save(entry)
            except TengenError as failed:
                error = failed
        self._unsaved = error  # only now: until a save has succeeded, others must not read that all is saved
        return error
