"""One open game on this server: the match, its runner, and what players do in it.

Watchers are called in the server's event loop. Changes of the match are made in other threads (see
`GameSessions.run_in_thread`), because saving waits for the disk. A change is allowed to those who hold the seat of
the side that it belongs to (see `seating`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from tengen.app.dead_stones import DeadStones
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
from tengen.players.player import Person, Player
from tengen.runtime.host import EngineHost, SearchHandle
from tengen.store.errors import NotStored, StoreConflict
from tengen.store.store import Store
from tengen.web.move_list import MoveListRows
from tengen.web.offers import Offer, Offers
from tengen.web.permissions import NotAllowed
from tengen.web.seating import Seating
from tengen.web.session_events import Reviewed, SessionChanged, Watchers
from tengen.web.visitor_cache import VisitorCache

IDLE_TIMEOUT_S = 45.0  # a session without watchers is then closed and its clock paused, unless two people play


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
        self.seating = Seating(match, store, visitors)
        self.watchers = Watchers(match, loop)
        self.offers = Offers(match)
        notify = self.watchers.notify_soon
        self.game_reports = GameReports(match, store, host, lambda moves: notify(Reviewed(moves)))
        self.thinking: events.SearchProgress | None = None
        self.engine_error = ""
        self.next_game_id: str = ""  # the rematch
        self.starting_rematch = asyncio.Lock()
        self.on_unsaved: Callable[[], None] = lambda: None  # called, in any thread, when saving a change failed
        self.moves = MoveListRows(match.tree, match.game)  # shared by pages; update it in the server's thread
        # Last, because marking may begin and end at once.
        self.dead_stones = DeadStones(match, pool, lambda: notify(SessionChanged()))
        self._stop_watching = match.watch(self._on_match_event)

    @property
    def id(self) -> str:
        return self.match.id

    # ---- actions of players; call these outside the event loop

    def join(self, key: str, who: str, name: str = "") -> int:
        """Take the seat with this key, under a name; returns its side."""
        side = self.seating.join(key, who, name)
        self.watchers.notify_soon(SessionChanged())
        return side

    def start(self, who: str) -> None:
        """Start clock and engines, if `who` plays or created the game and all seats are taken."""
        allowed = bool(self.seating.sides(who)) or self.seating.is_owner(who)
        if (
            allowed
            and self.match.result is None
            and not self.match.is_running
            and self.seating.unclaimed_side is None
        ):
            self.engine_error = ""
            self.runner.start()

    def play(self, who: str, move: str, ply: int | None = None, arrived: float | None = None) -> None:
        """Make a move; `arrived` is when the server received it (see `Match.play`)."""
        match = self.match
        if match.to_move is None or match.to_move not in self.seating.sides(who):
            if not self.seating.sides(who):
                raise NotAllowed(mark("only its players can change a game"))
            raise MatchError(mark("it is not your move") if match.result is None else mark("the game is over"))
        if self.seating.unclaimed_side is not None:
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
        self.match.resign(self.seating.acting_side(who))

    def take_back(self, who: str) -> None:
        side = self.seating.acting_side(who)
        if not self.seating.plays_alone(who):
            self._make_offer(Offer("take back", side))
        elif self.seating.is_engine(1 - side):
            self.match.take_back_for(side)
        else:
            self.match.take_back()

    def draw(self, who: str) -> bool:
        """Offer a draw, or make it one if `who` plays alone; returns whether an engine declined."""
        side = self.seating.acting_side(who)
        if not self.match.game.can_draw:
            self.match.draw()  # raises the reason
        if self.seating.is_engine(1 - side):
            return not self.runner.offer_draw(side)
        if self.seating.plays_alone(who):
            self.match.draw()
        else:
            self._make_offer(Offer("draw", side))
        return False

    def pause(self, who: str) -> None:
        seating = self.seating
        if not seating.sides(who) and not seating.is_owner(who):
            raise NotAllowed(mark("only its players can pause a game"))
        if seating.sides(who) and not seating.plays_alone(who):
            self._make_offer(Offer("pause", self.seating.acting_side(who)))
        else:
            self.match.adjourn()

    def change(self, who: str, players: tuple[Player, Player], control: TimeControl | None) -> None:
        """Continue with other players or another clock. `who` takes the seats of all people."""
        seating = self.seating
        if not (seating.plays_alone(who) or (seating.is_owner(who) and not seating.two_people)):
            raise NotAllowed(mark("players and clock can be changed only while no other person plays"))
        one, two = (known(self.store, player) if isinstance(player, Person) else player for player in players)
        self.match.change(players=(one, two), control=control)
        seating.take_people(who)
        self.start(who)

    def set_next_game(self, game_id: str) -> None:
        """Announce the rematch to everybody who watches this game."""
        self.next_game_id = game_id
        self.watchers.notify_soon(SessionChanged())

    def answer_offer(self, who: str, accept: bool) -> None:
        """Accept or decline the other player's offer."""
        self.offers.answer(self.seating.sides(who), accept)
        self.watchers.notify_soon(SessionChanged())

    def _make_offer(self, offer: Offer) -> None:
        self.offers.make(offer)
        self.watchers.notify_soon(SessionChanged())

    def mark(self, who: str, point: Point) -> None:
        """Mark a string as dead, or as alive again."""
        self.seating.acting_side(who)
        self.dead_stones.toggle(point)

    def reset_marks(self, who: str) -> None:
        """Mark what the engine considers dead again."""
        self.seating.acting_side(who)
        self.dead_stones.reset()

    def play_on(self, who: str) -> None:
        """Play on instead of counting: nobody can be forced to agree."""
        self.seating.acting_side(who)
        self.match.resume_play()

    def abort(self, who: str) -> None:
        """End the game without a result, before each side has moved."""
        self.seating.acting_side(who)
        self.match.abort()

    def count(self, who: str, points: Collection[Point]) -> None:
        """Mark exactly the strings at these points as dead, and agree."""
        self.seating.acting_side(who)
        if not self.match.is_counting:
            raise MatchError(mark("there is nothing to count: the game is still being played, or has ended"))
        self.dead_stones.set_dead(points)
        self.agree(who)

    def agree(self, who: str, seen: Collection[Point] | None = None) -> None:
        """Agree on the stones marked as dead. An engine agrees unless it is sure of something else.

        See `DeadStones.agree` for `seen`.
        """
        side = self.seating.acting_side(who)
        if self.seating.is_engine(1 - side):
            self.dead_stones.check_engine_agrees(side)
        people = [side for side in (0, 1) if not self.seating.is_engine(side)]
        self.dead_stones.agree(self.seating.sides(who), people, seen)

    # ---- engine help

    def hint(self, who: str, config: EngineConfig) -> SearchHandle:
        """Search for a hint, which makes the game unrated. Refused in games between two people."""
        self.seating.acting_side(who)
        if not self.seating.may_use_engine(who):
            raise MatchError(mark("no engine help while the game is in progress"))
        return self.assess(who, config, self.match.live)

    def start_teaching(self, who: str) -> None:
        """Make the game unrated, because `who` gets advice from now on. Refused in games between two people."""
        if not self.seating.sides(who) or not self.seating.may_use_engine(who):
            raise MatchError(mark("no engine help while the game is in progress"))
        if self.match.result is None:
            self.match.unrate()
        self.watchers.notify_soon(SessionChanged())

    def assess(self, who: str, config: EngineConfig, position: Position) -> SearchHandle:
        """Search any position for a player, which makes the game unrated. Refused in games between two people."""
        if not self.seating.sides(who) or not self.seating.may_use_engine(who):
            raise MatchError(mark("no engine help while the game is in progress"))
        return self.runner.hint(config, position)

    def move_now(self, who: str) -> None:
        """Let the engine stop searching and play its best move so far."""
        if self.seating.seats is None or not self.seating.may_change(who):
            raise NotAllowed(mark("only its players can change a game"))
        self.runner.move_now()

    def check_rematch(self, who: str) -> None:
        """Raise unless `who` may start a rematch: players may, but not during a game between two people."""
        if self.seating.seats is None or not self.seating.may_change(who):
            raise NotAllowed(mark("only the players can start a rematch"))
        if self.match.result is None and self.seating.two_people and not self.seating.plays_alone(who):
            raise MatchError(mark("a rematch is possible after the game has ended"))

    # ---- lifetime

    @property
    def has_unsaved_changes(self) -> bool:
        """Whether changes wait for the store to recover; permanently refused changes do not count."""
        error = self.match.save_error
        return error is not None and not isinstance(error, StoreConflict | NotStored)

    @property
    def can_close(self) -> bool:
        """Whether the session may be closed: nobody watches, and no clock, review or unsaved change needs it."""
        two_people = self.seating.two_people and self.match.clock.falls_at is not None
        return not (self.watchers or two_people or self.game_reports.is_reviewing or self.has_unsaved_changes)

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
                self.offers.clear()
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
        self.watchers.notify_soon(event)
