"""The stock of puzzles: made in the background while somebody solves that kind, a few ahead, then no more."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Executor
from contextlib import suppress
from random import Random

from tengen.app import pente_puzzles
from tengen.app.event_loop import run_in_executor
from tengen.app.puzzles import PuzzleKind, puzzle_kind
from tengen.core.errors import TengenError
from tengen.runtime.host import EngineHost
from tengen.store.puzzles import Puzzle
from tengen.store.store import Store

_KINDS = (pente_puzzles,)  # registered by importing it
_log = logging.getLogger(__name__)
AHEAD = 6  # puzzles that wait for whoever solves them
POLL_INTERVAL_S = 5.0  # the store is asked again at least this often
MOST_TRIES = 80  # positions that are looked at for them, then it is given up


class PuzzleStock:
    """Use it in the server's thread."""

    def __init__(self, store: Store, host: EngineHost, executor: Executor) -> None:
        self._store = store
        self._host = host
        self._executor = executor  # for calls of the store
        self._makers: dict[str, asyncio.Task[None]] = {}
        self._made = asyncio.Condition()
        self._trouble: dict[str, str] = {}

    async def next(self, kind: str, solver: str, *, missed: bool = False) -> Puzzle | None:
        """The next puzzle for somebody, as soon as there is one; None if there is no miss to repeat.

        Raises a `TengenError` if there is no such kind, or none can be made.
        """
        found = puzzle_kind(kind)
        if missed:
            return await run_in_executor(self._executor, self._store.next_puzzle, kind, solver, missed=True)
        self._trouble.pop(kind, None)
        while True:
            puzzle = await run_in_executor(self._executor, self._store.next_puzzle, kind, solver)
            if kind not in self._trouble:
                self._make_some(found, solver)
            if puzzle is not None:
                return puzzle
            if kind in self._trouble:
                raise TengenError(self._trouble[kind])
            async with self._made:  # news that came before this line is not missed for long
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._made.wait(), POLL_INTERVAL_S)

    async def close(self) -> None:
        for maker in self._makers.values():
            maker.cancel()
        await asyncio.gather(*self._makers.values(), return_exceptions=True)

    def _make_some(self, kind: PuzzleKind, solver: str) -> None:
        running = self._makers.get(kind.name)
        if running is None or running.done():
            self._makers[kind.name] = asyncio.get_running_loop().create_task(self._make(kind, solver))

    async def _make(self, kind: PuzzleKind, solver: str) -> None:
        random = Random()
        try:
            for _ in range(MOST_TRIES):
                if await run_in_executor(self._executor, self._store.count_unseen, kind.name, solver) >= AHEAD:
                    break
                puzzle = await kind.compose(self._host, random)
                if puzzle is not None:
                    await run_in_executor(self._executor, self._store.add_puzzle, puzzle)
                    await self._tell()
            else:
                self._trouble[kind.name] = "no puzzle was found this time: try again"
        except TengenError as error:
            _log.warning("no puzzle could be made: %s", error)
            self._trouble[kind.name] = str(error)
        finally:
            await self._tell()

    async def _tell(self) -> None:
        async with self._made:
            self._made.notify_all()
