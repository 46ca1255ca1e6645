"""All games open on this server, one `GameSession` each, with the pools and caches they share.

The event loop never blocks: disk access and kernel loading run in threads (`run_in_thread`), and kernels are
compiled in other processes.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import ParamSpec, TypeVar
from weakref import WeakValueDictionary

from tengen.app.arena_queue import ArenaQueue
from tengen.app.book_manager import BookManager
from tengen.app.drills import BOOKS, Drill
from tengen.app.event_loop import call_in_loop, run_in_executor
from tengen.app.import_export import ImportExportPool
from tengen.app.puzzle_ratings import PuzzleRatings
from tengen.app.puzzle_stock import PuzzleStock
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game
from tengen.core.position import Position
from tengen.core.resource_limits import LimitExceeded, TooLarge, resource_limits
from tengen.core.translation import mark
from tengen.games.records import Record
from tengen.jobs.helper_pool import HelperPool
from tengen.play.match import Match
from tengen.play.player_lookup import known
from tengen.play.time_control import TimeControl
from tengen.players.player import Person, Player
from tengen.runtime.host import EngineHost
from tengen.store.errors import NotStored
from tengen.store.game_entry import GameEntry
from tengen.store.rows import ListedGame, board_size
from tengen.store.store import Store
from tengen.web.bulk_reviews import BulkReviews
from tengen.web.game_session import IDLE_TIMEOUT_S, GameSession
from tengen.web.mistake_collector import MistakeCollector
from tengen.web.visitor_cache import Seats, VisitorCache

_P = ParamSpec("_P")
_R = TypeVar("_R")
_log = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 5.0  # for saving unsaved games when the server stops
SAVE_RETRY_S = 2.0  # between two attempts to save a game


class GameSessions:
    """Use it in one event loop. `store` has the games; `scratch`, in memory, has demos."""

    def __init__(
        self,
        store: Store,
        host: EngineHost,
        visitors: VisitorCache,
        *,
        cluster: str = "",
        allow_programs: bool = False,
    ) -> None:
        self.store = store
        self.scratch = Store.in_memory()
        self.host = host
        self.visitors = visitors
        self.helper_pool = HelperPool("questions", workers=2)  # a long call occupies only one of them
        self._sessions: dict[str, GameSession] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.import_export = ImportExportPool(store)
        self._executor = ThreadPoolExecutor(8, thread_name_prefix="web")
        self.puzzle_stock = PuzzleStock(store, host, self._executor)
        self.puzzle_ratings = PuzzleRatings(store)
        self.book_manager = BookManager(self._executor)
        self.arena = ArenaQueue(store, self._executor, cluster=cluster, allow_programs=allow_programs)
        self.mistake_collector = MistakeCollector(store, host, visitors)
        self.bulk_reviews = BulkReviews(store, host, visitors)
        self._players = ThreadPoolExecutor(4, thread_name_prefix="moves")
        self._creating = threading.Lock()
        self._closer: asyncio.Task[None] | None = None
        self._saver: asyncio.Task[None] | None = None

    async def run_for_player(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Run an action of a player in a thread of a pool that is never occupied by long work."""
        return await run_in_executor(self._players, work, *args, **kwargs)

    async def play(
        self, session: GameSession, who: str, move: str, ply: int | None = None, arrived: float | None = None
    ) -> None:
        """Make a move. The player's clock stops at `arrived`, by default now."""
        arrived = time.monotonic() if arrived is None else arrived
        if session.match.to_move not in session.seating.sides(who):
            await self.run_for_player(session.play, who, move, ply)  # raises the reason
            return
        session.match.expect_move(arrived)
        try:
            await self.run_for_player(session.play, who, move, ply, arrived)
        finally:
            with suppress(RuntimeError):  # the server is shutting down
                self._players.submit(session.match.stop_expecting, arrived)

    async def run_in_thread(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Run a blocking call in another thread."""
        return await run_in_executor(self._executor, work, *args, **kwargs)

    # ---- sessions

    async def get(self, game_id: str) -> GameSession:
        """The session of a game, opened if necessary. Raises `NotStored` if there is no such game."""
        async with self._lock_of(game_id):
            found = self._sessions.get(game_id)
            if found is not None:
                return found
            await self._evict_idle_session()
            entry = await self.run_in_thread(self.store.load, game_id)
            self.prefer_kernels(entry.record.game)
            return await self._open(entry, self.store)

    def _lock_of(self, game_id: str) -> asyncio.Lock:
        """The lock held while a game is opened or closed, so that it never has two sessions.

        It exists as long as somebody holds it or waits for it.
        """
        lock = self._locks.get(game_id)
        if lock is None:
            lock = self._locks[game_id] = asyncio.Lock()
        return lock

    async def create(
        self,
        game: Game,
        players: tuple[Player, Player],
        who: str,
        *,
        control: TimeControl | None = None,
        rated: bool = True,
        ponder: bool = False,
        invited_side: int | None = None,
        in_library: bool = True,
    ) -> GameSession:
        """Create a game. `who` gets the seats of all people except `invited_side`, offered by invite link.

        People are matched with stored people of the same name. Raises `TengenError` if saving fails.
        """
        check_board(game)
        self.prefer_kernels(game)
        await self._evict_idle_session(in_library)
        store = self.store if in_library else self.scratch

        def make() -> Match:
            with self._creating:  # concurrent requests with the same new name get one person
                one, two = (known(store, each) if isinstance(each, Person) else each for each in players)
                is_rated = rated and in_library
                # A game without a move is in no list, unless it waits for a guest.
                is_draft = in_library and invited_side is None
                return _check_saved(
                    Match.new(game, (one, two), control, rated=is_rated, draft=is_draft, save=store.save)
                )

        match = await self.run_in_thread(make)
        seats = Seats(who, open=(invited_side == 0, invited_side == 1))
        for side in (0, 1):
            if isinstance(players[side], Person) and side != invited_side:
                seats.assign(side, who)
        return await self._register(match, store, seats, ponder=ponder)

    async def rematch(self, session: GameSession, who: str) -> GameSession:
        """The rematch; players keep their seats when sides change. Raises `TengenError` if not allowed."""
        session.check_rematch(who)
        async with session.starting_rematch:  # both clicks of a double click, or of both players, find one game
            if session.next_game_id:
                return await self.get(session.next_game_id)
            return await self._start_rematch(session, who)

    async def _start_rematch(self, session: GameSession, who: str) -> GameSession:
        await self._evict_idle_session(session.is_in_library)
        match = await self.run_in_thread(lambda: _check_saved(session.match.rematch(draft=session.is_in_library)))
        old = session.seating.seats or Seats(who)
        swapped = match.players[0] != session.match.players[0]
        seats = Seats(old.owner)
        for side in (0, 1):
            for holder in old.holders[1 - side if swapped else side]:
                seats.assign(side, holder)
        new = await self._register(match, session.store, seats)
        session.set_next_game(new.id)
        return new

    async def play_on(self, position: Position, players: tuple[Player, Player], who: str) -> GameSession:
        """An unrated game that begins with the moves that led to a position. `who` plays all people's sides."""
        check_board(position.game)
        self.prefer_kernels(position.game)
        await self._evict_idle_session()

        def make() -> GameEntry:
            with self._creating:
                one, two = (known(self.store, each) if isinstance(each, Person) else each for each in players)
                entry = GameEntry(Record.of(position), players=(one, two))
                self.store.save(entry)
            seats = Seats(who)
            for side, player in enumerate(players):
                if isinstance(player, Person):
                    seats.assign(side, who)
            self.store.set_seats(entry.id, seats)
            return entry

        return await self._open(await self.run_in_thread(make), self.store)

    async def open_board(self, game: Game, who: str, record: Record | None = None) -> GameSession:
        """A board for analysis, stored as a draft of `who`. One that nobody used is removed when it is closed."""
        check_board(game)
        self.prefer_kernels(game)
        await self._evict_idle_session(in_library=False)
        entry = GameEntry(record or Record(game), end="" if record else "not played", draft=True)
        await self.run_in_thread(self._store_draft, entry, who)
        return await self._open(entry, self.store)

    def _store_draft(self, entry: GameEntry, who: str) -> None:
        self.store.save(entry)
        self.store.set_seats(entry.id, Seats(who))
        self.store.remove_surplus_drafts(who, resource_limits().drafts_per_visitor)

    async def drafts(self, who: str) -> list[ListedGame]:
        """The drafts of a visitor, last changed first; boards that nobody used are left out."""
        return await self.run_in_thread(self._drafts, who)

    def _drafts(self, who: str) -> list[ListedGame]:
        found = []
        for one in self.store.drafts(who):
            if one.moves:
                found.append(one)
                continue
            record = self.store.load(one.id).record  # a board: its moves are variations
            if not _is_unused(record):
                tried = sum(node.move is not None for node in record.root.walk())
                found.append(replace(one, moves=tried))
        return found

    async def seats(self, game_id: str) -> Seats | None:
        """The seats of a game, open or not; None if it has none."""
        session = self._sessions.get(game_id)
        return (
            session.seating.seats if session is not None else await self.run_in_thread(self.store.seats, game_id)
        )

    def open_sessions(self) -> list[GameSession]:
        return list(self._sessions.values())

    def is_open(self, game_id: str) -> bool:
        return game_id in self._sessions

    async def close_session(self, game_id: str) -> None:
        """Close the session of a game, for example before the game is deleted."""
        async with self._lock_of(game_id):
            session = self._sessions.pop(game_id, None)
            if session is None:
                return
            await self.run_in_thread(session.close)
            if session.store is self.scratch:
                await self.run_in_thread(self._delete_scratch, game_id)
            elif not session.is_in_library and _is_unused(session.match.record):
                with suppress(NotStored):  # it was removed as the oldest draft
                    await self.run_in_thread(self.store.delete, game_id)
            if session.match.save_error is not None:
                _log.error("game %s closed with unsaved changes: %s", session.id, session.match.save_error)

    def _delete_scratch(self, game_id: str) -> None:
        self.scratch.delete(game_id)
        self.scratch.purge(datetime.now(UTC) + timedelta(seconds=1))

    async def _register(self, match: Match, store: Store, seats: Seats, *, ponder: bool = False) -> GameSession:
        await self.run_in_thread(store.set_seats, match.id, seats)
        await self.run_in_thread(self.visitors.add_guests, seats.guests())
        return await self._add_session(match, store, ponder)

    async def _add_session(self, match: Match, store: Store, ponder: bool = False) -> GameSession:
        session = await self.run_in_thread(self._new_session, match, store, asyncio.get_running_loop(), ponder)
        self._sessions[match.id] = session
        self._ensure_cleanup()
        return session

    def _new_session(
        self, match: Match, store: Store, loop: asyncio.AbstractEventLoop, ponder: bool
    ) -> GameSession:
        is_analysis = match.players == (None, None)
        kept = store is self.store and not (match.to_entry().draft and is_analysis)
        services = (store, self.host, self.helper_pool, self.visitors, loop)
        session = GameSession(match, *services, ponder=ponder, is_in_library=kept)
        session.on_unsaved = partial(call_in_loop, loop, self._schedule_saving)
        session.game_reports.on_reviewed = partial(self.mistake_collector.after_review, session)
        return session

    async def _open(self, entry: GameEntry, store: Store) -> GameSession:
        match = await self.run_in_thread(Match.open, entry, save=store.save)
        return await self._add_session(match, store)

    async def _evict_idle_session(self, in_library: bool = True) -> None:
        """Close an idle session if the limit is reached. Raises `LimitExceeded` if none is idle."""
        limits = resource_limits()
        most = limits.open_games if in_library else limits.open_boards
        found = [session for session in self._sessions.values() if session.is_in_library == in_library]
        if len(found) < most:
            return
        idle = next((session for session in found if session.can_close), None)
        if idle is None:
            games, boards = (
                mark("too many open games: the limit is {most}. Try again later."),
                mark("too many open boards: the limit is {most}. Try again later."),
            )
            raise LimitExceeded((games if in_library else boards).format(most=most))
        await self.close_session(idle.id)

    def _schedule_saving(self) -> None:
        """Start retrying to save games, unless that is already running."""
        if self._saver is None or self._saver.done():
            self._saver = asyncio.get_running_loop().create_task(self._retry_saving())

    async def _retry_saving(self) -> None:
        while any(session.has_unsaved_changes for session in self._sessions.values()):
            await asyncio.sleep(SAVE_RETRY_S)
            for session in list(self._sessions.values()):
                if session.has_unsaved_changes:
                    await self.run_in_thread(session.match.retry_save)

    def _ensure_cleanup(self) -> None:
        if self._closer is None or self._closer.done():
            self._closer = asyncio.get_running_loop().create_task(self._close_idle())

    async def _close_idle(self) -> None:
        """Close sessions without watchers. Ends with the last session, so an idle server does no work."""
        alone: set[str] = set()
        while self._sessions:
            await asyncio.sleep(IDLE_TIMEOUT_S)
            idle = {game_id for game_id, session in self._sessions.items() if session.can_close}
            for game_id in idle & alone:
                await self._close_or_log(game_id)
            alone = idle

    async def _close_or_log(self, game_id: str) -> None:
        try:
            await self.close_session(game_id)
        except TengenError as error:
            _log.warning("game closed without saving: %s", error)

    # ---- kernels

    def prefer_kernels(self, game: Game) -> None:
        """Compile the kernels of this game next. Until then its rules run as plain Python."""
        self.host.local_host.prefer_kernels(game.name)

    async def check_drill(self, drill: Drill) -> None:
        """Raise `OptionError` if there is no book for a drill."""
        books = [one for one in await self.book_manager.inspect() if not one.error]
        if not any((one.game, BOOKS[one.kind]) == (drill.game.name, drill.book) for one in books):
            raise OptionError(
                mark("there is no book {book!r} of {title} yet: see Books").format(
                    book=drill.book, title=drill.game.title
                )
            )

    async def close(self) -> None:
        """Close all sessions and pools, within seconds even if the database is down."""
        self.store.set_close_timeout(CLOSE_TIMEOUT_S)
        for task in (self._saver, self._closer):
            if task is not None:
                task.cancel()
        await self.puzzle_stock.close()
        await self.book_manager.close()
        await self.arena.close()
        self.mistake_collector.close()
        self.bulk_reviews.close()
        for game_id in list(self._sessions):
            await self._close_or_log(game_id)
        self._players.shutdown(wait=True)
        self._executor.shutdown(wait=True)
        self.import_export.close()
        self.visitors.close()
        self.helper_pool.close()
        self.scratch.close()


def _is_unused(record: Record) -> bool:
    """Whether a record has no moves, no comment and no position that was set up."""
    return not record.root.children and not record.root.comment and not record.game.has_setup


def _check_saved(match: Match) -> Match:
    """Return the match if it was saved; else raise the error."""
    if match.save_error is not None:
        raise match.save_error
    return match


def check_board(game: Game) -> None:
    """Raise `TooLarge` if the board exceeds the limit."""
    width, height = board_size(game)
    most = resource_limits().board_points
    if width * height > most:
        raise TooLarge(
            mark("board too large: {points:,} points, at most {most:,} are allowed on this server").format(
                points=width * height, most=most
            )
        )
