"""Delays after wrong tokens and passwords, which double with each further failure.

Failures are counted per client address or per another key, such as an account's name. IPv6 addresses are grouped
by their /64 network, because clients choose the other half freely. Attempts made during a delay are rejected
unchecked, so that no attempt is free.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

FREE = 5  # wrong guesses before one has to wait
LONGEST = 15 * 60.0  # seconds
FORGOTTEN = 3600.0  # seconds after the last wrong guess, when all is as it was
MOST_ADDRESSES = 10_000  # that are remembered; the longest unheard are forgotten


@dataclass
class _Record:
    wrong: int = 0
    until: float = 0.0  # when the next guess is looked at
    last: float = 0.0


class AttemptLimiter:
    """The wrong guesses at one secret."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, free: int = FREE, longest_s: float = LONGEST
    ) -> None:
        """After `free` wrong guesses one has to wait, `longest_s` seconds at most."""
        self._clock = clock
        self._free, self._longest_s = free, longest_s
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def wait(self, address: str) -> int:
        """The seconds, rounded up, until a guess from this address is looked at; 0 if it is now."""
        record = self._records.get(_who(address))
        return 0 if record is None else max(0, math.ceil(record.until - self._clock()))

    def wrong(self, address: str) -> None:
        """A guess from this address was looked at, and wrong."""
        who, now = _who(address), self._clock()
        record = self._records.pop(who, None)
        if record is None or now - record.last > FORGOTTEN:
            record = _Record()
        record.wrong += 1
        record.last = now
        if record.wrong >= self._free:
            record.until = now + min(self._longest_s, 2.0 ** min(60, record.wrong - self._free))
        self._records[who] = record
        while len(self._records) > MOST_ADDRESSES:
            self._records.popitem(last=False)

    def forgive(self, address: str) -> None:
        """One guess that was counted as wrong beforehand was right."""
        record = self._records.get(_who(address))
        if record is not None:
            record.wrong = max(0, record.wrong - 1)
            if record.wrong < self._free:
                record.until = 0.0


def _who(address: str) -> str:
    try:
        number = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(number, ipaddress.IPv6Address) and number.ipv4_mapped is None:
        return str(ipaddress.ip_network((number, 64), strict=False))
    return str(number)
