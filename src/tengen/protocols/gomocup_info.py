"""INFO of Gomocup's protocol: time, memory and rule, with Yixin's limits."""

from __future__ import annotations

import re
from typing import Any

from tengen.core.errors import OptionError
from tengen.runtime.engine_runner import EngineRunner
from tengen.search.limits import Clock, Limits

EXACT, CONTINUOUS, RENJU, CARO = 1, 2, 4, 8
"""Bits of `rule`. A continuous game makes no difference here, nor does EXACT in renju."""
LATENCY_S = 0.05  # reserved in each move for communication
MIN_MOVE_TIME_S = 0.01  # when the controller allows no time
BYTES_PER_MB = 1 << 20

_NUMBER = re.compile(r"-?\d{1,15}", re.ASCII)


class GomocupInfo:
    """The latest value of each INFO key. INFO is never answered: unknown keys and invalid values are ignored."""

    def __init__(self, runner: EngineRunner) -> None:
        self.runner = runner
        self.values: dict[str, int] = {}

    def read(self, rest: str) -> None:
        key, _, value = rest.partition(" ")
        if _NUMBER.fullmatch(value.strip()) is None:
            return
        name, number = key.lower(), int(value)
        if name not in _KNOWN_KEYS:
            return
        self.values[name] = number
        if name == "max_memory" and number > 0:
            # Trees are copied when the game continues, and the program itself needs memory.
            self._limit_memory(number // BYTES_PER_MB // 2)
        elif name == "hash_size" and number > 0:
            self._limit_memory(number // 1024)
        elif name == "thread_num" and number > 0:
            self.runner.set_threads(number)

    def _limit_memory(self, megabytes: int) -> None:
        """Limit every memory setting of the engine."""
        for tunable in self.runner.engine.tunables:
            if tunable.megabytes:
                limit = int(max(tunable.low, min(megabytes, tunable.high)))
                given = dict(self.runner.requested.settings).get(tunable.name, tunable.default)
                self.runner.override(**{tunable.name: min(int(given), limit)})

    def rule(self) -> dict[str, Any]:
        """Options of the game that the latest INFO rule asks for."""
        bits = self.values.get("rule", 0)
        unknown = bits & ~(EXACT | CONTINUOUS | RENJU | CARO)
        if bits < 0 or unknown:
            raise OptionError(f"unknown rule {bits}: expected a sum of 1 (exact), 2, 4 (renju) and 8 (caro)")
        if bits & RENJU:
            if bits & CARO:
                raise OptionError(f"rule {bits} asks for renju and caro, which exclude each other")
            return {"variant": "renju", "first": "anywhere"}
        return {"variant": "caro" if bits & CARO else "gomoku", "exact": bool(bits & EXACT)}

    @property
    def ponders(self) -> bool:
        """Whether to search while the opponent thinks (`INFO pondering 1`, of Yixin and Rapfi)."""
        return self.values.get("pondering", 0) > 0

    def limits(self) -> Limits:
        """Limits of a move, combined with those of the user's level."""
        turn, match = self.values.get("timeout_turn"), self.values.get("timeout_match", 0)
        left = self.values.get("time_left")
        own = self.runner.limits(has_clock=turn is not None or match > 0)
        seconds = [] if own.seconds is None else [own.seconds]
        if turn is not None:
            seconds.append(_usable_time(turn / 1000))
        clock = None
        if match > 0:
            clock = Clock(max(0, match if left is None else min(left, match)) / 1000)
        return Limits(
            seconds=min(seconds) if seconds else None,
            nodes=_smallest(own.nodes, self.values.get("max_node")),
            depth=_smallest(own.depth, self.values.get("max_depth")),
            clock=clock,
        )

    def describe(self) -> list[str]:
        return [f"INFO {name.upper()} {value}" for name, value in sorted(self.values.items())]


_KNOWN_KEYS = frozenset(
    {
        "timeout_turn",
        "timeout_match",
        "time_left",
        "max_memory",
        "game_type",
        "rule",
        "max_depth",
        "max_node",
        "pondering",
        "thread_num",
        "hash_size",
    }
)


def _usable_time(seconds: float) -> float:
    """The part of a move's time that may be used."""
    return max(MIN_MOVE_TIME_S, seconds - max(LATENCY_S, 0.05 * seconds), seconds / 4)


def _smallest(own: int | None, other: int | None) -> int | None:
    given = [value for value in (own, other) if value is not None and value > 0]
    return min(given) if given else None
