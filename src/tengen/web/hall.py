"""The hall: every game that is open on this server, in a room of its own, each only once.

The server's thread never waits: what goes to the disk, or may load a kernel, is done by `do` in other threads, and
what must be compiled is compiled in the engine host's workers (see `ready`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import ParamSpec, TypeVar

from tengen.core.errors import GameOver, TengenError
from tengen.core.game import Game
from tengen.games.records import Record
from tengen.play.host import EngineHost
from tengen.play.match import Match
from tengen.play.request import EngineSpec, Request
from tengen.play.time_control import TimeControl
from tengen.search.limits import Limits
from tengen.store.entry import GameEntry
from tengen.store.players import Person, Player
from tengen.store.store import Store
from tengen.web.aside import Aside
from tengen.web.bookkeeping import Bookkeeper
from tengen.web.memory import Memory, Seats
from tengen.web.puzzling import Puzzling
from tengen.web.room import PATIENCE, Room

_P = ParamSpec("_P")
_R = TypeVar("_R")
_log = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 5.0  # for the database to take what is not saved yet when the server ends
SCRATCH_ROOMS = 200  # demonstrations and boards to try things on, at one time


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
        self._hands = ThreadPoolExecutor(8, thread_name_prefix="web")
        self._closer: asyncio.Task[None] | None = None

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
        """A new game, made by somebody who plays every person's side but the `guest`'s, who comes by a link."""
        await self.ready(game)
        if not kept:
            self._check_scratch()
        store = self.store if kept else self.scratch

        def make() -> Match:
            return Match.new(game, players, control, rated=rated and kept, save=store.save)

        match = await self.do(make)
        seats = Seats(who, open=(guest == 0, guest == 1))
        for side in (0, 1):
            if isinstance(players[side], Person) and side != guest:
                seats.sit(side, who)
        return await self._put(match, store, seats, ponder=ponder)

    async def rematch(self, room: Room, who: str) -> Room:
        """The next game between the two; those who sat at a side sit at it again, wherever it is now."""
        if room.next_room:
            return await self.room(room.next_room)
        match = await self.do(room.match.rematch)
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
        """A board to try things on, from a start or a record; nothing of it is kept."""
        await self.ready(game)
        self._check_scratch()
        entry = GameEntry(record or Record(game), end="not played" if record is None else "")
        entry.players = (None, None)
        await self.do(self.scratch.save, entry)
        await self.do(self.scratch.set_seats, entry.id, Seats(who))
        return await self._open(entry, self.scratch)

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

    async def _put(self, match: Match, store: Store, seats: Seats, *, ponder: bool = False) -> Room:
        await self.do(store.set_seats, match.id, seats)
        await self.do(self.memory.add_guests, seats.guests())
        loop = asyncio.get_running_loop()
        room = await self.do(
            lambda: Room(
                match, store, self.host, self.aside, self.memory, loop, ponder=ponder, is_kept=store is self.store
            )
        )
        self._rooms[match.id] = room
        self._watch_closing()
        return room

    async def _open(self, entry: GameEntry, store: Store) -> Room:
        loop = asyncio.get_running_loop()

        def make() -> Room:
            match = Match.open(entry, save=store.save)
            return Room(match, store, self.host, self.aside, self.memory, loop, is_kept=store is self.store)

        room = await self.do(make)
        self._rooms[entry.id] = room
        self._watch_closing()
        return room

    def _check_scratch(self) -> None:
        if sum(not room.is_kept for room in self._rooms.values()) >= SCRATCH_ROOMS:
            raise TengenError("too many boards are open on this server: try again later")

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
                report = await self.host.search(
                    EngineSpec("random"), request, Limits(nodes=1), game_id=f"ready {game.name}"
                )
                moves += (report.best,)
        await self.do(_load, game)

    async def close(self) -> None:
        """Leave every game as it is, and let go of everything, within seconds even if the database is down."""
        self.store.limit_waiting(CLOSE_TIMEOUT_S)
        await self.puzzling.close()
        await self.bookkeeper.close()
        for game_id in list(self._rooms):
            try:
                await self.shut(game_id)
            except TengenError as error:
                _log.warning("a game was left, but not saved: %s", error)
        self._hands.shutdown(wait=True)
        self.memory.close()
        self.aside.close()
        self.scratch.close()


def _load(game: Game) -> None:
    position = game.start()
    if not position.is_over:
        position = position.play(position.legal_moves[0])
        len(position.legal_moves)
    position.diagram()
    game.compile_kernels()
