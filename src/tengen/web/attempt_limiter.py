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

FREE_FAILURES = 5  # failures before the first delay
MAX_DELAY_S = 15 * 60.0
RESET_AFTER_S = 3600.0  # failures are forgotten this long after the last one
MAX_TRACKED_KEYS = 10_000  # the least recently used are dropped


@dataclass
class _Record:
    failures: int = 0
    blocked_until: float = 0.0
    last_failure: float = 0.0


class AttemptLimiter:
    """Failed attempts at one secret, counted per key: a client address or a name."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        free_failures: int = FREE_FAILURES,
        max_delay_s: float = MAX_DELAY_S,
    ) -> None:
        self._clock = clock
        self._free_failures, self._max_delay_s = free_failures, max_delay_s
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def delay_s(self, key: str) -> int:
        """Seconds until the next attempt with this key is accepted, rounded up; 0 if it is accepted now."""
        record = self._records.get(_group(key))
        return 0 if record is None else max(0, math.ceil(record.blocked_until - self._clock()))

    def record_failure(self, key: str) -> None:
        group, now = _group(key), self._clock()
        record = self._records.pop(group, None)
        if record is None or now - record.last_failure > RESET_AFTER_S:
            record = _Record()
        record.failures += 1
        record.last_failure = now
        excess = record.failures - self._free_failures
        if excess >= 0:
            record.blocked_until = now + min(self._max_delay_s, 2.0 ** min(60, excess))
        self._records[group] = record
        while len(self._records) > MAX_TRACKED_KEYS:
            self._records.popitem(last=False)

    def undo_failure(self, key: str) -> None:
        """Take back a failure that was recorded before the attempt turned out to be right."""
        record = self._records.get(_group(key))
        if record is not None:
            record.failures = max(0, record.failures - 1)
            if record.failures < self._free_failures:
                record.blocked_until = 0.0


def _group(key: str) -> str:
    """The /64 network of an IPv6 address; other keys as they are."""
    try:
        address = ipaddress.ip_address(key)
    except ValueError:
        return key
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
