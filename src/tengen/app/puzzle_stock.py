"""The stock of puzzles: composed in the background while a user solves puzzles of a kind, a few in advance."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Executor
from contextlib import suppress
from random import Random

from tengen.app import go_puzzles, pente_puzzles
from tengen.app.event_loop import run_in_executor
from tengen.app.puzzles import PuzzleKind, puzzle_kind
from tengen.core.errors import TengenError
from tengen.core.translation import mark
from tengen.runtime.host import EngineHost
from tengen.store.puzzles import Puzzle
from tengen.store.store import Store

_KINDS = (go_puzzles, pente_puzzles)  # importing them registers their kinds
_log = logging.getLogger(__name__)
STOCK_SIZE = 6  # unseen puzzles to have in stock for each solver
POLL_INTERVAL_S = 5.0  # the store is queried at least this often
MAX_ATTEMPTS = 80  # positions tried per refill


class PuzzleStock:
    """Composes and hands out puzzles. Use it in one event loop."""

    def __init__(self, store: Store, host: EngineHost, executor: Executor) -> None:
        self._store = store
        self._host = host
        self._executor = executor  # for calls of the store
        self._composers: dict[str, asyncio.Task[None]] = {}
        self._made = asyncio.Condition()
        self._errors: dict[str, str] = {}

    async def next(self, kind: str, solver: str, *, missed: bool = False) -> Puzzle | None:
        """Wait for the next puzzle for a solver; with `missed`, one to repeat, or None if there is none.

        Raises `TengenError` if there is no such kind or no puzzle can be composed.
        """
        found = puzzle_kind(kind)
        if missed:
            return await run_in_executor(self._executor, self._store.next_puzzle, kind, solver, missed=True)
        self._errors.pop(kind, None)
        while True:
            puzzle = await run_in_executor(self._executor, self._store.next_puzzle, kind, solver)
            if kind not in self._errors:
                self._refill(found, solver)
            if puzzle is not None:
                return puzzle
            if kind in self._errors:
                raise TengenError(self._errors[kind])
            async with self._made:  # a notification before this line is only missed until the timeout
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._made.wait(), POLL_INTERVAL_S)

    async def close(self) -> None:
        for composer in self._composers.values():
            composer.cancel()
        await asyncio.gather(*self._composers.values(), return_exceptions=True)

    def _refill(self, kind: PuzzleKind, solver: str) -> None:
        running = self._composers.get(kind.name)
        if running is None or running.done():
            self._composers[kind.name] = asyncio.get_running_loop().create_task(self._compose(kind, solver))

    async def _compose(self, kind: PuzzleKind, solver: str) -> None:
        random = Random()
        try:
            for _ in range(MAX_ATTEMPTS):
                if (
                    await run_in_executor(self._executor, self._store.count_unseen, kind.name, solver)
                    >= STOCK_SIZE
                ):
                    break
                puzzle = await kind.compose(self._host, random)
                if puzzle is not None:
                    await run_in_executor(self._executor, self._store.add_puzzle, puzzle)
                    await self._notify()
            else:
                self._errors[kind.name] = mark(
                    "There is no new puzzle of this kind now. Repeat missed ones, or choose another kind."
                )
        except TengenError as error:
            _log.warning("puzzle not composed: %s", error)
            self._errors[kind.name] = str(error)
        finally:
            await self._notify()

    async def _notify(self) -> None:
        async with self._made:
            self._made.notify_all()
