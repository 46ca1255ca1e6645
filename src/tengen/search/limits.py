"""How long an engine may think, and on what; and the flag that stops it at once."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.core.errors import GameOver, IllegalMove, OptionError
from tengen.core.game import Move

if TYPE_CHECKING:  # a process that only asks for searches makes limits, and need not load Numba
    from tengen.core.position import Position


@dataclass(frozen=True)
class Clock:
    """The time left to the side to move: seconds, the increment after each move, moves to the next control."""

    seconds: float
    increment: float = 0.0
    moves_to_go: int | None = None

    def __post_init__(self) -> None:
        if not self.seconds >= 0 or not self.increment >= 0:
            raise OptionError(f"a clock shows no negative time: {self.seconds} s, {self.increment} s a move")
        if self.moves_to_go is not None and self.moves_to_go < 1:
            raise OptionError(f"the moves to the next control should be at least 1, not {self.moves_to_go}")


@dataclass(frozen=True)
class Limits:
    """When to stop: whichever comes first. With none, only a stop flag or a solution ends the search.

    `nodes` counts positions, or simulations in a Monte-Carlo search. `moves` restricts the search to these moves.
    `lines` asks for so many best moves, each with its own value and line.
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
            if value is not None and not (isinstance(value, kinds) and value > 0):
                what = "a number" if float in kinds else "a whole number"
                raise OptionError(f"the limit of {name} should be {what} above 0, not {value!r}")
        if self.lines < 1:
            raise OptionError(f"at least 1 line can be asked for, not {self.lines}")
        if self.moves is not None and not self.moves:
            raise OptionError("the search needs at least one move to look at")

    def check_without_depth(self, engine: str, stop: StopFlag | None) -> None:
        """Refuse a search that would never end, by an engine to which a depth means nothing."""
        ends = (self.seconds, self.nodes, self.clock, stop)
        if self.depth is not None and all(end is None for end in ends):
            raise OptionError(f"{engine} searches to no depth: limit its seconds or nodes")

    def thinking_time(self) -> float:
        """The seconds to spend on this move; infinite where time is no limit."""
        seconds = math.inf if self.seconds is None else self.seconds
        if self.clock is not None:
            # An even share of what is left, as if so many moves were to come, and never the last of it.
            share = self.clock.seconds / (self.clock.moves_to_go or 30) + 0.8 * self.clock.increment
            seconds = min(seconds, share, 0.5 * self.clock.seconds)
        return seconds


def root_moves(position: Position, limits: Limits) -> tuple[Move, ...]:
    """The moves that a search may choose from. Raises if there is none, or one that was asked for is illegal."""
    if position.is_over:
        raise GameOver("the game is over: there is no move to look for")
    if limits.moves is None:
        return position.legal_moves
    game = position.game
    moves = [game.read_move(move, position) if isinstance(move, str) else move for move in limits.moves]
    for move in moves:
        if move not in position.legal_moves:
            raise IllegalMove(game.write_move(move), game.why_illegal(position, move))
    return tuple(dict.fromkeys(moves))


class StopFlag:
    """One integer that kernels watch: set it from any thread, or from any process if it lies in shared memory."""

    def __init__(self, buffer: Any = None) -> None:
        """`buffer` holds at least 8 writable bytes; by default the flag has its own."""
        self.array = np.zeros(1, np.int64) if buffer is None else np.frombuffer(buffer, np.int64, count=1)

    def set(self) -> None:
        self.array[0] = 1

    def clear(self) -> None:
        self.array[0] = 0

    @property
    def is_set(self) -> bool:
        return bool(self.array[0])


class Budget:
    """What is left of a search's limits, and how long a kernel may run before Python looks again.

    Kernels run in slices of about SLICE seconds, so that time limits, Ctrl-C and progress need no second thread.
    """

    SLICE = 0.015
    PROGRESS_EVERY = 0.25

    def __init__(self, limits: Limits, stop: StopFlag | None) -> None:
        self.stop = stop or StopFlag()
        self.nodes_left: float = math.inf if limits.nodes is None else limits.nodes
        self._started = time.perf_counter()
        self._deadline = self._started + limits.thinking_time()
        self._next_progress = self._started + self.PROGRESS_EVERY
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
        """How many nodes to run until the next look."""
        seconds = max(0.001, min(self.SLICE, self._deadline - time.perf_counter()))
        return int(max(1, min(self.nodes_left, self._rate * seconds if self._rate else 64)))

    def count(self, nodes: int, seconds: float) -> None:
        """A slice has run."""
        self.nodes_left -= nodes
        if nodes and seconds > 0:
            # Growing at most fourfold at a time: a first slice that was mere warming up tells little.
            rate = nodes / seconds
            self._rate = min(rate, 4 * self._rate) if self._rate else min(rate, 1e5)

    def progress_due(self) -> bool:
        """True a few times a second."""
        now = time.perf_counter()
        if now < self._next_progress:
            return False
        self._next_progress = now + self.PROGRESS_EVERY
        return True
