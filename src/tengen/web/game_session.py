"""One open game on this server: the match, its runner, the watchers, and who may change it.

Watchers are called in the server's event loop. Changes of the match are made in other threads (see
`GameSessions.run_in_thread`), because saving waits for the disk. A change is allowed to those who hold the seat of
the side that it belongs to.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from tengen.app.dead_stones import DeadStones
from tengen.app.event_loop import call_in_loop
from tengen.app.game_reports import GameReports
from tengen.core.diagram import Point
from tengen.core.position import Position
from tengen.core.resource_limits import LimitExceeded, resource_limits
from tengen.core.translation import mark
from tengen.jobs.helper_pool import HelperPool
from tengen.play import events
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.play.match_runner import MatchRunner
from tengen.play.player_lookup import known
from tengen.play.time_control import TimeControl
from tengen.players.config import EngineConfig
from tengen.players.player import MAX_NAME_LENGTH, EnginePlayer, Person, Player, is_guest_name
from tengen.runtime.host import EngineHost, SearchHandle
from tengen.store.errors import NotStored, StoreConflict
from tengen.store.store import Store
from tengen.web.move_list import MoveListRows
from tengen.web.permissions import NotAllowed
from tengen.web.visitor_cache import Seats, VisitorCache

_log = logging.getLogger(__name__)
IDLE_TIMEOUT_S = 45.0  # a session without watchers is then closed and its clock paused, unless two people play

MAX_WATCHERS_WITHOUT_DELAY = 10
UPDATE_DELAY_PER_WATCHER_S = 0.005  # about the time to update one page


@dataclass(frozen=True)
class SessionChanged:
    """Seats, offers, marked stones or the rematch have changed."""


@dataclass(frozen=True)
class Reviewed:
    """A position has a new engine report; without moves: a review started or ended."""

    moves: tuple[str, ...]


_R = TypeVar("_R")
SessionEvent: TypeAlias = events.Event | SessionChanged | Reviewed
Watcher: TypeAlias = Callable[[SessionEvent], None]


@dataclass(frozen=True)
class Offer:
    """A request to the other player: `kind` is draw, take back or pause; `side` asks."""

    kind: str
    side: int


def player_name(match: Match, side: int) -> str:
    """The name of a player, as far as it is known, else of the colour. Guests may have given a name."""
    player = match.players[side]
    if player is not None and not is_guest_name(player.name):
        return player.name
    return match.record.names[side] or match.game.players[side]


class GameSession:
    """Created by `GameSessions`. In all methods, `who` is a visitor's id or the key of a seat."""

    def __init__(
        self,
        match: Match,
        store: Store,
        host: EngineHost,
        pool: HelperPool,
        visitors: VisitorCache,
        loop: asyncio.AbstractEventLoop,
        *,
        ponder: bool = False,
        is_in_library: bool = True,
    ) -> None:
        self.match = match
        self.store = store
        self.is_in_library = is_in_library
        self.runner = MatchRunner(match, host, ponder=ponder)
        self.offer: Offer | None = None
        self.declined: Offer | None = None  # shown to the one who asked, until the next move
        self.game_reports = GameReports(match, store, host, lambda moves: self._notify_soon(Reviewed(moves)))
        self.thinking: events.SearchProgress | None = None
        self.engine_error = ""
        self.next_game_id: str = ""  # the rematch
        self._visitors = visitors
        self._seats = store.seats(match.id)
        self._loop = loop
        self._lock = threading.RLock()
        self._watchers: list[Watcher] = []
        self.on_unsaved: Callable[[], None] = lambda: None  # called, in any thread, when saving a change failed
        self.moves = MoveListRows(match.tree, match.game)  # shared by pages; update it in the server's thread
        self._cache: dict[Hashable, tuple[Position, Any]] = {}
        # Last, because marking may begin and end at once.
        self.dead_stones = DeadStones(match, pool, lambda: self._notify_soon(SessionChanged()))
        self._stop_watching = match.watch(self._on_match_event)

    # ---- permissions

    @property
    def id(self) -> str:
        return self.match.id

    @property
    def seats(self) -> Seats | None:
        """Who may act in this game. To change it, pass a copy to `_set_seats`."""
        return self._seats

    def _set_seats(self, seats: Seats) -> None:
        """Store new seats. Call it outside the event loop. If storing fails, the old seats stay valid."""
        self._visitors.add_guests(seats.guests())
        self.store.set_seats(self.id, seats)
        self._seats = seats

    def is_engine(self, side: int) -> bool:
        return isinstance(self.match.players[side], EnginePlayer)

    def is_person(self, side: int) -> bool:
        return isinstance(self.match.players[side], Person)

    def sides(self, who: str) -> frozenset[int]:
        seats = self.seats
        if seats is None:
            return frozenset()
        by_key = seats.side_of(who)
        people = frozenset(side for side in (0, 1) if self.is_person(side))
        return (seats.sides(who) | (frozenset() if by_key is None else {by_key})) & people

    def may_change(self, who: str) -> bool:
        """Whether `who` may add variations and comments: players and creator, or anybody if there are no seats."""
        seats = self.seats
        return seats is None or seats.owner == who or bool(self.sides(who))

    def claim(self, who: str) -> None:
        """Take all sides played by people in a game without seats, which comes from the terminal or a file."""
        with self._lock:
            if self.seats is None and self.match.result is None:
                self._seats = self.store.seats(self.id)  # another server process may have set them
                if self._seats is not None:
                    return
                seats = Seats(who)
                for side in (0, 1):
                    seats.assign(side, who)
                self._set_seats(seats)

    def join(self, key: str, who: str, name: str = "") -> int:
        """Take the seat with this key, under a name; returns its side."""
        name = " ".join(name.split())
        if len(name) > MAX_NAME_LENGTH or not name.isprintable():
            raise MatchError(mark("a name has at most {count} printable letters").format(count=MAX_NAME_LENGTH))
        with self._lock:
            seats = self.store.seats(self.id)
            side = None if seats is None else seats.side_of(key)
            if seats is None or side is None:
                raise NotAllowed(mark("this invite link is not valid: ask for a new one"))
            seats.assign(side, who)
            self._set_seats(seats)
        player = self.match.players[side]
        if name and player is not None and is_guest_name(player.name):
            self.match.set_name(side, name)
        self._notify_soon(SessionChanged())
        return side

    @property
    def unclaimed_side(self) -> int | None:
        """The side offered by invite link that nobody has taken yet."""
        seats = self.seats
        return None if seats is None else next((side for side in (0, 1) if seats.open[side]), None)

    def plays_alone(self, who: str) -> bool:
        """Whether `who` plays and needs nobody's consent: every other side is an engine or also theirs."""
        mine = self.sides(who)
        return bool(mine) and all(self.is_engine(side) or side in mine for side in (0, 1))

    def is_turn_of(self, who: str) -> bool:
        """Whether it is the move of a side that `who` plays, and nobody is awaited."""
        return self.match.to_move in self.sides(who) and self.unclaimed_side is None

    @property
    def _two_people(self) -> bool:
        return all(self.is_person(side) for side in (0, 1))

    def _side(self, who: str) -> int:
        """The side that `who` acts for: the side to move if both are theirs."""
        mine = self.sides(who)
        if not mine:
            raise NotAllowed(mark("only its players can change a game"))
        to_move = self.match.live.to_move
        return to_move if to_move in mine else min(mine)

    # ---- actions of players; call these outside the event loop

    def start(self, who: str) -> None:
        """Start clock and engines, if `who` plays or created the game and all seats are taken."""
        seats = self.seats
        allowed = bool(self.sides(who)) or (seats is not None and seats.owner == who)
        if allowed and self.match.result is None and not self.match.is_running and self.unclaimed_side is None:
            self.engine_error = ""
            self.runner.start()

    def play(self, who: str, move: str, ply: int | None = None, arrived: float | None = None) -> None:
        """Make a move; `arrived` is when the server received it (see `Match.play`)."""
        match = self.match
        if match.to_move is None or match.to_move not in self.sides(who):
            if not self.sides(who):
                raise NotAllowed(mark("only its players can change a game"))
            raise MatchError(mark("it is not your move") if match.result is None else mark("the game is over"))
        if self.unclaimed_side is not None:
            raise MatchError(mark("your opponent has not joined yet: send them the invite link"))
        if ply is not None and ply != match.live.ply:
            raise MatchError(mark("the position has changed since this move was chosen"))
        most = resource_limits().record_moves
        if match.live.ply >= most:
            raise LimitExceeded(
                mark("a game may have at most {most:,} moves: agree on a draw or resign").format(most=most)
            )
        if not match.is_running:
            self.runner.start()
        match.play(move, at=match.live, arrived=arrived)

    def resign(self, who: str) -> None:
        self.match.resign(self._side(who))

    def take_back(self, who: str) -> None:
        side = self._side(who)
        if not self.plays_alone(who):
            self._make_offer(Offer("take back", side))
        elif self.is_engine(1 - side):
            self.match.take_back_for(side)
        else:
            self.match.take_back()

    def draw(self, who: str) -> bool:
        """Offer a draw, or make it one if `who` plays alone; returns whether an engine declined."""
        side = self._side(who)
        if not self.match.game.can_draw:
            self.match.draw()  # raises the reason
        if self.is_engine(1 - side):
            return not self.runner.offer_draw(side)
        if self.plays_alone(who):
            self.match.draw()
        else:
            self._make_offer(Offer("draw", side))
        return False

    def pause(self, who: str) -> None:
        seats = self.seats
        if not self.sides(who) and not (seats is not None and seats.owner == who):
            raise NotAllowed(mark("only its players can pause a game"))
        if self.sides(who) and not self.plays_alone(who):
            self._make_offer(Offer("pause", self._side(who)))
        else:
            self.match.adjourn()

    def change(self, who: str, players: tuple[Player, Player], control: TimeControl | None) -> None:
        """Continue with other players or another clock. `who` takes the seats of all people."""
        seats = self.seats
        if seats is None or not (self.plays_alone(who) or (seats.owner == who and not self._two_people)):
            raise NotAllowed(mark("players and clock can be changed only while no other person plays"))
        one, two = (known(self.store, player) if isinstance(player, Person) else player for player in players)
        self.match.change(players=(one, two), control=control)
        seats = seats.copy()
        for side in (0, 1):
            if self.is_person(side):
                seats.assign(side, who)
        self._set_seats(seats)
        self.start(who)

    def set_next_game(self, game_id: str) -> None:
        """Announce the rematch to everybody who watches this game."""
        self.next_game_id = game_id
        self._notify_soon(SessionChanged())

    def answer_offer(self, who: str, accept: bool) -> None:
        """Accept or decline the other player's offer."""
        with self._lock:  # of two answers at once, only one counts
            offer = self.offer
            if offer is None or 1 - offer.side not in self.sides(who):
                raise MatchError(mark("there is no offer to answer"))
            self.offer = None
            self.declined = None if accept else offer
        if accept and offer.kind == "draw":
            self.match.draw()
        elif accept and offer.kind == "take back":
            self.match.take_back_for(offer.side)
        elif accept:
            self.match.adjourn()
        self._notify_soon(SessionChanged())

    def _make_offer(self, offer: Offer) -> None:
        if self.match.result is not None:
            raise MatchError(mark("the game is over"))
        self.offer, self.declined = offer, None
        self._notify_soon(SessionChanged())

    def mark(self, who: str, point: Point) -> None:
        """Mark a string as dead, or as alive again."""
        self._side(who)
        self.dead_stones.toggle(point)

    def reset_marks(self, who: str) -> None:
        """Mark what the engine considers dead again."""
        self._side(who)
        self.dead_stones.reset()

    def play_on(self, who: str) -> None:
        """Play on instead of counting: nobody can be forced to agree."""
        self._side(who)
        self.match.resume_play()

    def abort(self, who: str) -> None:
        """End the game without a result, before each side has moved."""
        self._side(who)
        self.match.abort()

    def count(self, who: str, points: Collection[Point]) -> None:
        """Mark exactly the strings at these points as dead, and agree."""
        self._side(who)
        if not self.match.is_counting:
            raise MatchError(mark("there is nothing to count: the game is still being played, or has ended"))
        self.dead_stones.set_dead(points)
        self.agree(who)

    def agree(self, who: str, seen: Collection[Point] | None = None) -> None:
        """Agree on the stones marked as dead. An engine agrees unless it is sure of something else.

        See `DeadStones.agree` for `seen`.
        """
        side = self._side(who)
        if self.is_engine(1 - side):
            self.dead_stones.check_engine_agrees(side)
        self.dead_stones.agree(self.sides(who), [side for side in (0, 1) if not self.is_engine(side)], seen)

    # ---- engine help

    def may_use_engine(self, who: str) -> bool:
        """Whether engine help is fair: the game has ended, or no other person plays in it."""
        nobody = not any(self.is_person(side) for side in (0, 1))
        return self.match.result is not None or nobody or self.plays_alone(who)

    def hint(self, who: str, config: EngineConfig) -> SearchHandle:
        """Search for a hint, which makes the game unrated. Refused in games between two people."""
        self._side(who)
        if not self.may_use_engine(who):
            raise MatchError(mark("no engine help while the game is in progress"))
        return self.runner.hint(config, self.match.live)

    def move_now(self, who: str) -> None:
        """Let the engine stop searching and play its best move so far."""
        if self.seats is None or not self.may_change(who):
            raise NotAllowed(mark("only its players can change a game"))
        self.runner.move_now()

    def check_rematch(self, who: str) -> None:
        """Raise unless `who` may start a rematch: players may, but not during a game between two people."""
        seats = self.seats
        if seats is None or not self.may_change(who):
            raise NotAllowed(mark("only the players can start a rematch"))
        if self.match.result is None and self._two_people and not self.plays_alone(who):
            raise MatchError(mark("a rematch is possible after the game has ended"))

    # ---- watching, in the event loop

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher` with every event; returns a function that ends this. Raises `LimitExceeded`."""
        most = resource_limits().watchers_per_game
        if len(self._watchers) >= most:
            raise LimitExceeded(
                mark("too many watchers: {most} pages and programs watch this game. Try again later.").format(
                    most=most
                )
            )
        self._watchers.append(watcher)

        def leave() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return leave

    def cached(self, key: Hashable, build: Callable[[], _R]) -> _R:
        """The result of `build` for the current position, computed once for all watchers."""
        live = self.match.live
        known = self._cache.get(key)
        if known is None or known[0] is not live:  # a move may not have been announced yet
            known = self._cache[key] = (live, build())
        found: _R = known[1]
        return found

    @property
    def update_delay_s(self) -> float:
        """Delay before a page shows a change, so that changes are combined if there are many watchers."""
        return (
            0.0
            if len(self._watchers) <= MAX_WATCHERS_WITHOUT_DELAY
            else min(1.0, UPDATE_DELAY_PER_WATCHER_S * len(self._watchers))
        )

    @property
    def has_unsaved_changes(self) -> bool:
        """Whether changes wait for the store to recover; permanently refused changes do not count."""
        error = self.match.save_error
        return error is not None and not isinstance(error, StoreConflict | NotStored)

    @property
    def is_watched(self) -> bool:
        return bool(self._watchers)

    @property
    def can_close(self) -> bool:
        """Whether the session may be closed: nobody watches, and no clock, review or unsaved change needs it."""
        two_people = self._two_people and self.match.clock.falls_at is not None
        return not (self._watchers or two_people or self.game_reports.is_reviewing or self.has_unsaved_changes)

    def close(self) -> None:
        """Stop searches and clock. The game stays as it is."""
        self._stop_watching()
        self.game_reports.stop_review()
        self.runner.close()

    def _on_match_event(self, event: events.Event) -> None:
        if isinstance(event, events.SearchProgress):
            self.thinking = event
        else:
            if isinstance(event, events.Moved | events.TakenBack | events.Ended):
                self.thinking = None
                self.offer = self.declined = None
                self.engine_error = ""
                if isinstance(event, events.Ended):
                    self.dead_stones.clear_unless_counted()
                else:
                    self.dead_stones.clear()
            if isinstance(event, events.SaveFailed):
                self.on_unsaved()
            if isinstance(event, events.EngineFailed):
                self.engine_error = str(event.error)
            if isinstance(event, events.CountingStarted):
                self.dead_stones.start_marking()
        self._notify_soon(event)

    def _notify_soon(self, event: SessionEvent) -> None:
        call_in_loop(self._loop, self._notify, event)

    def _notify(self, event: SessionEvent) -> None:
        if not isinstance(event, events.SearchProgress):
            self._cache.clear()
        for watcher in list(self._watchers):
            try:
                watcher(event)
            except Exception:  # of one page must not keep the event from the others
                _log.exception("a watcher of game %s failed", self.id)
