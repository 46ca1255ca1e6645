"""Import and export of game files in helper processes.

Parsing or writing a large file keeps the interpreter busy for seconds, which would block every thread of the
server. Helper processes store a file in short transactions with pauses between them, in which moves of games in
progress are saved.
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
from tengen.core.translation import mark
from tengen.games import records
from tengen.games.records import Record
from tengen.jobs import LocalExecutor
from tengen.store.import_export import ImportResult
from tengen.store.listing import Filter
from tengen.store.record_codec import pack_record, unpack_record
from tengen.store.store import Store

_P = ParamSpec("_P")
_R = TypeVar("_R")

IMPORT_TIMEOUT_S = 600.0  # per file
READ_TIMEOUT_S = 60.0  # for reading one pasted game
MAX_EXPORTED_GAMES = 20_000
MAX_SELECTED_GAMES = 500  # games that are exported by id
MIN_PAUSE_S = 0.1  # between two transactions of an import
TRANSACTION_S = 0.1  # target length of a transaction, which stores at least …
MIN_BATCH_GAMES = 50  # … this many games
NICENESS = 5  # between server and engines: the holder of the database lock must not starve


class ImportExportPool:
    """A pool of `imports_at_once` helper processes, started by the first import. Use it in one event loop."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._executor = LocalExecutor(resource_limits().imports_at_once, initializer=_lower_priority)
        self._waiting = 0  # unfinished requests

    async def import_file(self, data: bytes) -> ImportResult:
        """Import a file. Raises `LimitExceeded` if it is too large or too many files are queued."""
        check_size(data)
        url = self._store.url
        if url is None:  # a store in memory cannot be shared with a process
            return await asyncio.to_thread(import_into, self._store, data)
        return await self._run(IMPORT_TIMEOUT_S, import_file, url, data)

    async def first_game(self, data: bytes) -> Record:
        """The first game of a file. Raises a `TengenError` if there is none."""
        check_size(data)
        return await asyncio.to_thread(unpack_record, await self._run(READ_TIMEOUT_S, read_first, data))

    async def export(self, chosen: Iterable[str] | Filter, form: str) -> bytes:
        """A file in format `form` with the games of these ids or of a filter, at most `MAX_EXPORTED_GAMES`."""
        ids = chosen if isinstance(chosen, Filter) else list(chosen)
        url = self._store.url
        if url is None:
            return await asyncio.to_thread(export_from, self._store, ids, form)
        return await self._run(IMPORT_TIMEOUT_S, export_file, url, ids, form)

    def close(self) -> None:
        """Stop the helpers. Games already stored stay; an interrupted import can be repeated."""
        self._executor.terminate()

    async def _run(self, timeout: float, work: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        limits = resource_limits()
        if self._waiting >= limits.imports_at_once + limits.imports_queued:
            raise LimitExceeded(
                mark("Too many imports: {count} files are waiting. Try again in a minute.").format(
                    count=limits.imports_queued
                )
            )
        self._waiting += 1
        future: Future[_R] | None = None
        try:
            future = self._executor.submit(work, *args, **kwargs)
            return await asyncio.wait_for(asyncio.wrap_future(future), timeout)
        except TimeoutError:
            raise TengenError(
                mark("the file took longer than {timeout:.0f} s: split it into smaller files").format(
                    timeout=timeout
                )
            ) from None
        except (BrokenExecutor, CancelledError, RuntimeError):
            raise TengenError("the import was interrupted; games read so far are stored: try again") from None
        except LimitExceeded as error:
            raise TooLarge(str(error)) from None
        finally:
            self._waiting -= 1
            if future is not None and not future.done():
                self._executor.kill(future)


def check_size(data: bytes) -> None:
    most = resource_limits().upload_bytes
    if len(data) > most:
        raise TooLarge(
            mark("file too large: {size:.1f} MB, at most {limit:g} MB are accepted").format(
                size=len(data) / 2**20, limit=most / 2**20
            )
        )


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
        found = (store.load(identity).record for identity in chosen[:MAX_SELECTED_GAMES])
    return records.serialise(found, records.format_named(form)).data


def read_first(data: bytes) -> bytes:
    """The first game of a file, packed. Runs in a helper process."""
    for record in records.parse(data, max_nodes=resource_limits().file_nodes):
        return pack_record(record)
    raise TengenError(mark("no game found in this text"))


def import_into(store: Store, data: bytes) -> ImportResult:
    """Import a file, with pauses in which other processes can write."""
    began = time.monotonic()

    def pause(_: ImportResult) -> None:
        nonlocal began
        time.sleep(min(1.0, max(MIN_PAUSE_S, (time.monotonic() - began) / 2)))
        began = time.monotonic()

    source = records.parse(data, check=False, max_nodes=resource_limits().file_nodes)
    return store.import_records(source, pause, writing=TRANSACTION_S, smallest=MIN_BATCH_GAMES)


def _lower_priority() -> None:
    if hasattr(os, "nice"):
        os.nice(NICENESS)


@lru_cache(maxsize=1)
def _opened(url: str) -> Store:
    """The store, cached and left open in a helper process."""
    return Store.open(url)
