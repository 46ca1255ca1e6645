"""Imports and exports: files of games are read, stored and written by helper processes.

Reading or writing a file keeps the interpreter busy for seconds, and all threads of that process wait. In a helper
it disturbs nobody who plays. A helper stores a file in short transactions with pauses between them, in which the
moves of games that are being played are saved.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, CancelledError, Future
from functools import lru_cache
from itertools import islice
from typing import ParamSpec, TypeVar

from tengen.core.errors import TengenError
from tengen.core.resource_limits import LimitExceeded, TooLarge, resource_limits
from tengen.games import records
from tengen.games.records import Record
from tengen.jobs import LocalExecutor
from tengen.store.import_export import ImportResult
from tengen.store.listing import Filter
from tengen.store.record_codec import pack_record, unpack_record
from tengen.store.store import Store

_P = ParamSpec("_P")
_R = TypeVar("_R")

IMPORT_TIMEOUT_S = 600.0  # for one file; then its helper is ended
READ_TIMEOUT_S = 60.0  # for one game that somebody pastes
MAX_EXPORTED_GAMES = 20_000
MAX_CHOSEN_GAMES = 500  # games that are named one by one
LEAST_PAUSE_S = 0.1  # between two transactions of an import
WRITING_S = 0.1  # for one transaction, and at least …
SMALLEST_BATCH = 50  # … this many games
NICENESS = 5  # between the server's and the engines': who holds the lock of the database must not starve


class ImportExportPool:
    """`imports_at_once` helper processes, which start with the first import. Use it in the server's event loop."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._executor = LocalExecutor(resource_limits().imports_at_once, initializer=_lower_priority)
        self._waiting = 0  # files that were asked for and are not done

    async def import_file(self, data: bytes) -> ImportResult:
        """Import a file. Raises `LimitExceeded` if it is too large or too many others wait."""
        check_size(data)
        url = self._store.url
        if url is None:  # a store in memory is in no other process
            return await asyncio.to_thread(import_into, self._store, data)
        return await self._ask(IMPORT_TIMEOUT_S, import_file, url, data)

    async def first_game(self, data: bytes) -> Record:
        """The first game of a file. Raises a `TengenError` if there is none."""
        check_size(data)
        return await asyncio.to_thread(unpack_record, await self._ask(READ_TIMEOUT_S, read_first, data))

    async def export(self, chosen: Iterable[str] | Filter, form: str) -> bytes:
        """A file with the games of these ids, or of a list, up to `MAX_EXPORTED_GAMES`."""
        ids = chosen if isinstance(chosen, Filter) else list(chosen)
        url = self._store.url
        if url is None:
            return await asyncio.to_thread(export_from, self._store, ids, form)
        return await self._ask(IMPORT_TIMEOUT_S, export_file, url, ids, form)

    def close(self) -> None:
        """End the helpers. What they stored stays; an import that was broken off can be done again."""
        self._executor.terminate()

    async def _ask(self, timeout: float, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        limits = resource_limits()
        if self._waiting >= limits.imports_at_once + limits.imports_queued:
            raise LimitExceeded(
                f"{limits.imports_queued} files are waiting, which is the most: try again in a minute"
            )
        self._waiting += 1
        future: Future[_R] | None = None
        try:
            future = self._executor.submit(work, *args, **kwargs)
            return await asyncio.wait_for(asyncio.wrap_future(future), timeout)
        except TimeoutError:
            raise TengenError(f"the file was not read within {timeout:.0f} s: split it") from None
        except (BrokenExecutor, CancelledError, RuntimeError):
            raise TengenError("the file was not finished; what was stored stays: try again") from None
        except LimitExceeded as error:
            raise TooLarge(str(error)) from None
        finally:
            self._waiting -= 1
            if future is not None and not future.done():
                self._executor.kill(future)


def check_size(data: bytes) -> None:
    most = resource_limits().upload_bytes
    if len(data) > most:
        raise TooLarge(f"a file of games may have {most / 2**20:g} MB, this one has {len(data) / 2**20:.1f}")


def import_file(url: str, data: bytes) -> ImportResult:
    """Import a file into the store at a URL. Runs in a helper process."""
    return import_into(_opened(url), data)


def export_file(url: str, chosen: list[str] | Filter, form: str) -> bytes:
    """Write games of the store at a URL. Runs in a helper process."""
    return export_from(_opened(url), chosen, form)


def export_from(store: Store, chosen: list[str] | Filter, form: str) -> bytes:
    if isinstance(chosen, Filter):
        found: Iterable[Record] = islice(store.export_records(chosen), MAX_EXPORTED_GAMES)
    else:
        found = (store.load(identity).record for identity in chosen[:MAX_CHOSEN_GAMES])
    return records.serialise(found, records.format_named(form)).data


def read_first(data: bytes) -> bytes:
    """The first game of a file, packed. Runs in a helper process."""
    for record in records.parse(data, max_nodes=resource_limits().file_nodes):
        return pack_record(record)
    raise TengenError("there is no game in this text")


def import_into(store: Store, data: bytes) -> ImportResult:
    """Import a file, with pauses in which others can write."""
    began = time.monotonic()

    def pause(_: ImportResult) -> None:
        nonlocal began
        time.sleep(min(1.0, max(LEAST_PAUSE_S, (time.monotonic() - began) / 2)))
        began = time.monotonic()

    source = records.parse(data, check=False, max_nodes=resource_limits().file_nodes)
    return store.import_records(source, pause, writing=WRITING_S, smallest=SMALLEST_BATCH)


def _lower_priority() -> None:
    if hasattr(os, "nice"):
        os.nice(NICENESS)


@lru_cache(maxsize=1)
def _opened(url: str) -> Store:
    """The store, kept open in a helper process."""
    return Store.open(url)
