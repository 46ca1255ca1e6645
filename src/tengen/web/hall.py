"""The hall: every game that is open on this server, in a room of its own, each only once.

The server's thread never waits: what goes to the disk, or may load a kernel, is done by `do` in other threads, and
what must be compiled is compiled in the engine host's workers (see `ready`).
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import ParamSpec, TypeVar

from tengen.core.errors import GameOver, TengenError
from tengen.core.game import Game
from tengen.core.resource_limits import LimitExceeded, TooLarge, resource_limits
from tengen.games.records import Record
from tengen.play.match import Match
from tengen.play.player_lookup import known
from tengen.play.time_control import TimeControl
from tengen.players.config import EngineConfig
from tengen.players.player import Person, Player
from tengen.runtime.host import EngineHost
from tengen.runtime.messages import Request
from tengen.search.limits import Limits
from tengen.store.entry import GameEntry
from tengen.store.rows import size_of
from tengen.store.store import Store
from tengen.web.aside import Aside
from tengen.web.bookkeeping import Bookkeeper
from tengen.web.loops import call_in
from tengen.web.memory import Memory, Seats
from tengen.web.puzzling import Puzzling
from tengen.web.room import PATIENCE, Room
from tengen.web.transfers import Transfers

_P = ParamSpec("_P")
_R = TypeVar("_R")
_log = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 5.0  # for the database to take what is not saved yet when the server ends
SAVE_AGAIN_S = 2.0  # between two attempts to save what the store did not take


class Hall:
    """Use it within one event loop. `store` keeps games; `scratch` is for what leaves nothing behind."""

    def __init__(self, store: Store, host: EngineHost, memory: Memory) -> None:
        self.store = store
        self.scratch = Store.in_memory()
        self.host = host
        self.memory = memory
        self.puzzling = Puzzling(self)
        self.bookkeeper = Bookkeeper(self)
        self.aside = Aside()
        self._rooms: dict[str, Room] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._ready: dict[str, asyncio.Task[None]] = {}
        self.transfers = Transfers(store)
        self._hands = ThreadPoolExecutor(8, thread_name_prefix="web")
        self._players = ThreadPoolExecutor(4, thread_name_prefix="moves")
        self._creating = threading.Lock()
        self._closer: asyncio.Task[None] | None = None
        self._saver: asyncio.Task[None] | None = None

    async def act(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Do something for a player in another thread: one of those that long work never occupies."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._players, lambda: work(*args, **kwargs))

    async def play(
        self, room: Room, who: str, move: str, ply: int | None = None, arrived: float | None = None
    ) -> None:
        """Make a move that arrived now, or then: its player's clock stops at that moment."""
        arrived = time.monotonic() if arrived is None else arrived
        if room.match.to_move not in room.sides(who):
            await self.act(room.play, who, move, ply)  # for its reason
            return
        room.match.expect_move(arrived)
        try:
            await self.act(room.play, who, move, ply, arrived)
        finally:
            with suppress(RuntimeError):  # the server is shutting down
                self._players.submit(room.match.stop_expecting, arrived)

    async def do(self, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Do something in another thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._hands, lambda: work(*args, **kwargs))

    # ---- rooms

    async def room(self, game_id: str) -> Room:
        """The room of a game, opened if need be. Raises `NotStored` if there is no such game."""
        async with self._opening.setdefault(game_id, asyncio.Lock()):
            found = self._rooms.get(game_id)
            if found is not None:
                return found
            try:
                await self._make_room()
                entry = await self.do(self.store.load, game_id)
                await self.ready(entry.record.game)
                return await self._open(entry, self.store)
            except TengenError:
                self._opening.pop(game_id, None)  # whoever asks for games that are not there leaves nothing behind
                raise

    async def create(
        self,
        game: Game,
        players: tuple[Player, Player],
        who: str,
        *,
        control: TimeControl | None = None,
        rated: bool = True,
        ponder: bool = False,
        guest: int | None = None,
        kept: bool = True,
    ) -> Room:
        """A new game, made by somebody who plays every person's side but the `guest`'s, who comes by a link.

        A person whose name the store knows is the one of that name. Raises a `TengenError` if it cannot be saved.
        """
        check_board(game)
        await self.ready(game)
        await self._make_room(kept)
        store = self.store if kept else self.scratch

        def make() -> Match:
            with self._creating:  # two who come with the same new name at once are one person
                one, two = (known(store, each) if isinstance(each, Person) else each for each in players)
                return _saved(Match.new(game, (one, two), control, rated=rated and kept, save=store.save))

        match = await self.do(make)
        seats = Seats(who, open=(guest == 0, guest == 1))
        for side in (0, 1):
            if isinstance(players[side], Person) and side != guest:
                seats.sit(side, who)
        return await self._put(match, store, seats, ponder=ponder)

    async def rematch(self, room: Room, who: str) -> Room:
        """The next game between the two; those who sat at a side sit at it again, wherever it is now.

        Raises a `TengenError` if it is not theirs to ask for.
        """
        room.check_rematch(who)
        if room.next_room:
            return await self.room(room.next_room)
        await self._make_room(room.is_kept)
        match = await self.do(lambda: _saved(room.match.rematch()))
        old = room.seats or Seats(who)
        swapped = match.players[0] != room.match.players[0]
        seats = Seats(old.owner)
        for side in (0, 1):
            for holder in old.holders[1 - side if swapped else side]:
                seats.sit(side, holder)
        new = await self._put(match, room.store, seats)
        room.lead_to(new.id)
        return new

    async def board(self, game: Game, who: str, record: Record | None = None) -> Room:
        """A board to try things on. One with a record is kept as a draft; of an empty one nothing is kept."""
        check_board(game)
        await self.ready(game)
        await self._make_room(kept=False)
        if record is None:
            entry, store = GameEntry(Record(game), end="not played"), self.scratch
        else:
            entry, store = GameEntry(record, draft=True), self.store
        await self.do(store.save, entry)
        await self.do(store.set_seats, entry.id, Seats(who))
        return await self._open(entry, store)

    async def seats(self, game_id: str) -> Seats | None:
        """Who may act in a game, open or not; None if it never had seats."""
        room = self._rooms.get(game_id)
        return room.seats if room is not None else await self.do(self.store.seats, game_id)

    def open_rooms(self) -> list[Room]:
        return list(self._rooms.values())

    def is_open(self, game_id: str) -> bool:
        return game_id in self._rooms

    async def shut(self, game_id: str) -> None:
        """Close a room, as before its game is deleted."""
        room = self._rooms.pop(game_id, None)
        if room is not None:
            await self.do(room.close)
            if room.store is self.scratch:
                await self.do(self._forget, game_id)
            if room.match.unsaved is not None:
                _log.error(
                    "game %s was closed, but its last changes are not saved: %s", room.id, room.match.unsaved
                )

    def _forget(self, game_id: str) -> None:
        """Remove a board from the store in memory."""
        self.scratch.delete(game_id)
        self.scratch.purge(datetime.now(UTC) + timedelta(seconds=1))

    async def _put(self, match: Match, store: Store, seats: Seats, *, ponder: bool = False) -> Room:
        await self.do(store.set_seats, match.id, seats)
        await self.do(self.memory.add_guests, seats.guests())
        room = await self.do(self._room_of, match, store, asyncio.get_running_loop(), ponder)
        self._rooms[match.id] = room
        self._watch_closing()
        return room

    def _room_of(self, match: Match, store: Store, loop: asyncio.AbstractEventLoop, ponder: bool = False) -> Room:
        return Room(
            match,
            store,
            self.host,
            self.aside,
            self.memory,
            loop,
            ponder=ponder,
            is_kept=store is self.store and not match.entry().draft,
            on_unsaved=partial(call_in, loop, self._save_soon),
        )

    async def _open(self, entry: GameEntry, store: Store) -> Room:
        loop = asyncio.get_running_loop()

        room = await self.do(lambda: self._room_of(Match.open(entry, save=store.save), store, loop))
        self._rooms[entry.id] = room
        self._watch_closing()
        return room

    async def _make_room(self, kept: bool = True) -> None:
        """Close a game that nobody watches, if no more may be open. Raises `LimitExceeded` if there is none."""
        limits = resource_limits()
        most = limits.open_games if kept else limits.open_boards
        found = [room for room in self._rooms.values() if room.is_kept == kept]
        if len(found) < most:
            return
        idle = next((room for room in found if room.may_close), None)
        if idle is None:
            what = "games" if kept else "boards"
            raise LimitExceeded(f"{most} {what} are open on this server, which is the most: try again later")
        await self.shut(idle.id)
        self._opening.pop(idle.id, None)

    def _save_soon(self) -> None:
        """A game could not be saved: try again until it is."""
        if self._saver is None or self._saver.done():
            self._saver = asyncio.get_running_loop().create_task(self._save_again())

    async def _save_again(self) -> None:
        while any(room.must_save for room in self._rooms.values()):
            await asyncio.sleep(SAVE_AGAIN_S)
            for room in list(self._rooms.values()):
                if room.must_save:
                    await self.do(room.match.save_again)

    def _watch_closing(self) -> None:
        if self._closer is None or self._closer.done():
            self._closer = asyncio.get_running_loop().create_task(self._close_idle())

    async def _close_idle(self) -> None:
        """Close rooms that nobody came back to. Ends with the last room, so an idle server has nothing to do."""
        alone: set[str] = set()
        while self._rooms:
            await asyncio.sleep(PATIENCE)
            idle = {game_id for game_id, room in self._rooms.items() if room.may_close}
            for game_id in idle & alone:
                try:
                    await self.shut(game_id)
                except TengenError as error:
                    _log.warning("a game was left, but not saved: %s", error)
                self._opening.pop(game_id, None)
            alone = idle

    # ---- kernels

    async def ready(self, game: Game) -> None:
        """Have what the rules of a game need compiled by a worker, then load it here: once for each record."""
        name = f"{game.name} {game.record}"
        if name not in self._ready or (self._ready[name].done() and self._ready[name].exception() is not None):
            self._ready[name] = asyncio.get_running_loop().create_task(self._make_ready(game))
        await asyncio.shield(self._ready[name])

    async def _make_ready(self, game: Game) -> None:
        moves: tuple[str, ...] = ()
        with suppress(GameOver):  # some boards of Clobber have no move at all
            for _ in range(2):  # the second search begins after a move: playing one is compiled, too
                request = Request(game.name, game.options(), moves)
                report = await self.host.on_this_machine.search(
                    EngineConfig("random", book=False), request, Limits(nodes=1), game_id=f"ready {game.name}"
                )
                moves += (report.best,)
        await self.do(_load, game)

    async def close(self) -> None:
        """Leave every game as it is, and let go of everything, within seconds even if the database is down."""
        self.store.limit_waiting(CLOSE_TIMEOUT_S)
        for task in (self._saver, self._closer):
            if task is not None:
                task.cancel()
        await self.puzzling.close()
        await self.bookkeeper.close()
        for game_id in list(self._rooms):
            try:
                await self.shut(game_id)
            except TengenError as error:
                _log.warning("a game was left, but not saved: %s", error)
        self._players.shutdown(wait=True)
        self._hands.shutdown(wait=True)
        self.transfers.close()
        self.memory.close()
        self.aside.close()
        self.scratch.close()


def _saved(match: Match) -> Match:
    """A new match that is in the store. Raises the reason if it is not."""
    if match.unsaved is not None:
        raise match.unsaved
    return match


def check_board(game: Game) -> None:
    """Raise `TooLarge` for a board beyond the limit."""
    width, height = size_of(game)
    most = resource_limits().board_points
    if width * height > most:
        raise TooLarge(f"a board may have {most:,} points on this server, not {width * height:,}")


def _load(game: Game) -> None:
    position = game.start()
    if not position.is_over:
        position = position.play(position.legal_moves[0])
        len(position.legal_moves)
    position.diagram()
    game.compile_kernels()
