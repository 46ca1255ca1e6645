"""What external programs say about a position, as candidates of a report.

Everything here comes from another program: numbers are checked, values are estimates, and moves that cannot be
played are dropped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.game import Move
from tengen.core.position import Position
from tengen.protocols.external.process import ExternalProcess, ReceiveTimeout, StopRequested
from tengen.search.limits import Limits, StopFlag
from tengen.search.report import Candidate, Overlay, Value

MAX_CANDIDATES = 700
MAX_LINE_MOVES = 40
MAX_FULL_LINES = 10  # candidates with their whole line
PROGRESS_INTERVAL_S = 0.25

ReadMove = Callable[[str, Position], Move]


@dataclass(frozen=True)
class Evaluation:
    """What a program says about the moves of a position, best first, in the game's notation."""

    candidates: tuple[Candidate, ...] = ()
    nodes: int = 0
    depth: int = 0
    overlays: tuple[Overlay, ...] = ()


@dataclass
class Pace:
    """The times of an analysis, and who wants to know how it goes.

    `finish` is when the search should be ended, `deadline` when the program counts as hung, in monotonic time.
    """

    limits: Limits
    finish: float
    deadline: float
    stop: StopFlag
    report: Callable[[Evaluation], None] | None = None
    _next_report: float = 0.0

    def receive(self, process: ExternalProcess, *, has_values: bool = True) -> str | None:
        """The program's next line; None if the search should be ended now.

        As long as the program has named no values, which takes a slow starter longer, only a stop ends the search.
        """
        finish = self.finish if has_values else self.deadline
        try:
            return process.receive(min(finish, self.deadline), self.stop)
        except StopRequested:
            return None
        except ReceiveTimeout:
            if finish < self.deadline:
                return None
            raise

    def is_due(self) -> bool:
        """Whether a report on progress is due."""
        return self.report is not None and time.monotonic() >= self._next_report

    def send(self, evaluation: Evaluation) -> None:
        if self.report is not None and evaluation.candidates:
            self._next_report = time.monotonic() + PROGRESS_INTERVAL_S
            self.report(evaluation)

    def has_enough(self, nodes: int) -> bool:
        """Whether the node limit is reached; programs that cannot be told are ended by us."""
        return self.limits.nodes is not None and nodes >= self.limits.nodes


@dataclass(frozen=True)
class SaidMove:
    """A move as a program describes it: its line in the program's notation, and its value for the mover."""

    line: Sequence[str]
    value: Value
    visits: int = 0
    points: float | None = None
    reason: str = ""


def candidates(said: Iterable[SaidMove], position: Position, read: ReadMove) -> tuple[Candidate, ...]:
    """The playable ones among the moves that a program names, in its order, each once."""
    legal = set(position.legal_moves)
    found: dict[Move, Candidate] = {}
    for one in said:
        if len(found) >= MAX_CANDIDATES:
            break
        try:
            move = read(one.line[0], position)
        except (TengenError, IndexError):
            continue
        if move not in legal or move in found:
            continue
        length = MAX_LINE_MOVES if len(found) < MAX_FULL_LINES else 1
        line = _playable(one.line[:length], position, read)
        name = position.game.write_move(move)
        found[move] = Candidate(name, one.value, line or (name,), one.visits, one.reason, one.points)
    return tuple(found.values())


def _playable(line: Iterable[str], position: Position, read: ReadMove) -> tuple[str, ...]:
    """The part of a line that can be played, in the game's notation."""
    written = []
    for word in line:
        try:
            move = read(word, position)
            if position.is_over or move not in position.legal_moves:
                break
        except TengenError:
            break
        written.append(position.game.write_move(move))
        position = position.play(move)
    return tuple(written)


def number(given: object, low: float = -math.inf, high: float = math.inf) -> float | None:
    """A finite number within bounds, given as a number or as text; None for anything else."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    if isinstance(given, str) and len(given) > 40:
        return None
    try:
        value = float(given)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) and low <= value <= high else None


def count(given: object) -> int:
    """A number of visits or nodes; 0 if it cannot be read."""
    return int(number(given, 0, 1e15) or 0)


def win_rate_value(rate: float) -> Value:
    return Value.heuristic(min(1.0, max(0.0, rate)), "win rate")


def grid_overlay(name: str, numbers: Sequence[Any], width: int, height: int, sign: float = 1.0) -> Overlay | None:
    """An overlay from numbers row by row from the top left; None unless there is one for each point."""
    if len(numbers) < width * height:
        return None
    points: dict[tuple[int, int], float | str] = {}
    for at, given in enumerate(numbers[: width * height]):
        value = number(given, -1, 1)
        if value is None:
            return None
        if value:
            points[at % width, at // width] = round(sign * value, 4)
    return Overlay.from_points(name, points)


def visits_overlay(found: Iterable[Candidate], position: Position) -> Overlay | None:
    """The share of visits of each point; None if the program does not count visits."""
    shares: dict[tuple[int, int], float | str] = {}
    visited = [one for one in found if one.visits]
    total = sum(one.visits for one in visited)
    for one in visited:
        for point in position.game.points(position.game.read_move(one.move, position))[-1:]:
            shares[point] = float(shares.get(point, 0.0)) + one.visits / total
    return Overlay.from_points("visits", shares) if shares else None


def info_fields(words: Sequence[str]) -> Mapping[str, str]:
    """Alternating names and values."""
    return dict(zip(words[::2], words[1::2], strict=False))
