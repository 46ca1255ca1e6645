"""Visitor data cached in memory: preferences, guests, the server's secret.

Pages are built in the event loop, which must not wait for the database. So everything is read once, answered from
memory and written in a background thread; changes by other processes on the same database are re-read regularly.
Seats are stored separately (`tengen.store.seats`); an open `GameSession` has those of its game.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tengen.core.errors import TengenError
from tengen.store.seats import Seats
from tengen.store.store import Store

__all__ = ["Seats", "VisitorCache"]

_log = logging.getLogger(__name__)
REFRESH_S = 10.0  # cached data is re-read when it is older
IMPORTED_SUFFIX = ".imported"
UNREADABLE_SUFFIX = ".unreadable"


class VisitorCache:
    """Create it before the server starts: it reads from the database. Without a store nothing is saved.

    `legacy_file` is the JSON file of versions before 0.2. It is imported into the store once, then renamed.
    """

    def __init__(self, store: Store | None = None, legacy_file: Path | None = None) -> None:
        self._store = store or Store.in_memory()
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="visitors")
        self._unwritten: dict[str, dict[str, Any]] = {}  # preferences not stored yet
        if legacy_file is not None and legacy_file.exists():
            import_legacy_file(legacy_file, self._store)
        self._options: dict[str, dict[str, Any]] = {}
        self._guests: frozenset[str] = frozenset()
        self._read_at = 0.0
        self._read()

    @property
    def secret(self) -> bytes:
        """The server's secret, which survives restarts. Reads from the database."""
        return self._store.server_secret()

    def options(self, visitor: str) -> dict[str, Any]:
        self._refresh()
        with self._lock:
            return {**self._options.get(visitor, {}), **self._unwritten.get(visitor, {})}

    def set_options(self, visitor: str, **values: Any) -> None:
        """Change preferences: at once in this process, shortly after in the store. Failures are logged."""
        with self._lock:
            self._unwritten[visitor] = {**self._unwritten.get(visitor, {}), **values}
        self._writer.submit(self._write, visitor)

    def is_guest(self, who: str) -> bool:
        """Whether a visitor came by an invite link."""
        self._refresh()
        return who in self._guests

    def add_guests(self, new: Iterable[str]) -> None:
        """Remember visitors as guests. Waits for the database: call it outside the event loop."""
        fresh = set(new) - self._guests
        if fresh:
            self._store.add_guests(fresh)
            with self._lock:
                self._guests |= fresh

    def close(self) -> None:
        """Wait until everything is stored."""
        self._writer.shutdown(wait=True)

    def _refresh(self) -> None:
        """Re-read old data in the background."""
        with self._lock:
            if time.monotonic() - self._read_at < REFRESH_S:
                return
            self._read_at = time.monotonic()
        self._writer.submit(self._reread)

    def _reread(self) -> None:
        try:
            self._read()
        except TengenError as error:
            _log.warning("visitor preferences not refreshed: %s", error)

    def _read(self) -> None:
        options, guests = self._store.all_options(), self._store.guests()
        with self._lock:
            self._options, self._guests = options, self._guests | guests
            self._read_at = time.monotonic()

    def _write(self, visitor: str) -> None:
        with self._lock:
            values = self._unwritten.get(visitor)
        if values is None:
            return  # stored by an earlier call
        try:
            self._store.set_options(visitor, values)
        except TengenError as error:
            _log.warning("visitor preferences not saved: %s", error)
            return
        with self._lock:
            self._options[visitor] = {**self._options.get(visitor, {}), **values}
            if self._unwritten.get(visitor) == values:
                del self._unwritten[visitor]


def import_legacy_file(file: Path, store: Store) -> None:
    """Import the JSON file of a version before 0.2 into the store, then rename the file.

    An interrupted import is repeated at the next start; data already stored is not overwritten. Raises
    `StoreError` if storing fails; the file is then left unchanged.
    """
    try:
        data = json.loads(file.read_text("utf-8"))
        secret = bytes.fromhex(data.get("secret", "")).hex()
        options = {str(who): dict(values) for who, values in data["options"].items()}
        held = {str(game_id): _read_seats(one) for game_id, one in data["seats"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        _log.warning("%s cannot be read and was renamed: %s", file, error)
        os.replace(file, file.with_name(file.name + UNREADABLE_SUFFIX))
        return
    store.import_legacy_data(secret, options, {game_id: one for game_id, one in held.items() if one is not None})
    os.replace(file, file.with_name(file.name + IMPORTED_SUFFIX))


def _read_seats(one: Any) -> Seats | None:
    """The seats of a game in a legacy file; None if they are invalid."""
    try:
        (first_key, second_key), (first, second), (first_open, second_open) = (
            one["keys"],
            one["holders"],
            one["open"],
        )
        texts = (one["owner"], first_key, second_key, *first, *second)
        if not all(isinstance(text, str) and len(text) <= 80 for text in texts):
            return None
        holders = list(dict.fromkeys(first)), list(dict.fromkeys(second))
        return Seats(one["owner"], (first_key, second_key), holders, (bool(first_open), bool(second_open)))
    except (KeyError, TypeError, ValueError):
        return None
