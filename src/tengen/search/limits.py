"""Limits of a search, its time budget, and the flag that stops it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.core.errors import GameOver, IllegalMove, OptionError
from tengen.core.game import Move
from tengen.core.translation import mark
from tengen.search.tunables import write_number

if TYPE_CHECKING:  # a process that only requests searches needs this module, but not Numba
    from tengen.core.position import Position


@dataclass(frozen=True)
class Clock:
    """Remaining time of the side to move, increment per move, and moves to the next time control."""

    seconds: float
    increment: float = 0.0
    moves_to_go: int | None = None

    def __post_init__(self) -> None:
        if not self.seconds >= 0 or not self.increment >= 0:
            raise OptionError(
                mark("a clock cannot be negative: {seconds} s, increment {increment} s").format(
                    seconds=self.seconds, increment=self.increment
                )
            )
        if self.moves_to_go is not None and self.moves_to_go < 1:
            raise OptionError(
                mark("the moves to the next control should be at least 1, not {moves_to_go}").format(
                    moves_to_go=self.moves_to_go
                )
            )


@dataclass(frozen=True)
class Limits:
    """Limits of a search; the first one reached ends it. Without any, only a stop or a proved result does.

    `nodes` counts positions, or simulations in a Monte-Carlo search. `moves` restricts the search to these root
    moves. `lines` is the number of best moves to report, each with its value and variation (multi-PV).
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    clock: Clock | None = None
    moves: tuple[Move | str, ...] | None = None
    lines: int = 1

    def __post_init__(self) -> None:
        for name, kinds in (("seconds", (int, float)), ("nodes", (int,)), ("depth", (int,))):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, kinds) and type(value) is not bool and value > 0):
                what = mark("a number") if float in kinds else mark("a whole number")
                raise OptionError(
                    mark("the limit of {name} should be {what} above 0, not {value!r}").format(
                        name=name, what=what, value=value
                    )
                )
        if self.lines < 1:
            raise OptionError(mark("lines should be at least 1, not {lines}").format(lines=self.lines))
        if self.moves is not None and not self.moves:
            raise OptionError(mark("moves should contain at least one move"))

    def __bool__(self) -> bool:
        """Whether anything is limited."""
        return self != Limits()

    def __str__(self) -> str:
        """`1 s`, `depth 4`, `200 nodes`."""
        parts = [] if self.seconds is None else [f"{write_number(self.seconds)} s"]
        parts += [] if self.depth is None else [f"depth {self.depth}"]
        parts += [] if self.nodes is None else [f"{self.nodes} node{'s' if self.nodes != 1 else ''}"]
        return " ".join(parts)

    def check_without_depth(self, engine: str, stop: StopFlag | None) -> None:
        """Reject an unlimited search by an engine that ignores depth."""
        ends = (self.seconds, self.nodes, self.clock, stop)
        if self.depth is not None and all(end is None for end in ends):
            raise OptionError(mark("{engine} ignores depth: set seconds or nodes").format(engine=engine))

    def thinking_time(self) -> float:
        """Seconds to spend on this move; infinite without a time limit."""
        seconds = math.inf if self.seconds is None else self.seconds
        if self.clock is not None:
            # An even share of the remaining time, assuming 30 more moves, and at most half of it.
            share = self.clock.seconds / (self.clock.moves_to_go or 30) + 0.8 * self.clock.increment
            seconds = min(seconds, share, 0.5 * self.clock.seconds)
        return seconds


def root_moves(position: Position, limits: Limits) -> tuple[Move, ...]:
    """The root moves of a search. Raises `GameOver` if there are none, `IllegalMove` if a requested one is
    illegal.
    """
    if position.is_over:
        raise GameOver(mark("the game is over: there is no move to search"))
    if limits.moves is None:
        return position.legal_moves
    game = position.game
    moves = [game.read_move(move, position) if isinstance(move, str) else move for move in limits.moves]
    for move in moves:
        if move not in position.legal_moves:
            raise IllegalMove(game.write_move(move), game.why_illegal(position, move))
    return tuple(dict.fromkeys(moves))


class StopFlag:
    """An integer that kernels poll. Any thread can set it, and any process if it is in shared memory."""

    def __init__(self, buffer: Any = None) -> None:
        """`buffer` has at least 8 writable bytes; by default the flag has its own memory."""
        self.array = np.zeros(1, np.int64) if buffer is None else np.frombuffer(buffer, np.int64, count=1)

    def set(self) -> None:
        self.array[0] = 1

    def clear(self) -> None:
        self.array[0] = 0

    @property
    def is_set(self) -> bool:
        return bool(self.array[0])


class Budget:
    """The remaining time and nodes of a search, and the size of the next slice.

    Kernels run in slices of about `SLICE_S` seconds, so that time limits, Ctrl-C and progress need no other
    thread.
    """

    SLICE_S = 0.015
    PROGRESS_INTERVAL_S = 0.25

    def __init__(self, limits: Limits, stop: StopFlag | None) -> None:
        self.stop = stop or StopFlag()
        self.nodes_left: float = math.inf if limits.nodes is None else limits.nodes
        self._started = time.perf_counter()
        self._deadline = self._started + limits.thinking_time()
        self._next_progress = self._started + self.PROGRESS_INTERVAL_S
        self._rate = 0.0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._started

    @property
    def seconds_left(self) -> float:
        return self._deadline - time.perf_counter()

    @property
    def is_spent(self) -> bool:
        return self.nodes_left <= 0 or self.stop.is_set or time.perf_counter() >= self._deadline

    def slice_nodes(self) -> int:
        """Number of nodes to search in the next slice."""
        seconds = max(0.001, min(self.SLICE_S, self._deadline - time.perf_counter()))
        return int(max(1, min(self.nodes_left, self._rate * seconds if self._rate else 64)))

    def count(self, nodes: int, seconds: float) -> None:
        """Account for a finished slice."""
        self.nodes_left -= nodes
        if nodes and seconds > 0:
            # Grow at most fourfold at a time: the first slices are too short to measure the rate.
            rate = nodes / seconds
            self._rate = min(rate, 4 * self._rate) if self._rate else min(rate, 1e5)

    def progress_due(self) -> bool:
        """Whether a progress report is due; true a few times per second."""
        now = time.perf_counter()
        if now < self._next_progress:
            return False
        self._next_progress = now + self.PROGRESS_INTERVAL_S
        return True
