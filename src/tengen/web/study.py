"""An analysis: one person's look at a game, an engine that thinks about what is looked at, and what it found.

Whoever may change the game works on its own tree, so variations and comments are kept; anybody else on a copy. The
engine's searches are background work, which makes room for games that are being played.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.play.game_tree import MatchError
from tengen.play.host import SearchHandle
from tengen.play.match import Match
from tengen.play.request import Progress, Stage
from tengen.play.table import adviser_of
from tengen.search.limits import Limits
from tengen.search.report import Kind, Report
from tengen.store.players import Genome
from tengen.web.hall import Hall
from tengen.web.loops import call_in
from tengen.web.room import Room

PAUSE = 0.15  # seconds that somebody stays at a move before it is searched


class Study:
    """`tell` is called, in the server's thread, whenever there is something new about the position looked at."""

    def __init__(self, hall: Hall, room: Room, match: Match, name: str, tell: Callable[[], None]) -> None:
        self.room = room
        self.match = match
        self.view = match.view()
        self.is_on = True
        self.lines = 3
        self.seconds = 10.0
        self.genome: Genome | None = None
        self.note = ""  # what the engine is at, while there is no report
        self.is_searching = False
        self._hall = hall
        self._name = name
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._search: tuple[Position, SearchHandle] | None = None
        self._fresh: Report | None = None
        self._later: asyncio.TimerHandle | None = None

    @classmethod
    async def open(cls, hall: Hall, room: Room, browser: str, name: str, tell: Callable[[], None]) -> Study:
        """A study of a room's game, by somebody who may change it or not.

        Raises `MatchError` for a player of a game against somebody else: an engine's help would not be fair.
        """
        match = room.match
        if room.may_change(browser):
            if match.end is None and room.sides(browser):
                if not room.is_at_one_board(browser):
                    raise MatchError("the game goes on: it can be analysed when it has ended")
                await hall.do(match.unrate)
        else:
            match = await hall.do(lambda: Match.open(room.store.load(room.id)))
        return cls(hall, room, match, name, tell)

    @property
    def is_own(self) -> bool:
        """Whether what is done here is kept with the game."""
        return self.match is self.room.match

    @property
    def position(self) -> Position:
        return self.view.place.position

    @property
    def moves(self) -> tuple[str, ...]:
        return tuple(self.position.write_moves(self.position.moves))

    @property
    def report(self) -> Report | None:
        """The best that is known of the position looked at: of the running search, or from before."""
        return self._fresh or self.room.reports.get(self.moves)

    # ---- the engine

    def looked(self) -> None:
        """Something else is looked at, or the engine is another: search that, if somebody stays there."""
        self._give_up()
        self._fresh = None
        self.note = ""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        known = self.room.reports.get(self.moves)
        solved = known is not None and known.value.kind is Kind.EXACT and len(known.candidates) >= self.lines
        if self.is_on and not self.position.is_over and not solved:
            self._later = self._loop.call_later(PAUSE, self._begin)

    def close(self) -> None:
        self.is_on = False
        self.looked()

    def _begin(self) -> None:
        self._later = None
        genome, position = self.genome, self.position
        if genome is None:
            return

        def progress(news: Progress) -> None:
            call_in(self._loop, self._hear, position, news)

        limits = Limits(seconds=self.seconds, lines=self.lines)
        try:
            handle = self._hall.host.search(
                adviser_of(genome), position, limits, game_id=self._name, background=True, on_progress=progress
            )
        except TengenError as error:
            self.note = str(error)
            self._tell()
            return
        self._search = (position, handle)
        self.is_searching = True
        handle.future.add_done_callback(lambda future: call_in(self._loop, self._end, position, future))
        self._tell()

    def _hear(self, position: Position, news: Progress) -> None:
        if self._search is None or self._search[0] is not position:
            return
        if news.report is not None:
            self._fresh, self.note = news.report, ""
        elif news.stage is Stage.COMPILING:
            self.note = f"Compiling for this machine, once: {news.note} …"
        self._tell()

    def _end(self, position: Position, future: Future[Report]) -> None:
        if self._search is None or self._search[0] is not position:
            return
        self._search = None
        self.is_searching = False
        if future.cancelled():
            return
        error = future.exception()
        if error is not None:
            self.note = str(error)
        else:
            self._fresh = future.result()
            if self.genome is not None and self.is_own:
                moves, genome, report = self.moves, self.genome, self._fresh
                self._loop.run_in_executor(None, self._keep, moves, genome, report)
        self._tell()

    def _keep(self, moves: tuple[str, ...], genome: Genome, report: Report) -> None:
        with suppress(TengenError):  # the game was deleted meanwhile: then nobody needs it
            self.room.keep(moves, genome, report)

    def _give_up(self) -> None:
        self.is_searching = False
        if self._search is not None:
            self._search[1].cancel()
            self._search = None

    # ---- the tree, in the server's thread unless the game is changed

    async def play(self, *moves: str) -> None:
        """Try moves, one after the other; they become a variation unless the tree has them."""
        for move in moves:
            await self._hall.do(self.match.vary, self.view, move)
        self.looked()

    async def remove(self) -> None:
        await self._hall.do(self.match.prune, self.view)
        self.looked()

    async def comment(self, text: str) -> None:
        if text != self.view.place.node.comment:
            await self._hall.do(self.match.comment, self.view, text)
