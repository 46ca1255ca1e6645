"""A match: a game between two players, with its clock, from the first move until long after the last one.

It knows no user interface and no engine. Whoever plays calls `play`; whoever wants to know what happens calls
`watch`. It may be used from several threads: observers are told when the match is free again, so that they may
wait for each other, or for whoever is about to make a move.

Two places in the tree matter. *Live* is where the game stands: the end of the main line. *Looked at* is what
people see: they may go back, try variations and come forward again while the game goes on, undisturbed.

Invariants: the clock has as many moves as the game, and waits for the player whose move it is. What observers are
told of has been handed to the store before.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from tengen.core.errors import TengenError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.games.records import Node, Record
from tengen.play import events
from tengen.play.clock import Clock, TimeIsUp
from tengen.play.end import End
from tengen.play.game_tree import (
    MatchError,
    Place,
    as_played,
    extend,
    read_path,
    remove_end_mark,
    set_end_mark,
    write_path,
)
from tengen.play.rematch import presumed, rematch
from tengen.play.request import Progress
from tengen.play.time_control import TimeControl
from tengen.play.view import View
from tengen.store.entry import GameEntry
from tengen.store.players import Player

VERSION = 1  # of `state` in a stored game

Save = Callable[[GameEntry], object]  # keeps an entry and gives it its new revision; `Store.save` is one

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _acts(method: Callable[Concatenate[Match, _P], _R]) -> Callable[Concatenate[Match, _P], _R]:
    """A method that changes the match: one at a time, and observers are told when it is done."""

    @wraps(method)
    def act(self: Match, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
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


class Match:
    """Make one with `new`, or go on with a stored one by `open`. The clock stands until `start`."""

    def __init__(self, entry: GameEntry, clock: Clock, *, save: Save | None = None) -> None:
        """For `new` and `open`: `entry.record` is in a match's form."""
        self._lock = threading.RLock()
        self._acting = 0
        self._observers = events.Observers()
        self._entry = entry
        self._save = save
        self._clock = clock
        self._end: End | None = None
        self._wants_rating = bool(entry.state.get("rated", entry.rated))  # at the start, whatever happened then
        self._live = Place(entry.record.root, entry.record.game.start()).game_end()
        self._view = View(self._live)

    @classmethod
    def new(
        cls,
        game: Game,
        players: tuple[Player, Player],
        control: TimeControl | None = None,
        *,
        second: TimeControl | None = None,
        rated: bool = True,
        save: Save | None = None,
    ) -> Match:
        """A match from the start of a game, who goes first in front; `second` is a time control for the other."""
        today = datetime.now(UTC).date().isoformat()
        record = Record(game, names=(players[0].name, players[1].name), date=today)
        rated = rated and players[0].id != players[1].id
        match = cls(GameEntry(record, players, rated=rated), Clock.of(control or TimeControl(), second), save=save)
        match._changed()
        return match

    @classmethod
    def open(cls, entry: GameEntry, *, save: Save | None = None) -> Match:
        """Go on with a stored game, or look at it. Raises a `TengenError` if that cannot be done."""
        if not entry.state:
            entry.record = as_played(entry.record)
            moves = entry.record.nodes()[1:]
            times = [(node.player or 0, node.seconds or 0.0) for node in moves if node.move is not None]
            match = cls(entry, Clock.replay(TimeControl(), times), save=save)
        else:
            if entry.state.get("version") != VERSION:
                raise MatchError(
                    "the game was stored by a newer version of Tengen: it can be shown, not played on"
                )
            try:
                match = cls(entry, Clock.from_dict(entry.state["clock"]), save=save)
            except (ValueError, KeyError) as error:
                raise MatchError(f"the game's clock cannot be read: {error}") from None
            match._view.show(read_path(match._live.path()[0], entry.state["looked_at"]))
        match._end = End.recorded(entry.record, entry.end) or match._end_on_board()
        return match

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

    @_acts
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

    # ---- playing

    @_acts
    def start(self) -> None:
        """Set the clock going: at the start of a game, or after it was adjourned."""
        self._check_unfinished()
        if self.is_running or self.live.is_over:
            return
        now = time.monotonic()
        standing = self._clock.player is None
        self._clock = self._clock.begin(self.live.to_move, now) if standing else self._clock.resume(now)
        self._changed(events.Started(self._clock))

    @_acts
    def adjourn(self) -> None:
        """Stop the clock until `start`. A flag that has fallen by now stays fallen."""
        if not self.check_time() and self.is_running:
            self._clock = self._clock.pause(time.monotonic())
            self._changed(events.Adjourned(self._clock))

    @_acts
    def play(self, move: Move | str) -> Position:
        """Make a move at the position looked at: in the game if that is where it stands, else in a variation.

        Returns the position after it. Raises a `MoveError`, a `MatchError`, or `TimeIsUp`, which ends the match.
        """
        if self._end is None and self.is_at_live:
            return self.play_live(move)
        before = self.looked_at
        if self._view.vary(move).node is self._live.node:
            set_end_mark(self._live.node)
        self._changed(self._look_from(before))
        return self.looked_at

    @_acts
    def play_live(self, move: Move | str, *, at: Position | None = None) -> Position:
        """Make a move in the game, whatever people look at: for engines, which do not look.

        `at` is the position for which it was found; the move is refused if the game has left it meanwhile.
        """
        self._check_unfinished()
        if at is not None and at != self.live:
            raise MatchError("the game has gone on, or back, since this move was looked for")
        if not self.is_running and not self.live.is_over:
            raise MatchError("the clock stands: start the game, or go on with it, before you move")
        before = self.live
        after = before.play(move)
        try:
            self._clock = self._clock.move(time.monotonic(), then=None if after.is_over else after.to_move)
        except TimeIsUp as error:
            self._fall(error.clock)
            raise
        followed = self.is_at_live
        self._live = extend(self._live, after)
        self._live.node.seconds = self._clock.moves[-1].seconds
        self._view.show(self._live if followed else self._view.place)
        self._end = self._end_on_board()
        assert after.move is not None
        changes = before.diagram().changes(after.diagram())
        told: list[events.Event] = [events.Moved(after, after.move, before.to_move, changes, self._clock)]
        if after.is_over:
            told.append(events.Counting(after) if self._end is None else events.Ended(self._end))
        self._changed(*told)
        return after

    @_acts
    def take_back(self, count: int = 1) -> None:
        """Take back the last moves of the game, whoever made them. They stay in the tree as a variation.

        The mover has the time again that was on the clock when that move began. The game is not rated any more.
        """
        self._check_in_time()
        if not 1 <= count <= self.live.ply:
            there_are = f"{self.live.ply} moves" if self.live.ply != 1 else "one move"
            raise MatchError(f"{count} moves cannot be taken back: the game has {there_are}")
        now = time.monotonic()
        before = self.live
        remove_end_mark(self._live.node)
        for _ in range(count):
            assert self._live.parent is not None
            self._live = self._live.parent
        set_end_mark(self._live.node)
        self._clock = self._clock.take_back(now, count)
        if before.is_over:  # the clock had stopped for the count
            self._clock = self._clock.resume(now)
        self._entry.rated = False
        self._view.show(self._live)
        changes = before.diagram().changes(self.live.diagram())
        moves = before.moves[self.live.ply :][::-1]
        self._changed(events.TakenBack(self.live, moves, changes, self._clock))

    @_acts
    def take_back_for(self, player: int) -> None:
        """Take back until it is this player's move again: his last one, and the answer to it if there was one."""
        self._check_in_time()
        position = self.live.parent
        while position is not None and position.to_move != player:
            position = position.parent
        if position is None:
            raise MatchError(f"{self.game.players[player]} has made no move that could be taken back")
        self.take_back(self.live.ply - position.ply)

    @_acts
    def resign(self, player: int | None = None) -> None:
        """A player gives up: the one to move, unless told otherwise."""
        self._check_in_time()
        self._finish(End.resigned(self.game, self.live.to_move if player is None else player))

    @_acts
    def draw(self) -> None:
        """Both players agree on a draw, where the game can end in one."""
        self._check_in_time()
        if not self.game.can_draw:
            raise MatchError(f"{self.game.describe()} always has a winner: there is no draw to agree on")
        self._finish(End.agreed_draw())

    @_acts
    def forfeit(self, player: int, reason: str) -> None:
        """A player loses by something outside the rules, such as a program's illegal move."""
        self._check_in_time()
        self._finish(End.forfeited(player, reason))

    @_acts
    def count(self, dead: Iterable[str | Move] = ()) -> End:
        """End a game whose moves are made: the players agree that these stones, one of each string, are dead."""
        if not self.is_counting:
            raise MatchError("there is nothing to count: moves are still to be made, or the game has ended")
        end = End.by_rules(self.game, self.game.count(self.live, dead), counted=True)
        self._finish(end)
        return end

    @_acts
    def check_time(self) -> bool:
        """End the match if the flag of the player on the move has fallen; returns whether it has."""
        clock = self._clock.check(time.monotonic())
        if self._end is not None or clock.fallen is None:
            return False
        self._fall(clock)
        return True

    # ---- looking

    @_acts
    def go_to(self, move: int) -> None:
        """Look at the position after so many moves of the line that is shown; the rest of it stays."""
        before = self.looked_at
        self._view.go_to(move)
        self._observers.post(self._look_from(before))

    @_acts
    def go_to_live(self) -> None:
        """Look at where the game stands."""
        before = self.looked_at
        self._view.show(self._live)
        self._observers.post(self._look_from(before))

    @_acts
    def enter(self, variation: int) -> None:
        """Look at the position after one of the moves that the tree has from here, 0 being the first."""
        before = self.looked_at
        self._view.enter(variation)
        self._observers.post(self._look_from(before))

    @_acts
    def remove_variation(self) -> None:
        """Take the move looked at, and all that follows it, out of the tree; moves of the game itself stay."""
        if any(place.node is self.node for place in self._live.path()):
            raise MatchError("this is a move of the game itself: only variations can be removed")
        before = self.looked_at
        self._view.remove()
        self._changed(self._look_from(before))

    @_acts
    def remark(self, comment: str) -> None:
        """Say something about the move looked at."""
        self.node.comment = comment
        self._changed(self._look_from(self.looked_at))

    # ---- around the game

    @_acts
    def save(self) -> None:
        """Keep which move is looked at, if it is another one than before. All else is kept at once."""
        if self._entry.state.get("looked_at") != write_path(self._view.place):
            self._changed()

    @_acts
    def unrate(self) -> None:
        """Keep this game out of the ratings, because somebody was helped."""
        if self._entry.rated:
            self._entry.rated = False
            self._changed()

    @_acts
    def change(
        self,
        *,
        players: tuple[Player, Player] | None = None,
        control: TimeControl | None = None,
        second: TimeControl | None = None,
        game: Game | None = None,
    ) -> None:
        """Other players, another clock or other rules for this same game, which keeps its id and is not rated.

        Raises a `TengenError`, with nothing changed, if the moves made are against the new rules.
        """
        self._check_in_time()
        what = []
        if game is not None and game != self.game:
            if game.name != self.game.name:
                raise MatchError(f"a game of {self.game.name} cannot become one of {game.name}")
            root = Place(self.record.root, game.start())
            live = root.game_end()  # raises if a move is illegal now, before anything has changed
            if [step.to_move for step in live.position.line()] != [step.to_move for step in self.live.line()]:
                raise MatchError("under these rules the moves made would be those of other players")
            looked_at = read_path(root, write_path(self._view.place))
            self._live, self.record.game = live, game
            self._view.show(looked_at)
            self._end = self._end_on_board()
            if self._end is not None:
                self._clock = self._clock.pause(time.monotonic())
            what.append("rules")
        if players is not None and players != self.players:
            self._entry.players = players
            self.record.names = (players[0].name, players[1].name)
            what.append("players")
        if control is not None:
            now = time.monotonic()
            paused = self._clock.pause(now).change(control, second)
            self._clock = paused.resume(now) if self.is_running else paused
            what.append("clock")
        if what:
            self._entry.rated = False
            told: list[events.Event] = [events.Altered(" and ".join(what))]
            self._changed(*told, *([] if self._end is None else [events.Ended(self._end)]))

    @_acts
    def rematch(self) -> Match:
        """The next game between the two, by the same rules and times, not yet started.

        If this one is unfinished it is adjourned, and says who is presumed to have won it.
        """
        first, second = self.players
        if first is None or second is None:
            raise MatchError("a rematch needs two players, and a record has only their names")
        self.adjourn()
        if self._end is None:
            guess = presumed((first, second), self.live.to_move)
            self._entry.presumed = None if guess is None else guess.winner
            self._changed(events.Altered("presumed winner"))
        players = rematch((first, second), self._end)
        controls = self._clock.controls
        if players[0] is not first:
            controls = controls[::-1]
        return Match.new(
            self.game, players, controls[0], second=controls[1], rated=self._wants_rating, save=self._save
        )

    @_acts
    def tell_thinking(self, progress: Progress) -> None:
        """Pass on news of the search for the next move."""
        if self.to_move is not None:
            self._observers.post(events.Thinking(self.live.to_move, self.live, progress))

    @_acts
    def tell_trouble(self, error: TengenError) -> None:
        """The engine to move failed: stop the clock, and say so."""
        if self.to_move is not None:
            self.adjourn()
            self._observers.post(events.Trouble(self.live.to_move, error))

    # ---- within

    def _check_unfinished(self) -> None:
        if self._end is not None:
            raise MatchError(f"the game is over: {self._end.reason}")

    def _check_in_time(self) -> None:
        self.check_time()
        self._check_unfinished()

    def _look_from(self, before: Position) -> events.Looked:
        return events.Looked(self.looked_at, before.diagram().changes(self.looked_at.diagram()))

    def _fall(self, clock: Clock) -> None:
        self._clock = clock
        assert clock.player is not None
        self._finish(End.on_time(self.game, clock.player))

    def _finish(self, end: End) -> None:
        self._clock = self._clock.pause(time.monotonic())
        self._end = end
        self._changed(events.Ended(end))

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
        if self._save is not None:
            try:
                self._save(entry)
            except TengenError as error:
                return error
        return None
