"""The repeat keys of a game, kept once for all of its positions.

Each position needs the keys of all positions before it. An array for each of them would take memory that grows
with the square of the length of the game, so the positions of a line share one array, and each reads its part.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

FIRST_ROOM = 64  # keys of a new array


class RepeatHistory:
    """The keys of a line from its start. It only grows at its end, so that parts of it never change."""

    def __init__(self, keys: np.ndarray[Any, Any] | None = None) -> None:
        given = 0 if keys is None else len(keys)
        self._keys = np.empty(max(FIRST_ROOM, 2 * given), np.uint64)
        if keys is not None:
            self._keys[:given] = keys
        self._used = given
        self._lock = threading.Lock()

    def first(self, count: int) -> np.ndarray[Any, Any]:
        """The first keys, to be read only. What is added later is in none of such arrays."""
        keys = self._keys[:count]
        keys.flags.writeable = False
        return keys

    def extended(self, count: int, key: int) -> RepeatHistory:
        """The history of a line that goes on with a key after the first `count` of this one.

        That is this history itself, unless another line went on from there with another key.
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
