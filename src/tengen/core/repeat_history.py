"""Repeat keys of a game, stored once for all of its positions.

Each position needs the keys of all earlier positions. Separate arrays would use memory quadratic in the length of
the game, so the positions of a line share one array and use a prefix of it.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

INITIAL_CAPACITY = 64  # keys


class RepeatHistory:
    """The keys of a line of play. It only grows at the end, so prefixes never change."""

    def __init__(self, keys: np.ndarray[Any, Any] | None = None) -> None:
        given = 0 if keys is None else len(keys)
        self._keys = np.empty(max(INITIAL_CAPACITY, 2 * given), np.uint64)
        if keys is not None:
            self._keys[:given] = keys
        self._used = given
        self._lock = threading.Lock()

    def first(self, count: int) -> np.ndarray[Any, Any]:
        """The first `count` keys as a read-only array."""
        keys = self._keys[:count]
        keys.flags.writeable = False
        return keys

    def extended(self, count: int, key: int) -> RepeatHistory:
        """The history of a line that continues with `key` after the first `count` keys.

        Returns this object, unless another line has continued from there with a different key.
        """
        with self._lock:
            if count == self._used:
                if count == len(self._keys):
                    grown = np.empty(2 * count, np.uint64)
                    grown[:count] = self._keys
                    self._keys = grown
                self._keys[count] = key
                self._used += 1
                return self
            if int(self._keys[count]) == key:
                return self
        other = RepeatHistory(self.first(count))
        return other.extended(count, key)
