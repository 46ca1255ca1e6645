"""One open game on this server: the match, its runner, the watchers, and who may change it.

Watchers are called in the server's event loop. Changes of the match are made in other threads (see
`GameSessions.run_in_thread`), because saving waits for the disk. A change is allowed to those who hold the seat of
the side that it belongs to.
"""

from __future__ import annotations

import asyncio
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
from tengen.jobs.helper_pool import HelperPool
from tengen.play import events
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.play.match_runner import MatchRunner
from tengen.play.player_lookup import known
from tengen.play.time_control import TimeControl
from tengen.players.config import EngineConfig
from tengen.players.player import EnginePlayer, Person, Player
from tengen.runtime.host import EngineHost, SearchHandle
from tengen.store.errors import NotStored, StoreConflict
from tengen.store.store import Store
from tengen.web.move_tree import MoveTree
from tengen.web.permissions import NotAllowed
from tengen.web.visitor_cache import Seats, VisitorCache

IDLE_TIMEOUT_S = (
    45.0  # seconds without anybody, after which a session is closed; clocks stand then unless two people play
)

FEW_WATCHERS = 10  # pages that show every change at once
PAUSE_PER_WATCHER_S = 0.005  # about what it takes to build one page's change


@dataclass(frozen=True)
class SessionChanged:
    """Somebody asks the other player for something, or that has been answered."""


@dataclass(frozen=True)
class Reviewed:
    """A position of the game has been valued."""

    moves: tuple[str, ...]


_R = TypeVar("_R")
SessionEvent: TypeAlias = events.Event | SessionChanged | Reviewed
Watcher: TypeAlias = Callable[[SessionEvent], None]


@dataclass(frozen=True)
class Offer:
    """`kind` is draw, take back or pause; `side` is who asks."""

    kind: str
    side: int


class GameSession:
    """Make and find them with a `GameSessions`."""

    def __init__(
        self,
        match: Match,
        store: Store,
        host: EngineHost,
        pool: HelperPool,
        memory: VisitorCache,
        loop: asyncio.AbstractEventLoop,
        *,
        ponder: bool = False,
        is_kept: bool = True,
        on_unsaved: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_unsaved` is called, in any thread, when a change could not be saved."""
        self.match = match
        self.store = store
        self.is_kept = is_kept
        self.runner = MatchRunner(match, host, ponder=ponder)
        self.offer: Offer | None = None
        self.dead_stones = DeadStones(match, pool, lambda: self._tell_soon(SessionChanged()))
        self.game_reports = GameReports(match, store, host, lambda moves: self._tell_soon(Reviewed(moves)))
        self.thinking: events.SearchProgress | None = None
        self.trouble = ""
        self.next_game_id: str = ""  # the id of the rematch
        self._visitors = memory
        self._seats = store.seats(match.id)
        self._loop = loop
        self._lock = threading.RLock()
        self._watchers: list[Watcher] = []
        self._on_unsaved = on_unsaved
        self.moves = MoveTree(match.tree, match.game)  # for all pages; update it in the server's thread
        self._shared: dict[Hashable, tuple[Position, Any]] = {}
        self._leave = match.watch(self._hear)

    # ---- who

    @property
    def id(self) -> str:
        return self.match.id

    @property
    def seats(self) -> Seats | None:
        """Who may act here, as it is stored. Change a copy of it, with `_set_seats`."""
        return self._seats

    def _set_seats(self, seats: Seats) -> None:
        """Store seats, in another thread than the server's; what cannot be stored is not believed either."""
        self._visitors.add_guests(seats.guests())
        self.store.set_seats(self.id, seats)
        self._seats = seats

    def is_engine(self, side: int) -> bool:
        return isinstance(self.match.players[side], EnginePlayer)

    def is_person(self, side: int) -> bool:
        return isinstance(self.match.players[side], Person)

    def sides(self, who: str) -> frozenset[int]:
        """The sides that somebody plays here: by a browser's cookie or a seat's key."""
        seats = self.seats
        if seats is None:
            return frozenset()
        by_key = seats.side_of(who)
        people = frozenset(side for side in (0, 1) if self.is_person(side))
        return (seats.sides(who) | (frozenset() if by_key is None else {by_key})) & people

    def may_change(self, who: str) -> bool:
        """Whether somebody may add variations and comments: a player, who made the game, or all if nobody did."""
        seats = self.seats
        return seats is None or seats.owner == who or bool(self.sides(who))

    def claim(self, who: str) -> None:
        """Sit down at every person's side of a game that never had seats: it is from the terminal or a file."""
        with self._lock:
            if self.seats is None and self.match.result is None:
                self._seats = self.store.seats(self.id)  # another server may have seated somebody meanwhile
                if self._seats is not None:
                    return
                seats = Seats(who)
                for side in (0, 1):
                    seats.sit(side, who)
                self._set_seats(seats)

    def join(self, key: str, who: str) -> int:
        """Take the seat that a key belongs to."""
        with self._lock:
            seats = self.store.seats(self.id)
            side = None if seats is None else seats.side_of(key)
            if seats is None or side is None:
                raise NotAllowed("this link leads to no seat: ask for it again")
            seats.sit(side, who)
            self._set_seats(seats)
        self._tell_soon(SessionChanged())
        return side

    @property
    def waits_for(self) -> int | None:
        """The side that nobody has come for yet."""
        seats = self.seats
        return None if seats is None else next((side for side in (0, 1) if seats.open[side]), None)

    def is_at_one_board(self, who: str) -> bool:
        """Whether whoever asks needs nobody's consent: the other side is an engine, or sits here, too."""
        mine = self.sides(who)
        return bool(mine) and all(self.is_engine(side) or side in mine for side in (0, 1))

    @property
    def _two_people(self) -> bool:
        return all(self.is_person(side) for side in (0, 1))

    def _side(self, who: str) -> int:
        """The side that somebody acts for: the one to move if both are theirs."""
        mine = self.sides(who)
        if not mine:
            raise NotAllowed("only its players can change a game")
        to_move = self.match.live.to_move
        return to_move if to_move in mine else min(mine)

    # ---- what players do, in another thread than the server's

    def begin(self, who: str) -> None:
        """Set the clock going, if this is a player and everybody is there."""
        seats = self.seats
        allowed = bool(self.sides(who)) or (seats is not None and seats.owner == who)
        if allowed and self.match.result is None and not self.match.is_running and self.waits_for is None:
            self.trouble = ""
            self.runner.start()

    def play(self, who: str, move: str, ply: int | None = None, arrived: float | None = None) -> None:
        """Make a move; `arrived` is when the server received it (see `Match.play`)."""
        match = self.match
        if match.to_move is None or match.to_move not in self.sides(who):
            if not self.sides(who):
                raise NotAllowed("only its players can change a game")
            raise MatchError("it is not your move" if match.result is None else "the game is over")
        if self.waits_for is not None:
            raise MatchError("your opponent has not come yet: send them the link")
        if ply is not None and ply != match.live.ply:
            raise MatchError("the game has gone on since this move was chosen")
        most = resource_limits().record_moves
        if match.live.ply >= most:
            raise LimitExceeded(f"a game may have at most {most:,} moves: agree on a draw, or resign")
        if not match.is_running:
            self.runner.start()
        match.play(move, at=match.live, arrived=arrived)

    def resign(self, who: str) -> None:
        self.match.resign(self._side(who))

    def take_back(self, who: str) -> None:
        side = self._side(who)
        if not self.is_at_one_board(who):
            self._ask(Offer("take back", side))
        elif self.is_engine(1 - side):
            self.match.take_back_for(side)
        else:
            self.match.take_back()

    def draw(self, who: str) -> bool:
        """Offer a draw, or agree at one board; returns whether an engine declined."""
        side = self._side(who)
        if not self.match.game.can_draw:
            self.match.draw()  # for its reason
        if self.is_engine(1 - side):
            return not self.runner.offer_draw(side)
        if self.is_at_one_board(who):
            self.match.draw()
        else:
            self._ask(Offer("draw", side))
        return False

    def pause(self, who: str) -> None:
        seats = self.seats
        if not self.sides(who) and not (seats is not None and seats.owner == who):
            raise NotAllowed("only its players can pause a game")
        if self.sides(who) and not self.is_at_one_board(who):
            self._ask(Offer("pause", self._side(who)))
        else:
            self.match.adjourn()

    def change(self, who: str, players: tuple[Player, Player], control: TimeControl | None) -> None:
        """Go on with other players or another clock. New people sit where whoever changes this does."""
        seats = self.seats
        if seats is None or not (self.is_at_one_board(who) or (seats.owner == who and not self._two_people)):
            raise NotAllowed("only who plays alone against engines, or for both sides, can change a game")
        one, two = (known(self.store, player) if isinstance(player, Person) else player for player in players)
        self.match.change(players=(one, two), control=control)
        seats = seats.copy()
        for side in (0, 1):
            if self.is_person(side):
                seats.sit(side, who)
        self._set_seats(seats)
        self.begin(who)

    def lead_to(self, game_id: str) -> None:
        """The next game between the two is there: those who look at this one are told."""
        self.next_game_id = game_id
        self._tell_soon(SessionChanged())

    def answer(self, who: str, accept: bool) -> None:
        """Accept or decline what the other player asks for."""
        offer = self.offer
        if offer is None or 1 - offer.side not in self.sides(who):
            raise MatchError("there is nothing to answer")
        self.offer = None
        if accept and offer.kind == "draw":
            self.match.draw()
        elif accept and offer.kind == "take back":
            self.match.take_back_for(offer.side)
        elif accept:
            self.match.adjourn()
        self._tell_soon(SessionChanged())

    def _ask(self, offer: Offer) -> None:
        if self.match.result is not None:
            raise MatchError("the game is over")
        self.offer = offer
        self._tell_soon(SessionChanged())

    def mark(self, who: str, point: Point) -> None:
        """Mark a string as dead, or as alive again."""
        self._side(who)
        self.dead_stones.toggle(point)

    def count(self, who: str, points: Collection[Point]) -> None:
        """Mark the strings at these points as dead, and no others, and agree on that."""
        self._side(who)
        if not self.match.is_counting:
            raise MatchError("there is nothing to count: moves are still to be made, or the game has ended")
        self.dead_stones.set_dead(points)
        self.agree(who)

    def agree(self, who: str, seen: Collection[Point] | None = None) -> None:
        """Agree on the stones that are marked as dead; engines always do.

        `seen` are the dead stones that were shown to who agrees: if others are marked by now, it is refused.
        """
        self._side(who)
        if seen is not None and set(seen) != set(self.dead_stones.points()):
            raise MatchError("other stones have just been marked: look again, then agree")
        self.dead_stones.agree(self.sides(who), [side for side in (0, 1) if not self.is_engine(side)])

    # ---- help

    def may_be_helped(self, who: str) -> bool:
        """Whether an engine's view of this game is fair: it has ended, or nobody else plays it."""
        nobody = not any(self.is_person(side) for side in (0, 1))
        return self.match.result is not None or nobody or self.is_at_one_board(who)

    def hint(self, who: str, config: EngineConfig) -> SearchHandle:
        """What an engine would play now. The game is not rated any more; between two people it is refused."""
        self._side(who)
        if not self.may_be_helped(who):
            raise MatchError("the game goes on: engines help when it has ended")
        return self.runner.hint(config, self.match.live)

    def move_now(self, who: str) -> None:
        """Let the engine that thinks play what it has found so far."""
        if self.seats is None or not self.may_change(who):
            raise NotAllowed("only its players can change a game")
        self.runner.move_now()

    def check_rematch(self, who: str) -> None:
        """Raise unless somebody may ask for the next game: a player, but not to leave one between two people."""
        seats = self.seats
        if seats is None or not self.may_change(who):
            raise NotAllowed("only its players can ask for a rematch")
        if self.match.result is None and self._two_people and not self.is_at_one_board(who):
            raise MatchError("the game goes on: a rematch can be played when it has ended")

    # ---- watching, in the server's thread

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Tell somebody of all that happens; returns how to end this. Raises `LimitExceeded` if too many watch."""
        most = resource_limits().watchers_per_game
        if len(self._watchers) >= most:
            raise LimitExceeded(f"{most} pages and programs watch this game, which is the most: try again later")
        self._watchers.append(watcher)

        def leave() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return leave

    def shared(self, key: Hashable, build: Callable[[], _R]) -> _R:
        """What `build` makes of the game as it is now, once for all who watch. Call it in the server's thread."""
        live = self.match.live
        known = self._shared.get(key)
        if known is None or known[0] is not live:  # the game may have gone on without anybody having been told
            known = self._shared[key] = (live, build())
        found: _R = known[1]
        return found

    @property
    def pause_s(self) -> float:
        """Seconds that a page waits before it shows a change, so that several are shown as one if many watch."""
        return 0.0 if len(self._watchers) <= FEW_WATCHERS else min(1.0, PAUSE_PER_WATCHER_S * len(self._watchers))

    @property
    def must_save(self) -> bool:
        """Whether a change waits for the store to work again; one that it refused for good does not."""
        error = self.match.save_error
        return error is not None and not isinstance(error, StoreConflict | NotStored)

    @property
    def is_watched(self) -> bool:
        return bool(self._watchers)

    @property
    def may_close(self) -> bool:
        """Whether nothing is lost if nobody is here: two people's clock goes on without them."""
        two_people = self._two_people and self.match.clock.falls_at is not None
        return not (self._watchers or two_people or self.game_reports.is_reviewing or self.must_save)

    def close(self) -> None:
        """Stop searches and clock, and keep the game as it is."""
        self._leave()
        self.game_reports.stop_review()
        self.runner.close()

    def _hear(self, event: events.Event) -> None:
        if isinstance(event, events.SearchProgress):
            self.thinking = event
        else:
            if isinstance(event, events.Moved | events.TakenBack | events.Ended):
                self.thinking = None
                self.offer = None
                self.trouble = ""
                if isinstance(event, events.Ended):
                    self.dead_stones.clear_unless_counted()
                else:
                    self.dead_stones.clear()
            if isinstance(event, events.SaveFailed):
                self._on_unsaved()
            if isinstance(event, events.EngineFailed):
                self.trouble = str(event.error)
            if isinstance(event, events.CountingStarted):
                self.dead_stones.start_marking()
        self._tell_soon(event)

    def _tell_soon(self, news: SessionEvent) -> None:
        call_in_loop(self._loop, self._tell, news)

    def _tell(self, news: SessionEvent) -> None:
        if not isinstance(news, events.SearchProgress):
            self._shared.clear()
        for watcher in list(self._watchers):
            watcher(news)
